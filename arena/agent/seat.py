"""One seat that the agent has taken: the bot's program, and its way to the referee."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from arena.agent import program
from arena.agent.way import Place, Way
from knockbox.v1 import dial_pb2 as pb


class Patience(NamedTuple):
    """Seconds: a silent network is lost after `link_s`; a seat is tried to be reached for
    `reach_s`; a program has `leave_s` to leave when its leg is over, and `end_s` when it is told
    to. Between two tries to come online again there are `wait_s` at first, `longest_s` at most."""

    link_s: float = 10.0
    reach_s: float = 15.0
    leave_s: float = 2.0
    end_s: float = 2.0
    wait_s: float = 0.5
    longest_s: float = 30.0


class TakenSeat:
    """A seat from when it is taken until nothing of it is left.

    `ended` is told the offer's id, exit code and signal when the program has ended by itself.
    """

    def __init__(
        self,
        offer: pb.Offer,
        host: str,
        folder: Path,
        patience: Patience,
        told: Callable[[str], None],
        ended: Callable[[str, int, int], Awaitable[None]],
    ) -> None:
        self.match_id = offer.match_id
        self.offer_id = offer.offer_id
        self._ticket = offer.ticket
        self._patience = patience
        self._ended = ended
        place = Place(offer.host or host, offer.port, offer.certificate)
        path = folder / f"{offer.leg}-{offer.seat}-{os.urandom(4).hex()}"
        self._way = Way(path, place, patience.link_s, patience.reach_s, told)
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._leaving = False

    async def begin(self, bot: program.Program) -> None:
        """Start the program. Raises OSError."""
        await self._way.open()
        variables = {"KNOCKBOX_REFEREE": self._way.address, "KNOCKBOX_TICKET": self._ticket}
        try:
            self._process = await program.start(bot, os.environ, variables, self._patience.end_s)
        except BaseException:
            await self._way.close()
            raise
        self._watch = asyncio.create_task(self._watched(self._process))

    async def leave(self, grace_s: float) -> None:
        """The seat is over: the program has `grace_s` to leave by itself, then it is ended."""
        self._leaving = True
        if self._process is not None:
            if self._process.returncode is None:
                try:
                    async with asyncio.timeout(grace_s):
                        await self._process.wait()
                except TimeoutError:
                    pass
            await program.end(self._process, self._patience.end_s)
        if self._watch is not None:
            await self._watch
        await self._way.close()

    async def _watched(self, process: asyncio.subprocess.Process) -> None:
        status = await process.wait()
        if not self._leaving:
            code, number = (status, 0) if status >= 0 else (0, -status)
            await self._ended(self.offer_id, code, number)
