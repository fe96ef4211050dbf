"""Keeps services running together: starts them by stages, minds their orphans, ends them all.

One service by itself is `watch.py`. One asyncio loop in the main thread of a process of its own:
in the end all children of the process count as the supervisor's. What it does is told through a
callback, so that tests and the state file see the same.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from arena.local import processes
from arena.local.state import ServiceState
from arena.local.watch import Service, Watch
from arena.settings import Supervision


class Supervisor:
    """Keeps `services` until told to stop. `changed` is called after every change of `states`."""

    def __init__(
        self, services: Sequence[Service], durations: Supervision, changed: Callable[[], None]
    ) -> None:
        self._starting = asyncio.Lock()
        self._somebody_ended = asyncio.Event()
        self._durations = durations
        self._watches = [
            Watch(service, durations, self._starting, self._somebody_ended, changed)
            for service in services
        ]

    @property
    def states(self) -> list[ServiceState]:
        """What each service does now, in the order given."""
        return [watch.state for watch in self._watches]

    async def run(
        self, stop: asyncio.Event, ready: Callable[[], None], at_once: asyncio.Event | None = None
    ) -> None:
        """Keep everything running until `stop`; `ready` once, when all serve for the first time.

        With `at_once` services that have work to end do so first, until that is set. Raises
        StartError, everything ended, where a service does not come to serve at all.
        """
        processes.adopt_orphans()
        stopping = asyncio.create_task(stop.wait())
        sweeping = asyncio.create_task(self._look_after_orphans())
        keeping: list[asyncio.Task[None]] = []
        try:
            if await self._start(stopping, keeping):
                ready()
                await self._goes_on(stopping, sweeping, *keeping)
                if at_once:
                    await self._finish(at_once, keeping)
        finally:
            for task in (stopping, sweeping, *keeping):
                task.cancel()
            await asyncio.gather(stopping, sweeping, *keeping, return_exceptions=True)
            await self._end()

    async def _start(self, stopping: asyncio.Task[bool], keeping: list[asyncio.Task[None]]) -> bool:
        """Start stage by stage. False when told to stop before all serve."""
        for stage in sorted({watch.service.stage for watch in self._watches}):
            now = [watch for watch in self._watches if watch.service.stage == stage]
            keeping += [asyncio.create_task(watch.keep()) for watch in now]
            serving = asyncio.gather(*(watch.serves.wait() for watch in now))
            try:
                await asyncio.wait(
                    [serving, stopping, *keeping], return_when=asyncio.FIRST_COMPLETED
                )
                for task in keeping:
                    if task.done():
                        task.result()
                if stopping.done():
                    return False
            finally:
                serving.cancel()
                with suppress(asyncio.CancelledError):
                    await serving
        return True

    @staticmethod
    async def _goes_on(stopping: asyncio.Task[bool], *minding: asyncio.Task[None]) -> None:
        """Wait until told to stop. Raises what whoever minds the services has failed by: a service
        that nobody keeps must not pass for one that runs."""
        await asyncio.wait([stopping, *minding], return_when=asyncio.FIRST_COMPLETED)
        for task in minding:
            if task.done():
                task.result()

    async def _look_after_orphans(self) -> None:
        """When a service has ended, end what it has left; at any time, reap who has ended."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._durations.check_every):
                    await self._somebody_ended.wait()
            ended = self._somebody_ended.is_set()
            self._somebody_ended.clear()
            async with self._starting:  # else a child whose pid we do not know yet is an orphan
                known = {watch.pid for watch in self._watches}
                with suppress(OSError):  # no files left to look with: the next time, then
                    while processes.sweep(known, kill=ended) and ended:
                        await asyncio.sleep(0.01)

    async def _finish(self, at_once: asyncio.Event, keeping: Sequence[asyncio.Task[None]]) -> None:
        """Let services end their work, the others being kept; until it is done, or `at_once`."""
        working: list[Watch] = []
        for watch, task in zip(self._by_stage(), keeping, strict=True):
            if watch.service.finish_signal:
                task.cancel()
                working.append(watch)
        patience = self._durations.finish + self._durations.stop_grace
        finishing = asyncio.gather(*(watch.end_its_work(patience) for watch in working))
        told = asyncio.create_task(at_once.wait())
        await asyncio.wait([finishing, told], return_when=asyncio.FIRST_COMPLETED)
        for waiting in (finishing, told):
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting

    def _by_stage(self) -> list[Watch]:
        """In the order in which they are started."""
        return sorted(self._watches, key=lambda watch: watch.service.stage)

    async def _end(self) -> None:
        for stage in sorted({watch.service.stage for watch in self._watches}, reverse=True):
            now = [watch for watch in self._watches if watch.service.stage == stage]
            await asyncio.gather(*(watch.end() for watch in now))
        await processes.sweep_all()
