"""Elo in whole thousandths of a point. Pure; the same numbers on every machine, for ever.

One match is one update. With m rated units, S a unit's score (0 to 1) and E its expectation:

    change = K / (1 + 0.00144 K (m - 1)) * sum of (S - E) over the units

so that a long match moves a rating about as far as it should, not m times as far. K follows from
the units a bot's rating has behind it: 32 below 20, 16 below 100, then 8.

Arithmetic. E is 1 / (1 + 10^(-d/400)), computed with correctly rounded decimals of 34 digits and
kept in whole billionths (half to even) for d >= 0; for d < 0 it is one billion less that of -d, so
that two expectations of one pair always add up to one. Everything else is one fraction of integers,
rounded once, to the nearest thousandth, halves away from zero.

What is conserved: where both bots of a match have the same K, their changes are exact opposites, so
that the sum of the two ratings stays. Where K differs each moves by its own. With more than two
bots each meets every other in its place of the final order, and K is shared among the n - 1 pairs;
rounding may then leave up to n/2 thousandths over.

Partners are rated as one player: its rating and its units are the means of theirs (halves of a
thousandth in a difference away from zero, halves of a unit down), and both get the same change.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import NamedTuple

FORMULA = 1
"""Number of the formula above; a log entry names the one it was computed with."""

START = 1_500_000
"""Where the first version of a bot begins, thousandths."""

ONE = 1_000_000_000
"""An expectation of one, in the units of `expected`."""

_DECIMAL = Context(prec=34, rounding=ROUND_HALF_EVEN)
_LN10 = _DECIMAL.ln(Decimal(10))
_DAMPING = 144  # 0.00144 in hundred-thousandths, see the formula
_DAMPING_ONE = 100_000


class Player(NamedTuple):
    """A bot before a match: its rating in thousandths, and the units it has been rated on."""

    elo: int
    units: int


def k_factor(units: int) -> int:
    """K after so many rated units."""
    if units < 20:
        return 32
    return 16 if units < 100 else 8


def expected(difference: int) -> int:
    """Expected score of a bot rated `difference` thousandths above its opponent, in billionths."""
    if difference < 0:
        return ONE - expected(-difference)
    power = _DECIMAL.divide(_DECIMAL.multiply(Decimal(-difference), _LN10), Decimal(400_000))
    odds = _DECIMAL.add(Decimal(1), _DECIMAL.exp(power))
    share = _DECIMAL.divide(Decimal(ONE), odds)
    return int(share.to_integral_value(rounding=ROUND_HALF_EVEN))


def changes(
    players: Sequence[Player],
    scores: Sequence[Sequence[int]],
    scale: int,
    sides: Sequence[Sequence[int]] | None = None,
) -> tuple[int, ...]:
    """By how many thousandths a match moves the rating of each of its bots.

    `scores` has for each bot one number a rated unit, out of `scale`; the numbers of one unit add
    up to half of `scale` times the number of bots. No units: no changes. `sides` are the bots that
    play together, sides equally large; None: each plays alone.
    """
    if not scores[0]:
        return (0,) * len(players)
    sides = sides or [[bot] for bot in range(len(players))]
    moves = [0] * len(players)
    for own in sides:
        rest = [side for side in sides if side is not own]
        expectation = sum(expected(_difference(players, own, other)) for other in rest)
        units = sum(players[bot].units for bot in own) // len(own)
        move = _change(scores[own[0]], scale, expectation, len(rest), k_factor(units))
        for bot in own:
            moves[bot] = move
    return tuple(moves)


def _difference(players: Sequence[Player], own: Sequence[int], other: Sequence[int]) -> int:
    """By how much the mean rating of one side is above another's."""
    above = sum(players[bot].elo for bot in own) - sum(players[bot].elo for bot in other)
    return _round(above, len(own))


def _change(scores: Sequence[int], scale: int, expectation: int, others: int, k: int) -> int:
    """The formula; `expectation` is the sum of those against each of the `others`."""
    units = len(scores)
    # sum of (S - E) as surplus / (scale * ONE * others)
    surplus = sum(scores) * ONE * others - units * scale * expectation
    damping = _DAMPING_ONE + _DAMPING * k * (units - 1)
    return _round(1000 * k * _DAMPING_ONE * surplus, damping * scale * ONE * others)


def _round(numerator: int, denominator: int) -> int:
    """The nearest integer, halves away from zero; the denominator is positive."""
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size
