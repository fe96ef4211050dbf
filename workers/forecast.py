"""How long a tournament will take: the rest of one that runs, and the whole of a planned one. Pure.

Both are ranges, for neither is known: nine times in ten the truth is meant to lie within.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median, stdev
from typing import NamedTuple

PACE = 20
"""Last records of a tournament whose pace its rest is expected to follow."""
FEWEST = 4
"""Intervals between records below which nothing is said."""
PAUSE = 10
"""An interval so many times the usual one is an interruption, not play."""

# What the sample bots take on a machine of two cores: the start of a leg, decisions a second of one
# match, bytes of replay a decision. Other bots, other machines: from half to four times as long.
START_S = 0.8
DECISIONS_A_S = 12_000
BYTES_A_DECISION = 5
BYTES_A_MATCH = 2_000
_FASTER, _SLOWER = 0.5, 4.0

_NINE_IN_TEN = 1.645
_SURE = 0.1
"""No range is narrower than this share of its middle, to either side."""


class Range(NamedTuple):
    """From `low` to `high` milliseconds."""

    low: int
    high: int


class Played(NamedTuple):
    """A recorded match: milliseconds from begin to end, bytes of its replay, games."""

    ms: int
    size: int
    games: int


def rest(recorded_ms: Sequence[int], left: int) -> Range | None:
    """The time for `left` more matches, counted from the last record; None: too early to tell.

    `recorded_ms` are the times of the last records, Unix milliseconds, in order.
    """
    gaps = [later - earlier for earlier, later in pairwise(recorded_ms)]
    if len(gaps) < FEWEST:
        return None
    usual = max(1, median(gaps))
    gaps = [gap for gap in gaps if gap <= PAUSE * usual]
    middle = left * fmean(gaps)
    # Of the matches to come, and of not knowing their mean.
    spread = stdev(gaps) * math.sqrt(left + left**2 / len(gaps))
    return _around(middle, _NINE_IN_TEN * spread)


def whole(matches: int, games: int, slots: int, played: Sequence[Played]) -> Range:
    """The time of `matches` of so many games each, `slots` at once, as fast as those `played`.

    There are two of these or more. Raises ValueError where there are not.
    """
    took = [one.ms / one.games * games for one in played]
    in_a_row = math.ceil(matches / slots)
    spread = stdev(took) * math.sqrt(in_a_row + in_a_row**2 / len(took))
    return _around(in_a_row * fmean(took), _NINE_IN_TEN * spread)


def size(matches: int, games: int, played: Sequence[Played]) -> int:
    """Bytes of the replays of so many matches, as large as those `played` by games."""
    return round(matches * games * fmean(one.size / one.games for one in played))


def unplayed(matches: int, legs: int, games: int, slots: int, decisions: float) -> Range:
    """The time of `matches` of games that take so many decisions each, where none was played."""
    match_s = legs * START_S + games * decisions / DECISIONS_A_S
    middle = math.ceil(matches / slots) * match_s * 1000
    return Range(round(middle * _FASTER), round(middle * _SLOWER))


def unplayed_size(matches: int, games: int, decisions: float) -> int:
    """Bytes of the replays of such matches."""
    return round(matches * (BYTES_A_MATCH + games * decisions * BYTES_A_DECISION))


def _around(middle: float, spread: float) -> Range:
    spread = max(spread, _SURE * middle)
    return Range(round(max(0.0, middle - spread)), round(middle + spread))
