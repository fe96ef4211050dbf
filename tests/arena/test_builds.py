"""`build` and `exclude` of a manifest: compiled bots that play as processes of their author."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.local import builds
from arena.local.sandbox import SandboxError
from workers.sandbox import manifest

MANIFEST = """[bot]
name = "compiled"
command = ["./bot"]
build = ["python3", "make.py"]
exclude = ["bot", "out"]
"""
MAKE = """
import pathlib, sys
out = pathlib.Path("out")
out.mkdir(exist_ok=True)
(out / "times").write_text(str(len(list(out.glob("times"))) + 1))
bot = pathlib.Path("bot")
bot.write_text("#!/bin/sh\\n" + pathlib.Path("source").read_text())
bot.chmod(0o755)
pathlib.Path("data").write_text("made")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot whose program is made from its source."""
    folder = tmp_path / "compiled"
    folder.mkdir()
    (folder / "knockbox.toml").write_text(MANIFEST)
    (folder / "make.py").write_text(MAKE)
    (folder / "source").write_text("echo one\n")
    (folder / "out").mkdir()
    (folder / "out" / "huge").write_bytes(bytes(manifest.MAX_BYTES + 1))
    (folder / "bot").write_text("of another machine")
    return folder


def built(folder: Path, cache: Path, snapshot: Path) -> tuple[Path, list[str]]:
    """The bot ready to play, and what was told meanwhile."""
    bot, told = manifest.read(folder), list[str]()
    manifest.unpack(bot.files, snapshot)
    builds.add(bot, snapshot, cache, told.append)
    return snapshot, told


def test_what_a_build_makes_is_not_packed(folder: Path) -> None:
    """Neither in the digest nor in what travels is anything that `exclude` names, however large."""
    packed = manifest.read(folder)
    assert [file.path for file in packed.files] == ["knockbox.toml", "make.py", "source"]
    (folder / "bot").unlink()
    assert manifest.digest(manifest.read(folder).files) == manifest.digest(packed.files)


def test_a_bot_is_built_where_something_has_changed(folder: Path, tmp_path: Path) -> None:
    """The program and what lies beside it come along; without a change nothing is built again.

    The author's folder stays as it is, and a file that is gone from it is gone from the build.
    """
    cache = tmp_path / "cache"
    (folder / "old").write_text("")
    snapshot, told = built(folder, cache, tmp_path / "1")
    assert told == ["compiled: building (python3 make.py)"]
    assert subprocess.check_output([snapshot / "bot"], text=True) == "one\n"
    assert (snapshot / "data").read_text() == "made"
    assert not (snapshot / "out").exists()
    assert built(folder, cache, tmp_path / "2")[1] == []
    (folder / "old").unlink()
    (folder / "source").write_text("echo two; ls")
    snapshot, told = built(folder, cache, tmp_path / "3")
    assert len(told) == 1
    assert "two" in subprocess.check_output([snapshot / "bot"], text=True)
    assert not (snapshot / "old").exists()
    assert not (cache / "compiled" / "folder" / "old").exists()
    assert (folder / "bot").read_text() == "of another machine"


def test_a_build_that_fails_shows_what_it_said(folder: Path, tmp_path: Path) -> None:
    """The command, its exit code and its last words, with nothing that moves a cursor; and another
    way where there is one."""
    (folder / "make.py").write_text("print('line 3: \\x1b[2Jno such card'); raise SystemExit(5)")
    with pytest.raises(SandboxError) as caught:
        built(folder, tmp_path / "cache", tmp_path / "1")
    assert "compiled: its build failed (python3 make.py: 5)\n  | line 3" in str(caught.value)
    assert "--sandbox container" not in str(caught.value)
    (folder / "Dockerfile").write_text("FROM knockbox/python-bot\n")
    with pytest.raises(SandboxError, match=r"such card\nif this .*: --sandbox container builds it"):
        built(folder, tmp_path / "cache", tmp_path / "2")
    assert "\x1b" not in str(caught.value)


def test_a_toolchain_that_is_missing_is_named(folder: Path, tmp_path: Path) -> None:
    """It says what to install, and that an engine would do."""
    (folder / "knockbox.toml").write_text(MANIFEST.replace("python3", "fortran77"))
    with pytest.raises(SandboxError, match="built with fortran77, which is not on the PATH"):
        built(folder, tmp_path / "cache", tmp_path / "1")


def test_a_compiled_bot_plays(
    folder: Path, tmp_path: Path, knockbox: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    """`knockbox match` builds it and runs what was built, for each of its legs."""
    played = knockbox("match", folder, folder, "--units", "1")
    assert played.returncode == 3  # it does not play gin, but it runs
    assert "compiled: building (python3 make.py)" in played.stderr
    assert "crash in leg 0, exit code 0" in played.stderr
    assert "  | one" in played.stderr
