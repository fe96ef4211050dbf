"""Log entries for the tests of tables: made of units, as the recorder would make them."""

from collections.abc import Sequence
from typing import Any

from workers import score
from workers.ledger import Before, Facts, result
from workers.score import Game

Legs = Sequence[tuple[int, ...]]
"""The points of each side in each leg of a unit; the side with more has won the game."""


def entry(
    names: Sequence[str],
    units: Sequence[Legs],
    sides: Sequence[Sequence[int]] = ((0,), (1,)),
    faulty: Sequence[tuple[int, int, int]] = (),
    seq: int = 1,
    **more: Any,
) -> dict[str, Any]:
    """The entry of a match; `faulty` are (unit, leg, bot) of games that were lost by a fault."""
    legs = len(names)
    games = [
        game(unit, leg, points, sides, [bot for u, at, bot in faulty if (u, at) == (unit, leg)])
        for unit, played in enumerate(units)
        for leg, points in enumerate(played)
    ]
    rated = score.rated_units(games, legs)
    facts = Facts("t1", f"t1.{seq}", 1, "", True, True, score.scale(len(sides), legs), sides, 0)
    before = [Before(name, "v", "", 1_500_000, 1_500_000, 0) for name in names]
    tallies = score.tally(games, legs, len(sides), legs)
    scores = score.rated_scores(rated, sides, legs, single_deal=False)
    made = result(facts, before, tallies, scores, score.spread(rated, sides))
    return {**made, "seq": seq, **more}


def game(
    unit: int, leg: int, points: tuple[int, ...], sides: Sequence[Sequence[int]], faulty: list[int]
) -> Game:
    """One game of three deals."""
    of = {bot: points[side] for side, bots in enumerate(sides) for bot in bots}
    own = [of[bot] for bot in sorted(of)]
    return Game(
        unit=unit,
        leg=leg,
        counts=True,
        reason="crash" if faulty else "played",
        results=tuple(sum(2 * (p > q) + (p == q) for q in points) - 1 for p in own),
        faulty=tuple(faulty),
        margins=tuple(len(points) * p - sum(points) for p in own),
        deals=3,
    )


WON, LOST, EVEN = ((10, 0), (10, 0)), ((0, 10), (0, 10)), ((10, 0), (0, 10))
"""Units of two bots, as the first one has played them."""
