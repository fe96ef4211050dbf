"""`knockbox match --seat 0=dial`: a bot that somebody starts by hand takes part."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from tests.arena.command_kit import running

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
EXPORT = re.compile(r"  export (\w+)=(\S+)\n")
Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]


def way_in(screen: IO[str]) -> tuple[str, dict[str, str]]:
    """What the screen says next: the line above the variables, and the variables."""
    head = screen.readline()
    pairs = [EXPORT.fullmatch(screen.readline()) for _ in range(2)]
    variables = {pair[1]: pair[2] for pair in pairs if pair}
    assert set(variables) == {"KNOCKBOX_REFEREE", "KNOCKBOX_TICKET"}, head
    assert "each leg wants a fresh start" in screen.readline()
    return head, variables


def by_hand(folder: Path, variables: dict[str, str], code: str = "") -> int:
    """Start a bot as its author does, in its own folder; or `code` in its place."""
    return subprocess.run(
        [sys.executable, *(("-c", code) if code else ("bot.py",))],
        cwd=folder,
        env={"PYTHONPATH": "..", **variables},
        timeout=60,
        check=False,
    ).returncode


def begin(
    environment: dict[str, str], folder: Path, *more: str
) -> "AbstractContextManager[subprocess.Popen[str]]":
    """The command, with the first bot to be started by hand."""
    bots = (str(SAMPLES / "greedy"), str(SAMPLES / "random"))
    return running("match", *bots, "--seat", "0=dial", "--json", *more, cwd=folder, env=environment)


def test_a_bot_started_by_hand(
    environment: dict[str, str], tmp_path: Path, knockbox: Knockbox
) -> None:
    """Started anew for each leg with what the screen says, it plays both; the replay is proven."""
    with begin(environment, tmp_path, "--units", "2", "--seed", "x") as process:
        assert process.stderr and process.stdout
        doors = []
        for leg in range(2):
            head, variables = way_in(process.stderr)
            assert head.startswith(f"leg {leg}: greedy is waited for")
            assert by_hand(SAMPLES / "greedy", variables) == 0
            doors.append(variables)
        said = json.loads(process.stdout.read())
    assert process.returncode == 0
    assert doors[0]["KNOCKBOX_TICKET"] != doors[1]["KNOCKBOX_TICKET"]
    played = ("match", SAMPLES / "greedy", SAMPLES / "random", "--units", "2", "--seed", "x")
    usual = json.loads(knockbox(*played, "--clock", "none", "--json", "--out", "u.kbr").stdout)
    assert [bot["score"] for bot in said["bots"]] == [bot["score"] for bot in usual["bots"]]
    assert json.loads(knockbox("verify", "--json", said["replay"]).stdout)["ok"]


def test_a_bot_that_is_started_again_within_a_leg(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """No time runs; it is told that a bot has left, which goes on with the same variables."""
    breaks_off = (
        "import os, knockbox_sdk\n"
        "knockbox_sdk.run(lambda state: os._exit(5) if state.discards else state.otherwise())"
    )
    with begin(environment, tmp_path, "--units", "1") as process:
        assert process.stderr and process.stdout
        _, variables = way_in(process.stderr)
        assert by_hand(SAMPLES / "greedy", variables, breaks_off) == 5
        left = "leg 0: greedy has left; start it again with the same lines\n"
        assert process.stderr.readline() == left
        assert by_hand(SAMPLES / "greedy", variables) == 0
        _, variables = way_in(process.stderr)
        assert by_hand(SAMPLES / "greedy", variables) == 0
        said = json.loads(process.stdout.read())
    assert process.returncode == 0
    assert said["bots"][0]["reasons"] == ["played", "played"]


def test_a_seat_that_is_not_there(knockbox: Knockbox) -> None:
    """Anything else after --seat is refused, and what would be right is said."""
    said = knockbox("match", SAMPLES / "greedy", SAMPLES / "random", "--seat", "2=dial")
    assert said.returncode == 2
    assert "0=dial" in said.stderr
