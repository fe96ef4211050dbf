"""Starts bots as processes of this machine: the only module that runs a bot's program.

Each runs in a session of its own, in a fresh home, with a bare environment; its output is drained
from the first byte and capped; its memory is the resident size of all its processes, sampled
(limits on the address space kill node and the JVM); everything it started is killed at the end.
It is no sandbox: a program can read what its user can read. See `processtable` for who escapes.
"""

import asyncio
import errno
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from referee.finishing import whole
from workers.sandbox import homes, processtable
from workers.sandbox.capture import Capture
from workers.sandbox.launcher import Event, Exited, Output, Spec, Started, lacking
from workers.sandbox.processtable import Entry, Family

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_DRAIN_S = 1.0


def environment(home: Path, path: str, variables: dict[str, str]) -> dict[str, str]:
    """All that a bot's environment holds; nothing is inherited."""
    return {
        "PATH": path,
        "HOME": str(home / "home"),
        "TMPDIR": str(home / "tmp"),
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        **variables,
    }


class ProcessLauncher:
    """Starts programs below the folder `work`. `path` is what they have as PATH: by default the
    folder of this interpreter and the system's. `sample_s`: between two looks at their memory."""

    sandboxed = False

    def __init__(self, work: Path, path: str = "", sample_s: float = 0.25) -> None:
        self._work = work.absolute()
        self._path = path or f"{Path(sys.executable).parent}:{SYSTEM_PATH}"
        self._sample_s = sample_s
        self._swept = False
        self._table: tuple[float, dict[int, Entry]] = (0.0, {})

    async def start(self, spec: Spec) -> "RunningProcess":
        """Start a program; the first start also clears away what killed launchers have left."""
        if not self._swept:
            self._swept = True
            await asyncio.to_thread(homes.sweep, self._work)
        running = RunningProcess(spec, self)
        await running.begin()
        return running

    async def home(self, spec: Spec) -> Path:
        """A fresh home for a program."""
        return await asyncio.to_thread(
            lambda: homes.make(homes.owner_folder(self._work), spec.folder)
        )

    def environment(self, home: Path, spec: Spec) -> dict[str, str]:
        """A program's environment."""
        return environment(home, self._path, spec.variables)

    async def sample(self) -> dict[int, Entry]:
        """All processes, a moment from now; programs of one launcher share a look."""
        await asyncio.sleep(self._sample_s)
        now = time.monotonic()
        if now - self._table[0] > self._sample_s / 2:
            self._table = now, processtable.table()
        return self._table[1]


class _Drain(asyncio.Protocol):
    """Feeds a capture with all that comes out of a pipe."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.ended = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.capture.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's
        self.ended.set()


class RunningProcess:
    """One program from its start to the moment when nothing of it is left."""

    def __init__(self, spec: Spec, launcher: ProcessLauncher) -> None:
        self._spec = spec
        self._launcher = launcher
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._capture = Capture()
        self._drain = _Drain(self._capture)
        self._memory = self._stopped = False
        self._peak = 0
        self._process: asyncio.subprocess.Process | None = None
        self._supervisor: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Start it, or put into the events why it does not start."""
        making = asyncio.ensure_future(self._launcher.home(self._spec))
        try:
            await whole(making)
        except OSError as error:
            self._refuse(error, code=0)
            return
        except asyncio.CancelledError:
            # Its thread goes on: the home is there all the same.
            if not making.cancelled() and not making.exception():
                await asyncio.to_thread(homes.remove, making.result())
            raise
        home = making.result()
        try:
            transport = await self._spawn(home)
        except BaseException as error:
            await asyncio.to_thread(homes.remove, home)
            if not isinstance(error, OSError | ValueError):
                raise
            self._refuse(error, _code_of(error))
        else:
            self._events.put_nowait(Started())
            self._supervisor = asyncio.create_task(self._supervise(home, transport))

    async def _spawn(self, home: Path) -> asyncio.ReadTransport:
        # A pipe of our own: asyncio's would keep wait() from returning while a detached
        # grandchild holds it open.
        reading, writing = os.pipe()
        try:
            transport, _ = await asyncio.get_running_loop().connect_read_pipe(
                lambda: self._drain, os.fdopen(reading, "rb", buffering=0)
            )
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *self._spec.command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=writing,
                    stderr=writing,
                    cwd=home / "bot",
                    env=self._launcher.environment(home, self._spec),
                    start_new_session=True,
                )
            except BaseException:
                transport.close()
                raise
        finally:
            os.close(writing)
        return transport

    def _refuse(self, error: Exception, code: int) -> None:
        self._capture.feed(f"cannot start {' '.join(self._spec.command)}: {error}\n".encode())
        self._events.put_nowait(Output(self._capture.log()))
        self._events.put_nowait(Exited(code, infra=not code, lacking=lacking(error)))

    async def _supervise(self, home: Path, transport: asyncio.ReadTransport) -> None:
        assert self._process is not None
        family = Family(self._process.pid, home)
        sampler = asyncio.create_task(self._watch_memory(family))
        status = await self._process.wait()
        sampler.cancel()
        if not await asyncio.to_thread(family.kill):
            self._capture.feed(b"\nknockbox: not all processes of this program could be ended\n")
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_S):
                await self._drain.ended.wait()
        transport.close()
        self._events.put_nowait(Output(self._capture.log()))
        code, by = (status, 0) if status >= 0 else (0, -status)
        self._events.put_nowait(Exited(code, by, self._memory, self._stopped, peak=self._peak))
        await asyncio.to_thread(homes.remove, home)

    async def _watch_memory(self, family: Family) -> None:
        while True:
            members = family.members(await self._launcher.sample())
            used = sum(member.rss for member in members)
            self._peak = max(self._peak, used)
            if used > self._spec.memory:
                self._memory = True
                await asyncio.to_thread(family.kill)
                return

    async def events(self) -> AsyncIterator[Event]:
        """Started, Output, Exited; without Started where it could not be started."""
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, Exited):
                return

    async def stop(self, grace: float = 0.5) -> None:
        """Ask it to end, kill what is left after `grace` seconds, wait until all is gone."""
        if self._supervisor is None or self._process is None:
            return
        if self._process.returncode is None:
            self._stopped = True
            self._signal(signal.SIGTERM)
            with suppress(TimeoutError):
                async with asyncio.timeout(grace):
                    await asyncio.shield(self._supervisor)
            self._signal(signal.SIGKILL)
        await asyncio.shield(self._supervisor)

    def _signal(self, number: int) -> None:
        """To the whole group, while its leader is certain to be ours."""
        assert self._process is not None
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)


def _code_of(error: OSError | ValueError) -> int:
    """What a shell would say of a program that is not there (127) or is none (126): its author's
    affair. 0 for anything else: the machine's."""
    if isinstance(error, FileNotFoundError | ValueError):
        return 127
    nothing_to_run = (errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.E2BIG)
    return 126 if error.errno in nothing_to_run else 0
