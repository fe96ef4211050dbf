"""The body of the supervisor's process: lock, plan, state file, and the services until the end."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Mapping
from importlib import metadata

from arena.local import places, services, state, valkey
from arena.local.supervisor import Supervisor
from arena.local.watch import StartError
from arena.settings import Settings

Told = Callable[[state.ArenaState], None]


class LifecycleError(Exception):
    """The arena cannot be started or ended; the message says why and what would help."""


class StoreError(LifecycleError):
    """The store that REDIS_URL names does not answer."""


async def supervise(settings: Settings, environ: Mapping[str, str], serving: Told) -> None:
    """Everything, until SIGINT or SIGTERM. Raises LifecycleError where it cannot start."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        places.prepare(settings)
        held = state.lock(settings.data)
        if held is None:
            raise LifecycleError(f"an arena runs already for {settings.data}: `knockbox status`")
        try:
            await _supervise_locked(settings, environ, serving, stop)
        finally:
            state.forget(settings.data)
            os.close(held)
    except services.UnreachableError as error:
        raise StoreError(str(error)) from None
    except (places.PlaceError, valkey.ValkeyError, StartError) as error:
        raise LifecycleError(str(error)) from None


async def _supervise_locked(
    settings: Settings, environ: Mapping[str, str], serving: Told, stop: asyncio.Event
) -> None:
    runtime = places.runtime(settings)
    plan = services.plan(settings, runtime, environ)
    now = state.ArenaState(
        pid=os.getpid(),
        version=metadata.version("knockbox"),
        data=str(settings.data),
        api=plan.api,
        runtime=str(runtime),
        redis_url=plan.redis_url,
        store=plan.store,
        started=time.time(),
    )

    def changed() -> None:
        now.services = supervisor.states
        state.write(settings.data, now)

    def ready() -> None:
        now.ready = True
        changed()
        serving(now)

    supervisor = Supervisor(plan.services, settings.supervision, changed)
    changed()
    try:
        await supervisor.run(stop, ready)
    finally:
        services.clear(runtime)
        from workers.sandbox import homes

        homes.sweep(settings.data / "work")
