"""The door of a network address: no call without a living token, none beyond its role.

The machine's own socket has no such door: who may open it may do everything.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import grpc

from workers.store import DOWN
from workers.store.tokens import Token, Tokens

UNKNOWN = "no living token: ask the organiser for one, and set KNOCKBOX_TOKEN to its text"
"""The same for none, a wrong, an expired and a revoked one."""
NOT_ALLOWED = "a token of role author is for bots of one's own, and for reading"

READS = ("Get", "List", "Watch")
"""How the calls begin that change nothing."""
SECRET = ("ListTokens",)
"""Of those, the ones that are not for everybody."""

DIALS = ("AddDialBot", "Offers", "BeatDial", "AnswerOffer")
"""The calls of bots that dial in, which are their owners'."""
OWN = ("BeginUpload", "SendUpload", "CreateSubmission", "RetireBot", *DIALS)
"""The calls by which authors change what is theirs."""

Metadata = Sequence[tuple[str, str | bytes]]


class Caller(NamedTuple):
    """Who makes a call: the owner of the bots that come with it; whether others' are theirs too."""

    name: str
    everything: bool


def allowed(role: str, method: str) -> bool:
    """Whether a role may make a call: "/knockbox.v1.ArenaService/GetBot"."""
    if role == "organiser":
        return True
    name = method.rpartition("/")[2]
    return name in OWN or (name.startswith(READS) and name not in SECRET)


def token_of(tokens: Tokens, metadata: Metadata) -> Token | None:
    """The token of a call's metadata, `authorization: Bearer TEXT`; None where none lives."""
    for key, value in metadata:
        if key == "authorization" and isinstance(value, str):
            scheme, _, text = value.partition(" ")
            return tokens.of(text) if scheme.lower() == "bearer" else None
    return None


class Door(grpc.ServerInterceptor):
    """Lets calls in by their token, before any of their messages is read."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], "grpc.RpcMethodHandler[Any, Any] | None"],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        """The call's handler, or one that refuses it."""
        try:
            token = token_of(self._tokens, handler_call_details.invocation_metadata or ())
        except DOWN:
            return _refuses(grpc.StatusCode.UNAVAILABLE, "the store does not answer")
        if token is None:
            return _refuses(grpc.StatusCode.UNAUTHENTICATED, UNKNOWN)
        if not allowed(token.role, handler_call_details.method):
            return _refuses(grpc.StatusCode.PERMISSION_DENIED, NOT_ALLOWED)
        return continuation(handler_call_details)


def _refuses(code: grpc.StatusCode, message: str) -> "grpc.RpcMethodHandler[Any, Any]":
    """Refuses whatever call it is: streams both ways, so that no message is waited for."""

    def refuse(_: Any, context: grpc.ServicerContext) -> Any:
        context.abort(code, message)

    return grpc.stream_stream_rpc_method_handler(refuse)
