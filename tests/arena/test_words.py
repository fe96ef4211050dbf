"""Counts and tables as people read them, and rules by their names."""

import pytest

from arena.cli import output, progress, rulesets, words
from knockbox.v1 import arena_pb2 as pb
from referee.rules.ruleset import resolve

HEADERS = ("", "bot", "score %", "drawn")
ROWS = [("1", "ada", "50.0", "0"), ("2", "bob", "50.0", "0")]


@pytest.mark.parametrize(
    ("count", "noun", "told"),
    [(1, "unit", "1 unit"), (0, "unit", "0 units"), (2000, "match", "2,000 matches")],
)
def test_singular_and_plural(count: int, noun: str, told: str) -> None:
    """One is one, and everything else are several."""
    assert words.many(count, noun) == told


def test_a_narrow_terminal_loses_the_least_important_columns() -> None:
    """Columns go in the order given, only as many as must, and never one that is not spare."""
    spare = ("drawn", "score %")
    assert words.fit(HEADERS, ROWS, spare, 22, 2) == ([*HEADERS], [[*row] for row in ROWS], 2)
    assert words.fit(HEADERS, ROWS, spare, 21)[0] == ["", "bot", "score %"]
    assert words.fit(HEADERS, ROWS, spare, 5) == (["", "bot"], [["1", "ada"], ["2", "bob"]], 1)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("danish", "danish"),
        ({"preset": "german", "target": 150}, "german, target 150"),
        ({"preset": "german", "target": None}, "german, target none"),
        ({"preset": "german", "gin_bonus": 20, "columns": 3}, "german, gin_bonus 20, columns 3"),
    ],
)
def test_rules_are_named_by_what_differs(asked: object, told: str) -> None:
    """A ruleset is named by its preset and every field that differs from it."""
    assert sorted(rulesets.named(resolve(asked)).split(", ")) == sorted(told.split(", "))


def test_given_up_matches_are_told_with_their_causes() -> None:
    """How many matches were given up, and which by what cause."""
    one = pb.Tournament(matches=6, dead=3)
    one.given_up.add(match_id="t1.2", cause="refused")
    one.given_up.add(match_id="t1.4", cause="refused")
    told = "3 matches of 6 were given up (refused: t1.2, t1.4 and 1 more)"
    assert progress.given_up(one) == told
    assert progress.given_up(pb.Tournament(matches=6)) == ""


def test_nothing_told_acts_on_a_terminal() -> None:
    """What could move a cursor is replaced by a mark, a tab by spaces, as its writer meant it."""
    told = "a\N{REPLACEMENT CHARACTER}[2J    = 1\N{REPLACEMENT CHARACTER}"
    assert output.printable("a\x1b[2J\t= 1\u202e") == told


def test_long_sentences_are_wrapped_between_words() -> None:
    """A sentence is wrapped at the width, its other lines indented; what fits stays as it is."""
    told = "deals     3 won; 4 lost"
    assert words.wrapped(told, 1 << 20, 10) == words.wrapped(told, len(told), 10) == told
    assert words.wrapped(told, 18, 10) == "deals     3 won; 4\n          lost"
    assert words.wrapped("or else `knockbox up` it", 13) == "or else\n  `knockbox up`\n  it"
    assert words.wrapped("a-very-long-word b", 5) == "a-very-long-word\n  b"
