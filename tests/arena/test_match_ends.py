"""However a match between folders ends: no bot and no file is left; a replay is whole or not."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]
Started = Callable[[], "subprocess.Popen[str]"]
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
RANDOM = (SAMPLES / "random", SAMPLES / "random", "--units", "1")


@pytest.fixture
def started(environment: dict[str, str], tmp_path: Path) -> Started:
    """Starts a match that does not end by itself; its bots are there when this returns."""
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "knockbox.toml").write_text(
        '[bot]\nname = "slow"\ncommand = ["sh", "run.sh"]\n'
    )
    (tmp_path / "slow" / "run.sh").write_text(f"touch {tmp_path}/started; sleep 98 & exec sleep 98")

    def start() -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "arena.cli", "match", "slow", "slow"],
            cwd=tmp_path,
            env={**environment, "TMPDIR": str(tmp_path)},
            stderr=subprocess.PIPE,
            text=True,
        )
        while not (tmp_path / "started").exists():
            assert process.poll() is None
        return process

    return start


def files_of(environment: dict[str, str], tmp_path: Path) -> list[Path]:
    """What lies where matches keep homes, sockets and replays."""
    places = [
        *tmp_path.glob("knockbox-match-*"),
        Path(environment["XDG_RUNTIME_DIR"]) / "knockbox",
        tmp_path / "replays",
    ]
    return [path for place in places for path in place.iterdir()]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_match_that_is_told_to_end(
    started: Started,
    environment: dict[str, str],
    tmp_path: Path,
    left_over: Callable[[Path], list[int]],
    number: signal.Signals,
    code: int,
) -> None:
    """SIGTERM and SIGHUP end it as Ctrl-C does: no bot, no socket and no home is left."""
    with started() as process:
        process.send_signal(number)
        assert process.stderr
        assert process.stderr.read() == f"ended by {number.name}\n"
    assert process.returncode == code
    assert left_over(tmp_path) == []
    assert files_of(environment, tmp_path) == []


def test_a_match_that_is_killed(
    started: Started,
    environment: dict[str, str],
    tmp_path: Path,
    left_over: Callable[[Path], list[int]],
) -> None:
    """kill -9 leaves nothing either, a moment later: no bot, no socket, no home."""
    with started() as process:
        process.kill()
    assert left_over(tmp_path) == []
    left = [path for path in files_of(environment, tmp_path) if path.parent.name != "replays"]
    assert left == []


def test_the_next_match_clears_up(
    knockbox: Knockbox, environment: dict[str, str], tmp_path: Path
) -> None:
    """What even the watcher could not clear away goes with the next match; living ones stay."""
    matches = tmp_path / f"knockbox-match-{os.getuid()}"
    runtime = Path(environment["XDG_RUNTIME_DIR"]) / "knockbox"
    for folder in (matches / "999999999-1", runtime / "m-999999999-1-abc", runtime / "other"):
        folder.mkdir(parents=True, mode=0o700)
    assert knockbox("match", *RANDOM, TMPDIR=str(tmp_path)).returncode == 0
    assert list(matches.iterdir()) == []
    assert list(runtime.iterdir()) == [runtime / "other"]


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("pipe", "pipe is not a file"),
        ("file/below.kbr", "cannot be kept at file/below.kbr: File exists"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_target_that_cannot_be(knockbox: Knockbox, tmp_path: Path, out: str, words: str) -> None:
    """A replay that could not be kept is refused with the reason before anything is played."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    said = knockbox("match", *RANDOM, "--out", out)
    assert (said.returncode, said.stdout, words in said.stderr) == (1, "", True), said.stderr
    assert said.stderr.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "file", "home"}
