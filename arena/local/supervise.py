"""The body of the supervisor's process: lock, plan, state file, and the services until the end."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import metadata
from typing import NamedTuple

from arena.local import given, leftovers, places, services, state, tls, valkey
from arena.local.sandbox import SandboxError
from arena.local.supervisor import Supervisor
from arena.local.watch import StartError
from arena.settings import Settings
from workers.sandbox import homes

FAULTS = (places.PlaceError, SandboxError, StartError, tls.CertificateError, valkey.ValkeyError)
"""Why an arena does not come up; each message says what to do."""

Told = Callable[[state.ArenaState], None]


class LifecycleError(Exception):
    """The arena cannot be started or ended; the message says why and what would help."""


class StoreError(LifecycleError):
    """The store that REDIS_URL names does not answer."""


class Ending:
    """How the supervisor is told to end: by SIGTERM at once; by Ctrl-C when what is played has
    come to its end, and by another one at once. `told` hears of each Ctrl-C, 1 or 2.
    """

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.at_once = asyncio.Event()
        self.told: Callable[[int], None] = lambda _: None
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        loop.add_signal_handler(signal.SIGTERM, self._terminate)

    def _interrupt(self) -> None:
        if not self.at_once.is_set():
            again = self.stop.is_set()
            (self.at_once if again else self.stop).set()
            self.told(2 if again else 1)

    def _terminate(self) -> None:
        self.at_once.set()
        self.stop.set()


class Hear(NamedTuple):
    """Who hears of what happens: that all serve; each Ctrl-C, 1 or 2, with the arena."""

    serving: Told
    interrupted: Callable[[state.ArenaState, int], None] = lambda _, __: None


async def supervise(settings: Settings, environ: Mapping[str, str], hear: Hear) -> None:
    """Everything, until SIGINT or SIGTERM. Raises LifecycleError where it cannot start."""
    ending = Ending()
    try:
        places.prepare(settings)
        held = state.lock(settings.data)
        if held is None:
            raise LifecycleError(f"an arena runs already for {settings.data}: `knockbox status`")
        try:
            await _supervise_locked(settings, environ, hear, ending)
        finally:
            state.forget(settings.data)
            os.close(held)
    except given.UnreachableError as error:
        raise StoreError(str(error)) from None
    except FAULTS as error:
        raise LifecycleError(str(error)) from None


async def _supervise_locked(
    settings: Settings, environ: Mapping[str, str], hear: Hear, ending: Ending
) -> None:
    runtime = places.runtime(settings)
    leftovers.sweep(settings.runtime_base, leftovers.base())
    plan = services.plan(settings, runtime, environ)
    now = state.ArenaState(
        pid=os.getpid(),
        version=metadata.version("knockbox"),
        data=str(settings.data),
        api=plan.api,
        control=plan.control,
        launch=plan.launch,
        sandbox=settings.sandbox,
        runtime=str(runtime),
        redis_url=plan.redis_url,
        store=plan.store,
        bots=plan.bots,
        started=time.time(),
        listen=settings.listen or "",
        fingerprint=plan.fingerprint,
        worries=plan.worries,
    )

    def changed() -> None:
        now.services = supervisor.states
        try:
            state.write(settings.data, now)
        except OSError as error:  # a full disk is no reason to end what runs
            with suppress(OSError):  # the log may lie on the same disk
                print(f"the state cannot be written: {error.strerror}", file=sys.stderr, flush=True)

    def ready() -> None:
        now.ready = True
        changed()
        hear.serving(now)

    supervisor = Supervisor(plan.services, settings.supervision, changed)
    changed()
    ending.told = lambda times: hear.interrupted(now, times)
    try:
        await supervisor.run(ending.stop, ready, ending.at_once)
    finally:
        services.clear(runtime)
        homes.sweep(settings.data / "work")
