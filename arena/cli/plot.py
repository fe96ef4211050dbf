"""Ratings and their intervals as a picture of text: a line a bot, one scale for all.

An interval that goes on beyond the scale ends in < or >.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

USUAL = 72
"""Columns of a picture where no terminal says how many there are."""
TICKS = 6
"""At most so many numbers on the scale."""
NEAR = 100
"""Elo points beyond the first and the last rating that are shown in any case."""


class Bar(NamedTuple):
    """A bot's rating and the ends of its interval, Elo points."""

    name: str
    low: float
    rating: float
    high: float


def lines(bars: Sequence[Bar], width: int) -> list[str]:
    """The picture, `width` columns at most; empty where there is nothing to draw, or no room."""
    names = max((len(bar.name) for bar in bars), default=0) + 2
    columns = min(width, USUAL) - names
    if not bars or columns < 20:
        return []
    low, high = _ends(bars)
    per_column = max(high - low, 1) / (columns - 1)

    def place(rating: float) -> int:
        return round((rating - low) / per_column)

    scale = [" "] * columns
    for tick in _ticks(low, high):
        text, at = str(tick), place(tick)
        start = min(max(0, at - len(text) // 2), columns - len(text))
        scale[start : start + len(text)] = text
    drawn = [" " * names + "".join(scale).rstrip()]
    for bar in bars:
        left, at, right = place(max(low, bar.low)), place(bar.rating), place(min(high, bar.high))
        line = [" "] * columns
        line[left : right + 1] = "─" * (right + 1 - left)
        line[left] = "├" if bar.low >= low else "<"
        line[right] = "┤" if bar.high <= high else ">"
        line[at] = "●"
        drawn.append(bar.name.ljust(names) + "".join(line).rstrip())
    return drawn


def _ends(bars: Sequence[Bar]) -> tuple[float, float]:
    """Of the scale: all ratings and what is near; one long bar would make all others short."""
    ratings = [bar.rating for bar in bars]
    near = max(NEAR, (max(ratings) - min(ratings)) / 8)
    low = max(min(bar.low for bar in bars), min(ratings) - near)
    return low, min(max(bar.high for bar in bars), max(ratings) + near)


def _ticks(low: float, high: float) -> list[int]:
    """Round numbers between the ends, as many as fit."""
    least = max(1.0, (high - low) / TICKS)
    power = 10 ** math.floor(math.log10(least))
    step = next(step for step in (power, 2 * power, 5 * power, 10 * power) if step >= least)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [int(step * number) for number in range(first, last + 1)]
