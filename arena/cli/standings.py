"""A tournament's table for people, and the live view of one that runs."""

import sys
from collections.abc import Iterable, Sequence

from arena.cli import output, plot, progress, shapes, spreadsheet
from arena.cli.errors import CommandError
from arena.cli.words import fit, room
from knockbox.v1 import arena_pb2 as pb

HEADERS = ("", "bot", "rating", "95 % range", "LOS %", "score %", "± 95 %", "units")
HEADERS += ("won", "lost", "drawn", "pts/deal", "± pts", "forfeits", "lifelong Elo")
SPARE = ("LOS %", "± pts", "± 95 %", "lifelong Elo", "drawn", "units", "lost", "won", "pts/deal")
"""What a narrow terminal does without, the first one first."""
UNUSUAL = ("drawn", "forfeits")
"""Columns that are left out where all is 0."""
CSV_COLUMNS = ("place", "bot", "version", "rating", "rating_low", "rating_high", "superior")
CSV_COLUMNS += ("score", "interval", "units", "won", "lost", "drawn", "points", "points_interval")
CSV_COLUMNS += ("points_units", "forfeits", "elo")


def rows(table: Sequence[pb.TableRow]) -> list[tuple[str, ...]]:
    """The lines of a table, best first."""
    return [(str(place), *_row(line)) for place, line in enumerate(table, 1)]


def _row(line: pb.TableRow) -> tuple[str, ...]:
    superior = line.HasField("superior_millionths")
    points = line.HasField("milli_points_interval")
    return (
        output.printable(line.bot),
        *rating_cells(line),
        f"{min(99.9, line.superior_millionths / 10_000):.1f}" if superior else "",
        f"{line.score_millionths / 10_000:.1f}" if line.units else "-",
        f"{line.interval_millionths / 10_000:.1f}" if line.units > 1 else "-",
        str(line.units),
        str(line.won),
        str(line.lost),
        str(line.drawn),
        points_cell(line),
        f"{line.milli_points_interval / 1000:.2f}" if points else "-",
        str(line.forfeits),
        f"{line.milli_elo / 1000:.0f}",
    )


def points_cell(line: pb.TableRow) -> str:
    """Points a deal; a dash where no deal counts, for nothing was played or all was forfeited."""
    return f"{line.milli_points / 1000:+.2f}" if line.points_units else "-"


def rating_cells(line: pb.TableRow | pb.Rating) -> tuple[str, str]:
    """A rating out of all units, and its ends."""
    if not line.HasField("rating"):
        return "-", "-"
    low, rating, high = _ends(line.rating)
    return f"{rating:.0f}", f"{low:.0f}-{high:.0f}"


def fitted(table: Sequence[pb.TableRow], width: int) -> tuple[list[str], list[list[str]], int]:
    """Headers and lines of a table that is at most `width` wide, if that can be."""
    lines = rows(table)
    at = [HEADERS.index(header) for header in UNUSUAL]
    nothing = {HEADERS[column] for column in at if all(line[column] == "0" for line in lines)}
    kept = [column for column, header in enumerate(HEADERS) if header not in nothing]
    shown = [[row[column] for column in kept] for row in (HEADERS, *lines)]
    return fit(shown[0], shown[1:], SPARE, width, left=2)


def show(tournament: pb.Tournament) -> None:
    """Print the table on stdout, and the ratings as a picture below it."""
    show_rows(tournament.table)


def show_rows(table: Sequence[pb.TableRow]) -> None:
    """The same for any table's rows."""
    output.table(*fitted(table, room()))
    bars = [
        plot.Bar(output.printable(line.bot), *_ends(line.rating))
        for line in table
        if line.HasField("rating")
    ]
    for at, line in enumerate(plot.lines(bars, room())):
        output.data(line if at else f"\n{line}")


def _ends(rating: pb.RatingInterval) -> tuple[float, float, float]:
    return rating.milli_low / 1000, rating.milli / 1000, rating.milli_high / 1000


def show_csv(table: Sequence[pb.TableRow]) -> None:
    """Print a table as CSV."""
    lines = ({"place": place, **shapes.row(line)} for place, line in enumerate(table, 1))
    spreadsheet.show(lines, CSV_COLUMNS)


def follow(states: Iterable[pb.WatchTournamentResponse]) -> pb.Tournament | None:
    """Show a tournament as it goes on, on stderr, until it is over; its last state.

    A live table on a terminal; else a line whenever a match was recorded.
    """
    return _follow_live(states) if output.live(sys.stderr) else _follow_plain(states)


def follow_json(states: Iterable[pb.WatchTournamentResponse]) -> pb.Tournament | None:
    """Print each state as a line of JSON on stdout; the last one."""
    last = None
    for answer in states:
        last = answer.tournament
        output.as_json(shapes.tournament(last))
    return last


def _follow_plain(states: Iterable[pb.WatchTournamentResponse]) -> pb.Tournament | None:
    last, said = None, None
    for answer in states:
        last = answer.tournament
        if (done := (last.recorded, last.dead, last.voided, last.state)) != said:
            said = done
            remaining = progress.left(last)
            line = f"{last.tournament_id}: {progress.line(last)}"
            output.note(f"{line}; {remaining}" if remaining else line)
    return last


def _follow_live(states: Iterable[pb.WatchTournamentResponse]) -> pb.Tournament | None:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    coming = iter(states)
    last = next(coming, None)  # what is refused is refused before anything is drawn
    if last is None:
        return None

    def frame(tournament: pb.Tournament) -> Group:
        lines = output.table_lines(*fitted(tournament.table, room(live=True)))
        table = output.drawn(lines)
        table.no_wrap = True
        heading = f"{tournament.tournament_id}: {progress.line(tournament)}"
        below = f"{progress.bar(tournament)}   {progress.left(tournament)}"
        return Group(Text(f"{heading}\n{below}\n"), table)

    shown = last.tournament

    def now() -> Group:
        return frame(shown)

    # Redrawn every second too: the time that is left becomes less.
    with Live(
        console=Console(stderr=True), transient=True, refresh_per_second=1, get_renderable=now
    ) as live:
        try:
            for answer in coming:
                shown = answer.tournament
                live.refresh()
        except (KeyboardInterrupt, CommandError):
            live.transient = False  # the last table stays
            raise
    return shown
