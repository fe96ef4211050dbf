"""What a match came to, from the facts of its games."""

import math
import statistics

import pytest

from knockbox.v1 import play_pb2, replay_pb2
from referee.results import GameFact, scores
from referee.rules.ruleset import PRESETS

BOTS = [replay_pb2.BotIdentity(name=name) for name in ("a", "b")]


def facts(margins: list[int], deals: int) -> list[GameFact]:
    """A unit a margin: bot a wins it by so many points in leg 0, and leg 1 is even."""
    found = []
    for unit, margin in enumerate(margins):
        for leg, points in enumerate(((100 + margin, 100), (100, 100))):
            places = (1, 2) if leg == 0 else (1, 1)
            winner = 0 if leg == 0 else None
            reason = play_pb2.REASON_PLAYED
            found.append(GameFact(unit, leg, winner, True, reason, (), places, points, deals))
    return found


def test_interval_of_points_is_that_of_the_units() -> None:
    """With as many deals in every unit it is the normal interval of the units' mean margins."""
    margins, deals = [10, 30, -20, 60, 5], 4
    a, b = scores(facts(margins, deals), PRESETS["danish"], BOTS)
    a_deal = [margin / (2 * deals) for margin in margins]
    assert a.points == pytest.approx(statistics.mean(a_deal))
    half = 1.96 * statistics.stdev(a_deal) / math.sqrt(len(margins))
    assert a.points_half == pytest.approx(half)
    assert (b.points, b.points_half) == pytest.approx((-a.points, half))


@pytest.mark.parametrize("margins", [[10], [0] * 64, [7] * 3])
def test_units_without_a_spread_leave_everything_open(margins: list[int]) -> None:
    """Nothing is known of the spread of a single unit, nor of that of units that are all alike."""
    found = scores(facts(margins, 4), PRESETS["danish"], BOTS)[0]
    assert (found.points_units, found.points) == (len(margins), margins[0] / 8)
    assert found.points_half == math.inf
