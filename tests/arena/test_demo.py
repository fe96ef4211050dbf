"""`knockbox demo`: everything, from nothing, in one command."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]
BOTS = ["builder", "gin_hunter", "greedy", "random"]


def test_demo(
    knockbox: Knockbox,
    environment: dict[str, str],
    tmp_path: Path,
    left_over: Callable[[Path], list[int]],
) -> None:
    """Four bots play a round robin, `random` comes last, all replays are right, nothing is left."""
    said = knockbox("demo", "--units", "6", timeout=180)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    table = [line.split()[1] for line in lines[1:5]]
    assert (sorted(table), table[-1]) == (BOTS, "random")
    assert "Elo" in lines[0]
    assert any(line.startswith("Match t1.") for line in lines)
    assert lines[-1].startswith("verified: 6 of 6 replays are right")
    assert "\x1b" not in said.stdout + said.stderr
    place = tmp_path / ".knockbox" / "demo"
    replays = sorted((place / "replays").glob("*.kbr"))
    assert len(replays) == 6
    assert knockbox("verify", *replays).returncode == 0
    assert left_over(place) == []
    assert list(Path(environment["XDG_RUNTIME_DIR"]).glob("knockbox/*")) == []


def test_demo_empties_no_folder_but_its_own(knockbox: Knockbox, tmp_path: Path) -> None:
    """A folder with something else in it is left alone."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("dear to me")
    said = knockbox("demo", "--data", "mine")
    assert (said.returncode, "not of an earlier demo" in said.stderr) == (2, True)
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_demo_interrupted(
    environment: dict[str, str], tmp_path: Path, left_over: Callable[[Path], list[int]]
) -> None:
    """Ctrl-C ends the demo with code 130, and nothing is left running."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "demo"],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stderr
        for line in process.stderr:
            if "0 of 6 matches" in line:
                os.killpg(process.pid, signal.SIGINT)
                break
        rest = process.stderr.read()
    assert process.returncode == 130
    assert rest.splitlines()[-1] == "interrupted"
    assert "Traceback" not in rest
    assert left_over(tmp_path) == []


def test_demo_killed(
    environment: dict[str, str], tmp_path: Path, left_over: Callable[[Path], list[int]]
) -> None:
    """When the demo itself is killed, all that it has started ends by itself."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "demo"],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stderr
        for line in process.stderr:
            if "0 of 6 matches" in line:
                process.kill()
    while left_over(tmp_path):
        pass
