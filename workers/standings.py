"""A tournament's table out of its log entries. Pure; the order of the entries does not matter."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

MILLION = 1_000_000


class Row(NamedTuple):
    """One bot in a tournament's table.

    `score` is the mean of its counted units' scores and `interval` half of the 95 % interval of
    that mean, both in millionths; `milli_points` the mean margin a deal in thousandths, forfeited
    units left out; `won` to `forfeits` count games.
    """

    name: str
    version: str
    units: int
    score: int
    interval: int
    won: int
    lost: int
    drawn: int
    forfeits: int
    milli_points: int


def table(entrants: Sequence[tuple[str, str]], entries: Iterable[Mapping[str, Any]]) -> list[Row]:
    """The rows of all entrants (name, version), best first; ties by points, then by name.

    `entries` are the tournament's log entries as objects. Corrections count as they stand.
    """
    scores: dict[str, list[float]] = {name: [] for name, _ in entrants}
    counts: dict[str, dict[str, int]] = {name: {} for name, _ in entrants}
    for entry in entries:
        for bot in entry.get("bots", ()):
            if bot["name"] in scores:
                scores[bot["name"]] += [unit / entry["scale"] for unit in bot.get("units", ())]
                _count(counts[bot["name"]], bot)
    rows = [_row(name, version, scores[name], counts[name]) for name, version in entrants]
    return sorted(rows, key=lambda row: (-row.score, -row.milli_points, row.name))


def _count(own: dict[str, int], bot: Mapping[str, Any]) -> None:
    parts = {**bot["add"], "points": bot.get("points", 0), "deals": bot.get("deals", 0)}
    for field in ("won", "lost", "drawn", "forfeits", "points", "deals"):
        own[field] = own.get(field, 0) + parts.get(field, 0)


def _row(name: str, version: str, scores: Sequence[float], own: Mapping[str, int]) -> Row:
    mean, half = mean_and_half(scores)
    deals = own.get("deals", 0)
    return Row(
        name=name,
        version=version,
        units=len(scores),
        score=round(mean * MILLION),
        interval=round(half * MILLION),
        won=own.get("won", 0),
        lost=own.get("lost", 0),
        drawn=own.get("drawn", 0),
        forfeits=own.get("forfeits", 0),
        milli_points=round(own.get("points", 0) * 1000 / deals) if deals else 0,
    )


def mean_and_half(scores: Sequence[float]) -> tuple[float, float]:
    """The mean of unit scores, and half of its 95 % interval.

    The interval is the normal one; where all results are equal half of it is 3/n, for so much n
    equal results leave open. It never exceeds 1, which is what fewer than two units leave open.
    """
    n = len(scores)
    if n < 2:
        return (math.fsum(scores), 1.0)
    mean = math.fsum(scores) / n
    variance = math.fsum((score - mean) ** 2 for score in scores) / (n - 1)
    spread = 1.96 * math.sqrt(variance / n)
    return mean, min(1.0, max(spread, 3 / n if variance == 0 else 0.0))
