"""Speaks to a running arena, and turns its refusals into a command's errors."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

import grpc

from arena.cli import options
from arena.cli.errors import CommandError, Exit, unreachable
from arena.local import state
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub

MESSAGE_MOST = 20 << 20
"""Bytes in one message: a bot's folder of 16 MiB with its names."""

SIZES = [
    ("grpc.max_send_message_length", MESSAGE_MOST),
    ("grpc.max_receive_message_length", MESSAGE_MOST),
]

UNKNOWN = re.compile(r"no (?P<kind>bot|tournament) '(?P<name>[^']*)'(;|$)")
TOO_LARGE = re.compile(r"message larger than max \(\d+ vs\. (?P<most>\d+)\)")
FULL = "Concurrent RPC limit exceeded!"
"""These two are gRPC's own words."""

ASIDE_S = 2.0
"""Seconds for what would only be nice to say."""

NOT_RUNNING = "no arena runs for {data}: run `knockbox up`"

NO_ANSWER = "the arena does not answer; `knockbox status` says why"
NO_STORE = "the store does not answer; `knockbox status` says why"

CODES = {
    grpc.StatusCode.CANCELLED: Exit.UNREACHABLE,
    grpc.StatusCode.UNAVAILABLE: Exit.UNREACHABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: Exit.UNREACHABLE,
    grpc.StatusCode.INVALID_ARGUMENT: Exit.USAGE,
}


class NotAllowedError(CommandError):
    """The token's role does not reach so far."""


class NotThereError(CommandError):
    """The arena knows no such thing."""


@contextmanager
def arena(data: Path | None) -> Iterator[ArenaServiceStub]:
    """The arena that is named, else that of a data folder.

    Raises CommandError for whatever it answers but an answer.
    """
    with channel_to(data) as channel:
        yield ArenaServiceStub(channel)


@contextmanager
def channel_to(data: Path | None) -> Iterator[grpc.Channel]:
    """The way to the same one, for any of its services. Raises CommandError likewise."""
    if remote := options.remote():
        from arena.cli.remote import channel

        with channel(remote, SIZES) as opened, _asked(opened):
            yield opened
        return
    settings = options.settings(data)
    found = state.read(settings.data)
    if found is None:
        raise unreachable(NOT_RUNNING.format(data=settings.data))
    with grpc.insecure_channel(found.api, options=SIZES) as opened, _asked(opened):
        yield opened


@contextmanager
def arena_at(address: str) -> Iterator[ArenaServiceStub]:
    """The arena that listens at `address`. Raises CommandError as `arena` does."""
    with grpc.insecure_channel(address, options=SIZES) as channel, _asked(channel) as stub:
        yield stub


@contextmanager
def _asked(channel: grpc.Channel) -> Iterator[ArenaServiceStub]:
    """A channel's stub, its refusals put into words."""
    stub = ArenaServiceStub(channel)
    try:
        yield stub
    except grpc.RpcError as error:
        assert isinstance(error, grpc.Call)
        said, code = _said(error), error.code()
        if code is grpc.StatusCode.PERMISSION_DENIED:
            raise NotAllowedError(said) from None
        if code is grpc.StatusCode.NOT_FOUND:
            raise NotThereError(f"{said}{_meant(stub, said)}") from None
        raise CommandError(f"{said}{_meant(stub, said)}", CODES.get(code, Exit.FAILURE)) from None


def _meant(stub: ArenaServiceStub, said: str) -> str:
    """What somebody may have meant who named a bot or a tournament that is not there."""
    found = UNKNOWN.search(said)
    if not found:
        return ""
    try:
        if found["kind"] == "bot":
            bots = stub.ListBots(pb.ListBotsRequest(), timeout=ASIDE_S).bots
            known = [bot.name for bot in bots]
        else:
            request = pb.ListTournamentsRequest()
            known = [
                one.tournament_id
                for one in stub.ListTournaments(request, timeout=ASIDE_S).tournaments
            ]
    except grpc.RpcError:
        return ""
    close = get_close_matches(found["name"], known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _said(error: grpc.Call) -> str:
    """What a refusal says to people. What gRPC itself says is for nobody."""
    code, details = error.code(), error.details() or ""
    if CODES.get(code) is Exit.UNREACHABLE:
        return NO_STORE if details.startswith("the store") else NO_ANSWER
    if details.startswith("the arena"):  # the API's own words
        return details
    if code in (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL):
        return "the arena has failed at this; its log, logs/api.log in the data folder, says why"
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return _of_room(details)
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return "the arena is of an older version: `knockbox down`, then `knockbox up`"
    return details or code.name.lower().replace("_", " ")


def _of_room(details: str) -> str:
    """What there was not enough room for: in gRPC's case a message or a call, else as it says."""
    if found := TOO_LARGE.search(details):
        return f"that is more than {int(found['most']) / (1 << 20):.3g} MiB in one message"
    if details == FULL:
        return "so many calls are open at the arena already; try again later"
    return details or "the arena has no room for this"
