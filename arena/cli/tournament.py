"""`knockbox tournament`: create, watch, show, list."""

import json as json_text
import time
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from arena.cli import output
from arena.cli.errors import CommandError, usage
from arena.cli.options import Data, Json, flag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from knockbox.v1 import arena_pb2 as pb
    from referee.rules.ruleset import Ruleset

app = App(name="tournament")


Bots = Annotated[
    tuple[str, ...],
    Parameter(
        name="--bots",
        consume_multiple=True,
        negative="",
        show_default=False,
        help="Names; else all that are registered.",
    ),
]
Rules = Annotated[
    str, Parameter(name="--rules", help='A preset, or JSON: {"preset": name, field: value}.')
]
Units = Annotated[
    int | None,
    Parameter(
        name="--units",
        show_default=False,
        help="Sets of decks a match, each played once a seat; else 64, or 24 for three seats and "
        "16 for four (`match`: a quarter).",
    ),
]
Seed = Annotated[
    str | None, Parameter(name="--seed", help="Makes every deck repeatable, and says so.")
]


@app.command
def create(
    *,
    bots: Bots = (),
    rules: Rules = "danish",
    units: Units = None,
    seed: Seed = None,
    name: Annotated[str, Parameter(help="Its id; else one is made.")] = "",
    watch: Annotated[bool, flag("Stay and see it played.")] = False,
    data: Data = None,
    json: Json = False,
) -> None:
    """Create a round robin and begin to play it."""
    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb
    from referee.wire.rules import to_proto

    request = pb.CreateTournamentRequest(
        name=name,
        bots=[name for words in bots for name in words.split(",") if name],
        rules=to_proto(ruleset(rules)),
        units=checked_units(units),
        seed=seed,
        format=pb.TOURNAMENT_FORMAT_ROUND_ROBIN,
    )
    with arena(data) as stub:
        made = stub.CreateTournament(request).tournament
        if watch:
            output.note(f"tournament {made.tournament_id}: {made.matches} matches")
            _watch(stub.WatchTournament(_which(made.tournament_id)), json=json)
            return
    if json:
        output.as_json(shapes.tournament(made))
    else:
        output.data(made.tournament_id)
        output.note(f"{made.matches} matches of {made.units} units; {_seeded(made)}")
    output.next_step(f"knockbox tournament watch {made.tournament_id}", "shows it live")


@app.command
def watch(tournament_id: str, /, *, data: Data = None, json: Json = False) -> None:
    """See a tournament played until it is over; then its table. Ctrl-C stops the watching only."""
    from arena.cli.client import arena

    with arena(data) as stub:
        _watch(stub.WatchTournament(_which(tournament_id)), json=json)


@app.command
def show(tournament_id: str, /, *, data: Data = None, json: Json = False) -> None:
    """A tournament's table as it stands."""
    from arena.cli import shapes, standings
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        request = pb.GetTournamentRequest(tournament_id=tournament_id)
        found = stub.GetTournament(request).tournament
    if json:
        output.as_json(shapes.tournament(found))
        return
    standings.show(found)
    output.note(f"{found.tournament_id}: {standings.progress(found)}; {_seeded(found)}")
    output.next_step(f"knockbox replay list --tournament {found.tournament_id}", "its matches")


@app.command(name="list")
def list_(*, data: Data = None, json: Json = False) -> None:
    """All tournaments, newest first."""
    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        found = stub.ListTournaments(pb.ListTournamentsRequest()).tournaments
    if json:
        output.as_json([shapes.tournament(one) for one in found])
        return
    if not found:
        output.note("no tournaments yet")
        output.next_step("knockbox tournament create --watch", "plays all bots")
        return
    output.table(
        ("tournament", "state", "rules", "created", "matches", "recorded", "units"),
        [
            (
                one.tournament_id,
                shapes.state(one),
                one.rules.preset or "custom",
                time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.created_ms / 1000)),
                str(one.matches),
                str(one.recorded),
                str(one.units),
            )
            for one in found
        ],
        left=4,
    )
    output.next_step("knockbox tournament show ID", "the table of one")


def ruleset(text: str) -> "Ruleset":
    """The rules that `--rules` names. Raises CommandError that names the field."""
    from referee.rules.ruleset import RulesetError, resolve

    named: object = text
    if text.lstrip().startswith("{"):
        try:
            named = json_text.loads(text)
        except ValueError as error:
            raise usage(f"--rules is no JSON: {error}") from None
    try:
        return resolve(named)
    except RulesetError as error:
        raise usage(f"--rules: {error}") from None


def checked_units(units: int | None) -> int:
    """`--units` where it can be; 0, the arena's own choice, for None. Raises CommandError."""
    if units is None:
        return 0
    if not 1 <= units <= 1024:
        raise usage(f"--units is {units}: 1 to 1024")
    return units


def _which(tournament_id: str) -> "pb.WatchTournamentRequest":
    from knockbox.v1 import arena_pb2 as pb

    return pb.WatchTournamentRequest(tournament_id=tournament_id)


def _seeded(one: "pb.Tournament") -> str:
    if one.HasField("seed"):
        return f"seed {output.printable(one.seed)!r}"
    return f"decks drawn secretly, commitment {one.commitment.hex()[:16]}…"


def _watch(states: "Iterable[pb.WatchTournamentResponse]", *, json: bool) -> None:
    from arena.cli import standings

    last = standings.follow_json(states) if json else standings.follow(states)
    if last is None:
        raise CommandError("the arena ended the watching")
    if not json:
        standings.show(last)
        output.note(f"{last.tournament_id}: {standings.progress(last)}; {_seeded(last)}")
    output.next_step(f"knockbox replay list --tournament {last.tournament_id}", "its matches")
