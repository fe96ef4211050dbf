"""One seat's line to its bot during a leg: joining, reading, writing, losing the connection.

A message is read here and judged at the table (`referee.table`); neither rules nor clocks are
known here. Messages are raw bytes on purpose: what does not parse is refused inside the stream,
and no error text of ours reaches a bot.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import grpc
from google.protobuf.message import DecodeError
from grpc import aio

from knockbox.v1 import play_pb2
from referee.doors import Context, Door
from referee.protocol import PROTOCOL
from referee.settings import Settings

NOT_ADMITTED = "the first message is not a Join with a ticket for this seat"
WRONG_PROTOCOL = f"this referee speaks protocol {PROTOCOL}"
REPLACED = "a newer connection with the same ticket has taken this seat"
CUT = "this connection is lost on purpose, to see whether the bot joins again with the same ticket"
BROKEN = "the referee failed; this leg does not count"
_NONCE_BYTES = 32
_SDK_LETTERS = 64


class Seat(Protocol):
    """What a line tells the table about its seat."""

    def connected(self, seat: int) -> None:
        """The bot can be asked, and knows nothing."""
        ...

    def heard(self, seat: int, data: bytes) -> None:
        """A message after Ready."""
        ...

    def muddled(self, seat: int, data: bytes) -> bool:
        """Something else than Ready came where Ready was due; False: once too often."""
        ...

    def hung_up(self, seat: int) -> None:
        """The bot has closed its end in good order."""
        ...

    def broken(self, error: Exception) -> None:
        """The referee itself has failed."""
        ...

    def too_often(self, seat: int) -> None:
        """More connections than allowed."""
        ...


@dataclass(slots=True)
class Wishes:
    """What a bot has said in its Ready."""

    nonce: bytes = b""
    max_boards: int = 0
    want_deadwood: bool = False


class Line:
    """One seat's line: at most one connection at a time, the newest.

    `ready` says that the bot can be asked now, `met` that it could once; the connection is lost on
    purpose after `cut` messages of `send`, if that is not 0. `turned_away` counts connections that
    did not come in, `other_protocol` is what a bot spoke that nobody here understands.
    """

    def __init__(
        self,
        seat: int,
        door: Door,
        welcome: play_pb2.Welcome,
        table: Seat,
        settings: Settings,
        cut: int = 0,
    ) -> None:
        self.seat = seat
        self.door = door
        self.wishes = Wishes()
        self.sdk = ""
        self.connections = 0
        self.turned_away = 0
        self.other_protocol: int | None = None
        self.met = False
        self._welcome = play_pb2.PlayResponse(welcome=welcome).SerializeToString()
        self._table = table
        self._settings = settings
        self._connection: _Connection | None = None
        self._until_cut = cut
        self._farewell: bytes | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def ready(self) -> bool:
        """There is a connection, and its bot has said Ready."""
        return self._connection is not None and self._connection.ready

    def send(self, data: bytes) -> None:
        """Write a message to the bot; only while `ready`."""
        if self._connection is not None:
            self._connection.send(data)
            self._until_cut -= 1
            if not self._until_cut:
                self._connection.end(grpc.StatusCode.UNAVAILABLE, CUT)

    def part(self, farewell: play_pb2.MatchOver) -> None:
        """The leg is over: whoever is connected, or comes now, gets this as the last message."""
        self._farewell = play_pb2.PlayResponse(match_over=farewell).SerializeToString()
        if self._connection is not None:
            self._connection.send(self._farewell, last=True)

    async def quiet(self) -> None:
        """Wait until nobody is connected."""
        await self._idle.wait()

    async def play(self, _requests: object, context: Context) -> None:
        """PlayService.Play for one connection, from Join to its end."""
        await self._admit(context)
        connection = _Connection(context)
        former, self._connection = self._connection, connection
        self._idle.clear()
        if former is not None:
            former.end(grpc.StatusCode.ABORTED, REPLACED)
        self.connections += 1
        if self.connections > 1 + self._settings.reconnects:
            self._table.too_often(self.seat)
        try:
            await self._converse(connection)
        except asyncio.CancelledError:
            if connection.ended is not None:
                await context.abort(*connection.ended)
            raise
        except (aio.InternalError, aio.UsageError):
            pass  # the connection has broken
        except Exception as error:  # noqa: BLE001 - ours, whatever it is: the bot must not pay
            self._table.broken(error)
            await context.abort(grpc.StatusCode.INTERNAL, BROKEN)
        finally:
            connection.close()
            if self._connection is connection:
                self._connection = None
                self._idle.set()

    async def _admit(self, context: Context) -> None:
        try:
            async with asyncio.timeout(self._settings.handshake):
                data = await context.read()
        except TimeoutError:
            data = b""
        join = _join_of(data)
        if not self.door.admits(join.ticket):
            self.turned_away += 1
            await _refuse(context, grpc.StatusCode.UNAUTHENTICATED, NOT_ADMITTED)
        if join.protocol != PROTOCOL:
            self.other_protocol = join.protocol
            await _refuse(context, grpc.StatusCode.FAILED_PRECONDITION, WRONG_PROTOCOL)
        self.sdk = join.sdk[:_SDK_LETTERS]

    async def _converse(self, connection: _Connection) -> None:
        context = connection.context
        connection.send(self._welcome)
        if self._farewell is not None:
            connection.send(self._farewell, last=True)
        while True:
            data = await context.read()
            if data is aio.EOF or self._farewell is not None:
                break
            if connection.ready:
                self._table.heard(self.seat, data)
            elif not self._greet(connection, data):
                await connection.written()
                return
        if self._farewell is None:
            # A lost connection looks the same at first; it cancels this task a moment later.
            await asyncio.sleep(self._settings.half_close)
            self._table.hung_up(self.seat)
        await connection.written()

    def _greet(self, connection: _Connection, data: bytes) -> bool:
        """Take the bot's Ready; False when it is not worth listening any longer."""
        ready = _ready_of(data)
        if ready is None:
            refused = play_pb2.Refused(code=play_pb2.REFUSAL_CODE_MALFORMED)
            turns = play_pb2.Turns(refused=[refused])
            connection.send(play_pb2.PlayResponse(turns=turns).SerializeToString())
            return self._table.muddled(self.seat, data)
        nonce = self.wishes.nonce if self.met else ready.nonce
        boards = self.wishes.max_boards if self.met else ready.max_boards
        self.wishes = Wishes(nonce, boards, ready.want_deadwood)
        self.met = True
        connection.ready = True
        self._table.connected(self.seat)
        return True


class _Connection:
    """One connection and what is still to be written to it, so that a bot that reads nothing holds
    up nobody but itself.
    """

    __slots__ = ("_last", "_out", "_task", "_write", "_written", "context", "ended", "ready")

    def __init__(self, context: Context) -> None:
        self.context = context
        self.ready = False
        self.ended: tuple[grpc.StatusCode, str] | None = None
        self._last = False
        self._out: deque[bytes] = deque()
        self._task = asyncio.current_task()
        self._write: Coroutine[Any, None, None] | None = None
        self._written: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def send(self, data: bytes, *, last: bool = False) -> None:
        """Write a message after those before it; nothing follows the `last` one."""
        if self._last:
            return
        self._last = last
        self._out.append(data)
        if self._write is None:
            self._go_on()

    async def written(self) -> None:
        """Wait until the last message has been written."""
        await self._written

    def end(self, code: grpc.StatusCode, why: str) -> None:
        """End this connection with a status; another may take its place."""
        self.ended = code, why
        if self._task is not None:
            self._task.cancel()

    def close(self) -> None:
        """Write no more."""
        self._last = True
        self._out.clear()

    def _go_on(self, _: object = None) -> None:
        """Write until the transport makes it wait, and go on when it has done so.

        A task would do the same one turn of the event loop later: here the message is on its way
        to the bot while the next one is composed.
        """
        try:
            while self._write is not None or self._out:
                if self._write is None:
                    self._write = self.context.write(self._out.popleft())
                try:
                    self._write.send(None).add_done_callback(self._go_on)
                except StopIteration:
                    self._write = None
                else:
                    return
        except aio.BaseError:
            self.close()  # the connection broke; whoever reads hears it too
        if self._last and not self._written.done():
            self._written.set_result(None)


def _join_of(data: bytes) -> play_pb2.Join:
    try:
        return play_pb2.PlayRequest.FromString(data).join
    except (DecodeError, TypeError):
        return play_pb2.Join()


def _ready_of(data: bytes) -> play_pb2.Ready | None:
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return None
    if request.WhichOneof("message") != "ready" or len(request.ready.nonce) > _NONCE_BYTES:
        return None
    return request.ready


async def _refuse(context: Context, code: grpc.StatusCode, why: str) -> NoReturn:
    await context.abort(code, why)
    raise AssertionError("abort always raises")
