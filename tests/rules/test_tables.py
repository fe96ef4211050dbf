"""The tables of the suits, each entry against its own definition."""

import pytest

from referee.rules.cards import RANK_VALUE
from referee.rules.tables import NO_DROP, Book, book, stretches

SUITS = range(1 << 13)


@pytest.fixture(scope="module", params=[False, True], ids=["ace low", "ace high"])
def facts(request: pytest.FixtureRequest) -> Book:
    """A book."""
    return book(request.param)


def points(suit: int) -> int:
    return sum(RANK_VALUE[rank] for rank in range(13) if suit >> rank & 1)


def least(suit: int, ace_high: bool) -> int:
    """Points left by the best runs, the ace at either end."""
    low = points(suit) - sum(map(points, stretches(suit)))
    if not ace_high or not suit & 1 or suit >> 11 != 3:
        return low
    top = next(rank for rank in range(12, -2, -1) if rank < 0 or not suit >> rank & 1)
    rest = suit & (1 << top + 1) - 2
    return min(low, points(rest) - sum(map(points, stretches(rest))))


def test_points_and_least_deadwood_of_a_suit(facts: Book) -> None:
    """A suit's points are those of its cards, its deadwood what the best runs leave."""
    for suit in SUITS:
        assert facts.loose[suit] == points(suit)
        assert facts.net[suit] == least(suit, facts.ace_high)


def test_tables_without_a_card(facts: Book) -> None:
    """What is left without a card, by card and by rank, is what the smaller suit has."""
    for suit in SUITS:
        ranks = [rank for rank in range(13) if suit >> rank & 1]
        assert list(facts.after[suit]) == [facts.net[suit ^ 1 << rank] for rank in ranks]
    for rank in range(13):
        assert all(facts.cut[rank][suit] == facts.net[suit & ~(1 << rank)] for suit in SUITS)


def test_drops(facts: Book) -> None:
    """The best drop is that of the first card that lowers the count most; the next of the rest."""
    for suit in SUITS:
        falls = [
            (facts.net[suit] - facts.net[suit ^ 1 << rank], -rank)
            for rank in range(13)
            if suit >> rank & 1
        ]
        falls.sort(reverse=True)
        found = (facts.drop[suit], facts.dropped[suit], facts.next_drop[suit])
        first, rank = (falls[0][0] + NO_DROP, -falls[0][1]) if falls else (0, 0)
        assert found == (first, rank, falls[1][0] + NO_DROP if len(falls) > 1 else 0)


def test_cards_in_runs(facts: Book) -> None:
    """A card is marked where some three cards of the suit that hold it are a run."""
    rows = [7 << rank for rank in range(11)] + ([3 << 11 | 1] if facts.ace_high else [])
    for suit in SUITS:
        standing = 0
        for row in rows:
            if suit & row == row:
                standing |= row
        assert facts.in_run[suit] == standing
