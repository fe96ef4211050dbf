"""`knockbox tournament crosstable` and `apart`: each bot against each, and what units tell."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from arena.cli import output, spreadsheet
from arena.cli.errors import CommandError
from arena.cli.options import Data, Json, flag
from arena.cli.words import many, room, short, wide

if TYPE_CHECKING:
    from pathlib import Path

    from knockbox.v1 import arena_pb2 as pb

COLUMNS = ("bot", "version", "opponent", "opponent_version", "units", "score", "interval")
COLUMNS += ("points", "points_interval", "points_units", "forfeits", "opponent_forfeits")
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
    players, meetings = _fetched(tournament_id, data)
    if json:
        output.as_json([shapes.meeting(one) for one in meetings])
        return
    if csv:
        spreadsheet.show(map(shapes.meeting, meetings), COLUMNS)
        return
    show(players, meetings, points=points)
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


class Player(NamedTuple):
    """A bot in one of its versions, which meets others as if it were another bot."""

    bot: str
    version: str


class _Cell(NamedTuple):
    """A meeting as text, with and without its interval."""

    whole: str
    short: str


def _fetched(tournament_id: str, data: "Path | None") -> "tuple[list[Player], list[pb.HeadToHead]]":
    """Who plays in a tournament, best first; and all meetings, in the same order."""
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        request = pb.GetTournamentRequest(tournament_id=tournament_id)
        table = stub.GetTournament(request).tournament.table
        asked = pb.GetCrossTableRequest(tournament_id=tournament_id)
        meetings = [one for part in stub.GetCrossTable(asked) for one in part.meetings]
    return ordered(table, meetings)


def ordered(
    table: "Sequence[pb.TableRow]", meetings: "Sequence[pb.HeadToHead]"
) -> "tuple[list[Player], list[pb.HeadToHead]]":
    """Who plays, as in the table, and whoever else has met somebody since it was made; and the
    meetings in that order."""
    place: dict[Player, int] = {}
    known = [Player(row.bot, row.version) for row in table]
    for player in (*known, *(each for one in meetings for each in _sides(one))):
        place.setdefault(player, len(place))
    return [*place], sorted(meetings, key=lambda one: [place[side] for side in _sides(one)])


def _sides(one: "pb.HeadToHead") -> tuple[Player, Player]:
    return Player(one.bot, one.version), Player(one.opponent, one.opponent_version)


def show(players: "Sequence[Player]", meetings: "Sequence[pb.HeadToHead]", *, points: bool) -> None:
    """Print the table. Where a bot plays in several versions each is named with its own."""
    cells = {_sides(one): _cell(one, points=points) for one in meetings}
    headers = ("", "bot", *map(str, range(1, len(players) + 1)))
    versions = Counter(player.bot for player in players)

    def name(player: Player) -> str:
        several = versions[player.bot] > 1
        return f"{player.bot} {short(player.version)}" if several else player.bot

    def rows(part: int) -> list[list[str]]:
        return [
            [str(at), name(player), *(_text(cells, player, other)[part] for other in players)]
            for at, player in enumerate(players, 1)
        ]

    whole = rows(0)
    if wide(headers, whole) > room():
        whole = rows(1)
    output.table(headers, whole, left=2)
    if wide(headers, whole) > room():
        output.note(
            f"{many(len(players), 'bot')} are more than a terminal shows: --csv has them all"
        )


def _text(cells: dict[tuple[Player, Player], _Cell], player: Player, other: Player) -> _Cell:
    return cells.get((player, other), _Cell("-", "-") if player == other else _Cell("", ""))


def _cell(one: "pb.HeadToHead", *, points: bool) -> _Cell:
    mark = "*" if one.forfeits or one.opponent_forfeits else ""
    if points:
        short = f"{one.milli_points / 1000:+.2f}{mark}" if one.points_units else f"-{mark}"
        known = one.HasField("milli_points_interval")
        return _Cell(f"{short} ±{one.milli_points_interval / 1000:.2f}" if known else short, short)
    score, half = one.score_millionths / 10_000, one.interval_millionths / 10_000
    return _Cell(f"{score:.1f}{mark} ±{half:.1f}", f"{score:.0f}{mark}")
