"""Self-play: what its policies do, and what its counts add up to."""

from random import Random
from typing import Any

import pytest

from referee.deck import Decks, seed_secret
from referee.rules.actions import BigGin, Decline, Discard, Draw, Knock, Take
from referee.rules.cards import members
from referee.rules.deal import Deal, Phase, act, start
from referee.rules.ruleset import PRESETS, resolve
from referee.rules.view import options_of
from referee.selfplay import POLICIES, Mix, deals, games, greedy, shares, to_json, uniform


def dealt(rules: Any, unit: int) -> Deal:
    """A deal of the decks of these tests."""
    decks = Decks(seed_secret("self-play"), (), rules)
    dealing = decks.dealing(unit, 0, 1)
    return start(rules, 1, decks.first_dealer(unit, 0), dealing, decks.reshuffle(unit, 0, 1))


@pytest.mark.parametrize("preset", PRESETS)
def test_games_end_under_every_preset(preset: str) -> None:
    """Games of greedy and random seats end, and what is counted of them adds up."""
    rules = PRESETS[preset]
    seats = [*POLICIES.values()] * 2
    decks = Decks(seed_secret("games"), (), rules)
    mix = games(rules, decks, 2, seats[: rules.players], Random(1).randrange)
    assert mix.games == sum(mix.reasons.values()) == sum(mix.games_won) + mix.games_drawn == 2
    assert mix.deals == sum(mix.ends.values()) >= 2
    assert sum(mix.won) == sum(n for end, n in mix.ends.items() if not end.startswith("void"))
    assert mix.decisions >= mix.turns


def test_the_same_seed_gives_the_same_mix() -> None:
    """Cards come from the decks and whims from the chance handed in: nothing else."""
    rules = resolve("danish")

    def mix(seed: int) -> Mix:
        decks = Decks(seed_secret("a"), (), rules)
        return deals(rules, decks, 30, [greedy, uniform], Random(seed).randrange)

    assert mix(1) == mix(1)
    assert mix(1) != mix(2)


@pytest.mark.parametrize("preset", ["german", "straight", "four_handed"])
def test_greedy_is_what_the_view_calls_best(preset: str) -> None:
    """Each greedy choice leaves the least deadwood of all legal ones, as a bot is told them."""
    rules = resolve({"preset": preset, "big_gin_bonus": 31})
    for unit in range(15):
        deal = dealt(rules, unit)
        while deal.outcome is None:
            action = greedy(deal, Random(1).randrange)
            may = options_of(deal, deal.turn, want_deadwood=True)
            if deal.phase is Phase.DISCARD:
                least = min(may.discard_deadwood)
                assert isinstance(action, BigGin) == may.may_big_gin
                assert isinstance(action, Knock | BigGin) == bool(may.knocks or may.may_big_gin)
                if isinstance(action, Knock | Discard):
                    at = members(may.discards).index(action.card)
                    assert may.discard_deadwood[at] == least
            elif deal.phase is not Phase.LAYOFF:
                better = may.may_take and may.deadwood_if_taken < may.deadwood
                assert isinstance(action, Take) == better
                assert better or isinstance(action, Decline | Draw)
            act(deal, action)


def test_random_picks_each_legal_action() -> None:
    """The random policy reaches every legal action of a question, and none else."""
    deal = dealt(resolve("danish"), 3)
    may = options_of(deal, deal.turn, want_deadwood=False)
    assert may.may_decline and may.may_take
    found = {uniform(deal, lambda n, at=at: at % n) for at in range(2)}
    assert found == {Decline(), Take()}
    act(deal, Take())
    discards = options_of(deal, deal.turn, want_deadwood=False).discards
    found = {uniform(deal, lambda n, at=at: at % n) for at in range(10)}
    assert found >= {Discard(card) for card in members(discards)}


def test_shares_are_of_all_deals() -> None:
    """Shares add up to one, the commonest end first; JSON has the means."""
    rules = resolve("danish")
    decks = Decks(seed_secret("a"), (), rules)
    mix = deals(rules, decks, 50, [greedy, greedy], Random(1).randrange)
    rows = list(shares(mix))
    assert sum(share for _, _, share in rows) == pytest.approx(1)
    assert [count for _, count, _ in rows] == sorted((n for _, n, _ in rows), reverse=True)
    said = to_json(mix)
    assert said["turns_per_deal"] * 50 == mix.turns
    assert "games" not in said
