"""Seats are symmetric: a table turned round by some seats plays, scores and ends turned round.

The same cards are dealt to seats that are all moved by one to the left (or more), dealer and hidden
piles with them, and the same decisions are taken there. Every sight, question and event must be the
same but for the numbers of the seats, and so must the outcome and the whole game.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given

from referee.rules.deal import Deal, Outcome, act, start
from referee.rules.fields import Ruleset
from referee.rules.game import Game
from referee.rules.ruleset import PRESETS, resolve
from referee.rules.view import seen, view
from tests.rules.proof_play import (
    TABLES,
    Dealt,
    plain_deal,
    rich_deal,
    seeds,
    some_action,
    some_rules,
    some_styles,
    tried,
)


class Turned:
    """How things look at a table whose seats all moved by `by` to the left."""

    def __init__(self, rules: Ruleset, by: int) -> None:
        self.rules, self.by = rules, by

    def seat(self, seat: int) -> int:
        return seat if seat < 0 else (seat + self.by) % self.rules.players

    def side(self, side: int | None) -> int | None:
        """The side that the seats of `side` are now."""
        if side is None:
            return None
        return self.rules.side_of[self.seat(self.rules.sides[side][0])]

    def by_seat(self, values: Sequence[Any]) -> tuple[Any, ...]:
        found = list(values)
        for seat, value in enumerate(values):
            found[self.seat(seat)] = value
        return tuple(found)

    def by_side(self, values: Sequence[Any]) -> tuple[Any, ...]:
        found = list(values)
        for side, value in enumerate(values):
            at = self.side(side)
            assert at is not None
            found[at] = value
        return tuple(found)

    def dealt(self, dealt: Dealt) -> Dealt:
        cards = dealt.dealing
        moved = cards._replace(hands=self.by_seat(cards.hands), pile_of=self.by_seat(cards.pile_of))
        return Dealt(self.seat(dealt.dealer), moved, dealt.shuffle)

    def events(self, events: bytes) -> bytes:
        """Public events, two bytes each: kind and seat, card."""
        moved = bytearray(events)
        moved[::2] = bytes(kind & 0xF0 | self.seat(kind & 0x0F) for kind in events[::2])
        return bytes(moved)

    def told(self, shown: Any) -> Any:
        """A sight or a question."""
        moved = shown._replace(
            events=self.events(shown.events),
            spreads=tuple(one._replace(seat=self.seat(one.seat)) for one in shown.spreads),
        )
        if hasattr(shown, "dealer"):
            moved = moved._replace(
                **{name: self.seat(getattr(shown, name)) for name in ("seat", "turn", "dealer")},
                outcome=self.outcome(shown.outcome),
            )
        return moved

    def outcome(self, outcome: Outcome | None) -> Outcome | None:
        if outcome is None:
            return None
        return outcome._replace(
            winner=self.side(outcome.winner),
            deadwood=self.by_seat(outcome.deadwood),
            points=self.by_side(outcome.points),
            next_dealer=self.seat(outcome.next_dealer),
        )


def play_turned(
    chance: Random, rules: Ruleset, dealt: Dealt, styles: list[str], turned: Turned
) -> Deal:
    """Play a deal at both tables, compared at every step; the deal of the first."""
    one = start(rules, 1, *dealt)
    other = start(rules, 1, *turned.dealt(dealt))
    while True:
        assert other.turn == turned.seat(one.turn)
        for seat in range(rules.players):
            assert seen(other, turned.seat(seat)) == turned.told(seen(one, seat))
        if one.outcome is not None:
            return one
        mine, theirs = view(one, one.turn, 0, True), view(other, other.turn, 0, True)
        assert theirs == turned.told(mine)
        action = some_action(chance, one, styles[one.turn])
        act(one, action)
        act(other, action)


@pytest.mark.parametrize("table", TABLES)
@tried(200)
@given(seed=seeds)
def test_a_turned_table_deals_alike(table: str, seed: int, cases: Counter[str]) -> None:
    """Every sight, question and outcome of a deal turns with the seats."""
    chance = Random(seed)
    rules = some_rules(chance, table)
    turned = Turned(rules, chance.randrange(1, rules.players))
    play_turned(chance, rules, rich_deal(chance, rules), some_styles(chance, rules), turned)
    cases["deals played at a turned table"] += 1


def play_games(chance: Random, rules: Ruleset, turned: Turned, cases: Counter[str]) -> None:
    """A game at both tables, who deals included, to its end."""
    styles = some_styles(chance, rules)
    one = Game(rules, chance.randrange(rules.players))
    other = Game(rules, turned.seat(one.dealer))
    while not one.over:
        dealt = plain_deal(chance, rules, one.dealer)
        outcome = play_turned(chance, rules, dealt, styles, turned).outcome
        moved = turned.outcome(outcome)
        assert outcome is not None and moved is not None
        one.record(outcome)
        other.record(moved)
        assert other.dealer == turned.seat(one.dealer)
        assert other.totals() == turned.by_side(one.totals())
    result = one.result
    assert result is not None
    assert other.result == result._replace(
        winner=turned.side(result.winner),
        totals=turned.by_side(result.totals),
        points=turned.by_side(result.points),
        places=turned.by_side(result.places),
    )
    cases["games played at a turned table"] += 1


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("next_dealer", ["winner_deals", "rotate"])
def test_a_turned_table_plays_every_preset_alike(
    preset: str, next_dealer: str, cases: Counter[str]
) -> None:
    """Totals, places, winner and dealers of a game of each preset turn with the seats."""
    chance = Random(f"{preset} {next_dealer}")
    rules = resolve({"preset": preset, "next_dealer": next_dealer, "deal_cap": 20})
    for by in range(1, rules.players):
        play_games(chance, rules, Turned(rules, by), cases)


@pytest.mark.parametrize("table", TABLES)
@tried(8)
@given(seed=seeds)
def test_a_turned_table_plays_games_alike(table: str, seed: int, cases: Counter[str]) -> None:
    """The same for games with all fields varied together."""
    chance = Random(seed)
    rules = some_rules(chance, table)
    rules = replace(rules, deal_cap=min(rules.deal_cap, 15))
    play_games(chance, rules, Turned(rules, chance.randrange(1, rules.players)), cases)
