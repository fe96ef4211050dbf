"""The result store that REDIS_URL names: whether it answers, and what its settings could cost."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit, urlunsplit

from arena.local.valkey import ValkeyError

if TYPE_CHECKING:
    from workers.store import Store

Answer = TypeVar("Answer")


class UnreachableError(ValkeyError):
    """The store that was named does not answer."""


def reach(redis_url: str) -> str:
    """The server at REDIS_URL, in words. Raises UnreachableError or another ValkeyError."""
    return inspect(redis_url)[0]


def inspect(redis_url: str) -> tuple[str, list[str]]:
    """The server at REDIS_URL in words, and what its settings could cost. Raises as `reach`."""
    return _asked(
        redis_url, lambda store: (f"{store.server()} at {masked(redis_url)}", store.worries())
    )


def _asked(redis_url: str, question: "Callable[[Store], Answer]") -> Answer:
    from workers.store import DOWN, StoreError, open_store

    try:
        store = open_store(redis_url, patient=False)
    except DOWN as error:
        why = str(error).replace(redis_url, masked(redis_url))
        raise UnreachableError(f"REDIS_URL {masked(redis_url)} does not answer: {why}") from None
    except (StoreError, ValueError) as error:
        raise ValkeyError(f"REDIS_URL {masked(redis_url)}: {error}") from None
    try:
        return question(store)
    finally:
        store.close()


def clock_of(redis_url: str) -> float:
    """The clock of the server at REDIS_URL, Unix seconds. Raises as `reach`."""
    return _asked(redis_url, lambda store: store.now_ms() / 1000)


def masked(url: str) -> str:
    """A URL without its password."""
    parts = urlsplit(url)
    if parts.password is None:
        return url
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{parts.username or ''}:***@{host}"))
