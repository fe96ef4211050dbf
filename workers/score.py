"""From a match's games to what is kept of it: unit scores, counts, points. Pure.

A unit's score is the mean of its legs' results. A unit counts when all its games do; the others are
void and count for nothing. A forfeited game is a lost game, and its unit is left out of the points.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

BLOCK = 16
"""Units of which a single-deal match rates the sign of the margin, as one unit."""


class Game(NamedTuple):
    """The result of one game, by bot (in the order of the match's list).

    `results` are out of 2 * (bots - 1): two for each bot left behind, one for each equal one.
    `margins` are points over the mean of the others' sides, in all scored deals.
    """

    unit: int
    leg: int
    counts: bool
    reason: str
    results: tuple[int, ...]
    faulty: tuple[int, ...]
    margins: tuple[int, ...]
    deals: int


class Tally(NamedTuple):
    """One bot's part in a match. `scores`: one number a counted unit, out of `scale(...)`.

    `points` is the sum of margins and `deals` their number, forfeited units left out.
    """

    scores: tuple[int, ...]
    won: int
    lost: int
    drawn: int
    void: int
    forfeits: int
    faults: Mapping[str, int]
    points: int
    deals: int


def scale(bots: int, legs: int) -> int:
    """What a unit's score is out of."""
    return 2 * (bots - 1) * legs


def tally(games: Sequence[Game], bots: int, legs: int) -> tuple[Tally, ...]:
    """Each bot's part. A unit with a game missing does not count."""
    units: dict[int, list[Game]] = {}
    for game in games:
        units.setdefault(game.unit, []).append(game)
    counted = [
        unit
        for number in sorted(units)
        if len(unit := units[number]) == legs and all(game.counts for game in unit)
    ]
    whole = {game.unit for unit in counted for game in unit}
    void = sum(game.unit not in whole for game in games)
    return tuple(_tally(bot, counted, void) for bot in range(bots))


def _tally(bot: int, units: Sequence[Sequence[Game]], void: int) -> Tally:
    games = [game for unit in units for game in unit]
    results = Counter(_word(game, bot) for game in games)
    faults = Counter(game.reason for game in games if bot in game.faulty)
    clean = [game for unit in units if not any(g.faulty for g in unit) for game in unit]
    return Tally(
        scores=tuple(sum(game.results[bot] for game in unit) for unit in units),
        won=results["won"],
        lost=results["lost"],
        drawn=results["drawn"],
        void=void,
        forfeits=sum(faults.values()),
        faults=dict(sorted(faults.items())),
        points=sum(game.margins[bot] for game in clean),
        deals=sum(game.deals for game in clean),
    )


def _word(game: Game, bot: int) -> str:
    """A game of more than two is won by the first place, shared or not, and lost by the others."""
    best = max(game.results)
    if all(result == best for result in game.results):
        return "drawn"
    return "won" if game.results[bot] == best else "lost"


def rated_scores(
    games: Sequence[Game], tallies: Sequence[Tally], bots: int, legs: int, single_deal: bool
) -> tuple[tuple[int, ...], ...]:
    """The scores that Elo is computed from, by bot, out of `scale(bots, legs)`.

    They are the units' scores. Where a game is one deal they are blocks of 16 counted units (the
    last one may be shorter), each scored by the order of the bots' margins: single deals reward
    whoever wins often and little, and that is not what the game is about.
    """
    if not single_deal:
        return tuple(part.scores for part in tallies)
    counted = sorted({game.unit for game in games if game.counts})
    full = [unit for unit in counted if sum(g.unit == unit and g.counts for g in games) == legs]
    blocks = [set(full[start : start + BLOCK]) for start in range(0, len(full), BLOCK)]
    totals = [
        [sum(game.margins[bot] for game in games if game.unit in block) for bot in range(bots)]
        for block in blocks
    ]
    return tuple(
        tuple(legs * _beaten(total, bot) for total in totals) for bot in range(len(tallies))
    )


def _beaten(margins: Sequence[int], bot: int) -> int:
    own = margins[bot]
    others = [margin for seat, margin in enumerate(margins) if seat != bot]
    return sum(2 if own > other else 1 if own == other else 0 for other in others)
