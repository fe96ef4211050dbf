"""One service under watch: started, checked, started again, ended.

Knows no particular service (`services.py` lists them) and no store.
"""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.local import processes
from arena.local.state import ServiceState
from arena.settings import Supervision


class Service(NamedTuple):
    """One service to keep.

    `check` says whether it serves. Services of a stage start together once all of lower stages
    serve; stages end in the opposite order. `before` runs ahead of each start. `finish_signal`:
    what makes it end its work and then itself, for services that have work to end.
    """

    name: str
    what: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    check: Callable[[], Awaitable[bool]]
    stage: int
    stop_signal: signal.Signals = signal.SIGTERM
    at_parents_death: signal.Signals = signal.SIGKILL
    before: Callable[[], None] | None = None
    finish_signal: signal.Signals | None = None


class StartError(Exception):
    """A service never came to serve; the message has its last log lines."""


class Watch:
    """One service under watch."""

    def __init__(
        self,
        service: Service,
        durations: Supervision,
        starting: asyncio.Lock,
        ended: asyncio.Event,
        changed: Callable[[], None],
    ) -> None:
        self.service = service
        self.state = ServiceState(service.name, service.what, log=str(service.log))
        self.serves = asyncio.Event()
        self._durations = durations
        self._starting = starting
        self._ended = ended
        self._changed = changed
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """Its process, 0 where none runs."""
        return self._process.pid if self._process else 0

    async def keep(self) -> None:
        """Start it, and again whenever it ends; until cancelled. Raises StartError."""
        tries = 0
        pause = self._durations.backoff_first
        while True:
            tries += 1
            await self._begin()
            if await self._comes_to_serve():
                self._say("healthy")
                self.serves.set()
                served_since = time.monotonic()
                await self._goes_on()
                if time.monotonic() - served_since > self._durations.steady_after:
                    pause = self._durations.backoff_first
            elif not self.serves.is_set() and tries >= self._durations.first_tries:
                raise self._failure()
            self.state.restarts += 1
            await self._finish("waiting", pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, self._durations.backoff_most)

    async def end(self) -> None:
        """End it and its group."""
        await self._finish("stopped")

    async def end_its_work(self, patience: float) -> None:
        """Let it end its work, `patience` seconds at most, where it is of that kind.

        Nobody may `keep` it any more.
        """
        if self._process and self.service.finish_signal and self._runs():
            self._say("finishing")
            with suppress(ProcessLookupError):
                self._process.send_signal(self.service.finish_signal)
            with suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    await self._process.wait()

    async def _begin(self) -> None:
        service = self.service
        try:
            if service.before:
                await asyncio.to_thread(service.before)
            async with self._starting:
                self._process = await processes.start(
                    service.command, service.environment, service.log, service.at_parents_death
                )
        except OSError as error:
            # Where it has served, what is missing now may come back: room on the disk, say.
            if not self.serves.is_set():
                raise
            self.state.ended = f"cannot be started: {error.strerror}"
            return
        self._say("starting")

    async def _comes_to_serve(self) -> bool:
        """Whether it serves within the time for starting, without ending first."""
        end = time.monotonic() + self._durations.start_timeout
        while time.monotonic() < end and self._runs():
            if await self._serves():
                return self._runs()
            await asyncio.sleep(0.05)
        return False

    async def _goes_on(self) -> None:
        """Return when it has ended, or failed too many checks in a row."""
        failed = 0
        while self._process and failed < self._durations.failed_checks:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._durations.check_every):
                    await self._process.wait()
                    return
            failed = 0 if await self._serves() else failed + 1
            state = "failing" if failed else "healthy"
            if self.state.state != state:
                self._say(state)

    async def _serves(self) -> bool:
        try:
            async with asyncio.timeout(self._durations.check_timeout):
                return await self.service.check()
        except (TimeoutError, OSError):
            return False

    async def _finish(self, state: str, pause: float = 0.0) -> None:
        if self._process:
            by_itself = not self._runs()
            await processes.end(self._process, self.service.stop_signal, self._durations.stop_grace)
            self.state.ended = _how(self._process.returncode or 0, by_itself=by_itself)
            self._process = None
            self._ended.set()
        self._say(state, pause)

    def _runs(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def _say(self, state: str, pause: float = 0.0) -> None:
        self.state.state = state
        self.state.pid = self.pid
        self.state.since = time.time()
        self.state.next_start = self.state.since + pause if state == "waiting" else 0.0
        self._changed()

    def _failure(self) -> StartError:
        last = processes.tail(self.service.log) or "(it said nothing)"
        return StartError(
            f"the {self.service.name} does not start; the end of {self.service.log}:\n{last}"
        )


def _how(code: int, *, by_itself: bool) -> str:
    """How a process has ended, for people."""
    if not by_itself:
        return "it did not serve"
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return f"exit code {code}"
