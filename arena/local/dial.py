"""Seats for bots that are started by hand: nothing is started here, the way in is told instead.

A launcher round another launcher: the bots that are named get a door, all others are started as
ever. A seat that is taken by hand has no start budget, for its bot is never said to have started.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from pathlib import Path
from typing import NamedTuple

from workers.sandbox.capture import Log
from workers.sandbox.launcher import Event, Exited, Launcher, Output, Running, Spec


class DialIn(NamedTuple):
    """One bot's way into one leg. `leg` counts from 0; `variables` are what it needs to be told."""

    bot: str
    leg: int
    variables: dict[str, str]


class DialLauncher:
    """Starts what `launcher` starts, but for the bots in `folders`; `tell` hears their way in.

    A bot is known by the folder of its snapshot. One launcher serves one match.
    """

    def __init__(
        self, launcher: Launcher, folders: Collection[Path], tell: Callable[[DialIn], None]
    ) -> None:
        self.sandboxed = launcher.sandboxed
        self._launcher = launcher
        self._legs = dict.fromkeys(folders, 0)
        self._tell = tell

    async def start(self, spec: Spec) -> Running:
        """Start a program, or tell how its seat is taken."""
        leg = self._legs.get(spec.folder)
        if leg is None:
            return await self._launcher.start(spec)
        self._legs[spec.folder] = leg + 1
        self._tell(DialIn(spec.name, leg, dict(spec.variables)))
        return OpenSeat()


class OpenSeat:
    """A seat that somebody takes, or not: it is left when its leg ends."""

    def __init__(self) -> None:
        self._left = asyncio.Event()

    async def events(self) -> AsyncIterator[Event]:
        """Output and Exited, once the leg is over; never Started."""
        await self._left.wait()
        yield Output(Log(b"", b"", 0))
        yield Exited(0, stopped=True)

    async def stop(self, grace: float = 0.5) -> None:  # noqa: ARG002 - the interface's
        """The leg is over; whoever sits there is not touched."""
        self._left.set()
