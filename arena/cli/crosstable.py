"""`knockbox tournament crosstable` and `apart`: each bot against each, and what units tell."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from arena.cli import output, spreadsheet
from arena.cli.errors import CommandError
from arena.cli.options import Data, Json, flag
from arena.cli.words import many, room, wide

if TYPE_CHECKING:
    from pathlib import Path

    from knockbox.v1 import arena_pb2 as pb

COLUMNS = ("bot", "opponent", "units", "score", "interval", "points", "points_interval")
COLUMNS += ("forfeits", "opponent_forfeits")
DIFFERENCES = (10, 20, 35, 50, 100, 200)
"""Elo points that `apart` tells the units for."""
CLOSE = 250_000, 750_000
"""Scores (millionths) of bots whose units tell how units spread: others win or lose nearly all."""


def crosstable(
    tournament_id: str,
    /,
    *,
    points: Annotated[bool, flag("Points a deal instead of the score.")] = False,
    data: Data = None,
    json: Json = False,
    csv: Annotated[bool, spreadsheet.CSV] = False,
) -> None:
    """Every bot of a tournament against every other.

    Score in % and half of its 95 % interval.

    Example: knockbox tournament crosstable t1
    """
    from arena.cli import shapes

    spreadsheet.one_of(json=json, csv=csv)
    names, meetings = _fetched(tournament_id, data)
    if json:
        output.as_json([shapes.meeting(one) for one in meetings])
        return
    if csv:
        spreadsheet.show(map(shapes.meeting, meetings), COLUMNS)
        return
    _show(names, meetings, points=points)
    faults = any(one.forfeits for one in meetings)
    output.note(
        "rows against columns; "
        + ("points a deal" if points else "score in %")
        + ", ± 95 %"
        + ("; * with forfeited games: in the score, not in the points" if faults else "")
    )
    output.next_step(f"knockbox tournament apart {tournament_id}", "how many units it takes")


def apart(tournament_id: str, /, *, data: Data = None, json: Json = False) -> None:
    """How many units tell two bots of a tournament apart.

    From how the scores of its units spread.

    A unit's score spreads; so the mean of few units says little. For several differences in Elo:
    after how many units the 95 % interval of the score leaves out 50 %, in every second try, and
    in four of five.

    Example: knockbox tournament apart t1
    """
    from workers.standings.means import units_apart

    _, meetings = _fetched(tournament_id, data)
    found = deviation(meetings)
    rows = [(elo, 1 / (1 + 10 ** (-elo / 400)), *units_apart(found, elo)) for elo in DIFFERENCES]
    if json:
        names = ("elo", "score", "units_half", "units_four_of_five")
        table = [dict(zip(names, row, strict=True)) for row in rows]
        output.as_json({"unit_deviation": found, "differences": table})
        return
    output.table(
        ("Elo apart", "score %", "units, 1 try of 2", "units, 4 tries of 5"),
        [
            (str(elo), f"{score * 100:.1f}", f"{half:,}", f"{most:,}")
            for elo, score, half, most in rows
        ],
        left=0,
    )
    output.note(f"standard deviation of a unit's score between bots of like strength: {found:.3f}")


def deviation(meetings: "Sequence[pb.HeadToHead]") -> float:
    """The standard deviation of a unit's score, from bots that beat each other both ways.

    Raises CommandError where too little was played to tell.
    """
    squares, units = 0.0, 0
    for one in meetings:
        if one.units > 1 and CLOSE[0] <= one.score_millionths <= CLOSE[1]:
            half = one.interval_millionths / 1_000_000
            squares += (one.units - 1) * one.units * (half / 1.96) ** 2
            units += one.units - 1
    if not units:
        raise CommandError("too little was played yet between bots of like strength to tell")
    return math.sqrt(squares / units)


class _Cell(NamedTuple):
    """A meeting as text, with and without its interval."""

    whole: str
    short: str


def _fetched(tournament_id: str, data: "Path | None") -> "tuple[list[str], list[pb.HeadToHead]]":
    """The bots of a tournament, best first; and all meetings, in the same order."""
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        request = pb.GetTournamentRequest(tournament_id=tournament_id)
        names = [row.bot for row in stub.GetTournament(request).tournament.table]
        asked = pb.GetCrossTableRequest(tournament_id=tournament_id)
        meetings = [one for part in stub.GetCrossTable(asked) for one in part.meetings]
    place = {name: at for at, name in enumerate(names)}
    return names, sorted(meetings, key=lambda one: (place[one.bot], place[one.opponent]))


def _show(names: "Sequence[str]", meetings: "Sequence[pb.HeadToHead]", *, points: bool) -> None:
    cells = {(one.bot, one.opponent): _cell(one, points=points) for one in meetings}
    headers = ("", "bot", *map(str, range(1, len(names) + 1)))

    def rows(part: int) -> list[list[str]]:
        return [
            [str(at), name, *(_text(cells, name, other)[part] for other in names)]
            for at, name in enumerate(names, 1)
        ]

    whole = rows(0)
    if wide(headers, whole) > room():
        whole = rows(1)
    output.table(headers, whole, left=2)
    if wide(headers, whole) > room():
        output.note(f"{many(len(names), 'bot')} are more than a terminal shows: --csv has them all")


def _text(cells: dict[tuple[str, str], _Cell], name: str, other: str) -> _Cell:
    return cells.get((name, other), _Cell("-", "-") if name == other else _Cell("", ""))


def _cell(one: "pb.HeadToHead", *, points: bool) -> _Cell:
    mark = "*" if one.forfeits or one.opponent_forfeits else ""
    if points:
        short = f"{one.milli_points / 1000:+.1f}{mark}"
        known = one.HasField("milli_points_interval")
        return _Cell(f"{short} ±{one.milli_points_interval / 1000:.1f}" if known else short, short)
    score, half = one.score_millionths / 10_000, one.interval_millionths / 10_000
    return _Cell(f"{score:.1f}{mark} ±{half:.1f}", f"{score:.0f}{mark}")
