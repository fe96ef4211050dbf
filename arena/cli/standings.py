"""A tournament's table for people, and the live view of one that runs."""

import sys
from collections.abc import Iterable

from arena.cli import output, shapes
from arena.cli.errors import CommandError
from arena.cli.words import fit, many, room
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


def progress(tournament: pb.Tournament) -> str:
    """How far it is, in a line."""
    text = f"{tournament.recorded} of {many(tournament.matches, 'match')}"
    if tournament.running:
        text += f", {tournament.running} running"
    if tournament.dead:
        text += f", {tournament.dead} given up"
    return text


def given_up(tournament: pb.Tournament) -> str:
    """How many matches were given up and why; "" where none was."""
    if not tournament.dead:
        return ""
    causes: dict[str, list[str]] = {}
    for one in tournament.given_up:
        causes.setdefault(one.cause or "unknown", []).append(one.match_id)
    why = "; ".join(f"{cause}: {', '.join(ids)}" for cause, ids in causes.items())
    more = tournament.dead - len(tournament.given_up)
    rest = f" and {more} more" if more and why else ""
    verb = "was" if tournament.dead == 1 else "were"
    told = f" ({output.printable(why)}{rest})" if why else ""
    return f"{many(tournament.dead, 'match')} of {tournament.matches} {verb} given up{told}"


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

    coming = iter(states)
    last = next(coming, None)  # what is refused is refused before anything is drawn
    if last is None:
        return None

    def frame(tournament: pb.Tournament) -> Group:
        fitted = fit(HEADERS, rows(tournament), SPARE, room(live=True), left=2)
        table = output.drawn(output.table_lines(*fitted))
        table.no_wrap = True
        return Group(Text(f"{tournament.tournament_id}: {progress(tournament)}\n"), table)

    shown = last.tournament
    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        try:
            live.update(frame(shown), refresh=True)
            for answer in coming:
                shown = answer.tournament
                live.update(frame(shown), refresh=True)
        except (KeyboardInterrupt, CommandError):
            live.transient = False  # the last table stays
            raise
    return shown
