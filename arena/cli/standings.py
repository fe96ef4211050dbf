"""A tournament's table for people, and the live view of one that runs."""

import sys
from collections.abc import Iterable

from arena.cli import output, shapes
from knockbox.v1 import arena_pb2 as pb

HEADERS = ("", "bot", "Elo", "score %", "± 95 %", "units")
HEADERS += ("won", "lost", "drawn", "pts/deal", "faults")


def rows(tournament: pb.Tournament) -> list[tuple[str, ...]]:
    """The lines of the table, best first."""
    return [
        (
            str(place),
            line.bot,
            f"{line.milli_elo / 1000:.0f}",
            f"{line.score_millionths / 10_000:.1f}",
            f"{line.interval_millionths / 10_000:.1f}" if line.units > 1 else "-",
            str(line.units),
            str(line.won),
            str(line.lost),
            str(line.drawn),
            f"{line.milli_points / 1000:+.2f}",
            str(line.forfeits),
        )
        for place, line in enumerate(tournament.table, 1)
    ]


def show(tournament: pb.Tournament) -> None:
    """Print the table on stdout."""
    output.table(HEADERS, rows(tournament), left=2)


def progress(tournament: pb.Tournament) -> str:
    """How far it is, in a line."""
    text = f"{tournament.recorded} of {tournament.matches} matches"
    if tournament.running:
        text += f", {tournament.running} running"
    if tournament.dead:
        text += f", {tournament.dead} given up"
    return text


def follow(states: Iterable[pb.WatchTournamentResponse]) -> pb.Tournament | None:
    """Show a tournament as it goes on, on stderr, until it is over; its last state.

    A live table on a terminal; else a line whenever a match was recorded.
    """
    return _follow_live(states) if sys.stderr.isatty() else _follow_plain(states)


def follow_json(states: Iterable[pb.WatchTournamentResponse]) -> pb.Tournament | None:
    """Print each state as a line of JSON on stdout; the last one."""
    last = None
    for answer in states:
        last = answer.tournament
        output.as_json(shapes.tournament(last))
    return last


def _follow_plain(states: Iterable[pb.WatchTournamentResponse]) -> pb.Tournament | None:
    last, said = None, -1
    for answer in states:
        last = answer.tournament
        if (done := last.recorded + last.dead) != said:
            said = done
            output.note(f"{last.tournament_id}: {progress(last)}")
    return last


def _follow_live(states: Iterable[pb.WatchTournamentResponse]) -> pb.Tournament | None:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    last = None
    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        for answer in states:
            last = answer.tournament
            table = output.drawn(output.table_lines(HEADERS, rows(last), left=2))
            table.no_wrap = True
            heading = Text(f"{last.tournament_id}: {progress(last)}\n")
            live.update(Group(heading, table), refresh=True)
    return last
