"""Bradley-Terry by Newton's method, many weightings of the same units at once. Pure arithmetic.

A side's strength is the mean of its bots'. One side scores against another, in expectation,

    p = 1 / (1 + exp(-(strength - strength of the other)))

and a unit among several sides counts as each of its pairs of sides. Only sums matter to the
likelihood: what each bot has scored, and how often each two sides have met.

So that every bot gets a finite strength, whatever it has played, each has `PRIOR` units won and as
many lost on top, against a bot of strength 0 that is nobody's: this also holds groups of bots that
have not met in one table. Strengths are in natural units; `ELO` is one of them in Elo points.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

ELO = 400 / math.log(10)
PRIOR = 1.0
_STEPS = 60
_CLOSE = 1e-6

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

Match: TypeAlias = tuple[tuple[int, ...], ...]
"""Who meets: the bots of each side, by number."""
Units: TypeAlias = Mapping[Match, Mapping[tuple[float, ...], int]]
"""How often a match's sides have scored so in a unit; 1 is to have beaten all other sides."""


class Data(NamedTuple):
    """Units as arrays. A cell is a match with one way to score in it; bots are numbered.

    `counts` (C) units of each cell. `left`, `right` (Q, k) are the bots of each two sides that have
    met. Meetings: cell `met_cell[e]` belongs to pair `met_pair[e]`, ordered by pair. Gains: in cell
    `gain_cell[g]` bot `gain_bot[g]` scores `gain[g]`, ordered by bot; partners share.
    """

    bots: int
    counts: Floats
    left: Ints
    right: Ints
    met_cell: Ints
    met_pair: Ints
    gain_cell: Ints
    gain_bot: Ints
    gain: Floats


class Totals(NamedTuple):
    """What the likelihood sees, for R weightings: `scores` (R, bots), `met` (R, Q), and the units
    won and lost on top, `won` and `lost` (R, bots)."""

    scores: Floats
    met: Floats
    won: Floats
    lost: Floats


def data(bots: int, units: Units) -> Data:
    """Arrays of units between `bots` bots, in an order that does not depend on the mapping's."""
    counts: list[int] = []
    pairs: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    met: list[tuple[int, int]] = []
    gains: list[tuple[int, int, float]] = []
    for match in sorted(units):
        numbers = [
            pairs.setdefault((one, other), len(pairs))
            for place, one in enumerate(match)
            for other in match[place + 1 :]
        ]
        for scores, count in sorted(units[match].items()):
            cell = len(counts)
            counts.append(count)
            met += [(pair, cell) for pair in numbers]
            gains += [
                (bot, cell, score * (len(match) - 1) / len(side))
                for side, score in zip(match, scores, strict=True)
                for bot in side
            ]
    meetings = np.array(sorted(met), dtype=np.int64).reshape(-1, 2)
    gained = np.array(sorted(gains), dtype=np.float64).reshape(-1, 3)
    return Data(
        bots=bots,
        counts=np.array(counts, dtype=np.float64),
        left=_sides([left for left, _ in pairs]),
        right=_sides([right for _, right in pairs]),
        met_cell=meetings[:, 1],
        met_pair=meetings[:, 0],
        gain_cell=gained[:, 1].astype(np.int64),
        gain_bot=gained[:, 0].astype(np.int64),
        gain=gained[:, 2],
    )


def _sides(sides: list[tuple[int, ...]]) -> Ints:
    """(Q, k): a side of one among sides of two stands there twice, its mean is the same."""
    wide = math.lcm(*map(len, sides)) if sides else 1
    rows = [side * (wide // len(side)) for side in sides]
    return np.array(rows, dtype=np.int64).reshape(-1, wide)


def totals(units: Data, weights: Floats, won: Floats, lost: Floats) -> Totals:
    """Sums under `weights` (C, R) of the cells; `won` and `lost` (R, bots) as they are."""
    count = weights.shape[1]
    scores = np.zeros((units.bots, count))
    gained = weights[units.gain_cell] * units.gain[:, None]
    present, starts = np.unique(units.gain_bot, return_index=True)
    if len(present):
        scores[present] = np.add.reduceat(gained, starts, axis=0)
    met = np.zeros((len(units.left), count))
    if len(met):
        starts = np.unique(units.met_pair, return_index=True)[1]
        met = np.add.reduceat(weights[units.met_cell], starts, axis=0)
    return Totals(scores.T + won, met.T, won, lost)


def plain(units: Data) -> Totals:
    """The sums of the units as they are: one weighting."""
    prior = np.full((1, units.bots), PRIOR)
    return totals(units, units.counts[:, None], prior, prior)


def strengths(units: Data, sums: Totals, start: Floats | None = None) -> Floats:
    """The strengths (R, bots) of greatest likelihood. `start` (bots) is where to begin."""
    found = np.zeros_like(sums.scores) if start is None else np.tile(start, (len(sums.scores), 1))
    for _ in range(_STEPS):
        gradient = sums.scores - expected(units, sums, found)
        step = np.linalg.solve(information(units, sums, found), gradient[:, :, None])[:, :, 0]
        # As long as no difference moves by more than 1 a step always gains: the curvature along it
        # changes by a factor of e at most.
        reach = np.maximum(step.max(axis=1), 0) - np.minimum(step.min(axis=1), 0)
        found += step / np.maximum(reach, 1)[:, None]
        if reach.max(initial=0) < _CLOSE:
            break
    return found


def chances(units: Data, found: Floats) -> Floats:
    """(R, Q): what the left side of each pair is expected to score against the right one."""
    left, right = found[:, units.left].mean(axis=2), found[:, units.right].mean(axis=2)
    return logistic(left - right)


def expected(units: Data, sums: Totals, found: Floats) -> Floats:
    """(R, bots): what each bot would score, the units on top included."""
    chance = chances(units, found)
    wide = units.left.shape[1]
    share = _gathered(units.left, sums.met * chance / wide, units.bots)
    share += _gathered(units.right, sums.met * (1 - chance) / wide, units.bots)
    return share + (sums.won + sums.lost) * logistic(found)


def information(units: Data, sums: Totals, found: Floats) -> Floats:
    """(R, bots, bots): the curvature of the likelihood, positive definite."""
    chance = chances(units, found)
    wide, bots = units.left.shape[1], units.bots
    weight = sums.met * chance * (1 - chance) / wide**2
    signed = [(units.left, 1.0), (units.right, -1.0)]
    columns = [(side[:, at], sign) for side, sign in signed for at in range(wide)]
    curve = np.zeros((len(found), bots * bots))
    for one, sign in columns:
        for other, opposite in columns:
            cell = (one * bots + other)[:, None]
            curve += _gathered(cell, sign * opposite * weight, bots * bots)
    top = logistic(found)
    curve[:, :: bots + 1] += (sums.won + sums.lost) * top * (1 - top)
    return curve.reshape(-1, bots, bots)


def logistic(strength: Floats) -> Floats:
    """1 / (1 + exp(-strength)), without overflow."""
    return 0.5 * (1 + np.tanh(strength / 2))


def _gathered(places: Ints, values: Floats, size: int) -> Floats:
    """(R, size): each of `values` (R, Q) added at every of its `places` (Q, k)."""
    count = len(values)
    into = np.arange(count)[:, None] * size
    found = np.zeros(count * size)
    for at in range(places.shape[1]):
        where = (into + places[:, at]).ravel()
        found += np.bincount(where, values.ravel(), minlength=count * size)
    return found.reshape(count, size)
