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

CODES = {
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
            said = error.details() or code.name.lower()
            if code is grpc.StatusCode.UNAVAILABLE:
                said = f"the arena does not answer ({said}): see `knockbox status`"
            raise CommandError(said, CODES.get(code, Exit.FAILURE)) from None
