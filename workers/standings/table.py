"""A table and its cross table out of a book. Pure."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from workers.standings import bootstrap, fit
from workers.standings.book import COMMON, SHARES, Book, Player, Sums, mirrored
from workers.standings.means import mean_and_half, ratio_and_half

MILLION = 1_000_000
AVERAGE = 1500
"""What the bots of a table have on average, Elo points: where new bots begin."""


class Rating(NamedTuple):
    """A strength in thousandths of an Elo point, and the ends of its 95 % interval."""

    milli: int
    low: int
    high: int


class Row(NamedTuple):
    """One bot in a table.

    `score` is the mean of its counted units' scores and `interval` half of the 95 % interval of
    that mean, both in millionths; `milli_points` the mean margin a deal in thousandths and
    `milli_points_interval` half of its interval (None: units are too few to tell, or all alike),
    both from the `points_units`, those without a forfeited game; `won` to `forfeits` count games.
    `rating` is None before a rated unit; `superior` is how likely it is, in millionths, that this
    bot is stronger than that of the next row.
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
    points_units: int
    milli_points: int
    milli_points_interval: int | None
    rating: Rating | None
    superior: int | None


class Meeting(NamedTuple):
    """One bot against another, from its side; numbers as in Row. `other_forfeits`: the other's."""

    bot: Player
    other: Player
    units: int
    score: int
    interval: int
    points_units: int
    milli_points: int
    milli_points_interval: int | None
    forfeits: int
    other_forfeits: int


def table(book: Book) -> list[Row]:
    """Everybody's row, best first; ties by score, by points, then by name."""
    players, drawn, ratings = _rated(book)
    rows = [_row(book, player, ratings.get(player)) for player in book.players]
    rows.sort(key=_order)
    place = {player: at for at, player in enumerate(players)}
    for at, (row, below) in enumerate(pairwise(rows)):
        one, other = place.get((row.name, row.version)), place.get((below.name, below.version))
        if one is not None and other is not None:
            above = np.mean(drawn[:, one] > drawn[:, other])
            rows[at] = row._replace(superior=round(float(above) * MILLION))
    return rows


def head_to_head(book: Book) -> list[Meeting]:
    """Each ordered two that have met, by names."""
    players = list(book.players)
    found: list[Meeting] = []
    for (one, other), pair in book.pairs.items():
        faults = (pair.forfeits, pair.other_forfeits)
        found.append(Meeting(players[one], players[other], *_means(pair.sums), *faults))
        turned = _means(mirrored(pair.sums))
        found.append(Meeting(players[other], players[one], *turned, *faults[::-1]))
    return sorted(found)


def _order(row: Row) -> tuple[float, int, int, str, str]:
    rating = -row.rating.milli if row.rating else float("inf")
    return rating, -row.score, -row.milli_points, row.name, row.version


def _rated(book: Book) -> tuple[list[Player], fit.Floats, dict[Player, Rating]]:
    """Who is rated; strengths as they might be (R, players); the ratings."""
    players, units = book.units()
    if not players:
        return players, np.zeros((1, 0)), {}
    known = fit.data(len(players), units)
    found = fit.strengths(known, fit.plain(known))[0]
    drawn = bootstrap.draws(known, found)
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    columns = np.array([found, np.minimum(low, found), np.maximum(high, found)]) - found.mean()
    milli = np.rint(1000 * (AVERAGE + fit.ELO * columns)).astype(int).T.tolist()
    return (
        players,
        drawn,
        {player: Rating(*row) for player, row in zip(players, milli, strict=True)},
    )


def _row(book: Book, player: Player, rating: Rating | None) -> Row:
    number = book.players[player]
    units, score, interval, points_units, points, points_interval = _means(book.sums[number])
    counts = book.counts[number]
    return Row(
        name=player[0],
        version=player[1],
        units=units,
        score=score,
        interval=interval,
        won=counts["won"],
        lost=counts["lost"],
        drawn=counts["drawn"],
        forfeits=counts["forfeits"],
        points_units=points_units,
        milli_points=points,
        milli_points_interval=points_interval,
        rating=rating,
        superior=None,
    )


def _means(sums: Sums) -> tuple[int, int, int, int, int, int | None]:
    """Units, score and half of its interval; units that points are from, points a deal and half of
    their interval."""
    mean, half = mean_and_half(sums.units, sums.score, sums.squares, COMMON)
    points, points_half = ratio_and_half(
        sums.clean,
        sums.margin,
        sums.margin_squares,
        sums.margin_deals,
        sums.deals,
        sums.deals_squares,
    )
    return (
        sums.units,
        round(mean * MILLION),
        round(half * MILLION),
        sums.clean,
        round(points / SHARES * 1000),
        None if points_half is None else round(points_half / SHARES * 1000),
    )
