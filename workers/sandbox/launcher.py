"""The one interface behind which bots are started: what to start, and what is heard of it.

A launcher runs hostile programs, gives each a fresh home, and leaves nothing behind. How it does
so is its own affair (`processes`, `containers`). Nothing here knows matches or the referee.
"""

import errno
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple, Protocol

from workers.sandbox.capture import Log

_LACKS = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
)


def lacking(error: BaseException) -> str:
    """What the machine has too little of (ENOSPC, EMFILE, …), '' where that is not the trouble."""
    if not isinstance(error, OSError) or error.errno not in _LACKS:
        return ""
    return errno.errorcode[error.errno]


class Spec(NamedTuple):
    """One program to start.

    As a process: `folder` is a bot's snapshot, and the program sees a copy of it and begins in that
    copy with `command`. As a container: `image` is its config digest, and the image says what runs.
    `variables` are added to an otherwise bare environment. `memory` is bytes, for all its processes
    together. It runs for `match_id` and its `attempt`, one of so many `seats`, for `longest_s`
    seconds at most.
    """

    name: str
    folder: Path
    command: tuple[str, ...]
    variables: dict[str, str]
    memory: int = 512 * 1024 * 1024
    image: str = ""
    match_id: str = ""
    attempt: int = 0
    seats: int = 2
    longest_s: float = 0.0


class Started(NamedTuple):
    """The program runs."""


class Output(NamedTuple):
    """What the program printed, told once, just before Exited."""

    log: Log


class Exited(NamedTuple):
    """The program and everything it started are gone.

    `code` is 0-255, and 0 where `signal` ended it; `memory`: it had more than it may. `stopped`: it
    was still running when it was told to stop. `infra`: it could not be started, or was ended by
    the platform, through no fault of its own, `why` then in words, `lacking` what the machine had
    too little of, where that is it.
    `peak` is the most memory that it was seen with, in bytes; 0 where nobody looked.
    """

    code: int
    signal: int = 0
    memory: bool = False
    stopped: bool = False
    infra: bool = False
    lacking: str = ""
    why: str = ""
    peak: int = 0


Event = Started | Output | Exited


class Running(Protocol):
    """A program that was started."""

    def events(self) -> AsyncIterator[Event]:
        """Started, Output, Exited, in this order; ends after Exited. To be read once, by one."""
        ...

    async def stop(self, grace: float = 0.5) -> None:
        """End it: asks, waits `grace` seconds, kills. Returns when nothing of it is left."""
        ...


class Launcher(Protocol):
    """Starts programs. `sandboxed`: they can reach nothing but their referee."""

    sandboxed: bool

    async def start(self, spec: Spec) -> Running:
        """Start a program. A program that cannot be started is told of by its events."""
        ...
