"""One attempt at one match: the referee says what it needs, the launcher's programs give it.

Drives MatchService.HostMatch from Open to Result: starts a fresh program for each seat of each leg,
never two legs at once, tells the referee when one starts and ends, and keeps the replay as it
comes. Whatever happens, cancellation included, no program outlives the call. Knows no store, no
Celery and no way to start a program of its own.
"""

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import grpc
import grpc.aio

from knockbox.v1 import match_pb2, match_pb2_grpc, replay_pb2
from referee.finishing import whole
from referee.wire import rules as wire_rules
from workers.attempt import Attempt, AttemptVoid, MatchOrder, SeatLog
from workers.hall import Absent, Hall
from workers.sandbox.launcher import (
    Exited,
    Launcher,
    Output,
    Running,
    Spec,
    Started,
    lacking,
)
from workers.sandbox.manifest import manifest_of
from workers.seat import Seat
from workers.seat import logs as seat_logs

EXIT_GRACE_S = 2.0

_CAUSES = {
    grpc.StatusCode.ABORTED: "evicted",
    grpc.StatusCode.FAILED_PRECONDITION: "evicted",
    grpc.StatusCode.INVALID_ARGUMENT: "refused",
}

Call = grpc.aio.StreamStreamCall[match_pb2.HostMatchRequest, match_pb2.HostMatchResponse]
OnNonces = Callable[[tuple[bytes, ...]], Awaitable[None]]
OnProgress = Callable[[match_pb2.Progress], Awaitable[None]]
OnLeg = Callable[[tuple[SeatLog, ...]], None]


async def host_match(
    channel: grpc.aio.Channel,
    launcher: Launcher,
    order: MatchOrder,
    on_nonces: OnNonces,
    on_progress: OnProgress,
    scratch: Path | None = None,
    exit_grace: float = EXIT_GRACE_S,
    on_leg: OnLeg | None = None,
    hall: Hall | None = None,
) -> Attempt:
    """Play the match once. `on_nonces` returns when the nonces are kept; `scratch` is the folder
    for the replay while it comes in (the system's for temporary files by default); `exit_grace` are
    the seconds that a leg's programs have to leave by themselves; `on_leg` hears at the end of each
    leg, of one that is broken off too, what its programs did; `hall` is where bots that dial in are
    waited for.

    Raises AttemptVoid where the attempt counts for nothing, with the referee's words as text, and
    whatever the two callbacks raise.
    """
    # Named so that whoever finds it knows whether somebody still writes it.
    prefix = f"{order.match_id}.{order.fence}.".replace(os.sep, "_")
    handle, name = tempfile.mkstemp(suffix=".kbr.part", prefix=prefix, dir=scratch)
    try:
        with os.fdopen(handle, "wb") as file:
            host = _Host(launcher, order, on_nonces, on_progress, exit_grace, on_leg, hall)
            result = await _drive(channel, host, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Attempt(Path(name), result, host.logs())


async def _drive(channel: grpc.aio.Channel, host: "_Host", file: BinaryIO) -> match_pb2.Result:
    call = match_pb2_grpc.MatchServiceStub(channel).HostMatch()
    try:
        await host.play(call, file)
    except grpc.aio.AioRpcError as error:
        host.fail(_CAUSES.get(error.code(), "referee"), f"{error.code().name}: {error.details()}")
    finally:
        call.cancel()
        await host.clear()
    if host.void is None and host.complete and host.result is not None:
        return host.result
    cause, detail = host.void or ("referee", "it ended the attempt without a result")
    raise AttemptVoid(cause, detail, host.logs(), host.lacking, host.absent)


def _pairing(order: MatchOrder) -> replay_pb2.Pairing.ValueType:
    """A bot that dials in may remember: then no leg has the cards of another."""
    afar = any(bot.dial_in for bot in order.bots)
    return replay_pb2.PAIRING_INDEPENDENT if afar else replay_pb2.PAIRING_UNITS


class _Host:
    """The state of one attempt."""

    def __init__(
        self,
        launcher: Launcher,
        order: MatchOrder,
        on_nonces: OnNonces,
        on_progress: OnProgress,
        exit_grace: float,
        on_leg: OnLeg | None,
        hall: Hall | None,
    ) -> None:
        self._launcher = launcher
        self._hall = hall
        self._order = order
        self._on_nonces = on_nonces
        self._on_progress = on_progress
        self._exit_grace = exit_grace
        self._on_leg = on_leg
        self._sending = asyncio.Lock()
        self._past: list[Seat] = []
        self._leg: list[Seat] = []
        self._whole_file = False
        self.result: match_pb2.Result | None = None
        self.void: tuple[str, str] | None = None
        self.lacking = ""
        self.absent = ""

    def fail(self, cause: str, detail: str, lacks: str = "") -> None:
        """Keep why the attempt is void; what was known first is nearest to the cause."""
        if self.void is None:
            self.void, self.lacking = (cause, detail), lacks

    @property
    def complete(self) -> bool:
        """The result and the last part of the replay have come."""
        return self.result is not None and self._whole_file

    def logs(self) -> tuple[SeatLog, ...]:
        """What the programs did, leg by leg."""
        return seat_logs(self._past)

    async def play(self, call: Call, replay: BinaryIO) -> None:
        """Answer the referee until it closes. Raises AioRpcError and what the callbacks raise."""
        await self._send(call, open=self._open())
        async for response in call:
            match response.WhichOneof("message"):
                case "leg_opened":
                    await self._begin(call, response.leg_opened)
                case "nonces":
                    await self._on_nonces(tuple(response.nonces.nonces))
                    await self._seated(call)
                case "progress":
                    await self._on_progress(response.progress)
                case "leg_over":
                    await self._end(response.leg_over)
                case "replay_chunk":
                    replay.write(response.replay_chunk.data)
                    self._whole_file = response.replay_chunk.last
                case "result":
                    self.result = response.result
                case _:
                    pass  # said by a newer referee

    def _open(self) -> match_pb2.Open:
        order = self._order
        return match_pb2.Open(
            match_id=order.match_id,
            fence=order.fence,
            tournament_id=order.tournament_id,
            rules=wire_rules.to_proto(order.rules),
            plan=replay_pb2.Plan(
                units=order.units,
                boards=order.boards,
                pairing=_pairing(order),
                clock=order.clock,
            ),
            bots=[
                replay_pb2.BotIdentity(name=bot.name, version=bot.version, dial_in=bot.dial_in)
                for bot in order.bots
            ],
            secret=order.secret,
            nonces=order.nonces,
            seeded=order.seeded,
            sandboxed=self._launcher.sandboxed,
            commitments=order.commitments,
            drill=order.drill,
        )

    async def _send(self, call: Call, **message: Any) -> None:
        async with self._sending:
            await call.write(match_pb2.HostMatchRequest(**message))

    async def _begin(self, call: Call, opened: match_pb2.LegOpened) -> None:
        await self.clear()  # never two legs at once, whatever the referee says
        self._leg = [Seat(opened.leg, door) for door in opened.doors]
        for seat in self._leg:
            seat.task = asyncio.create_task(self._run(call, seat))

    async def _seated(self, call: Call) -> None:
        """Let the referee deal when every bot that dials in has its seat, and not before: who may
        still decline to play has seen no card."""
        called = (seat for seat in self._leg if self._order.bots[seat.bot].dial_in)
        await asyncio.gather(*(seat.settled.wait() for seat in called))
        if self.void is None:
            await self._send(call, nonces_kept=match_pb2.NoncesKept())

    async def _run(self, call: Call, seat: Seat) -> None:
        """Start a seat's program and tell the referee what becomes of it."""
        leg, number = seat.leg, seat.seat
        try:
            seat.running = await self._start(seat)
            async for event in seat.running.events():
                match event:
                    case Started():
                        seat.settled.set()
                        started = match_pb2.SeatStarted(leg=leg, seat=number)
                        await self._send(call, seat_started=started)
                    case Output(log):
                        seat.output = log
                    case Exited():
                        seat.exited = event
                        if event.infra and not seat.reason:  # else its leg is over already
                            words = event.why or " ".join(seat.output.last_lines(3))
                            self.fail("launcher", words, event.lacking)
                        await self._send(call, seat_exited=seat.told(event))
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass  # the call has ended; who reads it hears why
        except Absent as error:
            if self.void is None:
                self.absent = error.bot
            self.fail("absent", str(error))
            await self._not_started(call, seat)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is not the bot's fault
            self.fail("launcher", f"{type(error).__name__}: {error}", lacking(error))
            await self._not_started(call, seat)
        finally:
            seat.settled.set()

    async def _not_started(self, call: Call, seat: Seat) -> None:
        """A seat stays empty through no fault of its bot's: the attempt is void."""
        seat.exited = Exited(0, infra=True)
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._send(call, seat_exited=seat.told(seat.exited))

    async def _start(self, seat: Seat) -> Running:
        """Start a seat's program, or call in the bot that is to take it."""
        bot = self._order.bots[seat.bot]
        if not bot.dial_in:
            return await self._launcher.start(self._spec(seat))
        if self._hall is None:
            raise LookupError("no bot that dials in is waited for here")
        return self._hall.call(self._order, bot.name, seat.leg, seat.door)

    def _spec(self, seat: Seat) -> Spec:
        order = self._order
        bot = order.bots[seat.bot]
        return Spec(
            bot.name,
            bot.folder,
            # An image says itself what runs.
            () if self._launcher.sandboxed else manifest_of(bot.folder).command,
            seat.variables,
            order.memory,
            bot.image,
            order.match_id,
            order.fence,
            len(order.bots),
            order.longest_s,
        )

    async def _end(self, over: match_pb2.LegOver) -> None:
        """The programs have a moment to leave by themselves; then they are ended."""
        for seat in self._leg:
            seat.over(over)
        tasks = [seat.task for seat in self._leg if seat.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=self._exit_grace)
        await self.clear()

    async def clear(self) -> None:
        """End every program of the leg; returns when nothing of them is left, not before, even
        where this is cancelled meanwhile."""
        await whole(self._clear())

    async def _clear(self) -> None:
        leg = self._leg
        await asyncio.gather(*(seat.end() for seat in leg))
        self._leg = []
        self._past += leg
        if leg and self._on_leg is not None:
            self._on_leg(seat_logs(leg))
