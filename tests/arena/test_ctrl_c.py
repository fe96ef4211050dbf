"""Ctrl-C once: what is played comes to its end. Twice: all ends at once, and nothing is lost."""

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest

from tests.arena.command_kit import running

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]
Program = Callable[..., AbstractContextManager["subprocess.Popen[str]"]]
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
BOT = """
import os, pathlib, time
from knockbox_sdk import run

def bot(state):
    pathlib.Path("{folder}/playing").touch()
    while not pathlib.Path("{folder}/go").exists():
        time.sleep(0.01)
    return state.knock(state.best_knock) if state.knocks else state.otherwise()

run(bot)
"""


@pytest.fixture
def program(environment: dict[str, str], tmp_path: Path) -> Program:
    """Starts `knockbox …`, to be interrupted."""

    return partial(running, cwd=tmp_path, env={**environment, "TMPDIR": str(tmp_path)})


@pytest.fixture
def patient(tmp_path: Path) -> Path:
    """A bot that answers nothing before there is a file `go`; it makes `playing` when asked."""
    folder = tmp_path / "patient"
    folder.mkdir()
    (folder / "knockbox.toml").write_text(
        '[bot]\nname = "patient"\ncommand = ["python3", "bot.py"]\n'
        f'include = ["{os.path.relpath(SAMPLES / "knockbox_sdk", folder)}"]\n'
    )
    (folder / "bot.py").write_text(BOT.format(folder=tmp_path))
    return folder


def until(holds: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    while not holds():
        assert process.poll() is None, process.stderr and process.stderr.read()


def test_a_match_is_played_to_its_end(program: Program, tmp_path: Path, patient: Path) -> None:
    """`match`, Ctrl-C once: it says how far it is, and comes to its end; replay and table, 130."""
    match = ("match", patient, SAMPLES / "greedy", "--units", "1", "--clock", "none")
    with program(*match) as process:
        until((tmp_path / "playing").exists, process)
        process.send_signal(signal.SIGINT)
        assert process.stdout and process.stderr
        said = process.stderr.readline()
        assert said == (
            "the match is played to its end, which without a clock may never come (it begins); "
            "Ctrl-C again ends it at once, without a replay\n"
        )
        (tmp_path / "go").touch()
        table = process.stdout.read()
        assert "replay: replays/" in process.stderr.read()
    assert process.returncode == 130
    assert table.startswith("bot")
    assert len(list((tmp_path / "replays").glob("*.kbr"))) == 1


def test_a_match_ends_at_once(
    program: Program, tmp_path: Path, patient: Path, left_over: Callable[[Path], list[int]]
) -> None:
    """`match`, Ctrl-C twice: it ends with code 130, no bot and no replay is left."""
    with program("match", patient, patient, "--units", "1", "--clock", "none") as process:
        until((tmp_path / "playing").exists, process)
        process.send_signal(signal.SIGINT)
        assert process.stdout and process.stderr
        assert process.stderr.readline().startswith("the match is played to its end")
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == "interrupted\n"
    assert process.returncode == 130
    assert left_over(tmp_path) == []
    assert list((tmp_path / "replays").iterdir()) == []


def serving(process: "subprocess.Popen[str]") -> None:
    """Wait until `up --foreground` says that all serve."""
    assert process.stderr
    while "next:" not in (line := process.stderr.readline()):
        assert line


def interrupt(process: "subprocess.Popen[str]", tmp_path: Path) -> None:
    """Ctrl-C once the patient bot plays; it is said what is waited for."""
    until((tmp_path / "playing").exists, process)
    (tmp_path / "playing").unlink()
    process.send_signal(signal.SIGINT)
    assert process.stderr
    assert process.stderr.readline() == "\n"
    line = process.stderr.readline()
    assert line.startswith("waiting for the end of 1 match (cup.1, "), line


def test_an_arena_is_interrupted(
    program: Program,
    knockbox: Knockbox,
    tmp_path: Path,
    patient: Path,
    left_over: Callable[[Path], list[int]],
) -> None:
    """`up --foreground`, Ctrl-C twice: nothing is left, and the next start plays the match again;
    Ctrl-C once: it is played to its end before all end.
    """
    data = tmp_path / "data"
    with program("up", "--foreground", "--data", data) as process:
        serving(process)
        for folder in (patient, SAMPLES / "greedy"):
            assert knockbox("bot", "add", folder, "--data", data).returncode == 0
        cup = ("--name", "cup", "--units", "1", "--data", data)
        assert knockbox("tournament", "create", *cup).returncode == 0
        interrupt(process, tmp_path)
        process.send_signal(signal.SIGINT)
        assert process.stderr
        assert "ending at once" in process.stderr.read()
    assert process.returncode == 0
    assert left_over(data) == []
    with program("up", "--foreground", "--data", data) as process:
        serving(process)
        interrupt(process, tmp_path)
        (tmp_path / "go").touch()
        assert process.stderr
        rest = process.stderr.read()
    assert (process.returncode, rest.splitlines()[0]) == (0, "the arena has ended, nothing is lost")
    assert left_over(data) == []
    played = [*(data / "incoming").glob("cup.1.*.kbr"), *(data / "replays").glob("cup.1.kbr")]
    assert len(played) == 1
