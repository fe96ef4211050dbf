"""The stream to the referee: a request goes out, a response comes in. The only user of gRPC.

It is the stream of an event loop, since gRPC's other one passes every message through two more
threads, which costs half as much again. The loop runs while a response is waited for and at no
other time: a bot is called outside of it, and may run a loop of its own.
"""

import asyncio

import grpc
from grpc import aio

from .stubs import play_pb2, play_pb2_grpc

_OPTIONS = (
    ("grpc.default_authority", "localhost"),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_http_proxy", 0),
)
_LOST = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.CANCELLED,
}


class Ended(Exception):  # noqa: N818 - it is what the stream is
    """The stream has ended with an error; `lost` says that a new one may go better."""

    def __init__(self, code: grpc.StatusCode, words: str | None) -> None:
        super().__init__(f"{code.name}: {words}")
        self.lost = code in _LOST


class Stream:
    """One stream to the referee at `address`, a context manager. All of it may raise Ended."""

    def __init__(self, address: str) -> None:
        self._address = address

    def __enter__(self) -> "Stream":
        self._loop = asyncio.new_event_loop()
        self._loop.run_until_complete(self._open())
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run_until_complete(self._close())
        self._loop.close()

    def exchange(self, request: play_pb2.PlayRequest | None) -> play_pb2.PlayResponse | None:
        """The response that follows a request; None half-closes, and is the end that follows."""
        try:
            return self._loop.run_until_complete(self._exchange(request))
        except aio.AioRpcError as error:
            raise Ended(error.code(), error.details()) from None

    async def _open(self) -> None:
        self._channel = aio.insecure_channel(self._address, options=_OPTIONS)
        self._call = play_pb2_grpc.PlayServiceStub(self._channel).Play()

    async def _close(self) -> None:
        self._call.cancel()
        await self._channel.close()
        # What gRPC still has to note would be complained of in the bot's log.
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _exchange(self, request: play_pb2.PlayRequest | None) -> play_pb2.PlayResponse | None:
        call = self._call
        if request is None:
            await call.done_writing()
        elif not call.done():
            try:
                await call.write(request)
            except aio.AioRpcError:
                # What the referee said is gone where an answer crosses the end (grpc issue 36066).
                words = "this connection is lost, it ended while an answer was sent"
                raise Ended(grpc.StatusCode.UNAVAILABLE, words) from None
        response = await call.read()
        return None if response is aio.EOF else response
