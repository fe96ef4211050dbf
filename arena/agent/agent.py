"""The agent: keeps its bot online at an arena, takes the seats it is offered, as many as it may.

Losing the arena is nothing: seats that are taken are played on, and the agent comes back, later
each time and never together with all others. It ends where coming back cannot help.
"""

import asyncio
import math
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import grpc
from grpc import aio

from arena.agent.program import Program
from arena.agent.seat import Patience, TakenSeat
from knockbox.v1 import dial_pb2 as pb
from knockbox.v1.dial_pb2_grpc import DialServiceStub

SILENT_BEATS = 3
"""Beats of the arena without a word after which it is taken for lost."""

SECONDS_MOST = 86_400
"""A day: the longest patience; more does not fit everywhere, and helps nobody."""

HOPELESS = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.UNIMPLEMENTED,
)
"""What will be said again whenever it is tried."""

Told = Callable[[str], None]


class AgentError(Exception):
    """The bot cannot be online; the message says why."""


class NotRegisteredError(AgentError):
    """The arena knows no such bot."""


class _CallEndedError(Exception):
    """The arena has ended the call, as it does when it ends itself."""


class Agent:
    """One bot's agent at the arena behind `channel`, which is the machine `host`.

    Plays `slots` matches at once. Its sockets are in `folder`, whose path is short. `told` hears,
    for people, what happens.
    """

    def __init__(
        self,
        channel: aio.Channel,
        host: str,
        bot: Program,
        slots: int,
        folder: Path,
        told: Told,
        patience: Patience = Patience(),  # noqa: B008 - a value
    ) -> None:
        self._stub = DialServiceStub(channel)
        self._host = host
        self._bot = bot
        self._slots = slots
        self._folder = folder
        self._told = told
        self._patience = patience
        self._session = ""
        self._seats: dict[str, TakenSeat] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._unsaid: dict[str, dict[str, object]] = {}

    async def run(self) -> None:
        """Stay online until cancelled; then nothing of it is left. Raises AgentError."""
        wait = self._patience.wait_s
        try:
            while True:
                before, why = self._session, ""
                try:
                    await self._online()
                except aio.AioRpcError as error:
                    why = error.details() or error.code().name
                    if error.code() is grpc.StatusCode.NOT_FOUND:
                        raise NotRegisteredError(why) from None
                    if error.code() in HOPELESS:
                        raise AgentError(why) from None
                except TimeoutError:
                    why = "it says nothing any more"
                except _CallEndedError:
                    why = "the arena has ended the call"
                wait = self._patience.wait_s if self._session != before else 2 * wait
                wait = min(wait, self._patience.longest_s)
                self._told(f"offline: {why}")
                await asyncio.sleep(random.uniform(0, wait))  # noqa: S311 - no secret
        finally:
            await self._leave_all()

    async def _online(self) -> None:
        """Come online and take what is offered, until the arena is lost. Raises as `_next` does."""
        call = self._stub.Offers(pb.OffersRequest(bot=self._bot.name, slots=self._slots))
        beating: asyncio.Task[None] | None = None
        silence_s = self._patience.reach_s
        try:
            while True:
                said = await _next(call, beating, silence_s)
                match said.WhichOneof("message"):
                    case "online":
                        self._session = said.online.session
                        beat_s = said.online.beat_ms / 1000
                        silence_s = SILENT_BEATS * beat_s
                        beating = beating or asyncio.create_task(self._beat(beat_s))
                        await self._welcomed(said.online.open)
                    case "offer":
                        await self._offered(said.offer)
                    case "withdrawn":
                        self._leave(said.withdrawn.offer_id)
                    case _:
                        await self._say_again()
        finally:
            call.cancel()
            if beating is not None:
                beating.cancel()
                await asyncio.gather(beating, return_exceptions=True)

    async def _beat(self, every_s: float) -> None:
        """Tell the arena that this agent lives. Raises AioRpcError where it does not hear it."""
        request = pb.BeatDialRequest(bot=self._bot.name, session=self._session)
        while True:
            await asyncio.sleep(every_s)
            await self._stub.BeatDial(request, timeout=SILENT_BEATS * every_s)

    async def _welcomed(self, known: Sequence[str]) -> None:
        """Leave what is over by now, and say what could not be said before."""
        self._told(f"online: {self._bot.name} plays {self._slots} at once")
        for offer_id in self._seats.keys() - set(known):
            self._leave(offer_id)
        for offer_id in self._unsaid.keys() - set(known):
            del self._unsaid[offer_id]
        await self._say_again()

    async def _offered(self, offer: pb.Offer) -> None:
        if offer.offer_id in self._unsaid:
            return
        if offer.offer_id in self._seats:
            if not offer.taken:  # it was told so, and the arena has forgotten it
                await self._say(offer.offer_id, taken=pb.OfferTaken())
            return
        matches = {seat.match_id for seat in self._seats.values()} - {offer.match_id}
        if len(matches) >= self._slots:
            await self._answer(offer.offer_id, refused=pb.OfferRefused(why="no slot is free"))
            return
        seat = TakenSeat(
            offer, self._host, self._folder, self._patience, self._told_of(offer), self._ended
        )
        try:
            await seat.begin(self._bot)
        except OSError as error:
            self._told(f"{offer.match_id} leg {offer.leg}: cannot start: {error}")
            await self._answer(offer.offer_id, refused=pb.OfferRefused(why="it cannot be started"))
            return
        self._seats[offer.offer_id] = seat
        self._told_of(offer)("goes on" if offer.taken else "begins")
        await self._say(offer.offer_id, taken=pb.OfferTaken())

    def _told_of(self, offer: pb.Offer) -> Told:
        return lambda text: self._told(f"{offer.match_id} leg {offer.leg}: {text}")

    async def _ended(self, offer_id: str, code: int, number: int) -> None:
        """A program has ended by itself."""
        await self._say(offer_id, ended=pb.OfferEnded(code=code, signal=number))

    async def _say(self, offer_id: str, **answer: object) -> None:
        """Say it now, or when the arena is there again, unless there is more to say by then."""
        self._unsaid[offer_id] = answer
        if await self._answer(offer_id, **answer) and self._unsaid.get(offer_id) is answer:
            del self._unsaid[offer_id]

    async def _say_again(self) -> None:
        """What the arena has not heard."""
        for offer_id, answer in list(self._unsaid.items()):
            if self._unsaid.get(offer_id) is answer:  # else there was more to say meanwhile
                await self._say(offer_id, **answer)

    async def _answer(self, offer_id: str, **answer: object) -> bool:
        request = pb.AnswerOfferRequest(
            bot=self._bot.name,
            session=self._session,
            offer_id=offer_id,
            **answer,  # pyright: ignore[reportArgumentType]
        )
        try:
            await self._stub.AnswerOffer(request, timeout=self._patience.reach_s)
        except aio.AioRpcError:
            return False
        return True

    def _leave(self, offer_id: str) -> None:
        self._unsaid.pop(offer_id, None)
        seat = self._seats.pop(offer_id, None)
        if seat is not None:
            task = asyncio.create_task(seat.leave(self._patience.leave_s))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    async def _leave_all(self) -> None:
        seats, self._seats = list(self._seats.values()), {}
        await asyncio.gather(*(seat.leave(0) for seat in seats), *self._leaving)


async def _next(
    call: Any, beating: "asyncio.Task[None] | None", silence_s: float
) -> pb.OffersResponse:
    """What the arena says next. Raises AioRpcError, _CallEndedError, and TimeoutError where it says
    nothing."""
    reading = asyncio.ensure_future(call.read())
    watched = {reading, beating} if beating else {reading}
    try:
        done, _ = await asyncio.wait(
            watched, timeout=silence_s, return_when=asyncio.FIRST_COMPLETED
        )
        if beating is not None and beating in done:
            beating.result()
        if reading not in done:
            raise TimeoutError
        if reading.result() is aio.EOF:
            raise _CallEndedError
        return reading.result()
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


def patience_of(environ: Mapping[str, str]) -> Patience:
    """The durations that KNOCKBOX_DIAL_LINK_S … KNOCKBOX_DIAL_LONGEST_S set.

    Raises ValueError that names the variable, what it is and what would be right.
    """
    changed: dict[str, float] = {}
    for field in Patience._fields:
        variable = f"KNOCKBOX_DIAL_{field.upper()}"
        if text := environ.get(variable):
            changed[field] = _seconds(text)
            if not 0 < changed[field] <= SECONDS_MOST:
                right = f"a number of seconds above 0, {SECONDS_MOST:,} at most"
                raise ValueError(f"{variable} is {text[:60]!r}: {right}")
    return Patience(**changed)


def _seconds(text: str) -> float:
    """A number; nan, which is no duration, where it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
