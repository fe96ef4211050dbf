"""Where a worker waits for bots that dial in: a seat is offered, and what its agent says is heard.

No bot of this kind is started here. One that has not taken the first seat it was offered in a match
loses no point, and nothing is dealt before it has (`workers.host`); it is asked less and less often
until it takes one. From then on it owes every leg, or it could break off what goes badly.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import NamedTuple
from urllib.parse import urlsplit

from knockbox.v1 import match_pb2
from workers.attempt import MatchOrder
from workers.sandbox.capture import Log
from workers.sandbox.launcher import Event, Exited, Output, Started
from workers.store import Store
from workers.store.dial import ENDED, REFUSED, TAKEN, Offer


class Waiting(NamedTuple):
    """Seconds: what an agent has to take an offer, and between two looks at what it says."""

    take_s: float = 10.0
    look_s: float = 0.1


USUAL = Waiting()


class Absent(Exception):  # noqa: N818 - nobody's failure: the match is put back
    """A bot did not take the first seat that it was offered in a match."""

    def __init__(self, bot: str, why: str) -> None:
        super().__init__(f"{bot} {why}")
        self.bot = bot


class Hall:
    """The bots of one store that dial in."""

    def __init__(self, store: Store, waiting: Waiting = USUAL) -> None:
        self._store = store
        self._waiting = waiting

    def call(self, order: MatchOrder, bot: str, leg: int, door: match_pb2.SeatDoor) -> "CalledSeat":
        """Offer a seat to a bot."""
        place = urlsplit(door.address)
        offer = Offer(
            bot=bot,
            match_id=order.match_id,
            fence=order.fence,
            leg=leg,
            seat=door.seat,
            host=place.hostname or "",
            port=place.port or 0,
            ticket=door.ticket,
            certificate=door.certificate.hex(),
        )
        return CalledSeat(self._store, offer, self._waiting)


class CalledSeat:
    """A seat that was offered: like a program that was started, see `launcher.Running`."""

    def __init__(self, store: Store, offer: Offer, waiting: Waiting) -> None:
        self._store = store
        self._offer = offer
        self._waiting = waiting
        self._over = asyncio.Event()

    async def events(self) -> AsyncIterator[Event]:
        """Started, Output, Exited. Raises Absent where nobody takes the seat in the first leg."""
        await asyncio.to_thread(self._store.dial.offer, self._offer)
        try:
            await self._taken()
            yield Started()
            word = ""
            while not word.startswith(ENDED) and not self._over.is_set():
                word = await self._look()
            yield Output(Log(b"", b"", 0))
            if word.startswith(ENDED):
                code, number = map(int, word.split()[1:3])
                yield Exited(code, number)
            else:
                yield Exited(0, stopped=True)
        finally:
            await asyncio.to_thread(self._store.dial.take_away, self._offer.id)

    async def _taken(self) -> None:
        """Wait until the seat is taken; a bot that owes it has its time to come all the same."""
        end = time.monotonic() + self._waiting.take_s
        while not self._over.is_set():
            word = await self._look()
            if word.startswith((TAKEN, ENDED)):
                if self._offer.leg == 0:
                    await asyncio.to_thread(self._store.dial.sits, self._offer.bot)
                return
            late = time.monotonic() > end
            if word.startswith(REFUSED) or late:
                if self._offer.leg == 0:
                    why = word.removeprefix(REFUSED).strip() or "nothing was heard of its agent"
                    raise Absent(self._offer.bot, f"did not take its seat: {why}")
                return

    async def _look(self) -> str:
        """What the agent has said by now, a moment later."""
        try:
            async with asyncio.timeout(self._waiting.look_s):
                await self._over.wait()
        except TimeoutError:
            pass
        return await asyncio.to_thread(self._store.dial.told, self._offer.id)

    async def stop(self, grace: float = 0.5) -> None:  # noqa: ARG002 - the interface's
        """The leg is over; the agent ends its bot when it hears that the offer is gone."""
        self._over.set()
