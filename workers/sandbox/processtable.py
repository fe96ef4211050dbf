"""Who descends from a program that was started, read from /proc; and how all of it is killed.

A program can start others, detach them, and end. They are found by session, by parent, and by the
folder that only this program was given: as HOME or as working directory. One that detaches, clears
its environment and goes elsewhere within one sampling interval escapes, which is what containers
are for. Where there is no /proc (macOS) only the process group is known. Nothing here starts
anything.
"""

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_ROUNDS = 50


class Entry(NamedTuple):
    """One process. `rss` is bytes; `start` is in ticks since boot and tells reused pids apart."""

    pid: int
    parent: int
    session: int
    start: int
    rss: int
    zombie: bool


def entry(pid: int) -> Entry | None:
    """One process, or None where it is gone or there is no /proc."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    return Entry(
        pid=pid,
        parent=int(fields[1]),
        session=int(fields[3]),
        start=int(fields[19]),
        rss=int(fields[21]) * _PAGE,
        zombie=fields[0] in (b"Z", b"X"),
    )


def table() -> dict[int, Entry]:
    """All processes that can be seen; empty where there is no /proc."""
    if not _PROC.is_dir():
        return {}
    pids = [int(name) for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208 - 4 x faster
    return {pid: found for pid in pids if (found := entry(pid))}


def lives_in(pid: int, folder: str) -> bool:
    """The process has its HOME or its working directory in this folder."""
    try:
        if _within(str(Path(f"/proc/{pid}/cwd").readlink()), folder):
            return True
        variables = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    values = [item[5:] for item in variables.split(b"\0") if item.startswith(b"HOME=")]
    return any(_within(os.fsdecode(value), folder) for value in values)


def _within(path: str, folder: str) -> bool:
    # The kernel says " (deleted)" behind a folder that is gone.
    return path.removesuffix(" (deleted)") == folder or path.startswith(folder + "/")


class Family:
    """A program and everything it started, as far as it can be told."""

    def __init__(self, root: int, home: Path) -> None:
        self._root = root
        self._home = str(home)
        found = entry(root)
        self._since = found.start if found else 0
        self._known: dict[int, int] = {root: self._since}
        self._strangers: dict[int, int] = {}

    def members(self, processes: Mapping[int, Entry], afresh: bool = False) -> list[Entry]:
        """Its living processes. `afresh` judges again who was a stranger before."""
        if afresh:
            self._strangers.clear()
        found: dict[int, Entry] = {}
        # By age, so that a parent is judged before its children.
        for process in sorted(processes.values(), key=lambda each: (each.start, each.pid)):
            if process.start < self._since:
                continue
            if process.parent in found or self._belongs(process):
                self._known[process.pid] = process.start
                found[process.pid] = process
            else:
                self._strangers[process.pid] = process.start
        return [process for process in found.values() if not process.zombie]

    def _belongs(self, process: Entry) -> bool:
        if self._known.get(process.pid) == process.start:
            return True
        if process.session == self._root:
            return True
        if self._strangers.get(process.pid) == process.start:
            return False
        return lives_in(process.pid, self._home)

    def kill(self) -> bool:
        """Kill all of it, again and again until nothing new appears. True when nothing is left."""
        for _ in range(_ROUNDS):
            processes = table()
            if not processes:
                return self._kill_group()
            members = self.members(processes, afresh=True)
            if not members:
                return True
            if any(each.session == self._root for each in members):
                self._kill_group()  # at once, so that forking in a loop cannot outrun it
            for member in members:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(member.pid, signal.SIGKILL)
        return False

    def _kill_group(self) -> bool:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._root, signal.SIGKILL)
        return True


def alive(pid: int, start: int) -> bool:
    """The process that had this pid and start is still there."""
    if _PROC.is_dir():
        found = entry(pid)
        return found is not None and found.start == start and not found.zombie
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def kill_inside(folder: Path) -> None:
    """Kill every process that lives in this folder."""
    for _ in range(_ROUNDS):
        found = [each for each in table().values() if lives_in(each.pid, str(folder))]
        if not any(not each.zombie for each in found):
            return
        for process in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGKILL)
