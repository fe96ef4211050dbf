"""`knockbox up` and `down`: the services of this machine."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from arena.cli import options, output
from arena.cli.errors import CommandError, of_lifecycle, usage
from arena.cli.options import Data, Json, Sandbox, flag
from arena.cli.words import many

if TYPE_CHECKING:
    from pathlib import Path

    from arena.local.state import ArenaState
    from arena.settings import Settings


def up(
    *,
    data: Data = None,
    sandbox: Sandbox = None,
    foreground: Annotated[bool, flag("Stay here until Ctrl-C, and end with it.")] = False,
    without: Annotated[
        list[str] | None,
        Parameter(negative="", help="A service that is started elsewhere: worker."),
    ] = None,
    listen: Annotated[
        str, Parameter(help="HOST:PORT for people of other machines, with TLS and tokens.")
    ] = "",
    tls_cert: Annotated[str, Parameter(help="Certificate (PEM); else one is made.")] = "",
    tls_key: Annotated[str, Parameter(help="Its key (PEM).")] = "",
) -> None:
    """Start the arena of this machine: store, referee, worker, recorder, reconciler and API.

    Returns when all of them serve. REDIS_URL names a store of yours; else Knockbox brings one.
    In the foreground Ctrl-C lets running matches come to their end; again: it ends at once.

    Example: knockbox up --foreground
    """
    from arena.local import lifecycle, state

    settings = _settings(data, sandbox, without or [], listen, (tls_cert, tls_key))
    options.for_services()
    try:
        if foreground:
            lifecycle.stay(settings, options.environment(), lifecycle.Hear(_serving, _interrupted))
            output.note("the arena has ended, nothing is lost")
            output.next_step("knockbox up", "goes on with all that it knew")
            return
        ran = state.locked(settings.data)
        now = lifecycle.up(settings)
        if ran:
            output.note("it runs already")
            _as_asked(now, settings)
        _serving(now)
    except lifecycle.LifecycleError as error:
        raise of_lifecycle(error) from None


def _settings(
    data: "Path | None",
    sandbox: str | None,
    without: list[str],
    listen: str,
    tls: tuple[str, str],
) -> "Settings":
    """The settings with what options say, which goes before the environment."""
    from arena.settings import SettingsError, address, tls_files

    found = options.settings(data, sandbox)
    names = frozenset(name for words in without for name in words.split(",") if name)
    try:
        return replace(
            found,
            without=names or found.without,
            listen=address(listen, "--listen") or found.listen,
            tls=tls_files(*tls) or found.tls,
        )
    except SettingsError as error:
        raise usage(str(error)) from None


def _as_asked(now: "ArenaState", settings: "Settings") -> None:
    """Raise CommandError where the arena that runs is not the one that was asked for."""
    runs = {service.name for service in now.services}
    wrong = [
        *(["--listen"] if settings.listen and settings.listen != now.listen else []),
        *(["--without"] if runs & settings.without else []),
        *(["--sandbox"] if settings.sandbox not in ("auto", now.sandbox) else []),
    ]
    if wrong:
        was = f"listens {f'on {now.listen}' if now.listen else 'nowhere'}, sandbox {now.sandbox}"
        raise CommandError(
            f"it was started with another {' and '.join(wrong)} (it {was}): "
            "`knockbox down`, then `knockbox up` with what it is to be"
        )


def _serving(now: "ArenaState") -> None:
    output.note(f"the arena serves: {len(now.services)} services, store: {now.store}")
    output.note(f"data: {now.data}")
    if now.bots:
        output.note(now.bots)
    for worry in now.worries:
        output.note(f"take care of the store: {worry}")
    if now.listen:
        output.note(f"listens on {now.listen}, TLS fingerprint {now.fingerprint}")
        output.next_step("knockbox token create NAME", "lets somebody in there")
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
    from arena.cli.status import so_far
    from knockbox.v1 import arena_pb2 as pb

    try:
        with arena_at(api) as stub:
            running = stub.GetStatus(pb.GetStatusRequest(), timeout=2).running
    except CommandError:
        return "the services"
    if not running:
        return "the services; no match is played now"
    told = f"{running[0].match_id}, {so_far(running[0])}"
    more = f", and {len(running) - 1} more" if len(running) > 1 else ""
    return f"the end of {many(len(running), 'match')} ({told}{more})"


def down(*, data: Data = None, json: Json = False) -> None:
    """End the arena of this machine. Matches that are played now are played again next time.

    Example: knockbox down
    """
    from arena.local import lifecycle

    settings = options.settings(data)
    try:
        ended = lifecycle.down(settings)
    except lifecycle.LifecycleError as error:
        raise of_lifecycle(error) from None
    if json:
        output.as_json({"ended": ended, "data": str(settings.data)})
        return
    output.note("the arena has ended" if ended else f"nothing runs for {settings.data}")
    output.next_step("knockbox up", "starts it again, with all that it knew")
