"""`knockbox ladder show`: a ladder's table for people, and the live view of one that runs."""

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from arena.cli import output
from arena.cli.errors import Exit
from arena.cli.options import Data, Json, flag
from arena.cli.rulesets import named_message
from arena.cli.words import fit, many, room, when, wrapped

if TYPE_CHECKING:
    from pathlib import Path

    from knockbox.v1 import arena_pb2 as pb

HEADERS = ("", "bot", "rating", "± 95 %", "Elo", "score %", "units", "share %", "pts/deal")
HEADERS += ("forfeits", "state")
SPARE = ("pts/deal", "score %", "Elo", "units", "forfeits", "± 95 %")
"""What a narrow terminal does without, the first one first."""

LOOK_EVERY_S = 1.0
"""Seconds between two looks at a ladder that is watched."""


def show(
    name: str,
    /,
    *,
    watch: Annotated[bool, flag("Stay and see it go on; Ctrl-C ends the watching only.")] = False,
    data: Data = None,
    json: Json = False,
) -> int:
    """A ladder's table; who is benched, and why.

    The table is of its newest matches.

    Example: knockbox ladder show open --watch
    """
    from arena.cli import shapes

    if watch:
        return _watch(name, data, json=json)
    found = _get(name, data)
    if json:
        output.as_json(shapes.ladder(found))
        return Exit.OK
    output.table(*fit(HEADERS, _rows(found), SPARE, room(), left=2))
    for line in (told(found), *_benches(found)):
        output.note(wrapped(line, room(live=True)))
    if found.day:
        output.next_step(f"knockbox replay list --tournament {found.day}", "today's matches")
    return Exit.OK


def _get(name: str, data: "Path | None") -> "pb.Ladder":
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        return stub.GetLadder(pb.GetLadderRequest(name=name)).ladder


def _watch(name: str, data: "Path | None", *, json: bool) -> int:
    """Show a ladder whenever it has changed, until Ctrl-C."""
    from arena.cli import shapes

    states = _states(name, data)
    try:
        if json:
            for found in states:
                output.as_json(shapes.ladder(found))
        elif output.live(sys.stderr):
            _watch_live(states)
        else:
            for found in states:
                output.note(told(found))
    except KeyboardInterrupt:
        output.note("\nonly the watching has ended, the ladder goes on")
        output.next_step(f"knockbox ladder show {name}", "its table")
    return Exit.INTERRUPTED


def _states(name: str, data: "Path | None") -> "Iterator[pb.Ladder]":
    """A ladder now and whenever it has changed. Raises CommandError where the arena is gone."""
    shown = None
    while True:
        found = _get(name, data)
        if found != shown:
            shown = found
            yield found
        time.sleep(LOOK_EVERY_S)


def _watch_live(states: "Iterator[pb.Ladder]") -> None:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    found = next(states)  # what is refused is refused before anything is drawn
    with Live(console=Console(stderr=True), auto_refresh=False) as live:
        while True:
            fitted = fit(HEADERS, _rows(found), SPARE, room(live=True), left=2)
            table = output.drawn(output.table_lines(*fitted))
            table.no_wrap = True
            lines = "\n".join(map(output.printable, (told(found), *_benches(found))))
            live.update(Group(table, Text(f"\n{lines}")), refresh=True)
            found = next(states)


def _rows(found: "pb.Ladder") -> list[tuple[str, ...]]:
    """The lines of the table, best first."""
    from arena.cli import shapes
    from arena.cli.standings import points_cell

    left_out = "no image" if found.sandboxed else "an image only"
    words = {"waiting": "waiting for an opponent", "left_out": left_out}
    return [
        (
            str(place),
            output.printable(line.row.bot),
            *_rating(line.row),
            f"{line.row.milli_elo / 1000:.0f}",
            f"{line.row.score_millionths / 10_000:.1f}" if line.row.units else "-",
            str(line.row.units),
            f"{line.share_millionths / 10_000:.1f}",
            points_cell(line.row),
            str(line.row.forfeits),
            words.get(state := shapes.climber_state(line), state),
        )
        for place, line in enumerate(found.table, 1)
    ]


def _rating(row: "pb.TableRow") -> tuple[str, str]:
    """A strength over all that was played here, and half of its interval."""
    if not row.HasField("rating"):
        return "-", "-"
    found = row.rating
    return f"{found.milli / 1000:.0f}", f"{(found.milli_high - found.milli_low) / 2000:.0f}"


def told(found: "pb.Ladder") -> str:
    """What a ladder is and how far, in a line."""
    from arena.cli import shapes

    parts = [f"{found.name}: {shapes.ladder_state(found)}"]
    if found.day:
        parts.append(f"today {found.day}")
    elif parts[0].endswith("running"):
        parts.append("waiting for bots")
    parts.append(f"{many(found.counted, 'match')} counted")
    if found.running:
        parts.append(f"{found.running} running")
    if dead := sum(day.dead for day in found.days):
        parts.append(f"{dead} given up")
    played = " in containers" if found.sandboxed else ""
    same_owner = "" if found.rate_same_owner else "; bots of one owner unrated"
    match = f"{many(found.units, 'unit')} a match{played}"
    return f"{', '.join(parts)}; {match}, rules: {named_message(found.rules)}{same_owner}"


def _benches(found: "pb.Ladder") -> list[str]:
    """Who is benched and why, a line each."""
    return [
        f"{line.row.bot}: benched since {when(line.bench.since_ms)}, {line.bench.reason}; "
        f"a new version plays again, or `knockbox ladder unbench {found.name} {line.row.bot}`"
        for line in found.table
        if line.HasField("bench")
    ]
