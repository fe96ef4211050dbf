"""A referee that plays a session to one bot, word for word, and judges what it hears."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc

from knockbox.v1 import play_pb2
from tests.sdk.sessions import ABORTED, STOPPED, Session

TICKET = "conformance-ticket-0123456789"
NOBODYS = "this ticket is nobody's"

Play = Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]]


def serve(socket: Path, play: Play) -> grpc.Server:
    """A server of raw messages that any user of this machine may call."""
    server = grpc.server(ThreadPoolExecutor(2))
    handler: Any = grpc.stream_stream_rpc_method_handler(play)
    methods = grpc.method_handlers_generic_handler("knockbox.v1.PlayService", {"Play": handler})
    server.add_generic_rpc_handlers((methods,))
    server.add_insecure_port(f"unix://{socket}")
    server.start()
    socket.chmod(0o666)
    return server


class Deviation(Exception):  # noqa: N818 - what was heard, not an error of ours
    """The bot said what it should not; the text says what was due."""


class Referee:
    """Plays one session on a socket, over as many connections as there are in it.

    `deviations` is empty where all that was heard was right; `closed_well` tells whether the bot
    closed its end after the last message.
    """

    def __init__(self, session: Session, socket: Path) -> None:
        self.deviations: list[str] = []
        self.closed_well = False
        self._session = session
        self._socket = socket
        self._at = 0
        self._gone = threading.Event()
        self._server = serve(socket, self._play)

    def stop(self) -> None:
        """Be gone."""
        self._server.stop(None).wait()

    def _play(self, heard: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        try:
            _greeted(_next(heard, "Join"))
            yield self._session.welcome
            _ready(_next(heard, "Ready"))
            for step in self._session.steps[self._at :]:
                yield step.message
                _same(_next(heard, "Actions"), step.answer)
                self._at += 1
                if step.then == ABORTED:
                    context.abort(grpc.StatusCode.UNAVAILABLE, "the connection is lost")
                if step.then == STOPPED:
                    threading.Thread(target=self._lose).start()
                    self._gone.wait()
                    return
            yield self._session.over.message
            if (more := next(heard, None)) is not None:
                raise Deviation(f"after MatchOver it said {_parsed(more)}")
            self.closed_well = True
        except Deviation as deviation:
            self.deviations.append(f"after {self._at} answers: {deviation}")
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "not what was due")

    def _lose(self) -> None:
        """The whole server goes, with its socket, and another one comes."""
        stopped = self._server.stop(None)
        self._gone.set()
        stopped.wait()
        self._socket.unlink(missing_ok=True)
        self._server = serve(self._socket, self._play)


def _next(heard: Iterator[bytes], due: str) -> bytes:
    try:
        return next(heard)
    except StopIteration:
        raise Deviation(f"it closed its end where {due} was due") from None


def _greeted(message: bytes) -> None:
    join = _parsed(message).join
    if (join.ticket, join.protocol) != (TICKET, 1) or not 0 < len(join.sdk) <= 64:
        raise Deviation(f"Join was due, with ticket, sdk and protocol 1: {_parsed(message)}")


def _ready(message: bytes) -> None:
    request = _parsed(message)
    ready = request.ready
    if not request.HasField("ready") or ready.max_boards or not ready.want_deadwood:
        raise Deviation(f"Ready was due, with want_deadwood and without max_boards: {request}")
    if not 8 <= len(ready.nonce) <= 32:
        raise Deviation(f"the nonce has {len(ready.nonce)} bytes; 8 to 32 were due")


def _same(message: bytes, due: bytes) -> None:
    """The very bytes; or the same out of a library that writes fields in another order."""
    if message != due and _parsed(message) != _parsed(due):
        raise Deviation(f"it said\n{_parsed(message)}\nwhere was due\n{_parsed(due)}")


def _parsed(message: bytes) -> play_pb2.PlayRequest:
    return play_pb2.PlayRequest.FromString(message)


def refuse(heard: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
    """Know no ticket."""
    next(heard)
    context.abort(grpc.StatusCode.UNAUTHENTICATED, NOBODYS)
    yield b""


def break_off(session: Session) -> Play:
    """What ends the call in good order after the first answer, without a result."""

    def play(heard: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        next(heard)
        yield session.welcome
        next(heard)
        yield session.steps[0].message
        next(heard)

    return play
