"""The shapes of calls: bytes in and out, who asks, and errors as statuses. Knows no desk.

Every call of one caller counts while it lasts, whatever it is, so that nobody takes all of a
server's room; the calls that stay open by their nature (`stays`) count for themselves. Who makes a
call is asked again with all that it brings and before all that it is told: a token that is revoked
ends it. To gRPC all calls take streams of bytes: one with a single request would hold a thread
until that comes, before it could be counted, and of what does not parse it would fill the log.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from arena.api.door import Caller
from arena.api.refusals import RefusalError, answered

Request = TypeVar("Request", bound=Message)
Who = Callable[[grpc.ServicerContext], Caller]
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class Room:
    """So many at once for each name."""

    def __init__(self, most: int, full: str) -> None:
        self._most = most
        self._full = full
        self._lock = threading.Lock()
        self._inside = Counter[str]()

    def enter(self, name: str) -> None:
        """One more. Raises RefusalError with `full` where there are enough."""
        with self._lock:
            if self._inside[name] >= self._most:
                raise RefusalError(grpc.StatusCode.RESOURCE_EXHAUSTED, self._full)
            self._inside[name] += 1

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        """One more for the block's time. Raises RefusalError as `enter` does."""
        self.enter(name)
        try:
            yield
        finally:
            self.leave(name)

    def leave(self, name: str) -> None:
        """One less."""
        with self._lock:
            self._inside[name] -= 1
            if not self._inside[name]:
                del self._inside[name]


class Calls:
    """Makes the handlers of one server. `who` says who makes a call, or raises RefusalError; `room`
    holds so many calls of one caller at once, `staying` so many of those that stay open, None: any
    number."""

    def __init__(self, who: Who, room: Room | None = None, staying: Room | None = None) -> None:
        self._who = who
        self._room = room
        self._staying = staying

    def one(self, request: type[Request], answer: Callable[[Request], Message]) -> Handler:
        """A call with one answer, the same for everybody."""
        return self.owned(request, lambda message, _: answer(message))

    def owned(
        self, request: type[Request], answer: Callable[[Request, Caller], Message]
    ) -> Handler:
        """A call with one answer, which depends on who asks."""

        def whole(messages: Iterator[Request], caller: Caller) -> Message:
            return answer(_only(messages), caller)

        return self.parts(request, whole)

    def parts(
        self, request: type[Request], answer: Callable[[Iterator[Request], Caller], Message]
    ) -> Handler:
        """A call with a stream of requests and one answer, which depends on who asks."""

        def call(parts: Iterator[bytes], context: grpc.ServicerContext) -> Message:
            with answered(context):
                caller = self._enter(context, self._room)
                return answer(self._messages(request, parts, context), caller)
            raise AssertionError  # answered has raised

        return grpc.stream_unary_rpc_method_handler(call, None, _bytes)

    def many(
        self,
        request: type[Request],
        answers: Callable[[Request, Callable[[], bool]], Iterator[Message]],
    ) -> Handler:
        """A call with a stream of answers, the same for everybody; they are asked whether anybody
        still listens."""
        return self.followed(request, lambda message, _, listened: answers(message, listened))

    def followed(
        self,
        request: type[Request],
        answers: Callable[[Request, Caller, Callable[[], bool]], Iterator[Message]],
    ) -> Handler:
        """The same, where they depend on who asks."""
        return self._stream(request, answers, self._room)

    def stays(
        self,
        request: type[Request],
        answers: Callable[[Request, Caller, Callable[[], bool]], Iterator[Message]],
    ) -> Handler:
        """The same for a call that stays open."""
        return self._stream(request, answers, self._staying)

    def both(
        self,
        request: type[Request],
        answers: Callable[[Iterator[Request], Caller], Iterator[Message]],
    ) -> Handler:
        """A call with a stream of requests and one of answers, which depend on who asks."""

        def call(parts: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[Message]:
            with answered(context):
                caller = self._enter(context, self._room)
                yield from answers(self._messages(request, parts, context), caller)

        return grpc.stream_stream_rpc_method_handler(call, None, _bytes)

    def _stream(
        self,
        request: type[Request],
        answers: Callable[[Request, Caller, Callable[[], bool]], Iterator[Message]],
        room: Room | None,
    ) -> Handler:
        def call(parts: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[Message]:
            def listened() -> bool:
                self._who(context)
                return context.is_active()

            with answered(context):
                caller = self._enter(context, room)
                message = _only(self._messages(request, parts, context))
                yield from answers(message, caller, listened)

        return grpc.stream_stream_rpc_method_handler(call, None, _bytes)

    def _messages(
        self, request: type[Request], parts: Iterator[bytes], context: grpc.ServicerContext
    ) -> Iterator[Request]:
        """What a call brings. Raises RefusalError."""
        for data in parts:
            self._who(context)
            yield _parsed(request, data)

    def _enter(self, context: grpc.ServicerContext, room: Room | None) -> Caller:
        """Who makes the call, which counts from now until it has ended. Raises RefusalError."""
        caller = self._who(context)
        if room is not None:
            room.enter(caller.name)
            if not context.add_callback(lambda: room.leave(caller.name)):
                room.leave(caller.name)  # it has ended by now
        return caller


def _parsed(request: type[Request], data: bytes) -> Request:
    """A message of this kind. Raises RefusalError."""
    try:
        return request.FromString(data)
    except DecodeError:
        message = f"the message is no {request.DESCRIPTOR.full_name}"
        raise RefusalError(grpc.StatusCode.INVALID_ARGUMENT, message) from None


def _only(messages: Iterator[Request]) -> Request:
    """The request of a call that has one. Raises RefusalError."""
    for message in messages:
        return message
    raise RefusalError(grpc.StatusCode.INVALID_ARGUMENT, "the call has brought no message")


def _bytes(message: Message) -> bytes:
    return message.SerializeToString()
