"""`knockbox demo`: the whole path from nothing, and what to do next."""

import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from arena.cli import options, output
from arena.cli.errors import CommandError, Exit, of_lifecycle, usage
from arena.cli.options import Sandbox, number
from arena.cli.tournament import Seed
from arena.cli.words import many

if TYPE_CHECKING:
    from arena.local.state import ArenaState
    from arena.settings import Settings
    from workers.sandbox.manifest import BotFolder

PLACE = Path(".knockbox") / "demo"
SEED = "demo"


def demo(
    *,
    units: Annotated[int, number("Sets of decks a match.")] = 24,
    seed: Seed = SEED,
    data: Annotated[
        Path | None, Parameter(name="--data", help=f"Folder that is kept; else {PLACE}.")
    ] = None,
    sandbox: Sandbox = None,
) -> int:
    """Start an arena, let the four sample bots play a round robin, prove it, and end it again.

    Its folder is kept until the next demo, which begins anew; an arena that was started from it in
    the meantime is put aside. The same seed prints the same everywhere, times apart.

    Example: knockbox demo --units 4
    """
    from arena.cli.tournament import checked_units
    from arena.local import fresh, lifecycle

    # One match at a time: ratings follow the order in which matches end.
    settings = replace(options.settings(data or PLACE, sandbox), slots=1)
    checked_units(units)
    options.for_services()
    began = time.monotonic()
    try:
        if aside := fresh.folder(settings.data):
            output.note(f"{_short(settings.data)} was worked with: it is {_short(aside)} now")
        output.note("starting: store, referee, worker, recorder, reconciler, api")
        state = lifecycle.up(settings, with_me=True)
        output.note(f"all serve after {time.monotonic() - began:.1f} s ({state.store})")
        wrong = _play(settings, state, units, seed, began)
        lifecycle.down(settings)
    except KeyboardInterrupt:
        _interrupted(settings)
        raise
    except fresh.NotOursError as error:
        raise usage(str(error)) from None
    except lifecycle.LifecycleError as error:
        raise of_lifecycle(error) from None
    finally:
        with suppress(lifecycle.LifecycleError, OSError):
            lifecycle.down(settings)
    fresh.done(settings.data)
    output.note(f"everything has ended again after {time.monotonic() - began:.1f} s")
    _what_next(settings.data)
    return Exit.FAILURE if wrong else Exit.OK


def _interrupted(settings: "Settings") -> None:
    """Ctrl-C: let the match that is played end, and say what is left; again: end it at once."""
    from arena.cli.services import what_runs
    from arena.local import fresh, lifecycle, state

    found = state.read(settings.data)
    waits = what_runs(found.api) if found and found.ready else "the services"
    output.note(f"\nwaiting for {waits}… (Ctrl-C again: at once)")
    try:
        lifecycle.down(settings, finish=True)
    except KeyboardInterrupt:
        lifecycle.cut_off(settings)
        output.note()
    fresh.done(settings.data)
    shown = _short(settings.data)
    output.note(f"all have ended; what was played lies in {shown}, until the next demo")
    output.next_step(f"knockbox up --data {shown}", "plays the tournament on")


def _play(
    settings: "Settings", state: "ArenaState", units: int, seed: str | None, began: float
) -> int:
    """The tournament and its proof; how many replays are wrong."""
    from arena.cli import progress, standings, watching
    from arena.cli.botadd import request_of
    from arena.cli.client import arena_at
    from knockbox.v1 import arena_pb2 as pb
    from referee.rules.ruleset import resolve
    from referee.wire.rules import to_proto

    with arena_at(state.api) as stub:
        bots = _bots(settings)
        for bot, _ in bots:
            stub.AddBot(request_of(bot))
        output.note("bots: " + ", ".join(f"{bot.name} ({language})" for bot, language in bots))
        request = pb.CreateTournamentRequest(
            bots=[bot.name for bot, _ in bots],
            rules=to_proto(resolve("danish")),
            units=units,
            seed=seed,
        )
        response = stub.CreateTournament(request)
        made = response.tournament
        output.note(f"the bots play {response.sandbox}")
        output.note(
            f"tournament {made.tournament_id}: {many(made.matches, 'match')} of "
            f"{many(made.units, 'unit')} ({many(2 * made.units, 'game')}), danish rules"
        )
        last = standings.follow(watching.states(Path(state.data), made.tournament_id))
        if last is None or last.recorded < last.matches:
            why = progress.given_up(last) if last else "the tournament did not end"
            raise CommandError(f"{why}: see the logs in {state.data}/logs")
        output.note(f"played and rated after {time.monotonic() - began:.1f} s\n")
        standings.show(last)
        listed = pb.ListReplaysRequest(tournament_id=made.tournament_id, limit=10_000)
        replays = [Path(one.path) for one in stub.ListReplays(listed).replays]
    _read_one(replays[0])
    return _prove(replays, last.secret)


def _bots(settings: "Settings") -> "list[tuple[BotFolder, str]]":
    """The packaged bots, each with its language. That which there is in every language, and plays
    alike in all, comes in another than the others where its image can be built here."""
    from arena.cli import folders, templates
    from arena.local import boxes, sandbox

    known = templates.languages()
    home, abroad = known["python"], known["go"]
    guest = templates.named(abroad, templates.BOT)
    contained = sandbox.choose(settings.sandbox, settings.engine).engine
    invited = contained and boxes.can_be_built(settings.engine, guest)
    return [
        (guest, abroad.title)
        if invited and folder.name == guest.name
        else (folders.read(folder), home.title)
        for folder in folders.samples()
    ]


def _read_one(replay: Path) -> None:
    from referee import transcript
    from referee.replay import Replay

    output.data()
    output.data(transcript.deal_text(Replay.open(replay), 0, 0, 1))


def _prove(replays: list[Path], secret: bytes) -> int:
    from referee.verify import verify

    began = time.monotonic()
    wrong = 0
    for replay in replays:
        verdict = verify(replay, secret)
        if not verdict.ok:
            wrong += 1
            output.data(f"{replay}: WRONG: {output.printable(verdict.error or '')}")
    output.data(
        f"verified: {len(replays) - wrong} of {len(replays)} replays are right: every deck, "
        f"every move, every score ({time.monotonic() - began:.1f} s)"
    )
    return wrong


def _what_next(data: Path) -> None:
    shown = _short(data)
    where = [
        (f"{shown}/replays", "the matches: `knockbox replay show FILE`, `knockbox verify FILE`"),
        (f"{shown}/bots", "what played"),
        (f"{shown}/logs", "what services and bots said"),
    ]
    commands = [
        (f"knockbox up --data {shown}", "the same arena again, with bots, ratings and log"),
        ("knockbox match FOLDER_A FOLDER_B", "two bots, here and now"),
        ("knockbox bot add FOLDER", "a bot of your own, to the arena of `knockbox up`"),
    ]
    for heading, rows in (("where it lies", where), ("next", commands)):
        output.note(f"\n{heading}")
        width = max(len(left) for left, _ in [*where, *commands])
        for left, right in rows:
            output.note(f"  {left.ljust(width)}  {right}")


def _short(path: Path) -> str:
    """Relative where that is shorter."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
