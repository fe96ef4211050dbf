"""Connections to the result store: how one is made, and the commands the store uses.

Callers outside this package hold a client only to pass it to `Store`.
"""

# ruff: noqa: D102 - the methods of the protocol are the server's commands

from collections.abc import Set as AbstractSet
from typing import Any, Protocol, cast

import redis
from redis.backoff import ExponentialWithJitterBackoff, NoBackoff
from redis.retry import Retry

OLDEST = (6, 2)
"""The oldest server that can be used (Celery's transport needs ZRANGE … BYSCORE REV)."""


class Client(Protocol):
    """What the store asks of a redis-py client with text answers. Each call is one round trip."""

    def close(self) -> None: ...
    def info(self, section: str) -> dict[str, Any]: ...
    def config_get(self, pattern: str) -> dict[str, str]: ...
    def time(self) -> tuple[int, int]: ...
    def get(self, name: str) -> str | None: ...
    def set(self, name: str, value: str, nx: bool = False) -> bool | None: ...
    def incr(self, name: str) -> int: ...
    def hdel(self, name: str, *fields: str) -> int: ...
    def hget(self, name: str, field: str) -> str | None: ...
    def hset(self, name: str, key: str, value: str) -> int: ...
    def hsetnx(self, name: str, key: str, value: str) -> int: ...
    def hmget(self, name: str, fields: list[str]) -> list[str | None]: ...
    def hgetall(self, name: str) -> dict[str, str]: ...
    def llen(self, name: str) -> int: ...
    def lpush(self, name: str, *values: str) -> int: ...
    def ltrim(self, name: str, start: int, end: int) -> bool: ...
    def lrange(self, name: str, start: int, end: int) -> list[str]: ...
    def srem(self, name: str, *members: str) -> int: ...
    def smembers(self, name: str) -> AbstractSet[str]: ...
    def sadd(self, name: str, *members: str) -> int: ...
    def smismember(self, name: str, values: list[str]) -> list[int]: ...
    def zadd(self, name: str, mapping: dict[str, float], xx: bool = False) -> int: ...
    def zcard(self, name: str) -> int: ...
    def zcount(self, name: str, min: float | str, max: float | str) -> int: ...
    def zrange(self, name: str, start: int, end: int, desc: bool = False) -> list[str]: ...
    def zrangebyscore(
        self,
        name: str,
        min: float | str,
        max: float | str,
        start: int | None = None,
        num: int | None = None,
        withscores: bool = False,
    ) -> list[Any]: ...
    def xrange(
        self, name: str, min: str = "-", max: str = "+", count: int | None = None
    ) -> list[tuple[str, dict[str, str]]]: ...
    def xrevrange(
        self, name: str, max: str = "+", min: str = "-", count: int | None = None
    ) -> list[tuple[str, dict[str, str]]]: ...
    def register_script(self, script: str) -> Any: ...
    def pipeline(self, transaction: bool = True) -> Any: ...


def connect(url: str, patient: bool = True) -> Client:
    """A client for redis://, rediss:// or unix:///ABS/PATH?db=0. Nothing is sent yet.

    A patient one tries again for some seconds when the server does not answer; the other one
    fails at once, which is what a probe wants. Either is safe to share between threads.
    """
    retry = Retry(ExponentialWithJitterBackoff(cap=1.0, base=0.05), 8)
    client = redis.Redis.from_url(
        url,
        decode_responses=True,
        retry=retry if patient else Retry(NoBackoff(), 0),
        socket_connect_timeout=5.0,
        socket_timeout=10.0,
    )
    return cast("Client", client)


def server_of(client: Client) -> tuple[str, tuple[int, ...]]:
    """Name and version of the server: ("valkey", (9, 1, 2))."""
    info = client.info("server")
    name = str(info.get("server_name", "redis"))
    text = str(info.get(f"{name}_version") or info["redis_version"])
    return name, tuple(int(part) for part in text.split(".")[:3] if part.isdigit())


def worries_of(client: Client) -> list[str]:
    """Settings of the server that could lose results, each with what would be right."""
    found: list[str] = []
    if not client.info("persistence").get("aof_enabled"):
        found.append(
            "it keeps no append-only file, results end with it: set `appendonly yes` and "
            "`appendfsync always`"
        )
    elif (sync := _config(client, "appendfsync")) not in ("", "always"):
        found.append(f"`appendfsync {sync}` may lose the last results at a power cut: set `always`")
    policy = str(client.info("memory").get("maxmemory_policy", "noeviction"))
    if policy != "noeviction":
        found.append(f"`maxmemory-policy {policy}` may throw results away: set `noeviction`")
    return found


def _config(client: Client, name: str) -> str:
    """One setting; '' where the server does not tell (hosted ones do not)."""
    try:
        return client.config_get(name).get(name, "")
    except redis.ResponseError:
        return ""
