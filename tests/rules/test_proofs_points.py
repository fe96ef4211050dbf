"""Who pays whom: points of deals and games against the rules' sentences, payment by payment.

Written from the tables of the rules and not from the engine: each payment has a payer, a payee and
an amount, and a side's points are what it was paid. `settle` is asked with counts over their whole
range, and deals that were played are judged by the hands that were shown.
"""

from collections import Counter
from itertools import product
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given

from referee.rules.cards import VALUE, members
from referee.rules.counts import deadwood as least_deadwood
from referee.rules.deal import Deal, Outcome, act, start
from referee.rules.fields import Ruleset
from referee.rules.game import Game
from referee.rules.ruleset import PRESETS, resolve
from referee.rules.scoring import settle
from tests.rules.proof_play import (
    TABLES,
    game_of,
    rich_deal,
    seeds,
    some_action,
    some_rules,
    some_styles,
    tried,
)


class Payment(NamedTuple):
    """A side pays another one for a reason."""

    payer: int
    payee: int
    points: int
    reason: str


def payments(rules: Ruleset, knocker: int, counts: list[int], big: bool) -> list[Payment]:
    """What is paid for a deal that is not void, before it is multiplied."""
    if rules.partnership:
        return partners(rules, knocker, counts, big)
    opponents = [(knocker + step) % rules.players for step in range(1, rules.players)]
    if big or counts[knocker] == 0:
        return gin(rules, knocker, {seat: counts[seat] for seat in opponents}, big)
    winner = knocker
    for seat in opponents:
        at_most_the_knockers = counts[seat] <= counts[knocker]
        if at_most_the_knockers and (winner == knocker or counts[seat] < counts[winner]):
            winner = seat
    losers = [seat for seat in range(rules.players) if seat != winner]
    paid = [Payment(seat, winner, counts[seat] - counts[winner], "difference") for seat in losers]
    if winner != knocker:
        paid.append(Payment(knocker, winner, rules.undercut_bonus, "undercut"))
    return paid


def gin(rules: Ruleset, side: int, counts: dict[int, int], big: bool) -> list[Payment]:
    """Every losing side pays its own count and the bonus."""
    bonus = rules.big_gin_bonus if big else rules.gin_bonus
    assert bonus is not None
    paid = [Payment(loser, side, count, "difference") for loser, count in counts.items()]
    return paid + [Payment(loser, side, bonus, "gin") for loser in counts]


def partners(rules: Ruleset, knocker: int, counts: list[int], big: bool) -> list[Payment]:
    """Seats 0 and 2 against 1 and 3."""
    sums = [counts[0] + counts[2], counts[1] + counts[3]]
    own, other = knocker % 2, 1 - knocker % 2
    if big or counts[knocker] == 0:
        return gin(rules, own, {other: sums[other]}, big)
    if sums[own] < sums[other]:
        return [Payment(other, own, sums[other] - sums[own], "difference")]
    return [
        Payment(own, other, sums[own] - sums[other], "difference"),
        Payment(own, other, rules.undercut_bonus, "undercut"),
    ]


def judge(
    rules: Ruleset, spade: bool, knocker: int, counts: list[int], big: bool, outcome: Outcome
) -> None:
    """The outcome is what the payments make of it."""
    paid = payments(rules, knocker, counts, big)
    factor = rules.spade_multiplier if spade else 1
    points = [0] * len(rules.sides)
    for payment in paid:
        points[payment.payee] += payment.points * factor
    payees = {payment.payee for payment in paid}
    assert {outcome.winner} == payees, f"{rules} {knocker} {counts} {paid}"
    assert list(outcome.points) == points, f"{rules} {knocker} {counts} {paid}"
    assert sum(outcome.points) == factor * sum(payment.points for payment in paid)
    assert min(payment.points for payment in paid) >= 0
    reasons = {payment.reason for payment in paid}
    ends = {"undercut": "undercut", "gin": "big_gin" if big else "gin"}
    assert outcome.end == next((ends[reason] for reason in ends if reason in reasons), "knock")
    assert list(outcome.deadwood) == counts and outcome.reason == ""


@pytest.mark.parametrize("preset", PRESETS)
def test_every_small_count_is_settled_as_written(preset: str, cases: Counter[str]) -> None:
    """All counts from 0 to 4 at all seats, whoever knocks: who pays whom, and how much."""
    for changes in ({}, {"gin_bonus": 7, "big_gin_bonus": 31, "spade_multiplier": 3}):
        rules = resolve({"preset": preset, **changes})
        for counts in product(range(5), repeat=rules.players):
            for knocker in range(rules.players):
                for spade in (False, True):
                    factor = rules.spade_multiplier if spade else 1
                    outcome = settle(rules, 0, factor, knocker, counts)
                    judge(rules, spade, knocker, list(counts), False, outcome)
                    cases["counts settled payment by payment"] += 1


@pytest.mark.parametrize("table", TABLES)
@tried(400)
@given(seed=seeds)
def test_any_count_is_settled_as_written(table: str, seed: int, cases: Counter[str]) -> None:
    """Counts over their whole range, under rulesets with all fields varied together."""
    chance = Random(seed)
    rules = some_rules(chance, table, 0.5)
    for _ in range(20):
        knocker, spade = chance.randrange(rules.players), chance.random() < 0.5
        counts = [chance.randint(0, chance.choice((2, 12, 100))) for _ in range(rules.players)]
        big = rules.big_gin_bonus is not None and chance.random() < 0.2
        if big:
            counts[knocker] = 0
        factor = rules.spade_multiplier if spade else 1
        outcome = settle(rules, 0, factor, knocker, counts, big)
        judge(rules, spade, knocker, counts, big, outcome)
        cases["counts settled payment by payment"] += 1


def judge_deal(deal: Deal, big: bool) -> None:
    """A deal that was played is scored by the cards that were shown, or not at all."""
    outcome, rules = deal.outcome, deal.rules
    assert outcome is not None
    if outcome.end == "void":
        assert (outcome.winner, outcome.deadwood, deal.spreads) == (None, (), [])
        assert set(outcome.points) == {0}
        return
    counts = [-1] * rules.players
    for shown in deal.spreads:
        counts[shown.seat] = sum(VALUE[card] for card in members(shown.unmatched))
    if outcome.end in ("gin", "big_gin") or rules.layoff == "off":
        # Nobody was asked: the others' counts are the least that their cards allow.
        for seat, hand in enumerate(deal.hands):
            assert seat == deal.knocker or counts[seat] == least_deadwood(hand, deal.book)
    judge(rules, deal.upcard >= 39, deal.knocker, counts, big, outcome)


@pytest.mark.parametrize("table", TABLES)
@tried(200)
@given(seed=seeds)
def test_played_deals_are_scored_as_written(table: str, seed: int, cases: Counter[str]) -> None:
    """The points of a deal follow, payment by payment, from the hands that were shown."""
    chance = Random(seed)
    rules = some_rules(chance, table)
    styles = some_styles(chance, rules)
    deal = start(rules, 1, *rich_deal(chance, rules))
    big = False
    while deal.outcome is None:
        action = some_action(chance, deal, styles[deal.turn])
        big = type(action).__name__ == "BigGin"
        act(deal, action)
    judge_deal(deal, big)
    cases[f"deals scored payment by payment: {deal.outcome.end}"] += 1


def judge_game(game: Game, outcomes: list[Outcome]) -> None:
    """One column: points and boxes are sums over deals, totals add the bonuses as written."""
    rules, result = game.rules, game.result
    assert result is not None
    sides = range(len(rules.sides))
    points = [sum(outcome.points[side] for outcome in outcomes) for side in sides]
    boxes = [sum(outcome.winner == side for outcome in outcomes) for side in sides]
    assert (list(result.points), list(game.boxes)) == (points, boxes)
    totals = list(points)
    if rules.target is not None:
        reached = [side for side in sides if points[side] >= rules.target]
        assert len(reached) == (result.reason == "played")
        totals = [points[side] + boxes[side] * rules.box_bonus for side in sides]
        for side in reached:
            assert (result.winner, outcomes[-1].winner) == (side, side)
            totals[side] += rules.game_bonus
            if rules.shutout == "double_total" and sum(points) == points[side]:
                totals[side] *= 2
    assert list(result.totals) == totals


@pytest.mark.parametrize("table", TABLES)
@tried(15)
@given(seed=seeds)
def test_games_add_up_as_written(table: str, seed: int, cases: Counter[str]) -> None:
    """Totals of a game are its deals' points, its boxes, the game bonus and the shutout."""
    chance = Random(seed)
    rules = some_rules(chance, table)
    while rules.columns != 1:
        rules = some_rules(chance, table)
    outcomes: list[Outcome] = []

    def watch(deal: Deal) -> None:
        if deal.outcome is not None:
            outcomes.append(deal.outcome)

    judge_game(game_of(chance, rules, some_styles(chance, rules), watch), outcomes)
    cases["games added up"] += 1
