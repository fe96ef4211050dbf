"""What the pages tell people to type is typed here, in their order, and must work."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder that looks like a fresh clone, and the environment of a newcomer in it."""
    (tmp_path / "sample_bots").symlink_to(ROOT / "sample_bots")
    runtime = tempfile.mkdtemp(prefix="kbd", dir="/tmp")
    home = tmp_path / "home"
    home.mkdir()
    commands = Path(sys.executable).parent
    environment = {
        "PATH": f"{commands}:{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_RUNTIME_DIR": runtime,
    }
    yield tmp_path, environment
    subprocess.run(
        [commands / "knockbox", "down"], env=environment, capture_output=True, check=False
    )
    shutil.rmtree(runtime, ignore_errors=True)


def blocks(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall((ROOT / page).read_text())


def follow(page: str, folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """Do what a page says: write the files it shows, type the commands; what each printed."""
    said: dict[str, str] = {}
    for language, text in blocks(page):
        name = re.match(r"# ([\w./-]+)\n", text)
        if name and language in ("toml", "python"):
            (folder / name[1]).write_text(text)
        if language != "sh":
            continue
        for line in text.strip().splitlines():
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
            said[line] = done.stdout
    return said


def test_readme_works_as_written(clone: tuple[Path, dict[str, str]]) -> None:
    """Following the README, a newcomer's bot plays, beats `random` and is rated above it."""
    said = follow("README.md", *clone)
    rated = said["knockbox ratings"]
    assert rated.index("mybot") < rated.index("random")
    assert "ok" in said["knockbox verify replays/*.kbr"]


def test_readme_names_what_is_there() -> None:
    """Every path in the README's map exists, and so does every page it links to."""
    text = (ROOT / "README.md").read_text()
    table = text[text.index("## Where things are") : text.index("## Work on it")]
    for quoted in re.findall(r"`([\w./{},-]+/[\w./{},-]*)`", table):
        head, _, rest = quoted.partition("{")
        names = rest.partition("}")[0].split(",") if rest else [""]
        tail = rest.partition("}")[2]
        for name in names:
            assert (ROOT / f"{head}{name}{tail}").exists(), f"{head}{name}{tail}"
    for link in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (ROOT / link).exists(), link
