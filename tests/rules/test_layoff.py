"""Laying off, and the joint choice of own melds and layoffs."""

import slow_model
from hypothesis import assume, given
from hypothesis import strategies as st
from rules_models import cards, rich_cards

from referee.rules.cards import mask, members, name, parse, show
from referee.rules.layoff import best_answer, extended
from referee.rules.melds import arrange
from referee.rules.tables import book


@given(dealt=rich_cards(20), ace_high=st.booleans())
def test_best_answer(dealt, ace_high):
    """The referee's answer to a knock is the first of all splits of a hand, ties included."""
    facts = book(ace_high)
    open_melds = arrange(mask(dealt[:10]), facts).melds
    assume(open_melds)
    hand = dealt[10:]

    found = best_answer(mask(hand), open_melds, facts)

    count, melds, layoffs = slow_model.best_answer(
        hand, [members(meld) for meld in open_melds], ace_high
    )
    assert found == (tuple(map(mask, melds)), layoffs, count)


def _answer(hand: str, *melds: str, ace_high: bool = False):
    found = best_answer(cards(hand), [cards(meld) for meld in melds], book(ace_high))
    laid = [f"{name(card)}>{number}" for card, number in found.layoffs]
    return found.deadwood, [show(meld) for meld in found.melds], laid


def test_layoffs_chain_on_a_run():
    """A run takes card after card at its ends, as far as the hand goes."""
    assert _answer("4H 8H 2C 2D 2S QC KD", "5H 6H 7H") == (
        20,
        ["2C 2D 2S"],
        ["4H>0", "8H>0"],
    )


def test_an_own_meld_is_broken_where_that_leaves_less():
    """An own set gives up a card that opens the way for others."""
    assert _answer("7C 7D 7H 7S 8H KC", "4H 5H 6H") == (10, ["7C 7D 7S"], ["7H>0", "8H>0"])


def test_nothing_is_laid_off_for_nothing():
    """A card that is melded stays there when laying it off leaves no less."""
    assert _answer("8H 9H TH JC QD", "5H 6H 7H") == (20, ["8H 9H TH"], [])


def test_first_meld_of_equals():
    """A card that fits two melds goes to the one with the lower number."""
    assert _answer("5C KD", "2C 3C 4C", "6C 7C 8C") == (10, [], ["5C>0"])


def test_a_set_takes_its_fourth_card_alone():
    """A set of three takes the fourth of its rank and nothing else."""
    facts = book(False)
    three = [cards("9C 9D 9H")]
    assert extended(three, [(parse("9S"), 0)], facts) == (cards("9C 9D 9H 9S"),)
    assert extended(three, [(parse("TS"), 0)], facts) is None


def test_order_of_named_cards_does_not_matter():
    """Layoffs are judged by the meld with everything laid on it, in whatever order they came."""
    facts = book(False)
    run = [cards("5H 6H 7H")]
    assert extended(run, [(parse("9H"), 0), (parse("8H"), 0)], facts) == (cards("5H 6H 7H 8H 9H"),)
    assert extended(run, [(parse("9H"), 0)], facts) is None
    assert extended(run, [(parse("8H"), 0), (parse("8H"), 0)], facts) is None


def test_high_ace_is_laid_above_the_king():
    """With high aces a run takes the ace above its king, and then nothing more at that end."""
    assert _answer("AH 2H 9C", "JH QH KH", ace_high=True) == (11, [], ["AH>0"])
    assert _answer("AH 2H 9C", "JH QH KH") == (12, [], [])
