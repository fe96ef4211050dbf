"""The fast engine against the slow model: the same rulesets, hands, deals and games.

Every example is a seed. By default this takes about a minute; `--hypothesis-profile=fuzz` tries
four times as many.
"""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from referee.rules.counts import deadwood
from referee.rules.discards import after_discards, best_discard
from referee.rules.fields import RulesetError
from referee.rules.game import Game
from referee.rules.layoff import best_answer
from referee.rules.melds import arrange
from referee.rules.ruleset import PRESETS as ENGINE_PRESETS
from referee.rules.ruleset import resolve, to_json
from referee.rules.scoring import settle, void
from referee.rules.state import DealError
from referee.rules.tables import book
from tests.rules import chance as chances
from tests.rules import mixed_players
from tests.rules.model import cards as model
from tests.rules.model.deal import BadDealError, ModelDeal
from tests.rules.model.game import ModelGame
from tests.rules.model.rulesets import PRESETS, Rules, faults, ruleset
from tests.rules.model.scoring import multiplier, score_deal, void_deal
from tests.rules.side_by_side import Both, bits, same

seeds = st.integers(0, 2**32 - 1)


# A profile of 100 examples, the default, tries each test as often as it says; others in proportion.
SHARE = settings().max_examples / 100
# A smaller seed is no simpler case.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


def tried(times: int) -> settings:
    """This often, or in proportion to the profile."""
    return settings(max_examples=max(1, round(times * SHARE)), phases=PHASES)


# ---------------------------------------------------------------- rulesets


def test_the_presets_are_those_of_the_rules() -> None:
    """Every preset has the fields of the rules with their values, and there are no others."""
    assert set(ENGINE_PRESETS) == set(PRESETS)
    found = {name: to_json(rules) for name, rules in ENGINE_PRESETS.items()}
    assert found == {name: ruleset(name) | {"preset": name} for name in PRESETS}


@tried(1000)
@given(seed=seeds)
def test_rulesets_are_refused_alike(seed: int, cases: Counter[str]) -> None:
    """A ruleset that makes no sense is refused by a field at fault, any other is accepted."""
    cases["rulesets judged by engine and model"] += 1
    asked = chances.any_ruleset(Random(seed))
    wrong = faults(ruleset(asked))
    try:
        rules = resolve(asked)
    except RulesetError as refused:
        assert refused.field in wrong, f"{asked}: {refused}"
    else:
        assert not wrong, asked
        assert to_json(rules) == ruleset(asked) | {"preset": asked["preset"]}


# ---------------------------------------------------------------- hands


@tried(2500)
@given(seed=seeds)
def test_hands_are_counted_and_arranged_alike(seed: int, cases: Counter[str]) -> None:
    """Least deadwood, after each discard too, and the referee's arrangement with every tie."""
    chance = Random(seed)
    ace_high = chance.random() < 0.5
    rules, tables = {"ace_high_runs": ace_high}, book(ace_high)
    cases["hands counted and arranged by both"] += 1
    hand, _ = chances.some_table(chance, chance.randint(7, 11), 0)
    after = [model.least_deadwood([held for held in hand if held != card], rules) for card in hand]
    cards = bits(hand)
    same("deadwood", deadwood(cards, tables), model.least_deadwood(hand, rules))
    same("after discards", list(after_discards(cards, tables)), after)
    keep = chance.randrange(len(hand))
    free = [pair for at, pair in enumerate(zip(after, hand, strict=True)) if at != keep]
    least, card = best_discard(cards, tables, model.PACK.index(hand[keep]))
    same("best discard", (least, model.PACK[card]), min(free, key=lambda pair: pair[0]))
    found = list(arrange(cards, tables).melds)
    same(f"melds of {hand}", found, list(map(bits, model.arrange(hand, rules))))


@tried(2500)
@given(seed=seeds)
def test_layoffs_are_chosen_alike(seed: int, cases: Counter[str]) -> None:
    """The referee's joint choice of own melds and layoffs, without a second reading."""
    chance = Random(seed)
    ace_high = chance.random() < 0.5
    cases["hands laid off by both"] += 1
    hand, melds = chances.some_table(chance, chance.randint(7, 10), chance.randint(1, 5))
    on = [meld for meld in melds if model.is_meld(meld, ace_high)]
    own, laid = model.arrange_and_lay_off(hand, on, {"ace_high_runs": ace_high})
    found = best_answer(bits(hand), list(map(bits, on)), book(ace_high))
    chosen = {model.PACK[card]: number for card, number in found.layoffs}
    same(f"{hand} on {on}", (list(found.melds), chosen), (list(map(bits, own)), laid))


# ---------------------------------------------------------------- deals


def play_both(
    chance: Random, cases: Counter[str], asked: str | Rules, dealer: int | None = None
) -> Both:
    """One deal by players of mixed styles, to its end or to 600 decisions."""
    rules = ruleset(asked)
    dealt = chances.some_deal(chance, rules)
    if dealer is not None:
        dealt["dealer"] = dealer
    styles = [chance.choice(mixed_players.STYLES) for _ in range(rules["players"])]
    noise = chance.choice((0, 0.1, 0.4))
    both = Both(rules, resolve(asked), dealt)
    try:
        for _ in range(600):
            if both.model.outcome is not None:
                break
            style = styles[both.model.turn]
            both.play(mixed_players.some_decision(chance, both.model, style, noise))
    except (AssertionError, model.AmbiguousError) as wrong:
        wrong.add_note(f"rules {asked}\ndealt {dealt}\nactions {both.script}")
        raise
    cases["deals played by both"] += 1
    cases["decisions in them"] += len(both.script)
    cases[f"ended by {both.model.outcome['end'] if both.model.outcome else 'nobody'}"] += 1
    return both


@pytest.mark.parametrize("preset", PRESETS)
@tried(15)
@given(seed=seeds)
def test_deals_of_every_preset_go_alike(preset: str, seed: int, cases: Counter[str]) -> None:
    """Same legal answers, refusals, sights, hands and outcome at every decision."""
    play_both(Random(seed), cases, preset)


@tried(800)
@given(seed=seeds)
def test_deals_under_all_fields_go_alike(seed: int, cases: Counter[str]) -> None:
    """The same with any fields changed together."""
    chance = Random(seed)
    play_both(chance, cases, chances.some_ruleset(chance, chance.choice((0.1, 0.3, 0.6))))


@tried(300)
@given(seed=seeds)
def test_deals_are_refused_alike(seed: int, cases: Counter[str]) -> None:
    """Hands of a wrong size, a card dealt twice or a stock too short are refused by both."""
    chance = Random(seed)
    asked = chances.some_ruleset(chance, 0.3)
    cases["hand-made deals accepted or refused by both"] += 1
    dealt = chances.spoilt_deal(chance, chances.some_deal(chance, ruleset(asked)))
    refused: list[bool] = []
    for attempt in (
        lambda: ModelDeal(ruleset(asked), **dealt),
        lambda: Both.start_engine(resolve(asked), dealt),
    ):
        try:
            attempt()
            refused.append(False)
        except (BadDealError, DealError):
            refused.append(True)
    same(f"refusal of {dealt}", refused[1], refused[0])


# ---------------------------------------------------------------- games


def compare_games(engine: Game, slow: ModelGame) -> None:
    """Dealer, points, boxes, every column, totals, and at the end places and winner."""
    same("dealer", engine.dealer, slow.dealer)
    same("deals", engine.deals, slow.deals)
    same("over", engine.over, slow.over)
    same("points", list(engine.points), slow.points)
    same("boxes", list(engine.boxes), slow.boxes)
    if slow.rules["target"] is not None:
        points = [points for sheet in slow.sheets for points in sheet.points]
        same("scores", list(engine.scores), points)
        closed = [sheet.closed for sheet in engine.sheets]
        same("closed", closed, [sheet.closed_by for sheet in slow.sheets])
        boxes = [list(sheet.boxes) for sheet in engine.sheets]
        same("column boxes", boxes, [sheet.boxes for sheet in slow.sheets])
        by_sheet = [list(sheet.totals(engine.rules, engine.over)) for sheet in engine.sheets]
        same("column totals", by_sheet, slow.column_totals())
    same("totals", list(engine.totals()), slow.sums())
    result = engine.result
    if result is not None:
        same("reason", result.reason, slow.reason)
        same("winner", result.winner, slow.winner)
        same("places", list(result.places), slow.places)
        same("final totals", list(result.totals), slow.sums())
        same("final points", list(result.points), slow.points)


@tried(1500)
@given(seed=seeds)
def test_outcomes_make_games_alike(seed: int, cases: Counter[str]) -> None:
    """Deals are worth the same, and score sheets fed with them end the same."""
    chance = Random(seed)
    asked = chances.some_ruleset(chance, chance.choice((0, 0.3, 0.6)))
    favourite = 1 if chance.random() < 0.3 else None
    if favourite is not None:
        asked["undercut_bonus"] = 0  # a deal may be won with no point
    rules, fast = ruleset(asked), resolve(asked)
    slow, engine = ModelGame(rules, 0), Game(fast, 0)
    cases["score sheets kept by both"] += 1
    while not slow.over:
        told = chances.some_result(chance, rules, favourite)
        if told is None:
            outcome = void_deal(rules, slow.dealer, "stock")
            found = void(fast, engine.dealer, "stock")
        else:
            up, by, counts, big = told
            outcome = score_deal(rules, slow.dealer, up, by, counts, big)
            found = settle(fast, engine.dealer, multiplier(rules, up), by, counts, big)
        told_by_engine = found._asdict() | {
            "deadwood": list(found.deadwood) or None,
            "points": list(found.points),
        }
        same(f"outcome of {told}", told_by_engine, outcome)
        slow.record(outcome)
        engine.record(found)
        compare_games(engine, slow)


@tried(40)
@given(seed=seeds)
def test_whole_games_go_alike(seed: int, cases: Counter[str]) -> None:
    """Games played card by card end with the same winner, totals and places."""
    chance = Random(seed)
    asked: dict[str, Any] = chances.some_ruleset(chance, chance.choice((0, 0.3)))
    asked["deal_cap"] = chance.choice((1, 4, 12))
    if ruleset(asked)["target"] is not None:
        asked["target"] = chance.choice((1, 25, 60, 100))
    slow = ModelGame(ruleset(asked), chance.randrange(ruleset(asked)["players"]))
    engine = Game(resolve(asked), slow.dealer)
    cases["whole games played by both"] += 1
    while not slow.over:
        both = play_both(chance, cases, asked, slow.dealer)
        if both.model.outcome is None or both.engine.outcome is None:
            return  # players who never end a deal
        slow.record(both.model.outcome)
        engine.record(both.engine.outcome)
        compare_games(engine, slow)
