"""What people and their scripts may hand to a command that is not what it hopes for."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
NO_TEXT = "\udcff"


@pytest.mark.parametrize(
    "arguments",
    [
        ("match", SAMPLES / "random", "--rules", "[" * 100_000),
        ("match", SAMPLES / "random", "--rules", '{"preset":' * 10_000),
        ("match", SAMPLES / "random", "--seed", NO_TEXT),
        ("tournament", "create", "--seed", NO_TEXT),
        ("tournament", "show", NO_TEXT),
        ("verify", "x" * 5000),
        ("replay", "show", "x" * 5000),
    ],
)
def test_what_cannot_be_meant_is_an_error_of_usage(
    knockbox: Knockbox, arguments: tuple[str | Path, ...]
) -> None:
    """Rules too deep, names too long, bytes that are no text: exit code 2 and a line, no more."""
    said = knockbox(*arguments)
    assert said.stdout == ""
    assert said.stderr.count("\n") == 1, said.stderr
    assert "fault of Knockbox" not in said.stderr
    assert said.returncode in (2, 4) if arguments[1] == "show" else said.returncode == 2


@pytest.mark.parametrize("command", [("verify",), ("replay", "show"), ("replay", "export")])
def test_a_replay_that_is_not_there(knockbox: Knockbox, command: tuple[str, ...]) -> None:
    """What may be a file's name or a match's id is said to be no file here, and no match."""
    said = knockbox(*command, "nofile")
    assert (said.returncode, said.stdout) == (4, "")
    assert said.stderr.startswith("error: there is no file nofile here; no arena runs for ")


def test_verify_goes_on(knockbox: Knockbox, tmp_path: Path) -> None:
    """One of several that cannot be fetched is wrong, and the others are proven all the same."""
    knockbox("match", SAMPLES / "random", "--units", "1", "--out", "a.kbr")
    said = knockbox("verify", "gone.kbr", "a.kbr", "cup.1")
    lines = said.stdout.splitlines()
    assert [line.split()[1] for line in lines] == ["WRONG:", "ok,", "WRONG:"]
    assert said.stderr == "1 of 3 replays are right\n"
    assert said.returncode == 1


def test_names_cannot_move_the_cursor(knockbox: Knockbox, tmp_path: Path) -> None:
    """What is told of a file's name or an option holds no control character, in JSON neither."""
    odd = tmp_path / "\x1b[2Jx\u202e.kbr"
    odd.touch()
    texts = [
        knockbox("verify", odd),
        knockbox("verify", odd, odd, "--json"),
        knockbox("replay", "show", odd),
        knockbox("match", "\x1b[2J"),
        knockbox("match", SAMPLES / "random", "--seat", "\x1b[2J"),
        knockbox("nonsense\x1b[2J"),
    ]
    for said in texts:
        told = said.stdout + said.stderr
        assert told
        assert "\x1b" not in told
        assert "\u202e" not in told
