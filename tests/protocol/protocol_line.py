"""A bot's connection in the hands of a script: what it says and hears, message by message."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
import plain_client
from protocol_session import BOT, CLOSED, LOST, REFEREE, TICKET, Entry, plain

from knockbox.v1 import play_pb2, play_pb2_grpc


class Line:
    """One bot in one leg, over as many connections as it likes; keeps all that is said."""

    def __init__(self, channel: grpc.aio.Channel, ticket: str) -> None:
        self._stub = play_pb2_grpc.PlayServiceStub(channel)
        self._ticket = ticket
        self._call: Any = self._stub.Play()
        self.said: list[Entry] = []

    async def say(self, request: play_pb2.PlayRequest) -> None:
        self.said.append(Entry(BOT, plain(request)))
        if request.join.ticket == TICKET:
            request = play_pb2.PlayRequest(join=request.join)
            request.join.ticket = self._ticket
        await self._call.write(request)

    async def hear(self) -> play_pb2.PlayResponse:
        response = await self._call.read()
        assert response is not grpc.aio.EOF, "the referee has closed"
        self.said.append(Entry(REFEREE, plain(response)))
        return response

    def lose(self) -> None:
        """Lose the connection, and call again."""
        self.said.append(Entry(LOST))
        self._call.cancel()
        self._call = self._stub.Play()

    async def close(self) -> None:
        """Close this end; the referee closes the other in good order."""
        self.said.append(Entry(CLOSED))
        await self._call.done_writing()
        assert await self._call.read() is grpc.aio.EOF
        assert await self._call.code() == grpc.StatusCode.OK

    async def greet(self, nonce: bytes) -> play_pb2.Welcome:
        """As far as Ready."""
        join = play_pb2.Join(ticket=TICKET, sdk="example/1", protocol=1)
        await self.say(play_pb2.PlayRequest(join=join))
        welcome = (await self.hear()).welcome
        await self.say(play_pb2.PlayRequest(ready=play_pb2.Ready(nonce=nonce, want_deadwood=True)))
        return welcome


@asynccontextmanager
async def line(address: str, ticket: str) -> AsyncIterator[Line]:
    """A bot's line for one leg."""
    options = (("grpc.default_authority", "localhost"),)
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        yield Line(channel, ticket)


async def opponent(address: str, ticket: str) -> None:
    """The other side of the recorded match."""
    async with line(address, ticket) as one:
        await one.greet(b"")
        while (request := plain_client.answer(await one.hear())) is not None:
            await one.say(request)
        await one.close()
