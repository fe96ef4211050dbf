"""`knockbox tournament`: create, watch, show, list. What an organiser does else is `organise`."""

import time
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from arena.cli import output, reach, spreadsheet
from arena.cli.crosstable import apart, crosstable
from arena.cli.errors import CommandError, Exit, usage
from arena.cli.options import Data, Json, flag, number
from arena.cli.organise import close, pause, resume, void, withdraw
from arena.cli.rulesets import Rules, named_message
from arena.cli.words import fit, many, room, wrapped
from referee.bounds import UNITS_MOST

if TYPE_CHECKING:
    from pathlib import Path

    from knockbox.v1 import arena_pb2 as pb

app = App(name="tournament")
for command in (pause, resume, withdraw, close, void):
    app.command(command)

AGAIN = "logs/worker.log in the data folder says more, `knockbox tournament resume {}` plays again"


Bots = Annotated[
    tuple[str, ...],
    Parameter(
        name="--bots",
        consume_multiple=True,
        negative="",
        show_default=False,
        help="Names; else all that are registered, but for those that dial in and are away.",
    ),
]
Units = Annotated[
    int | None,
    number(
        "Sets of decks a match, each played once a seat; else 64, or 24 for three seats and "
        "16 for four (`match`: a quarter).",
        "--units",
        default=False,
    ),
]
Seed = Annotated[
    str | None, Parameter(name="--seed", help="Makes every deck repeatable, and says so.")
]

app.command(crosstable)
app.command(apart)


@app.command
def create(
    *,
    bots: Bots = (),
    rules: Rules = "danish",
    units: Units = None,
    seed: Seed = None,
    name: Annotated[str, Parameter(help="Its id; else one is made.")] = "",
    watch: Annotated[bool, flag("Stay and see it played.")] = False,
    dry_run: Annotated[bool, flag("Say what it would take, and create nothing.")] = False,
    unrated_same_owner: Annotated[
        bool, flag("Matches between bots of one owner move no rating.")
    ] = False,
    data: Data = None,
    json: Json = False,
) -> int:
    """Create a round robin and begin to play it.

    With --watch the exit codes are those of `tournament watch`.

    Example: knockbox tournament create --bots greedy,random --units 8 --watch
    """
    from arena.cli import shapes
    from arena.cli.client import arena
    from arena.cli.estimate import dry_run as estimate
    from arena.cli.estimate import tell_left_out
    from arena.cli.rulesets import ruleset
    from knockbox.v1 import arena_pb2 as pb
    from referee.wire.rules import to_proto

    names = [name for words in bots for name in words.split(",") if name]
    if bots and not names:
        raise usage("--bots names no bot; without it all bots play")
    request = pb.CreateTournamentRequest(
        name=name,
        bots=names,
        rules=to_proto(ruleset(rules)),
        units=checked_units(units),
        seed=seed,
        format=pb.TOURNAMENT_FORMAT_ROUND_ROBIN,
        rate_same_owner=not unrated_same_owner,
    )
    with arena(data) as stub:
        if dry_run:
            estimate(stub, request, json=json)
            return Exit.OK
        response = stub.CreateTournament(request)
        made = response.tournament
    if json and not watch:
        output.as_json({**shapes.tournament(made), "left_out": list(response.left_out)})
    elif not json and not watch:
        output.data(made.tournament_id)
    playing = ", ".join(sorted(row.bot for row in made.table))
    output.note(f"{'bots' if names else 'all bots play'}: {playing}")
    tell_left_out(response.left_out)
    output.note(f"they play {response.sandbox}")
    output.note(
        f"tournament {made.tournament_id}: {many(made.matches, 'match')} of "
        f"{many(made.units, 'unit')}, rules: {named_message(made.rules)}; {_seeded(made)}"
    )
    if watch:
        return _watch(made.tournament_id, data, json=json)
    if not json:
        output.next_step(f"knockbox tournament watch {made.tournament_id}", "shows it live")
    return Exit.OK


@app.command
def watch(tournament_id: str, /, *, data: Data = None, json: Json = False) -> int:
    """See a tournament played until it is over; then its table.

    Ctrl-C stops the watching only.

    Exit code 1 where matches were given up, 4 where the arena ends before the tournament is over.

    Example: knockbox tournament watch t1
    """
    return _watch(tournament_id, data, json=json)


@app.command
def show(
    tournament_id: str,
    /,
    *,
    data: Data = None,
    json: Json = False,
    csv: Annotated[bool, spreadsheet.CSV] = False,
) -> None:
    """A tournament's table, and its ratings as a picture.

    Example: knockbox tournament show t1
    """
    from arena.cli import shapes, standings
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    spreadsheet.one_of(json=json, csv=csv)
    with arena(data) as stub:
        request = pb.GetTournamentRequest(tournament_id=tournament_id)
        found = stub.GetTournament(request).tournament
    if json:
        output.as_json(shapes.tournament(found))
        return
    if csv:
        standings.show_csv(found.table)
        return
    standings.show(found)
    _tell(found)
    output.next_step(f"knockbox tournament crosstable {found.tournament_id}", "each against each")


@app.command(name="list")
def list_(*, data: Data = None, json: Json = False) -> None:
    """All tournaments, newest first.

    Example: knockbox tournament list
    """
    from arena.cli import progress, shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        found = stub.ListTournaments(pb.ListTournamentsRequest()).tournaments
    if json:
        output.as_json([shapes.tournament(one) for one in found])
        return
    if not found:
        output.note("no tournaments yet")
        reach.organisers_step("knockbox tournament create --watch", "plays all bots")
        return
    headers = ("tournament", "state", "rules", "age", "matches", "recorded", "settled", "units")
    now_ms = time.time_ns() // 1_000_000
    rows = [
        (
            one.tournament_id,
            "closed" if one.closed else shapes.state(one),
            named_message(one.rules),
            progress.span(now_ms - one.created_ms),
            f"{one.matches:,}",
            f"{one.recorded:,}",
            f"{int(progress.share(one) * 100)} %",
            str(one.units),
        )
        for one in found
    ]
    spare = ("units", "recorded", "age", "rules")
    output.table(*fit(headers, rows, spare, room(), left=3))
    output.next_step("knockbox tournament show ID", "the table of one")


def checked_units(units: int | None) -> int:
    """`--units` as the arena takes it; 0, its own choice, for None. Raises CommandError.

    The most depends on the rules and the clock: the arena says it.
    """
    if units is None:
        return 0
    if not 1 <= units < 1 << 31:
        raise usage(f"--units is {units}: 1 to {UNITS_MOST:,}")
    return units


def _seeded(one: "pb.Tournament") -> str:
    if one.HasField("seed"):
        return f"seed {output.printable(one.seed)!r}"
    return f"decks drawn secretly, commitment {one.commitment.hex()[:16]}…{_afar(one)}"


def _afar(one: "pb.Tournament") -> str:
    """Who dials in, and what that does to the units."""
    if not one.dial_in:
        return ""
    names = ", ".join(map(output.printable, one.dial_in))
    return f"; {names} dials in: in such matches each leg has cards of its own, so units vary more"


def _tell(one: "pb.Tournament") -> None:
    """What a tournament is and how far, below its table."""
    from arena.cli import progress
    from knockbox.v1 import arena_pb2 as pb

    told = (
        f"{one.tournament_id}: {progress.line(one)}; {many(one.units, 'unit')} a match, "
        f"rules: {named_message(one.rules)}; {_seeded(one)}"
    )
    output.note(wrapped(told, room(live=True)))
    for correction in progress.made_void(one):
        output.note(wrapped(correction, room(live=True)))
    if remaining := progress.left(one):
        output.note(remaining)
    if one.state == pb.TOURNAMENT_STATE_PAUSED:
        output.next_step(f"knockbox tournament resume {one.tournament_id}", "lets it go on")


def _watch(tournament_id: str, data: "Path | None", *, json: bool) -> int:
    """Show it until it is over; the exit code."""
    from arena.cli import options, progress, standings, watching

    states = watching.states(options.settings(data).data, tournament_id)
    try:
        last = standings.follow_json(states) if json else standings.follow(states)
    except KeyboardInterrupt:
        output.note("\nonly the watching has ended, the tournament goes on")
        output.next_step(f"knockbox tournament watch {tournament_id}", "shows it again")
        return Exit.INTERRUPTED
    assert last is not None  # a tournament that is watched has a state
    if not json:
        standings.show(last)
        _tell(last)
        output.next_step(f"knockbox replay list --tournament {last.tournament_id}", "its matches")
    if last.dead:
        raise CommandError(f"{progress.given_up(last)}; {AGAIN.format(tournament_id)}")
    return Exit.OK
