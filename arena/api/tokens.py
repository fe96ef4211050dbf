"""Tokens for who comes over a network address: made, listed, revoked."""

from arena.api.refusals import invalid
from knockbox.v1 import arena_pb2 as pb
from workers.store import Store
from workers.store.tokens import Token

ROLES = {pb.ROLE_AUTHOR: "author", pb.ROLE_ORGANISER: "organiser"}
NUMBERS = {word: number for number, word in ROLES.items()}


class TokenDesk:
    """The tokens of one store."""

    def __init__(self, store: Store) -> None:
        self._tokens = store.tokens

    def create(self, request: pb.CreateTokenRequest) -> pb.CreateTokenResponse:
        """A new one, with its text. Raises RefusalError, StoreError."""
        if request.role not in ROLES:
            raise invalid("role", "author or organiser")
        token, text = self._tokens.create(request.name, ROLES[request.role], request.lifetime_s)
        return pb.CreateTokenResponse(token=_message(token), secret=text)

    def all(self, _: pb.ListTokensRequest) -> pb.ListTokensResponse:
        """All, by name."""
        return pb.ListTokensResponse(tokens=map(_message, self._tokens.all()))

    def revoke(self, request: pb.RevokeTokenRequest) -> pb.RevokeTokenResponse:
        """End one. Raises NotFound."""
        self._tokens.revoke(request.name)
        return pb.RevokeTokenResponse()


def _message(token: Token) -> pb.Token:
    return pb.Token(
        name=token.name,
        role=NUMBERS[token.role],
        prefix=token.prefix,
        created_ms=token.created_ms,
        expires_ms=token.expires_ms,
    )
