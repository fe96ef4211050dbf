"""`knockbox ladder`: start, stop, show, list, unbench."""

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from arena.cli import output
from arena.cli.errors import Exit
from arena.cli.options import Data, Json, flag, number
from arena.cli.rulesets import HELP, named_message
from arena.cli.tournament import checked_units
from arena.cli.words import fit, many, room

if TYPE_CHECKING:
    from pathlib import Path

    from knockbox.v1 import arena_pb2 as pb

app = App(name="ladder")

HEADERS = ("", "bot", "rating", "± 95 %", "Elo", "score %", "units", "share %", "pts/deal")
HEADERS += ("forfeits", "state")
SPARE = ("pts/deal", "score %", "Elo", "units", "forfeits", "± 95 %")
"""What a narrow terminal does without, the first one first."""

LOOK_EVERY_S = 1.0
"""Seconds between two looks at a ladder that is watched."""

Public = Annotated[
    bool | None,
    Parameter(
        name="--public",
        negative="--private",
        show_default=False,
        help="Strangers bring bots: matches between bots of one owner are not rated. --private, "
        "the beginning: they are.",
    ),
]


@app.command
def start(
    name: str,
    /,
    *,
    rules: Annotated[
        str | None, Parameter(name="--rules", help=f"{HELP} Else as before, or danish.")
    ] = None,
    units: Annotated[
        int | None,
        number(
            "Sets of decks a match, each played once a seat; else as before, or half of a "
            "tournament's: 32, or 12 for three seats and 8 for four.",
            "--units",
            default=False,
        ),
    ] = None,
    public: Public = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Start a ladder, or one that was stopped: it plays all bots, and those that come, on and on.

    Each day of it is a tournament with decks of its own, whose secret is told when it is over.

    Example: knockbox ladder start open --units 8
    """
    from arena.cli import shapes
    from arena.cli.client import arena
    from arena.cli.rulesets import ruleset
    from knockbox.v1 import arena_pb2 as pb
    from referee.wire.rules import to_proto

    request = pb.StartLadderRequest(
        name=name,
        rules=None if rules is None else to_proto(ruleset(rules)),
        units=checked_units(units),
        rate_same_owner=None if public is None else not public,
    )
    with arena(data) as stub:
        found = stub.StartLadder(request).ladder
    if json:
        output.as_json(shapes.ladder(found))
    else:
        output.data(found.name)
    output.note(_told(found))
    output.next_step(f"knockbox ladder show {found.name} --watch", "shows it live")


@app.command
def stop(name: str, /, *, data: Data = None, json: Json = False) -> None:
    """Stop a ladder: what is on its way is played, then its day's secret is told.

    Example: knockbox ladder stop open
    """
    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        found = stub.StopLadder(pb.StopLadderRequest(name=name)).ladder
    if json:
        output.as_json(shapes.ladder(found))
    output.note(_told(found))
    output.next_step(f"knockbox ladder start {found.name}", "lets it go on")


@app.command
def show(
    name: str,
    /,
    *,
    watch: Annotated[bool, flag("Stay and see it go on; Ctrl-C ends the watching only.")] = False,
    data: Data = None,
    json: Json = False,
) -> int:
    """A ladder's table as it stands, of its newest matches; who is benched, and why.

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
    for line in (_told(found), *_benches(found)):
        output.note(line)
    if found.day:
        output.next_step(f"knockbox replay list --tournament {found.day}", "today's matches")
    return Exit.OK


@app.command(name="list")
def list_(*, data: Data = None, json: Json = False) -> None:
    """All ladders, newest first.

    Example: knockbox ladder list
    """
    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        found = stub.ListLadders(pb.ListLaddersRequest()).ladders
    if json:
        output.as_json([shapes.ladder(one) for one in found])
        return
    if not found:
        output.note("no ladders yet")
        output.next_step("knockbox ladder start NAME", "begins one with all bots")
        return
    headers = ("ladder", "state", "rules", "since", "matches", "units", "today")
    rows = [
        (
            one.name,
            shapes.ladder_state(one),
            named_message(one.rules),
            _when(one.created_ms),
            str(one.matches),
            str(one.units),
            one.day or "-",
        )
        for one in found
    ]
    output.table(*fit(headers, rows, ("units", "since", "rules"), room(), left=4))
    output.next_step("knockbox ladder show NAME", "the table of one")


@app.command
def unbench(name: str, bot: str, /, *, data: Data = None, json: Json = False) -> int:
    """Let a benched bot play again; the matches that it forfeited no longer count.

    Example: knockbox ladder unbench open mybot
    """
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        done = stub.UnbenchBot(pb.UnbenchBotRequest(ladder=name, bot=bot)).unbenched
    if json:
        output.as_json({"ladder": name, "bot": bot, "unbenched": done})
    output.note(f"{bot} plays on {name} again" if done else f"{bot} is not benched on {name}")
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
                output.note(_told(found))
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
            told = "\n".join(map(output.printable, (_told(found), *_benches(found))))
            live.update(Group(table, Text(f"\n{told}")), refresh=True)
            found = next(states)


def _rows(found: "pb.Ladder") -> list[tuple[str, ...]]:
    """The lines of the table, best first."""
    from arena.cli import shapes

    words = {"waiting": "waiting for an opponent"}
    return [
        (
            str(place),
            output.printable(line.row.bot),
            *_rating(line.row),
            f"{line.row.milli_elo / 1000:.0f}",
            f"{line.row.score_millionths / 10_000:.1f}" if line.row.units else "-",
            str(line.row.units),
            f"{line.share_millionths / 10_000:.1f}",
            f"{line.row.milli_points / 1000:+.2f}",
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


def _told(found: "pb.Ladder") -> str:
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
    same_owner = "" if found.rate_same_owner else "; bots of one owner unrated"
    rules = named_message(found.rules)
    return f"{', '.join(parts)}; {many(found.units, 'unit')} a match, rules: {rules}{same_owner}"


def _benches(found: "pb.Ladder") -> list[str]:
    """Who is benched and why, a line each."""
    return [
        f"{line.row.bot}: benched since {_when(line.bench.since_ms)}, {line.bench.reason}; "
        f"a new version plays again, or: knockbox ladder unbench {found.name} {line.row.bot}"
        for line in found.table
        if line.HasField("bench")
    ]


def _when(ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ms / 1000))
