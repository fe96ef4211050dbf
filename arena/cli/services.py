"""`knockbox up`, `down` and `status`: the services of this machine."""

import time
from typing import TYPE_CHECKING, Annotated

from arena.cli import options, output
from arena.cli.errors import CommandError, Exit, of_lifecycle
from arena.cli.options import Data, Json, Sandbox, flag
from arena.cli.words import fit, many, room

if TYPE_CHECKING:
    from arena.local.state import ArenaState


def up(
    *,
    data: Data = None,
    sandbox: Sandbox = None,
    foreground: Annotated[bool, flag("Stay here until Ctrl-C, and end with it.")] = False,
) -> None:
    """Start the arena of this machine: store, referee, worker, recorder, reconciler and API.

    Returns when all of them serve. REDIS_URL names a store of yours; else Knockbox brings one.

    Example: knockbox up --foreground
    """
    from arena.local import lifecycle, state

    settings = options.settings(data, sandbox)
    try:
        if foreground:
            lifecycle.stay(settings, options.environment(), lifecycle.Hear(_serving, _interrupted))
            output.note("the arena has ended, nothing is lost")
            output.next_step("knockbox up", "goes on with all that it knew")
            return
        if state.locked(settings.data):
            output.note("it runs already")
        _serving(lifecycle.up(settings))
    except lifecycle.LifecycleError as error:
        raise of_lifecycle(error) from None


def _serving(now: "ArenaState") -> None:
    output.note(f"the arena serves: {len(now.services)} services, store: {now.store}")
    output.note(f"data: {now.data}")
    if now.bots:
        output.note(now.bots)
    output.next_step("knockbox bot add FOLDER", "then `knockbox tournament create --watch`")


def _interrupted(now: "ArenaState", times: int) -> None:
    """Ctrl-C: what is waited for, or not any more."""
    if times > 1 or not now.ready:
        output.note("\nending at once; what is played now is played again next time")
    else:
        output.note(f"\nwaiting for {what_runs(now.api)}… (Ctrl-C again: at once)")


def what_runs(api: str) -> str:
    """The matches that are played now, in words."""
    from arena.cli.client import arena_at
    from knockbox.v1 import arena_pb2 as pb

    try:
        with arena_at(api) as stub:
            running = stub.GetStatus(pb.GetStatusRequest(), timeout=2).running
    except CommandError:
        return "the services"
    if not running:
        return "the services; no match is played now"
    first = running[0]
    told = f"{first.match_id}, leg {first.leg}, {first.games_over} of {first.games} games"
    more = f", and {len(running) - 1} more" if len(running) > 1 else ""
    return f"the end of {many(len(running), 'match')} ({told}{more})"


def down(*, data: Data = None) -> None:
    """End the arena of this machine. Matches that are played now are played again next time.

    Example: knockbox down
    """
    from arena.local import lifecycle

    settings = options.settings(data)
    try:
        ended = lifecycle.down(settings)
    except lifecycle.LifecycleError as error:
        raise of_lifecycle(error) from None
    output.note("the arena has ended" if ended else f"nothing runs for {settings.data}")
    output.next_step("knockbox up", "starts it again, with all that it knew")


def status(*, data: Data = None, json: Json = False) -> None:
    """What runs, since when, how often it was started again, and where everything lies.

    Exit code 0 when everything serves, 1 when something does not, 4 when nothing runs.

    Example: knockbox status --json
    """
    from dataclasses import asdict

    from arena.local import state
    from arena.local.services import masked

    settings = options.settings(data)
    found = state.read(settings.data)
    if found is None:
        if json:
            output.as_json({"running": False, "data": str(settings.data), "services": []})
        raise CommandError(
            f"no arena runs for {settings.data}: run `knockbox up`", Exit.UNREACHABLE
        )
    healthy = all(service.state == "healthy" for service in found.services)
    matches = _matches(found.api)
    if json:
        told = {"running": True, "healthy": healthy, **asdict(found), "matches": matches}
        told["redis_url"] = masked(found.redis_url)
        output.as_json(told)
    else:
        headers = ("service", "state", "pid", "since", "restarts", "what it does")
        rows = [
            (
                service.name,
                service.state,
                str(service.pid or "-"),
                time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(service.since)),
                str(service.restarts),
                service.what,
            )
            for service in found.services
        ]
        spare = ("what it does", "restarts", "pid")
        output.table(*fit(headers, rows, spare, room(), left=6))
        if matches:
            output.note(f"matches: {', '.join(f'{n} {word}' for word, n in matches.items())}")
        output.note(f"store: {found.store}\ndata: {found.data}\nlogs: {settings.logs}")
    if not healthy:
        raise CommandError(f"not everything serves; the logs in {settings.logs} say why")


def _matches(api: str) -> dict[str, int] | None:
    """How many matches are where; None where the API does not answer."""
    from arena.cli.client import arena_at
    from knockbox.v1 import arena_pb2 as pb

    try:
        with arena_at(api) as stub:
            told = stub.GetStatus(pb.GetStatusRequest(), timeout=2)
    except CommandError:
        return None
    return {
        "waiting": told.matches_waiting,
        "running": told.matches_running,
        "recorded": told.matches_recorded,
    }
