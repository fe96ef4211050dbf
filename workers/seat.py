"""One seat's program in one leg of an attempt: what becomes of it, and how it is ended."""

import asyncio
from collections.abc import Iterable

from knockbox.v1 import match_pb2
from referee.wire.replay import reason_word
from workers.attempt import SeatLog
from workers.sandbox.capture import Log
from workers.sandbox.launcher import Exited, Running


class Seat:
    """One program of one leg. `running` from when it was started, `exited` from its end; `settled`
    when it runs, or never will."""

    def __init__(self, leg: int, door: match_pb2.SeatDoor) -> None:
        self.leg = leg
        self.door = door
        self.seat = door.seat
        self.bot = door.bot
        self.variables = {"KNOCKBOX_REFEREE": door.address, "KNOCKBOX_TICKET": door.ticket}
        self.running: Running | None = None
        self.task: asyncio.Task[None] | None = None
        self.reason = ""
        self.report: match_pb2.SeatReport | None = None
        self.exited: Exited | None = None
        self.output = Log(b"", b"", 0)
        self.settled = asyncio.Event()

    async def end(self) -> None:
        """End its program; returns when nothing of it is left."""
        if self.running is not None:
            await self.running.stop()
        if self.task is None:
            return
        if self.running is None:
            self.task.cancel()  # it is still starting
        await asyncio.wait([self.task])
        if self.running is not None:
            await self.running.stop()  # it had started meanwhile

    def over(self, leg: match_pb2.LegOver) -> None:
        """Its leg has ended."""
        if self.seat < len(leg.reasons):
            self.reason = reason_word(leg.reasons[self.seat])
        if self.seat < len(leg.reports):
            self.report = leg.reports[self.seat]

    def told(self, event: Exited) -> match_pb2.SeatExited:
        """Its end, as the referee hears it."""
        return match_pb2.SeatExited(
            leg=self.leg,
            seat=self.seat,
            code=event.code,
            signal=event.signal,
            memory=event.memory,
            infra=event.infra,
        )


def logs(seats: Iterable[Seat]) -> tuple[SeatLog, ...]:
    """What the programs did."""
    return tuple(
        SeatLog(seat.leg, seat.bot, seat.reason, seat.exited, seat.output, seat.report)
        for seat in seats
    )
