"""From log entries to a table and its cross table."""

import random
from typing import Any

import pytest

from tests.workers.standing_entries import EVEN, LOST, WON, entry
from workers import ledger
from workers.standings.book import Book, Player
from workers.standings.means import mean_and_half, ratio_and_half, units_apart
from workers.standings.table import Meeting, Row, head_to_head, table

ENTRIES = [
    entry(("ab", "cd"), [WON] * 6 + [EVEN] * 5, seq=1),
    entry(("ef", "cd"), [LOST] * 4 + [EVEN] * 5, seq=2),
    entry(("ab", "ef"), [WON] * 3 + [EVEN] * 7 + [LOST], seq=3),
]


def booked(*entries: dict[str, Any], entrants: tuple[Player, ...] = ()) -> Book:
    """A book of these entries."""
    book = Book(entrants)
    book.extend(entries)
    return book


def row(book: Book, name: str) -> Row:
    """One bot's row."""
    return next(row for row in table(book) if row.name == name)


def meeting(book: Book, name: str, other: str) -> Meeting:
    """One bot against another."""
    found = head_to_head(book)
    return next(m for m in found if (m.bot[0], m.other[0]) == (name, other))


def test_a_table_has_the_best_first() -> None:
    """Rows follow the rating, those without a unit come last; a table has 1500 on average."""
    rows = table(booked(*ENTRIES, entrants=(("zz", "v"),)))
    assert [line.name for line in rows] == ["ab", "cd", "ef", "zz"]
    ratings = [line.rating for line in rows if line.rating]
    assert len(ratings) == 3 and abs(sum(one.milli for one in ratings) - 4_500_000) <= 2
    assert all(one.low < one.milli < one.high for one in ratings)
    assert rows[0].superior and rows[0].superior > 900_000
    assert [line.superior for line in rows[2:]] == [None, None]
    assert (rows[3].units, rows[3].interval) == (0, 1_000_000)


def test_a_row_counts_games_and_points() -> None:
    """Won, lost, drawn, mean unit score, and points a deal with what they may be off by."""
    found = row(booked(*ENTRIES), "ab")
    assert (found.units, found.won, found.lost, found.drawn) == (22, 30, 14, 0)
    assert found.score == round(1_000_000 * (9 + 12 / 2) / 22)
    assert found.milli_points == round(1000 * (8 * 20) / (22 * 6))
    assert found.milli_points_interval and found.milli_points_interval < 1000


@pytest.mark.parametrize("seed", range(3))
def test_no_table_depends_on_the_order_of_arrival(seed: int) -> None:
    """Entries in another order, or one by one, give the same table and the same cross table."""
    shuffled = list(ENTRIES)
    random.Random(seed).shuffle(shuffled)
    book = booked()
    for one in shuffled:
        book.extend([one])
    assert table(book) == table(booked(*ENTRIES))
    assert head_to_head(book) == head_to_head(booked(*ENTRIES))


def test_two_bots_are_seen_from_both_sides() -> None:
    """What one has done against the other is what the other has not."""
    book = booked(*ENTRIES)
    one, other = meeting(book, "ab", "cd"), meeting(book, "cd", "ab")
    assert (one.units, one.score, one.interval) == (11, 772_727, other.interval)
    assert (one.score + other.score, one.milli_points) == (1_000_000, -other.milli_points)
    assert one.milli_points_interval == other.milli_points_interval
    assert len(head_to_head(book)) == 6


def test_forfeits_are_results_and_no_points() -> None:
    """A forfeited game is lost, is counted apart, and leaves its unit out of the points."""
    book = booked(entry(("ab", "cd"), [WON, WON, LOST], faulty=[(2, 0, 0), (2, 1, 0)]))
    one, other = row(book, "ab"), row(book, "cd")
    assert (one.units, one.score, one.forfeits, other.forfeits) == (3, 666_667, 2, 0)
    assert (one.milli_points, other.milli_points) == (3333, -3333)
    met = meeting(book, "cd", "ab")
    assert (met.forfeits, met.other_forfeits, met.milli_points) == (0, 2, -3333)
    assert (one.points_units, met.points_units) == (2, 2)


def test_a_match_that_was_taken_back_does_not_count() -> None:
    """After a correction the table is as if the match had not been played."""
    correction = {**ledger.correction(ENTRIES[2], [1_500_000] * 2, "why", 0), "seq": 4}
    corrected = booked(*ENTRIES, correction)
    assert table(corrected) == table(booked(*ENTRIES[:2]))
    assert head_to_head(corrected) == head_to_head(booked(*ENTRIES[:2]))


def test_matches_of_which_nothing_counts() -> None:
    """Entries without units or without bots change no rating."""
    nothing = entry(("ab", "cd"), [], seq=4)
    closed = {**ledger.note("closed", "t1", 0), "seq": 5}
    assert table(booked(*ENTRIES, nothing, closed)) == table(booked(*ENTRIES))


def test_a_bot_against_itself_says_nothing() -> None:
    """Such a match leaves no trace in a table."""
    rows = table(booked(*ENTRIES, entry(("ab", "ab"), [WON], seq=4)))
    assert rows == table(booked(*ENTRIES))


def test_versions_are_bots_of_their_own() -> None:
    """A new version has a row of its own, with what it has done itself."""
    newer = entry(("ab", "cd"), [LOST] * 5, seq=4)
    newer["bots"][0]["version"] = "w"
    rows = {(line.name, line.version): line for line in table(booked(*ENTRIES, newer))}
    assert (rows["ab", "v"].units, rows["ab", "w"].units) == (22, 5)


def test_three_bots_meet_pair_by_pair() -> None:
    """With three sides each two have a score and points of their own."""
    unit = ((9, 6, 0), (9, 0, 6), (0, 9, 6))
    book = booked(entry(("ab", "cd", "ef"), [unit] * 4, sides=((0,), (1,), (2,))))
    assert [line.name for line in table(book)] == ["ab", "cd", "ef"]
    met = meeting(book, "ab", "ef")
    assert (met.units, met.score, met.milli_points) == (4, 666_667, round(1000 * 6 / 9))
    assert row(book, "ab").milli_points == round(1000 * (3 + 6) / 2 / 9)


def test_partners_meet_their_opponents_only() -> None:
    """Partners have no score against each other, and each has its side's against the others."""
    book = booked(entry(("ab", "cd", "ef", "gh"), [((5, 0),) * 4] * 3, sides=((0, 2), (1, 3))))
    pairs = {(m.bot[0], m.other[0]): m.score for m in head_to_head(book)}
    assert ("ab", "ef") not in pairs and ("cd", "gh") not in pairs
    assert len(pairs) == 8 and pairs["ab", "cd"] == pairs["ef", "gh"] == 1_000_000
    assert {line.name for line in table(book)[:2]} == {"ab", "ef"}


def test_intervals_never_claim_certainty() -> None:
    """Few or equal units leave much open; many mixed ones leave the usual interval."""
    assert mean_and_half(0, 0, 0, 24) == (0.0, 1.0)
    assert mean_and_half(1, 24, 24**2, 24) == (1.0, 1.0)
    assert mean_and_half(30, 30 * 24, 30 * 24**2, 24) == (1.0, 0.1)
    mean, half = mean_and_half(100, 50 * 24, 50 * 24**2, 24)
    assert (mean, round(half, 3)) == (0.5, 0.098)
    assert ratio_and_half(1, 9, 81, 27, 3, 9) == (3.0, None)
    assert ratio_and_half(2, 18, 162, 54, 6, 18) == (3.0, None)


def test_how_many_units_tell_two_bots_apart() -> None:
    """Four times as many for half the difference, and twice as many to be sure of it."""
    half, most = units_apart(0.3, 100)
    quarter, _ = units_apart(0.3, 50)
    assert half == 18 and 1.9 < most / half < 2.2 and 3.5 < quarter / half < 4.5
