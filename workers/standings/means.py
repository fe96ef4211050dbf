"""Means with half of their 95 % interval, from sums alone. Pure; no numpy."""

import math

NORMAL = 1.96
"""Half of the 95 % interval of a normal distribution, in standard deviations."""
FOUR_OF_FIVE = 0.8416
"""Standard deviations that a normal distribution stays below four times of five."""


def mean_and_half(units: int, total: int, squares: int, scale: int) -> tuple[float, float]:
    """The mean of unit scores and half of its interval; scores are out of `scale`.

    `total` is the sum of the scores, `squares` that of their squares. The interval is the normal
    one; where all results are equal half of it is 3/n, for so much n equal results leave open. It
    never exceeds 1, which is what fewer than two units leave open.
    """
    mean = total / (scale * units) if units else 0.0
    if units < 2:
        return mean, 1.0
    # n times the sum of squared deviations: whole numbers, so that equal results are known for such
    deviations = units * squares - total * total
    if not deviations:
        return mean, min(1.0, 3 / units)
    return mean, min(1.0, NORMAL * math.sqrt(deviations / (units - 1)) / (units * scale))


def ratio_and_half(
    units: int, total: int, squares: int, products: int, parts: int, parts_squares: int
) -> tuple[float, float | None]:
    """What there is of something a part, and half of its interval.

    Each unit has some parts (deals) and an amount (points): sums of both, of their squares and of
    their products are given. The amounts of one unit's parts hang together, so the units are the
    sample (a ratio of sums, linearised: Cochran, Sampling Techniques, 6.4). No interval is known
    from fewer than two units, nor from units that are all alike.
    """
    if not parts:
        return 0.0, None
    ratio = total / parts
    # The sum of (amount - ratio * parts) squared, times `parts` squared: whole numbers.
    deviations = squares * parts**2 - 2 * total * products * parts + total**2 * parts_squares
    if units < 2 or not deviations:
        return ratio, None
    return ratio, NORMAL * math.sqrt(deviations * units / (units - 1)) / parts**2


def units_apart(deviation: float, elo: float) -> tuple[int, int]:
    """Units until two bots that are `elo` points apart show it: their score's interval leaves 50 %.

    The first number is for every second try, the second for four of five. `deviation` is the
    standard deviation of a unit's score (0 to 1).
    """
    above = 1 / (1 + 10 ** (-elo / 400)) - 0.5
    often = (NORMAL, NORMAL + FOUR_OF_FIVE)
    half, most = (math.ceil((deviations * deviation / above) ** 2) for deviations in often)
    return half, most
