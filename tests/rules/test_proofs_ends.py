"""Cards are conserved and everything ends: whole games, every preset, every table, any players.

Among the players are traders, who never knock and take whatever lies on the pile, so that only the
caps end what they play.
"""

from collections import Counter
from random import Random

import pytest
from hypothesis import given

from referee.rules.cards import FULL, PACK, mask
from referee.rules.deal import Deal, Phase
from referee.rules.fields import Ruleset
from referee.rules.ruleset import PRESETS, resolve
from tests.rules.proof_play import (
    TABLES,
    game_of,
    plain_deal,
    played,
    rich_deal,
    seeds,
    some_rules,
    some_styles,
    tried,
)


class Auditor:
    """Looks at every state of every deal."""

    def __init__(self, rules: Ruleset, cases: Counter[str], whole: int = PACK) -> None:
        self.rules, self.cases, self.whole = rules, cases, whole
        self.decisions = 0

    def __call__(self, deal: Deal) -> None:
        """All cards are somewhere, each once; hands have their size; caps are kept."""
        rules = self.rules
        places = [*deal.hands, mask(deal.discards), *map(mask, deal.piles)]
        number = sum(map(len, deal.piles)) + len(deal.discards)
        number += sum(hand.bit_count() for hand in deal.hands)
        union = 0
        for place in places:
            assert not union & place
            union |= place
        assert number == union.bit_count() == self.whole
        assert self.whole < PACK or union == FULL
        assert deal.stock_count == sum(map(len, deal.piles)) >= 0
        self._hands(deal)
        if not deal.turns and not deal.public:
            self.decisions = 0
        self.decisions += 1
        # A turn is two decisions; besides there are passes and the answers to a knock.
        assert self.decisions <= 2 * rules.turn_cap + 2 * rules.players + 1
        assert deal.turns <= rules.turn_cap
        assert (deal.outcome is None) == (deal.turn >= 0) == (deal.phase is not Phase.OVER)
        self.cases["states of deals with every card in one place"] += 1

    def _hands(self, deal: Deal) -> None:
        big = bool(deal.outcome and deal.outcome.end == "big_gin")
        for seat, hand in enumerate(deal.hands):
            drawn = deal.phase is Phase.DISCARD and seat == deal.turn
            drawn |= big and seat == deal.knocker
            assert hand.bit_count() == self.rules.hand_size + drawn


def play(chance: Random, rules: Ruleset, styles: list[str], cases: Counter[str]) -> None:
    """One game to its end, at its caps at the latest, and placed in good order."""
    game = game_of(chance, rules, styles, Auditor(rules, cases))
    result = game.result
    assert result is not None and 1 <= game.deals <= rules.deal_cap
    firsts = [side for side, place in enumerate(result.places) if place == 1]
    assert firsts == [result.winner] or (result.winner is None and len(firsts) > 1)
    cases[f"games ended: {result.reason}"] += 1


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_ends_with_all_its_cards(preset: str, cases: Counter[str]) -> None:
    """A game of mixed players under each preset keeps its cards and ends."""
    chance = Random(preset)
    play(chance, PRESETS[preset], some_styles(chance, PRESETS[preset]), cases)


@pytest.mark.parametrize("preset", PRESETS)
def test_traders_are_ended_by_the_caps(preset: str, cases: Counter[str]) -> None:
    """Players who swap cards on the pile for ever are ended by the turns allowed."""
    rules = resolve({"preset": preset, "deal_cap": 3, "may_return_taken_card": True})
    play(Random(preset), rules, ["trader"] * rules.players, cases)


@pytest.mark.parametrize("table", TABLES)
@tried(10)
@given(seed=seeds)
def test_games_under_all_fields_end(table: str, seed: int, cases: Counter[str]) -> None:
    """The same with all fields varied together."""
    chance = Random(seed)
    rules = some_rules(chance, table)
    play(chance, rules, some_styles(chance, rules), cases)


@pytest.mark.parametrize("table", TABLES)
@tried(150)
@given(seed=seeds)
def test_rich_and_short_deals_end(table: str, seed: int, cases: Counter[str]) -> None:
    """Deals of rich hands and short stocks keep their cards and end."""
    chance = Random(seed)
    rules = some_rules(chance, table)
    dealt = rich_deal(chance, rules)
    stock = sum(map(len, dealt.dealing.piles))
    audit = Auditor(rules, cases, rules.players * rules.hand_size + 1 + stock)
    deal = None
    for deal in played(chance, rules, dealt, some_styles(chance, rules)):
        audit(deal)
    assert deal is not None and deal.outcome is not None
    cases[f"deals ended: {deal.outcome.end}"] += 1


def test_nothing_is_left_of_the_deal_before(cases: Counter[str]) -> None:
    """A new deal begins with the cards it was dealt, whatever was played before."""
    rules, chance = PRESETS["german"], Random(27)
    for _ in range(20):
        dealt = plain_deal(chance, rules, 0)
        for _deal in played(chance, rules, dealt, some_styles(chance, rules)):
            pass
        fresh = next(played(chance, rules, dealt, ["greedy"] * 2))
        assert tuple(fresh.hands) == dealt.dealing.hands
        assert fresh.discards == [dealt.dealing.upcard]
        assert tuple(tuple(reversed(pile)) for pile in fresh.piles) == dealt.dealing.piles
        cases["deals begun afresh"] += 1
