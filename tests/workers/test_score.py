"""From games to scores, counts and points."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knockbox.v1 import play_pb2, replay_pb2
from referee import results
from referee.results import GameFact, game_fact
from referee.rules.game import Game as Refereed
from referee.rules.ruleset import PRESETS, Ruleset
from referee.rules.scoring import void
from referee.wire.replay import FORFEITS, game_result
from workers.score import Game, rated_scores, rated_units, scale, spread, tally
from workers.sealed import game_of
from workers.standings.means import ratio_and_half


def game(unit: int, leg: int, results: tuple[int, int], **more: object) -> Game:
    """A game of two bots that was played to its end, unless told otherwise."""
    fields: dict[str, object] = {
        "counts": True,
        "reason": "played",
        "faulty": (),
        "margins": (10, -10),
        "deals": 3,
    }
    return Game(unit=unit, leg=leg, results=results, **{**fields, **more})  # pyright: ignore


def test_a_unit_is_the_mean_of_its_legs() -> None:
    """Win and loss make half a unit, two draws too."""
    games = [game(0, 0, (2, 0)), game(0, 1, (0, 2)), game(1, 0, (1, 1)), game(1, 1, (1, 1))]
    first, second = tally(games, 2, 2, 2)
    assert scale(2, 2) == 4
    assert first.scores == second.scores == (2, 2)
    assert (first.won, first.lost, first.drawn) == (1, 1, 2)


def test_a_forfeit_counts_as_a_loss_and_not_in_the_points() -> None:
    """A unit with a forfeit is rated; its points are left out."""
    games = [
        game(0, 0, (0, 2), reason="crash", faulty=(0,), margins=(50, -50)),
        game(0, 1, (2, 0)),
        game(1, 0, (2, 0)),
        game(1, 1, (2, 0)),
    ]
    first, second = tally(games, 2, 2, 2)
    assert first.scores == (2, 4)
    assert (first.forfeits, dict(first.faults)) == (1, {"crash": 1})
    assert (second.forfeits, dict(second.faults)) == (0, {})
    assert (first.points, first.deals) == (20, 6)


def test_a_unit_with_a_void_game_is_not_rated() -> None:
    """What does not count, counts for neither bot; its unit is left out."""
    games = [game(0, 0, (2, 0)), game(0, 1, (0, 0), counts=False, reason="double_fault")]
    first, _ = tally(games, 2, 2, 2)
    assert first.scores == ()
    assert (first.won, first.void) == (1, 1)


def test_half_a_pair_is_not_rated() -> None:
    """A unit with a leg missing is left out."""
    assert rated_units([game(0, 0, (2, 0))], 2) == []


def test_single_deals_are_rated_by_margin_over_blocks() -> None:
    """Sixteen units of one deal each are one result: who is ahead in points."""
    games = [
        game(unit, leg, (2, 0), margins=(1, -1) if unit < 19 else (-100, 100), deals=1)
        for unit in range(20)
        for leg in (0, 1)
    ]
    assert rated_scores(rated_units(games, 2), ((0,), (1,)), 2, single_deal=True) == (
        (4, 0),
        (0, 4),
    )
    assert rated_scores(rated_units(games, 2), ((0,), (1,)), 2, single_deal=False)[0] == (4,) * 20


def test_single_deals_of_partners_are_rated_by_side() -> None:
    """Partners share the margin of their side, and are not rated against each other."""
    games = [Game(0, leg, True, "played", (2, 0, 2, 0), (), (5, -5, 5, -5), 1) for leg in range(4)]
    scores = rated_scores([games], ((0, 2), (1, 3)), 4, single_deal=True)
    assert scores == ((8,), (0,), (8,), (0,))
    assert scale(2, 4) == 8


def test_single_deals_of_three_are_rated_by_the_order_of_margins() -> None:
    """Of three bots the one ahead beats both others, whatever the single deals were."""
    margins = ((30, -10, -20), (-9, 3, 6), (-9, 3, 6))
    games = [Game(0, leg, True, "played", (0, 2, 4), (), margins[leg], 1) for leg in range(3)]
    assert rated_scores([games], ((0,), (1,), (2,)), 3, single_deal=True) == ((12,), (6,), (0,))


def test_sums_for_intervals_leave_forfeits_out() -> None:
    """Of three units one has a forfeit: deals, margins and squares are of the other two."""
    games = [game(unit, leg, (2, 0), margins=(unit, -unit)) for unit in (1, 2) for leg in (0, 1)]
    games += [game(3, 0, (0, 2), reason="crash", faulty=(0,)), game(3, 1, (2, 0))]
    found = spread(rated_units(games, 2), ((0,), (1,)))
    assert found.clean == (2, 12, 72)
    assert found.margins == ((6, 20, 36), (-6, 20, -36))
    assert found.pairs == ()


def test_sums_of_three_tell_each_two_apart() -> None:
    """With three sides each two have their own score and the points between them."""
    margins = (9, 0, -9)  # points 3, 0 and -3
    games = [Game(0, leg, True, "played", (4, 2, 0), (), margins, 1) for leg in range(3)]
    found = spread([games], ((0,), (1,), (2,)))
    assert found.pairs == (
        (0, 1, 6, 36, 9, 81, 27),
        (0, 2, 6, 36, 18, 324, 54),
        (1, 2, 6, 36, 9, 81, 27),
    )


RULES = [PRESETS[name] for name in ("german", "three_handed", "four_handed", "partnership")]
ENDS = [*[play_pb2.REASON_DEAL_CAP] * 6, play_pb2.REASON_CRASH, play_pb2.REASON_TIME]
ENDS += [play_pb2.REASON_DOUBLE_FAULT]


@st.composite
def matches(draw: st.DrawFn) -> tuple[Ruleset, list[GameFact]]:
    """A match of any number of seats; its games were played, capped, forfeited, or do not count."""
    rules = draw(st.sampled_from(RULES))
    sides = len(rules.sides)
    facts: list[GameFact] = []
    for unit in range(draw(st.integers(1, 4))):
        for leg in range(rules.players):
            game = Refereed(rules, 0)
            # Few different points, so that places are shared.
            game.points = draw(st.lists(st.integers(0, 2), min_size=sides, max_size=sides))
            deals = [replay_pb2.DealRecord(result=replay_pb2.DealResult())] * draw(
                st.integers(0, 4)
            )
            reason, faulty = draw(st.sampled_from(ENDS)), ()
            if reason == play_pb2.REASON_DEAL_CAP:
                game.deals = rules.deal_cap - 1
                game.record(void(rules, 0, "stock"))
            elif reason in FORFEITS:
                innocent = rules.sides[draw(st.integers(0, sides - 1))]
                others = st.sampled_from(sorted(set(range(rules.players)) - set(innocent)))
                faulty = tuple(sorted(draw(st.sets(others, min_size=1))))
            result = game_result(game, reason, faulty)
            record = replay_pb2.GameRecord(unit=unit, leg=leg, deals=deals, result=result)
            facts.append(game_fact(record))
    return rules, facts


@given(matches())
def test_the_referee_and_the_log_count_alike(match: tuple[Ruleset, list[GameFact]]) -> None:
    """What a replay shows of a match is what counts: units, scores, games, forfeits and points."""
    rules, facts = match
    players, sides = rules.players, len(rules.sides)
    shown = results.scores(facts, rules, [replay_pb2.BotIdentity()] * players)
    games = [game_of(fact, rules) for fact in facts]
    units = rated_units(games, players)
    sums = spread(units, rules.sides)
    for bot, (one, own) in enumerate(
        zip(shown, tally(games, players, sides, players), strict=True)
    ):
        assert (one.won, one.lost, one.drawn) == (own.won, own.lost, own.drawn)
        assert (one.not_counted, one.forfeits, one.units) == (own.void, own.forfeits, len(units))
        whole = scale(sides, players) * len(units) or 1
        assert one.score_millionths == round(Fraction(sum(own.scores) * 1_000_000, whole))
        clean, deals, deals_squares = sums.clean
        mean, half = ratio_and_half(clean, *sums.margins[bot], deals, deals_squares)
        assert one.points == pytest.approx(mean / (sides - 1))
        if half is not None:
            assert one.points_half == pytest.approx(half / (sides - 1))
