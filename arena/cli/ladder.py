"""`knockbox ladder`: start, stop, show, list, unbench."""

from typing import Annotated

from cyclopts import App, Parameter

from arena.cli import output, reach
from arena.cli.laddershow import show, told
from arena.cli.options import Data, Json, number
from arena.cli.rulesets import HELP, named_message
from arena.cli.tournament import checked_units
from arena.cli.words import fit, room, when

app = App(name="ladder")
app.command(show)

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
    """Start a ladder, or go on with one that was stopped.

    It plays all bots, and those that come, on and on.

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
        answer = stub.StartLadder(request)
    found = answer.ladder
    if json:
        output.as_json(shapes.ladder(found))
        return
    output.data(found.name)
    output.note(f"its bots play {answer.sandbox}")
    output.note(told(found))
    output.next_step(f"knockbox ladder show {found.name} --watch", "shows it live")


@app.command
def stop(name: str, /, *, data: Data = None, json: Json = False) -> None:
    """Stop a ladder.

    What is on its way is played, then its day's secret is told.

    Example: knockbox ladder stop open
    """
    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        found = stub.StopLadder(pb.StopLadderRequest(name=name)).ladder
    if json:
        output.as_json(shapes.ladder(found))
        return
    output.note(told(found))
    output.next_step(f"knockbox ladder start {found.name}", "lets it go on")


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
        reach.organisers_step("knockbox ladder start NAME", "begins one with all bots")
        return
    headers = ("ladder", "state", "rules", "since", "matches", "units", "today")
    rows = [
        (
            one.name,
            shapes.ladder_state(one),
            named_message(one.rules),
            when(one.created_ms),
            str(one.matches),
            str(one.units),
            one.day or "-",
        )
        for one in found
    ]
    output.table(*fit(headers, rows, ("units", "since", "rules"), room(), left=4))
    output.next_step("knockbox ladder show NAME", "the table of one")


@app.command
def unbench(name: str, bot: str, /, *, data: Data = None, json: Json = False) -> None:
    """Let a benched bot play again.

    The matches that it forfeited no longer count.

    Example: knockbox ladder unbench open mybot
    """
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        done = stub.UnbenchBot(pb.UnbenchBotRequest(ladder=name, bot=bot)).unbenched
    if json:
        output.as_json({"ladder": name, "bot": bot, "unbenched": done})
        return
    output.note(f"{bot} plays on {name} again" if done else f"{bot} is not benched on {name}")
