"""A tournament's table for people, and the live view of one that runs."""

import sys
from collections.abc import Iterable

from arena.cli import output, progress, shapes
from arena.cli.errors import CommandError
from arena.cli.words import fit, room
from knockbox.v1 import arena_pb2 as pb

HEADERS = ("", "bot", "score %", "± 95 %", "units", "won", "lost", "drawn", "pts/deal")
HEADERS += ("forfeits", "lifelong Elo")
SPARE = ("± 95 %", "lifelong Elo", "drawn", "units", "lost", "won", "pts/deal")
"""What a narrow terminal does without, the first one first."""


def rows(tournament: pb.Tournament) -> list[tuple[str, ...]]:
    """The lines of the table, best first."""
    return [
        (
            str(place),
            output.printable(line.bot),
            f"{line.score_millionths / 10_000:.1f}",
            f"{line.interval_millionths / 10_000:.1f}" if line.units > 1 else "-",
            str(line.units),
            str(line.won),
            str(line.lost),
            str(line.drawn),
            f"{line.milli_points / 1000:+.2f}",
            str(line.forfeits),
            f"{line.milli_elo / 1000:.0f}",
        )
        for place, line in enumerate(tournament.table, 1)
    ]


def show(tournament: pb.Tournament) -> None:
    """Print the table on stdout."""
    output.table(*fit(HEADERS, rows(tournament), SPARE, room(), left=2))


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
        fitted = fit(HEADERS, rows(tournament), SPARE, room(live=True), left=2)
        table = output.drawn(output.table_lines(*fitted))
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
