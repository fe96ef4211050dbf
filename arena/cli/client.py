"""Speaks to a running arena, and turns its refusals into a command's errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc

from arena.cli import options
from arena.cli.errors import CommandError, Exit, unreachable
from arena.local import state
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub

MESSAGE_MOST = 20 << 20
"""Bytes in one message: a bot's folder of 16 MiB with its names."""

NOT_RUNNING = "no arena runs for {data}: run `knockbox up`"

NO_ANSWER = "the arena does not answer; `knockbox status` says why"
NO_STORE = "the store does not answer; `knockbox status` says why"

CODES = {
    grpc.StatusCode.CANCELLED: Exit.UNREACHABLE,
    grpc.StatusCode.UNAVAILABLE: Exit.UNREACHABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: Exit.UNREACHABLE,
    grpc.StatusCode.INVALID_ARGUMENT: Exit.USAGE,
}


@contextmanager
def arena(data: Path | None) -> Iterator[ArenaServiceStub]:
    """The arena of a data folder. Raises CommandError for whatever it answers but an answer."""
    settings = options.settings(data)
    found = state.read(settings.data)
    if found is None:
        raise unreachable(NOT_RUNNING.format(data=settings.data))
    with arena_at(found.api) as stub:
        yield stub


@contextmanager
def arena_at(address: str) -> Iterator[ArenaServiceStub]:
    """The arena that listens at `address`. Raises CommandError as `arena` does."""
    sizes = [
        ("grpc.max_send_message_length", MESSAGE_MOST),
        ("grpc.max_receive_message_length", MESSAGE_MOST),
    ]
    with grpc.insecure_channel(address, options=sizes) as channel:
        try:
            yield ArenaServiceStub(channel)
        except grpc.RpcError as error:
            assert isinstance(error, grpc.Call)
            code = error.code()
            raise CommandError(_said(error), CODES.get(code, Exit.FAILURE)) from None


def _said(error: grpc.Call) -> str:
    """What a refusal says to people. What gRPC itself says is for nobody."""
    code, details = error.code(), error.details() or ""
    if CODES.get(code) is Exit.UNREACHABLE:
        return NO_STORE if details.startswith("the store") else NO_ANSWER
    if code in (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL):
        return "the arena has failed at this; its log, logs/api.log in the data folder, says why"
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return f"that is more than {MESSAGE_MOST >> 20} MiB in one message"
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return "the arena is of an older version: `knockbox down`, then `knockbox up`"
    return details or code.name.lower().replace("_", " ")
