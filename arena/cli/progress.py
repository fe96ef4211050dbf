"""How far a tournament is and how long it will take, in words. Nothing prints here."""

import time

from arena.cli import output
from arena.cli.words import many, when
from knockbox.v1 import arena_pb2 as pb

BAR = 24
"""Characters of a bar."""
ALMOST = 0.999


def line(tournament: pb.Tournament) -> str:
    """How far it is, in a line."""
    text = f"{tournament.recorded:,} of {many(tournament.matches, 'match')}"
    if tournament.running:
        text += f", {tournament.running} running"
    if tournament.waiting:
        text += f", {tournament.waiting:,} waiting for a bot that dials in"
    if tournament.dead:
        text += f", {tournament.dead:,} given up"
    if tournament.voided:
        text += f", {tournament.voided:,} void"
    if tournament.withdrawn:
        text += f" (withdrawn: {', '.join(map(output.printable, tournament.withdrawn))})"
    if tournament.state == pb.TOURNAMENT_STATE_PAUSED:
        text += ", paused"
    if tournament.closed:
        text += ", closed"
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


def made_void(tournament: pb.Tournament) -> list[str]:
    """Which recorded matches were made void and why, a line each."""
    return [
        f"{one.match_id} is void since {when(one.recorded_ms)}: {output.printable(one.why)}"
        for one in tournament.corrections
    ]


def share(tournament: pb.Tournament) -> float:
    """How much of it is settled or played, 0 to 1; 1 where all is settled, and not before."""
    settled = tournament.recorded + tournament.dead + tournament.voided
    if settled >= tournament.matches:
        return 1.0
    played = settled + tournament.running_millionths / 1_000_000
    return min(ALMOST, played / tournament.matches)


def bar(tournament: pb.Tournament) -> str:
    """How much of it is played, as a picture and in per cent."""
    part = share(tournament)
    full = int(part * BAR)
    return f"{'█' * full}{'░' * (BAR - full)} {int(part * 100):3} %"


def left(tournament: pb.Tournament, now_ms: int | None = None) -> str:
    """How long it will still take; "" where it does not go on."""
    if tournament.state != pb.TOURNAMENT_STATE_RUNNING or tournament.closed:
        return ""
    if not tournament.HasField("forecast"):
        return "time left: estimating"
    pace = tournament.forecast
    now_ms = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    passed = max(0, now_ms - pace.recorded_ms)
    if passed >= pace.high_ms:
        return f"time left: later than expected (no match was recorded for {span(passed)})"
    return f"time left: {spans(max(0, pace.low_ms - passed), pace.high_ms - passed)}"


def spans(low_ms: int, high_ms: int) -> str:
    """A range of times as people say it: "2 to 5 min", "40 s to 2 min"."""
    low, high = span(low_ms), span(high_ms)
    if low == high:
        return f"about {low}"
    if low.count(" ") == high.count(" ") == 1 and low.split()[1] == high.split()[1]:
        low = low.split()[0]
    return f"{low} to {high}"


def span(ms: int) -> str:
    """A time as people say it, two units at most: "45 s", "12 min", "3 h 20 min", "2 days 4 h"."""
    seconds = max(0, round(ms / 1000))
    if seconds < 60:
        return f"{seconds} s"
    minutes = seconds // 60
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    if hours < 24:
        return _two(hours, "h", minutes % 60, "min")
    days = hours // 24
    return _two(days, "day" if days == 1 else "days", hours % 24, "h")


def _two(count: int, unit: str, rest: int, smaller: str) -> str:
    """Two units; beyond ten the smaller one says nothing any more."""
    return f"{count} {unit} {rest} {smaller}" if rest and count < 10 else f"{count:,} {unit}"


def size(count: int) -> str:
    """Bytes as people say it: "640 kB", "1.2 GB"."""
    value, unit = float(count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 10 and unit != "B" else f"{value:,.0f} {unit}"
