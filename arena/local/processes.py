"""Child processes that leave nothing behind: started on a leash, ended with their whole group.

Knows no service. On Linux the calling process adopts orphans of its descendants (`adopt_orphans`),
so that `sweep` finds whoever has slipped out of a group.
"""

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from workers.sandbox.capture import printable

PR_SET_CHILD_SUBREAPER = 36
LOG_MOST = 8 << 20
"""Bytes after which a service's log is put aside when it starts again."""


def leash(command: Sequence[str], at_parents_death: signal.Signals) -> list[str]:
    """`command` so that it gets a signal when the process that starts it dies."""
    program = Path(__file__).with_name("leash.py")
    return [
        sys.executable,
        "-I",
        "-S",
        str(program),
        str(int(at_parents_death)),
        str(os.getpid()),
        *command,
    ]


async def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    at_parents_death: signal.Signals,
) -> asyncio.subprocess.Process:
    """Start a program in a session of its own, all it says going to the end of `log`.

    Call it in the main thread: the leash follows the thread that started the program.
    """
    with suppress(FileNotFoundError):
        if log.stat().st_size > LOG_MOST:
            log.replace(log.with_suffix(".old.log"))
    with log.open("ab") as out:
        return await asyncio.create_subprocess_exec(
            *leash(command, at_parents_death),
            env=dict(environment),
            cwd="/",  # a folder of the user's could hide our modules
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )


async def end(process: asyncio.subprocess.Process, how: signal.Signals, grace: float) -> None:
    """Ask politely, wait `grace` seconds, then kill; its group goes with it in any case."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.send_signal(how)
        with suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await process.wait()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def adopt_orphans() -> None:
    """Become the parent of descendants that lose theirs (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> set[int]:
    """Process ids of this process's children, dead ones too; empty where there is no /proc."""
    own = os.getpid()
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            fields = entry.read_text().rpartition(")")[2].split()
            if int(fields[1]) == own:
                found.add(int(entry.parent.name))
    return found


def sweep(known: set[int], *, kill: bool) -> int:
    """Reap adopted children, all but `known`; with `kill`, end them first. How many are left.

    One call reaches one generation: the killed ones' children are adopted then.
    """
    left = 0
    for pid in children() - known:
        if kill:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            left += os.waitpid(pid, os.WNOHANG)[0] != pid or kill
    return left


async def sweep_all() -> None:
    """End all children and whoever is adopted then, generation after generation, for a second."""
    for _ in range(100):
        if not sweep(set(), kill=True):
            break
        await asyncio.sleep(0.01)


def tail(log: Path, lines: int = 12) -> str:
    """The last lines of a log, printable characters only."""
    try:
        with log.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 16384))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return printable("\n".join(text.splitlines()[-lines:]))
