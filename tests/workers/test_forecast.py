"""How long tournaments are expected to take."""

from itertools import accumulate
from random import Random

import pytest

from workers import forecast
from workers.forecast import Played, Range


def test_nothing_is_said_too_early() -> None:
    """Four intervals between records are needed to tell anything."""
    assert forecast.rest([0, 10, 20, 30], 5) is None
    assert forecast.rest([], 5) is None
    assert forecast.rest([0, 10, 20, 30, 40], 5) == Range(45, 55)


def test_a_steady_pace_gives_a_narrow_range() -> None:
    """Equal intervals: the rest takes as long, a tenth to either side."""
    assert forecast.rest(range(0, 21_000, 1000), 100) == Range(90_000, 110_000)


def test_an_interruption_is_no_play() -> None:
    """An hour in which the arena was down does not count as the time of a match."""
    times = [*range(0, 10_000, 1000), *range(3_600_000, 3_610_000, 1000)]
    assert forecast.rest(times, 10) == Range(9_000, 11_000)


def test_the_range_holds_what_comes() -> None:
    """Matches of very different lengths: the end lies in the range about nine times in ten."""
    chance = Random(7)
    within = 0
    for _ in range(500):
        gaps = [round(chance.expovariate(1 / 4000)) + 200 for _ in range(20 + 30)]
        found = forecast.rest([0, *accumulate(gaps[:20])], 30)
        assert found is not None
        within += found.low <= sum(gaps[20:]) <= found.high
    assert 0.84 <= within / 500 <= 0.96


def test_a_whole_tournament_as_its_rules_were_played() -> None:
    """Time and size follow the games of recorded matches; several at once share the time."""
    played = [Played(ms=10_000, size=1_000, games=10)] * 4
    assert forecast.whole(100, 20, 2, played) == Range(900_000, 1_100_000)
    assert forecast.size(100, 20, played) == 200_000


def test_a_whole_tournament_that_nobody_has_played() -> None:
    """Without a recorded match the range is wide, and grows with games and decisions."""
    found = forecast.unplayed(10, 2, 100, 2, 300)
    assert found.high == 8 * found.low
    assert forecast.unplayed(10, 2, 200, 2, 300).low > found.low
    assert forecast.unplayed_size(10, 100, 300) == 10 * (2_000 + 150_000)


@pytest.mark.parametrize("slots", [1, 3])
def test_more_at_once_take_less(slots: int) -> None:
    """What does not divide evenly takes one more round."""
    played = [Played(ms=1000, size=1, games=1), Played(ms=1000, size=1, games=1)]
    middle = sum(forecast.whole(10, 1, slots, played)) / 2
    assert middle == {1: 10_000, 3: 4_000}[slots]
