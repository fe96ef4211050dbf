"""`knockbox rules`: JSON lines in and out."""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]

GIN = ["2C", "2D", "2H", "2S", "3H", "4C", "4D", "4S", "AC", "AH", "AS"]


def test_every_line_has_its_answer(knockbox: Knockbox) -> None:
    """A bad line is answered with an error, and the next one is read."""
    lines = [
        json.dumps({"cards": GIN}),
        "nonsense",
        "[1]",
        '{"cards":["1X"]}',
        json.dumps({"cards": GIN}),
    ]
    said = knockbox("rules", "deadwood", stdin="\n".join(lines) + "\n")
    answers = [json.loads(line) for line in said.stdout.splitlines()]
    assert said.returncode == 0
    assert [set(answer) for answer in answers] == [
        {"deadwood", "melds", "discard"},
        {"error"},
        {"error"},
        {"error"},
        {"deadwood", "melds", "discard"},
    ]
    assert (answers[0]["deadwood"], answers[0]["discard"]) == (0, "3H")
    assert answers[3]["error"]["field"] == "cards"


def test_an_answer_comes_before_the_next_question() -> None:
    """A program may ask, read the answer, and ask again."""
    asked = subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "rules", "check"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert asked.stdin
    assert asked.stdout
    with asked:
        for rules, ok in (("danish", True), ("swedish", False)):
            asked.stdin.write(json.dumps({"rules": rules}) + "\n")
            asked.stdin.flush()
            answer = json.loads(asked.stdout.readline())
            assert answer.get("ok", False) is ok
        asked.stdin.close()
    assert asked.returncode == 0


def test_presets_are_complete(knockbox: Knockbox) -> None:
    """`rules presets` names every preset in a table, and with --json every field of each."""
    told = json.loads(knockbox("rules", "presets", "--json").stdout)
    lines = knockbox("rules", "presets").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["preset", *told["presets"]]
    assert "danish" in json.dumps(told)


def test_play_with_a_view(knockbox: Knockbox) -> None:
    """`--view SEAT` adds what that seat sees when the script ends."""
    line = {
        "rules": "danish",
        "dealer": 0,
        "hands": ["AC 2C 3C 4C 5C 6C 7C 8C 9C TC", "AD 2D 3D 4D 5D 6D 7D 8D 9D TD"],
        "upcard": "KS",
        "stock": "KH QH",
        "actions": ["pass", "pass", "draw"],
    }
    said = knockbox("rules", "play", "--view", "0", stdin=json.dumps(line))
    told = json.loads(said.stdout)
    assert "view" in told
    assert "KH" not in json.dumps(told["view"])


def test_a_reader_that_has_seen_enough(knockbox: Knockbox) -> None:
    """A closed pipe ends the command without a word."""
    asked = subprocess.run(
        [
            "sh",
            "-c",
            f'yes \'{{"rules":"danish"}}\' | {sys.executable} -m arena.cli rules check | head -1',
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stdout.count("\n") == 1
    assert asked.stderr == ""


@pytest.mark.parametrize(
    "line",
    [
        b'{"cards": "\xff"}',
        b'{"cards": [' + b" " * 5_000_000,
        b"[" * 100_000,
        b'{"error": {"field": "x", "message": "mine"}}',
        b'{"cards": "\\ud800"}',
    ],
)
def test_no_line_ends_the_answers(line: bytes) -> None:
    """Bad bytes, endless lines, deep ones and an error of one's own: an error, and the next line.

    All lines were answered, so the exit code is 0.
    """
    good = json.dumps({"cards": GIN}).encode()
    said = subprocess.run(
        [sys.executable, "-m", "arena.cli", "rules", "deadwood"],
        input=b"\n".join([good, line, good, b""]),
        capture_output=True,
        check=True,
    )
    first, bad, last = map(json.loads, said.stdout.splitlines())
    assert first == last
    assert (list(bad), "mine" in str(bad)) == (["error"], False)
    assert said.stderr == b""
