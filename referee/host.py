"""MatchService: the worker's call becomes an attempt, and the attempt's end a status.

One attempt at a match at a time, the one with the highest fence. What is played is `referee.match`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
from grpc import aio
from structlog.typing import FilteringBoundLogger

from knockbox.v1 import match_pb2, match_pb2_grpc
from referee.finishing import whole
from referee.match import Match, VoidError
from referee.opening import OpenError, Order, check
from referee.settings import Settings
from referee.table import Time

Context = aio.ServicerContext[match_pb2.HostMatchRequest, match_pb2.HostMatchResponse]

NO_OPEN = "the first message is not Open"
STOPPING = "the referee is stopping"
EVICTED = "a later attempt at this match has begun"


class Host(match_pb2_grpc.MatchServiceServicer):
    """Serves HostMatch for any number of matches at once."""

    def __init__(self, settings: Settings, time: Time, log: FilteringBoundLogger) -> None:
        self._settings = settings
        self._time = time
        self._log = log
        self._attempts: dict[str, _Attempt] = {}
        self._stopping = False

    @property
    def matches(self) -> int:
        """Attempts that are running."""
        return len(self._attempts)

    def stop(self) -> None:
        """Take no new attempts."""
        self._stopping = True

    def end(self) -> None:
        """End all attempts; they are void."""
        for attempt in self._attempts.values():
            attempt.end(grpc.StatusCode.UNAVAILABLE, STOPPING)

    # The generated base class knows generators only; grpc.aio takes a coroutine as well.
    async def HostMatch(  # pyright: ignore[reportIncompatibleMethodOverride]  # noqa: N802
        self, _requests: AsyncIterator[match_pb2.HostMatchRequest], context: Context
    ) -> None:
        """One attempt, see match.proto."""
        order = await self._order(context)
        attempt = _Attempt(order.fence)
        former = self._attempts.get(order.match_id)
        if former is not None and former.fence >= order.fence:
            why = f"attempt {former.fence} at {order.match_id} is running"
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, why)
        self._attempts[order.match_id] = attempt
        if former is not None:
            former.end(grpc.StatusCode.ABORTED, EVICTED)
        log = self._log.bind(match=order.match_id, fence=order.fence)
        log.info("attempt begins", units=order.units, boards=order.boards)
        try:
            await self._play(order, context)
        except asyncio.CancelledError:
            log.info("attempt is void", why=attempt.why or "the worker has gone")
            if attempt.code is None:
                raise
            await context.abort(attempt.code, attempt.why)
        except VoidError as void:
            log.info("attempt is void", why=str(void))
            await context.abort(grpc.StatusCode.CANCELLED, str(void))
        except (aio.InternalError, aio.UsageError):
            log.info("attempt is void", why="the worker's connection broke")
        except Exception:
            log.exception("attempt failed")
            await context.abort(grpc.StatusCode.INTERNAL, "the referee failed; see its log")
        else:
            log.info("attempt ends")
        finally:
            if self._attempts.get(order.match_id) is attempt:
                del self._attempts[order.match_id]

    async def _order(self, context: Context) -> Order:
        if self._stopping:
            await context.abort(grpc.StatusCode.UNAVAILABLE, STOPPING)
        first: Any = await context.read()
        if first is aio.EOF or first.WhichOneof("message") != "open":
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, NO_OPEN)
        try:
            return check(first.open)
        except OpenError as refused:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(refused))

    async def _play(self, order: Order, context: Context) -> None:
        """Play while listening to the worker; whichever fails first ends the other."""
        match = Match(order, self._settings, self._time, context.write)
        playing = asyncio.create_task(match.run())
        listening = asyncio.create_task(_listen(match, context))
        try:
            await asyncio.wait([playing, listening], return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                await listening
            await playing
        finally:
            for task in (playing, listening):
                task.cancel()
            await whole(asyncio.gather(playing, listening, return_exceptions=True))


class _Attempt:
    """A running attempt and how to end it from outside."""

    def __init__(self, fence: int) -> None:
        self.fence = fence
        self.code: grpc.StatusCode | None = None
        self.why = ""
        self._task = asyncio.current_task()

    def end(self, code: grpc.StatusCode, why: str) -> None:
        """End it with this status."""
        if self.code is None and self._task is not None:
            self.code, self.why = code, why
            self._task.cancel()


async def _listen(match: Match, context: Context) -> None:
    while True:
        request: Any = await context.read()
        if request is aio.EOF:
            raise VoidError("the worker has ended its stream")
        match.told(request)
