"""Counting and arranging a hand."""

import pytest
import slow_model
from hypothesis import example, given
from hypothesis import strategies as st
from rules_models import cards, rich_cards

from referee.rules.cards import mask, members, parse, show
from referee.rules.counts import deadwood
from referee.rules.discards import after_discards, best_discard, least_after_discard
from referee.rules.melds import arrange
from referee.rules.tables import book

aces = st.booleans()
hands = st.integers(7, 11).flatmap(rich_cards)
OPEN_SPIEL_HAND = members(cards("2C 2D 2H 2S 3H 4C 4D 4S AC AH AS"))


@given(hand=hands, ace_high=aces)
@example(hand=OPEN_SPIEL_HAND, ace_high=False)
def test_least_deadwood(hand, ace_high):
    """The fast count of a hand is the least over every arrangement that there is."""
    assert deadwood(mask(hand), book(ace_high)) == slow_model.deadwood(hand, ace_high)


@given(hand=hands, ace_high=aces)
def test_arrangement_and_its_ties(hand, ace_high):
    """The referee's arrangement is the first of the least ones, in the order of the rules."""
    found = arrange(mask(hand), book(ace_high))
    melds = tuple(mask(meld) for meld in slow_model.arrange(hand, ace_high))
    assert found.melds == melds
    assert found.unmatched == mask(hand) ^ sum(melds)
    assert found.deadwood == slow_model.deadwood(hand, ace_high)


@given(hand=st.integers(8, 11).flatmap(rich_cards), ace_high=aces, at=st.integers(0, 10))
@example(hand=OPEN_SPIEL_HAND, ace_high=False, at=0)
def test_counts_after_each_discard(hand, ace_high, at):
    """A discard's count is the least deadwood of what it leaves; the best is the least of all."""
    facts = book(ace_high)
    hand = sorted(hand)
    counts = [
        slow_model.deadwood([other for other in hand if other != card], ace_high) for card in hand
    ]
    assert list(after_discards(mask(hand), facts)) == counts
    assert best_discard(mask(hand), facts) == min(zip(counts, hand, strict=True))
    assert least_after_discard(mask(hand), facts) == min(counts)

    kept = at % len(hand)
    others = [pair for pair in zip(counts, hand, strict=True) if pair[1] != hand[kept]]
    assert best_discard(mask(hand), facts, keep=hand[kept]) == min(others)
    assert least_after_discard(mask(hand), facts, keep=hand[kept]) == min(others)[0]


def test_melds_that_there_are():
    """The book holds exactly the sets and runs of a pack, a run never going round the corner."""
    low, high = book(False).melds, book(True).melds
    assert len(low) == 13 * 5 + 4 * sum(range(1, 12))
    assert all(slow_model.is_meld(members(meld)) for meld in low)
    assert all(slow_model.is_meld(members(meld), ace_high=True) for meld in high)
    assert cards("QH KH AH") in high and cards("QH KH AH") not in low
    assert cards("KH AH 2H") not in high
    assert cards("KH KS AH") not in high


def test_a_card_serves_one_meld():
    """A card that fits a set and a run counts in one of them only."""
    assert deadwood(cards("2S 3S 4S 5S 6S 7C 7D 7H 6H 8H"), book(False)) == 14


def test_equal_arrangements_use_runs():
    """Of two arrangements that leave as much, the one with fewer cards in sets is taken."""
    found = arrange(cards("5C 5D 5H 6H 7H KC QD JS 9C 2S"), book(False))
    assert [show(meld) for meld in found.melds] == ["5H 6H 7H"]


def test_sets_come_before_runs():
    """Melds are numbered sets first, then runs, each by its first card in the pack."""
    found = arrange(cards("AS 2S 3S 4C 5C 6C KC KD KH 9S"), book(False))
    assert [show(meld) for meld in found.melds] == ["KC KD KH", "4C 5C 6C", "AS 2S 3S"]


def test_run_with_a_high_ace_is_numbered_by_its_lowest_card():
    """A run that ends in a high ace is numbered by its lowest card, not by the ace."""
    found = arrange(cards("QD KD AD 4D 5D 6D 8C 8H 8S 9S"), book(True))
    assert [show(meld) for meld in found.melds] == ["8C 8H 8S", "4D 5D 6D", "AD QD KD"]


def test_ace_that_fits_both_ends_is_low():
    """Where an ace serves both ends of its suit equally it is taken low."""
    found = arrange(cards("AH 2H 3H JH QH KH 5C 7D 9S 9C"), book(True))
    assert [show(meld) for meld in found.melds] == ["AH 2H 3H", "JH QH KH"]


def test_counts_are_least_over_discards_not_over_loose_cards():
    """Eleven cards whose best arrangement leaves a card can still be gin by another discard."""
    hand = mask(OPEN_SPIEL_HAND)
    assert best_discard(hand, book(False)) == (0, parse("3H"))


@pytest.mark.parametrize(
    "hand",
    [
        "6H QH QC 5H KD KH 7H KC 4H QD",
        "KC 3S 3C 9C KH 3H 9H 3D 9D KD",
        "TC 2H 3H 2S TD 5H 3S 4H 4S TS",
        "5S 4H 6S TH 3H JH 5H 9H 2H 4S",
    ],
)
def test_hands_that_another_engine_took_for_no_gin(hand):
    """Four hands, reported of another engine as too high to knock with, are gin."""
    assert deadwood(cards(hand), book(False)) == 0
