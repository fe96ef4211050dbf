"""From a match's games to what is kept of it: unit scores, counts, points. Pure.

A unit's score is the mean of its legs' results. A unit is rated when all its games count. A game
lost by a fault is a lost game, and its unit is left out of the points.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
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


class Spread(NamedTuple):
    """What intervals are computed from: sums over a match's rated units.

    `clean`: units without a forfeit, their deals, and the sum of the squares of a unit's deals.
    `margins`, by bot: the sum of the clean units' margins, that of their squares, and that of their
    products with the unit's deals. `pairs`, where more than two sides play: for each two sides
    their numbers; the sum of the first one's unit scores against the other, out of 2 * legs, and
    that of their squares; and as in `margins`, of the points that it was ahead.
    """

    clean: tuple[int, int, int]
    margins: tuple[tuple[int, int, int], ...]
    pairs: tuple[tuple[int, ...], ...]


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


def spread(units: Sequence[Sequence[Game]], sides: Sequence[Sequence[int]]) -> Spread:
    """The sums over rated units; `sides` as in `rated_scores`."""
    clean = [unit for unit in units if not any(game.faulty for game in unit)]
    deals = [sum(game.deals for game in unit) for unit in clean]
    bots = sorted(bot for side in sides for bot in side)
    margins = {bot: [sum(game.margins[bot] for game in unit) for unit in clean] for bot in bots}
    pairs: list[tuple[int, ...]] = []
    if len(sides) > 2:
        for left, right in combinations(range(len(sides)), 2):
            one, other = sides[left][0], sides[right][0]
            scores = [
                sum(_ahead(game.results[one], game.results[other]) for game in u) for u in units
            ]
            # A margin is the number of sides times one's points, less everybody's.
            both = zip(margins[one], margins[other], strict=True)
            ahead = [(mine - theirs) // len(sides) for mine, theirs in both]
            squares = sum(score * score for score in scores)
            pairs.append((left, right, sum(scores), squares, *_moments(ahead, deals)))
    return Spread(
        clean=(len(clean), sum(deals), sum(count * count for count in deals)),
        margins=tuple(_moments(margins[bot], deals) for bot in bots),
        pairs=tuple(pairs),
    )


def _moments(margins: Sequence[int], deals: Sequence[int]) -> tuple[int, int, int]:
    products = sum(margin * count for margin, count in zip(margins, deals, strict=True))
    return sum(margins), sum(margin * margin for margin in margins), products


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
    return sum(_ahead(own, margin) for other, margin in enumerate(margins) if other != side)


def _ahead(own: int, other: int) -> int:
    return 2 if own > other else 1 if own == other else 0
