"""One attempt at one match: its legs in order, then the replay and the result.

Speaks to the worker through `send` and is spoken to by `told`; how bytes travel is
`referee.host`, how a leg is played `referee.table`. Whatever ends `run`, nothing of the attempt is
left: no socket, no task, no secret.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from time import time_ns
from typing import TYPE_CHECKING

from knockbox.v1 import match_pb2, play_pb2, replay_pb2
from referee.doors import close_doors, make_doors
from referee.network import NetworkDoor
from referee.replay import ReplayFile, ReplayWriter
from referee.report import reports
from referee.results import GameFact, game_fact, scores
from referee.table import Table, Time

if TYPE_CHECKING:
    from referee.opening import Order
    from referee.settings import Settings

CHUNK_BYTES = 1 << 18

Send = Callable[[match_pb2.HostMatchResponse], Awaitable[None]]


class VoidError(Exception):
    """The attempt counts for nothing, through nobody's fault among the bots; the text says why."""


class Match:
    """An attempt as its order says. `time` is the match's time, see `Table`."""

    def __init__(self, order: Order, settings: Settings, time: Time, send: Send) -> None:
        self._order = order
        self._settings = settings
        self._time = time
        self._send = send
        self._nonces = order.nonces
        self._kept = asyncio.Event()
        self._leg = -1
        self._table: Table | None = None
        self._facts: list[GameFact] = []
        self._writer = ReplayWriter(order.header())
        self._seal = replay_pb2.ReplaySeal(secret=order.opening.secret)
        self._side = replay_pb2.ReplaySide(
            fence=order.fence, referee=f"knockbox {version('knockbox')}", started_ms=_now_ms()
        )

    async def run(self) -> None:
        """Play all legs, hand over the replay, say the result."""
        for leg in range(self._order.seats):
            await self._play_leg(leg)
        replay = self._finish()
        chunks = list(replay.chunks(CHUNK_BYTES))
        for number, data in enumerate(chunks, 1):
            chunk = match_pb2.ReplayChunk(data=data, last=number == len(chunks))
            await self._send(match_pb2.HostMatchResponse(replay_chunk=chunk))
        await self._send(match_pb2.HostMatchResponse(result=self._result(replay.digest)))

    def told(self, request: match_pb2.HostMatchRequest) -> None:
        """Something the worker says. Raises VoidError for what ends the attempt."""
        match request.WhichOneof("message"):
            case "nonces_kept":
                self._kept.set()
            case "seat_started":
                table = self._table_of(request.seat_started)
                if table is not None:
                    table.started(request.seat_started.seat)
            case "seat_exited":
                self._exited(request.seat_exited)
            case "seat_throttled":
                throttled = request.seat_throttled
                table = self._table_of(throttled)
                if table is not None:
                    table.throttled(throttled.seat, throttled.total_ms / 1000)
            case "stop":
                raise VoidError(f"stopped: {request.stop.why}")
            case _:
                raise VoidError("the worker sent what is not due")

    async def _play_leg(self, leg: int) -> None:
        order = self._order
        dialled = [order.dials_in(seat, leg) for seat in range(order.seats)]
        if any(dialled) and not self._settings.dial_host:
            raise VoidError("this referee has no address for bots that dial in")
        doors = make_doors(
            self._settings.run_dir,
            [NetworkDoor(self._settings) if afar else None for afar in dialled],
        )
        table = Table(order, leg, doors, self._settings, self._time)
        self._leg, self._table = leg, table
        try:
            await self._open_leg(leg, table)
            await table.seated
            decks = order.decks(await self._agreed_nonces(table))
            table.deal(decks, order.boards)
            await self._watch(leg, table)
            await table.close()
        finally:
            self._table = None
            table.stop()
            await close_doors(doors)
        await self._close_leg(leg, table)

    async def _open_leg(self, leg: int, table: Table) -> None:
        try:
            await table.open(self._order.boards)
        except OSError as error:
            raise VoidError(f"a seat cannot be opened: {error}") from None
        doors = [
            match_pb2.SeatDoor(
                seat=line.seat,
                bot=self._order.bot_on(line.seat, leg),
                address=line.door.address,
                ticket=line.door.ticket,
                certificate=line.door.certificate,
            )
            for line in table.lines
        ]
        opened = match_pb2.LegOpened(leg=leg, doors=doors)
        await self._send(match_pb2.HostMatchResponse(leg_opened=opened))

    async def _agreed_nonces(self, table: Table) -> tuple[bytes, ...]:
        """The bots' nonces, in the order of the bots, kept by the worker before they are used.

        They are told, though they are of no use, where a bot dials in: the worker answers when that
        bot has taken its seat, and nothing is dealt before.
        """
        if self._nonces is None or (self._order.from_afar and not self._kept.is_set()):
            bots = [b""] * self._order.seats
            for line in table.lines:
                bots[self._order.bot_on(line.seat, self._leg)] = line.wishes.nonce
            await self._send(match_pb2.HostMatchResponse(nonces=match_pb2.Nonces(nonces=bots)))
            await self._kept.wait()
            if self._nonces is None:
                self._nonces = tuple(bots)
        return self._nonces

    async def _watch(self, leg: int, table: Table) -> None:
        """Report from time to time until the leg is over."""
        game = table.leg
        while not table.over.done():
            await asyncio.wait([table.over], timeout=self._settings.progress)
            progress = match_pb2.Progress(
                leg=leg,
                games_over=game.games_over,
                games=game.games,
                deals_over=game.deals_over,
                decisions=game.decisions,
                away=[line.seat for line in table.lines if line.met and not line.ready],
            )
            await self._send(match_pb2.HostMatchResponse(progress=progress))
        await table.over

    async def _close_leg(self, leg: int, table: Table) -> None:
        reasons = [account.reason for account in table.leg.accounts]
        seen = reports(leg, table)
        over = match_pb2.LegOver(leg=leg, reasons=reasons, reports=seen)
        await self._send(match_pb2.HostMatchResponse(leg_over=over))
        self._seal.legs.add(leg=leg, reasons=reasons)
        for report in seen:
            self._side.clocks.append(report.clock)
            self._side.slow.extend(report.slow)
        for record in table.leg.records():
            self._facts.append(game_fact(record))
            self._writer.add_game(record)
            # Other matches of this process go on in between.
            await asyncio.sleep(0)

    def _finish(self) -> ReplayFile:
        self._seal.nonces.extend(self._nonces or ())
        self._side.ended_ms = _now_ms()
        return self._writer.finish(self._seal, self._side)

    def _result(self, digest: bytes) -> match_pb2.Result:
        """The result; a match in which no unit counts is void."""
        bots = scores(self._facts, self._order.rules, self._order.opening.bots)
        counts = any(bot.units for bot in bots)
        result = match_pb2.Result(
            digest=digest,
            reason=play_pb2.REASON_PLAYED if counts else play_pb2.REASON_DOUBLE_FAULT,
        )
        for bot in bots:
            result.bots.add(
                score_millionths=bot.score_millionths,
                won=bot.won,
                lost=bot.lost,
                drawn=bot.drawn,
                forfeits=bot.forfeits,
            )
        return result

    def _table_of(self, about: _AboutSeat) -> Table | None:
        """The table of a leg's seat; None when that leg is over or not open yet."""
        if about.seat >= self._order.seats:
            raise VoidError(f"the worker speaks of seat {about.seat}")
        return self._table if about.leg == self._leg else None

    def _exited(self, exited: match_pb2.SeatExited) -> None:
        table = self._table_of(exited)
        if table is None or table.over.done():
            return
        if exited.infra:
            raise VoidError(f"seat {exited.seat} was not started, or was ended by the platform")
        memory = play_pb2.REASON_MEMORY if exited.memory else play_pb2.REASON_CRASH
        table.exited(exited.seat, memory)


def _now_ms() -> int:
    return time_ns() // 1_000_000


_AboutSeat = match_pb2.SeatStarted | match_pb2.SeatExited | match_pb2.SeatThrottled
