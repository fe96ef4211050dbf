"""`knockbox status`: what runs, here or in the arena that is named."""

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arena.cli import options, output
from arena.cli.errors import CommandError, Exit
from arena.cli.options import Data, Json
from arena.cli.words import fit, many, room, when, wrapped

if TYPE_CHECKING:
    from arena.local.state import ArenaState, ServiceState
    from knockbox.v1 import arena_pb2 as pb

SHOWN_MOST = 8
"""Running matches that people are shown."""
ALARMS_SHOWN = 5
"""Alarms that people are shown, the newest."""


def status(*, data: Data = None, json: Json = False) -> None:
    """What runs, since when, how often it was started again, and where everything lies.

    Exit code 0 when everything serves, 1 when something does not, 4 when nothing runs.

    Example: knockbox status --json
    """
    from arena.local import places, state

    if options.remote():
        _of_another(data, json=json)
        return
    settings = options.settings(data)
    found = state.read(settings.data)
    if found is None:
        if json:
            output.as_json({"running": False, "data": str(settings.data), "services": []})
        raise CommandError(
            f"no arena runs for {settings.data}: run `knockbox up`", Exit.UNREACHABLE
        )
    fault = _store_fault(found) or places.unwritable(settings.data)
    healthy = not fault and all(service.state == "healthy" for service in found.services)
    told = _told(found.api)
    if json:
        output.as_json(_as_json(found, told, healthy=healthy))
    else:
        _show(found, told)
        output.note(f"logs: {settings.logs}")
    if fault:
        raise CommandError(f"{fault}; the matches go on when that is mended")
    if not healthy:
        raise CommandError(f"not everything serves; the logs in {settings.logs} say why")
    if not json:
        output.next_step("knockbox tournament list", "what is played")


def _store_fault(found: "ArenaState") -> str:
    """Why the store of REDIS_URL, which is no service of ours, cannot be used; "" where it can."""
    from arena.local import given, valkey

    if any(service.name == "store" for service in found.services):
        return ""
    try:
        given.reach(found.redis_url)
    except valkey.ValkeyError as error:
        return str(error)
    return ""


def _of_another(data: Data, *, json: bool) -> None:
    """What an arena of another machine tells of itself."""
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        told = stub.GetStatus(pb.GetStatusRequest())
    if json:
        output.as_json({"running": True, "version": told.version, **_matches(told)})
        return
    output.data(f"Knockbox {told.version}, store: {output.printable(told.store)}")
    _show_matches(told)


def _told(api: str) -> "pb.GetStatusResponse | None":
    """What the API says; None where it does not answer."""
    from arena.cli.client import arena_at
    from knockbox.v1 import arena_pb2 as pb

    try:
        with arena_at(api) as stub:
            return stub.GetStatus(pb.GetStatusRequest(), timeout=2)
    except CommandError:
        return None


def _show(found: "ArenaState", told: "pb.GetStatusResponse | None") -> None:
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
    if found.stands:
        output.note("its services are kept elsewhere: in Compose `docker compose ps` shows them")
    else:
        output.table(*fit(headers, rows, ("what it does", "restarts", "pid"), room(), left=6))
    for service in found.services:
        if again := _again(service):
            output.note(again)
    if told:
        _show_matches(told)
    if found.listen:
        output.note(f"listens on {found.listen}, TLS fingerprint {found.fingerprint}")
    for worry in found.worries:
        output.note(f"take care of the store: {worry}")
    output.note(f"store: {found.store}\ndata: {found.data}")


def _again(service: "ServiceState") -> str:
    """Why a service was started again, and when it is."""
    if not service.ended or service.state == "stopped":
        return ""
    wait = service.next_start - time.time()
    when = f"it is started again in {max(wait, 0):.0f} s" if service.next_start else "it runs again"
    return f"{service.name}: {service.ended}, {when}; {service.log} says more"


def _show_matches(told: "pb.GetStatusResponse") -> None:
    counts = _matches(told)["matches"]
    output.note(f"matches: {', '.join(f'{n} {word}' for word, n in counts.items())}")
    for one in told.running[:SHOWN_MOST]:
        output.note(f"  {one.match_id}: {so_far(one)}")
    _show_alarms(told)


def _show_alarms(told: "pb.GetStatusResponse") -> None:
    """What a person should look at; nothing where nothing is."""
    if not told.alarms:
        return
    output.note(f"{many(told.alarms_kept, 'alarm')}, the newest first:")
    shown = told.alarms[:ALARMS_SHOWN]
    for one in shown:
        words = f"  {when(one.ms)} {one.kind} {one.match_id}: {output.printable(one.words)}"
        output.note(wrapped(words, room(live=True), 4))
    if more := told.alarms_kept - len(shown):
        output.note(f"  and {more:,} more")


def so_far(one: "pb.RunningMatch") -> str:
    """How far a match that is played now has come."""
    return f"leg {one.leg}, {one.games_over} of {one.games} games" if one.games else "it begins"


def _matches(told: "pb.GetStatusResponse") -> dict[str, Any]:
    return {
        "matches": {
            "waiting": told.matches_waiting,
            "running": told.matches_running,
            "recorded": told.matches_recorded,
        },
        "playing": [
            {
                "match_id": one.match_id,
                "leg": one.leg,
                "games_over": one.games_over,
                "games": one.games,
            }
            for one in told.running
        ],
        "alarms": [
            {"ms": one.ms, "kind": one.kind, "match_id": one.match_id, "words": one.words}
            for one in told.alarms
        ],
        "alarms_kept": told.alarms_kept,
    }


def _as_json(
    found: "ArenaState", told: "pb.GetStatusResponse | None", *, healthy: bool
) -> dict[str, Any]:
    from arena.local.given import masked

    nothing = {"matches": None, "playing": [], "alarms": [], "alarms_kept": 0}
    matches = _matches(told) if told else nothing
    whole = {"running": True, "healthy": healthy, **asdict(found), **matches}
    return {**whole, "redis_url": masked(found.redis_url)}
