"""From a match's games to what is kept of it: unit scores, counts, points. Pure.

A unit's score is the mean of its legs' results. A unit is rated when all its games count. A game
lost by a fault is a lost game, and its unit is left out of the points.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

BLOCK = 16
"""Units of which a single-deal match rates the sign of the margin, as one unit."""


class Game(NamedTuple):
    """The result of one game, by bot (in the order of the match's list).

    `results` are out of 2 * (sides - 1): two for each side left behind, one for each equal one.
    `margins` are points of all scored deals: (sides - 1) times the bot's side's, less all others'.
    `reason` is its proto name in lower case; `faulty` are the bots that lost it by a fault.
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
    """One bot's part in a match. `scores`: one number a rated unit, out of `scale(...)`.

    `won` to `forfeits` and `faults` (by reason) count games, of units that are not rated too.
    `points` is the sum of margins over `deals`, from rated units without a forfeit.
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


def scale(sides: int, legs: int) -> int:
    """What a unit's score is out of."""
    return 2 * (sides - 1) * legs


def rated_units(games: Sequence[Game], legs: int) -> list[list[Game]]:
    """The games of each unit of which every leg is there and counts, by unit and leg."""
    units: dict[int, list[Game]] = {}
    for game in sorted(games, key=lambda game: (game.unit, game.leg)):
        units.setdefault(game.unit, []).append(game)
    return [
        unit for unit in units.values() if len(unit) == legs and all(game.counts for game in unit)
    ]


def tally(games: Sequence[Game], bots: int, sides: int, legs: int) -> tuple[Tally, ...]:
    """Each bot's part in a match."""
    units = rated_units(games, legs)
    return tuple(_tally(bot, games, units, sides) for bot in range(bots))


def _tally(bot: int, games: Sequence[Game], units: Sequence[Sequence[Game]], sides: int) -> Tally:
    words = Counter(_word(game, bot) for game in games)
    faults = Counter(game.reason for game in games if game.counts and bot in game.faulty)
    clean = [game for unit in units if not any(g.faulty for g in unit) for game in unit]
    return Tally(
        scores=tuple(sum(game.results[bot] for game in unit) for unit in units),
        won=words["won"],
        lost=words["lost"],
        drawn=words["drawn"],
        void=words["void"],
        forfeits=sum(faults.values()),
        faults=dict(sorted(faults.items())),
        points=sum(game.margins[bot] for game in clean) // (sides - 1),
        deals=sum(game.deals for game in clean),
    )


def _word(game: Game, bot: int) -> str:
    """A game of several sides is won by the first place, shared or not, and lost by the others."""
    if not game.counts:
        return "void"
    best = max(game.results)
    if all(result == best for result in game.results):
        return "drawn"
    return "won" if game.results[bot] == best else "lost"


def rated_scores(
    units: Sequence[Sequence[Game]], sides: Sequence[Sequence[int]], legs: int, single_deal: bool
) -> tuple[tuple[int, ...], ...]:
    """The scores that Elo is computed from, by bot, out of `scale(len(sides), legs)`.

    `sides` are the bots that play together: `Ruleset.sides`, for in leg 0 bot b has seat b, and
    later legs turn all seats. The scores are those of the units. Where a game is one deal they are
    those of blocks of 16 rated units (the last one may be shorter), each by the order of the sides'
    margins: whoever wins single deals often and little would be rated for what the game is not
    about.
    """
    bots = sum(map(len, sides))
    if not single_deal:
        return tuple(
            tuple(sum(g.results[bot] for g in unit) for unit in units) for bot in range(bots)
        )
    blocks = [
        [game for unit in units[start : start + BLOCK] for game in unit]
        for start in range(0, len(units), BLOCK)
    ]
    # Partners have one margin.
    totals = [[sum(g.margins[side[0]] for g in block) for side in sides] for block in blocks]
    beaten = [[legs * _beaten(total, side) for total in totals] for side in range(len(sides))]
    side_of = {bot: side for side, members in enumerate(sides) for bot in members}
    return tuple(tuple(beaten[side_of[bot]]) for bot in range(bots))


def _beaten(margins: Sequence[int], side: int) -> int:
    own = margins[side]
    others = [margin for other, margin in enumerate(margins) if other != side]
    return sum(2 if own > other else 1 if own == other else 0 for other in others)
