"""Tokens: who may come in over a network address, and as what. Only hashes are kept.

A token's text is `kb1.<name>.<256 random bits>`. It is as good as its randomness, so one SHA-256 is
enough to keep; a slow hash is for what people make up.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from typing import Any, NamedTuple

from workers.names import complaint, fold
from workers.store import keys
from workers.store.client import Client
from workers.store.errors import BadName, NameTaken, NotFound

ROLES = ("author", "organiser")
"""What the holder of a token may do: bring own bots and read, or everything."""

_SHOWN = 4
"""Characters of the secret part that a list of tokens shows."""

_NOBODY = "0" * 64


class Token(NamedTuple):
    """A token as it is kept. Times are Unix milliseconds, `expires_ms` 0 for never."""

    name: str
    role: str
    prefix: str
    created_ms: int
    expires_ms: int


class Tokens:
    """The tokens of one store; `now_ms` is its clock."""

    def __init__(self, client: Client, now_ms: Callable[[], int]) -> None:
        self._client = client
        self._now_ms = now_ms

    def create(self, name: str, role: str, lifetime_s: int = 0) -> tuple[Token, str]:
        """A new token and its text. `lifetime_s` 0: until it is revoked.

        Raises BadName, NameTaken (also for a look-alike), ValueError for a role there is not.
        """
        if wrong := complaint(name):
            raise BadName(str(name), wrong)
        if role not in ROLES:
            raise ValueError(f"a role is one of {', '.join(ROLES)}")
        text = f"kb1.{name}.{secrets.token_urlsafe(32)}"
        now = self._now_ms()
        expires = now + lifetime_s * 1000 if lifetime_s else 0
        token = Token(name, role, text[: len(name) + 5 + _SHOWN], now, expires)
        kept = json.dumps({**token._asdict(), "sha256": _hash(text)})
        if not self._client.hsetnx(keys.TOKENS, fold(name), kept):
            held = self._get(name)
            raise NameTaken(name, by=held["name"] if held else name)
        return token, text

    def of(self, text: str) -> Token | None:
        """Whose text this is; None where it is wrong, has expired or was revoked."""
        parts = text.split(".")
        name = parts[1] if len(parts) == 3 else ""
        held = None if complaint(name) else self._get(name)
        right = hmac.compare_digest(held["sha256"] if held else _NOBODY, _hash(text))
        if not held or not right:
            return None
        token = _token(held)
        expired = token.expires_ms and token.expires_ms <= self._now_ms()
        return None if expired else token

    def all(self) -> list[Token]:
        """Every token that was not revoked, by name; expired ones too."""
        return sorted(_token(json.loads(one)) for one in self._client.hgetall(keys.TOKENS).values())

    def revoke(self, name: str) -> None:
        """End a token. Raises NotFound."""
        held = None if complaint(name) else self._get(name)
        if not held or held["name"] != name or not self._client.hdel(keys.TOKENS, fold(name)):
            raise NotFound("token", str(name))

    def _get(self, name: str) -> dict[str, Any] | None:
        kept = self._client.hget(keys.TOKENS, fold(name))
        return json.loads(kept) if kept else None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _token(held: dict[str, Any]) -> Token:
    return Token(*(held[field] for field in Token._fields))
