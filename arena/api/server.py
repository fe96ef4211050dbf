"""The API's server: the machine's own socket, with health, and where wanted a network address."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from arena.api.calls import Calls, Room
from arena.api.dialin import ENOUGH, DialDesk
from arena.api.dialin import USUAL as DIAL
from arena.api.dialin import Terms as DialTerms
from arena.api.door import UNKNOWN, Caller, Door, token_of
from arena.api.refusals import RefusalError
from arena.api.service import Arena
from arena.api.submissions import USUAL, Terms
from workers.folders import Folders
from workers.store import Store
from workers.store.tokens import Tokens

MESSAGE_MOST = 20 << 20
"""Bytes in one message: a bot's folder of 16 MiB with its names."""
RECEIVED_MOST = 2 << 20
"""The same of one that comes over a network, where files come in parts."""

LOCAL = [
    ("grpc.max_receive_message_length", MESSAGE_MOST),
    ("grpc.max_send_message_length", MESSAGE_MOST),
]
REMOTE = [
    ("grpc.max_receive_message_length", RECEIVED_MOST),
    ("grpc.max_send_message_length", MESSAGE_MOST),
    ("grpc.max_connection_idle_ms", 60_000),
    ("grpc.so_reuseport", 0),  # else two arenas would share a port
]

_TURNED_AWAY = 16
MANY = "so many calls of yours are open already; wait for one of them to end"


class Network(NamedTuple):
    """An address of a network, HOST:PORT, with certificate and key (PEM)."""

    address: str
    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """What the API needs to know. Durations are seconds.

    `store` names the result store for people; `owner` is whose the bots are that are added through
    the machine's own socket. `watch_every` is the time between two looks at a tournament that
    somebody watches; `slots` are matches played at once, for estimates; `launcher` is where images
    are made, unix:///ABS/PATH, '' where there is none; `sandbox` says how bots play: auto,
    container or process. `network` is where people of other machines come in, by their tokens;
    `terms` are those on which authors submit; `calls_each` calls of one caller are open at
    once; who connects and has not begun to speak TLS after `handshake_s` is hung up on.
    """

    listen: str
    data: Path
    store: str
    owner: str
    watch_every: float = 0.25
    ladder_day_s: float = 86400.0
    threads: int = 64
    calls_each: int = 16
    handshake_s: float = 5.0
    slots: int = 1
    launcher: str = ""
    sandbox: str = "auto"
    grace: float = 1.0
    network: Network | None = None
    terms: Terms = USUAL
    dial: DialTerms = DIAL


def serve(
    settings: ApiSettings,
    store: Store,
    began: Callable[[str], None],
    stop: threading.Event,
    ready: Callable[[], None] = lambda: None,
    handed_in: Callable[[str], None] = lambda _: None,
    woken: Callable[[str, int], None] = lambda _, __: None,
) -> None:
    """Serve until `stop` is set; the socket is this user's alone.

    `began` is told the id of each new tournament, and sends its first matches out; `handed_in` that
    of each submission, and sends it to a worker; `woken` a bot that dials in and is there, and how
    many matches that wait for it to send out. Raises OSError where the network's address cannot be
    used.
    """
    Folders(settings.data).make()
    arena = Arena(
        store,
        data=settings.data,
        store_name=settings.store,
        began=began,
        watch_every=settings.watch_every,
        stop=stop,
        slots=settings.slots,
        launcher=settings.launcher,
        sandbox=settings.sandbox,
        ladder_day_ms=round(settings.ladder_day_s * 1000),
        terms=settings.terms,
        handed_in=handed_in,
    )
    reachable = settings.network is not None
    dial = DialDesk(store, settings.dial, woken, stop, reachable=reachable)
    with ExitStack() as threads:  # when they have ended nobody asks the store any more
        local = threads.enter_context(ThreadPoolExecutor(settings.threads, "api"))
        servers = [_local(local, settings, arena, dial)]
        if settings.network:
            remote = threads.enter_context(ThreadPoolExecutor(_at_once(settings), "door"))
            servers.append(_door(remote, settings, settings.network, arena, dial, store.tokens))
        for server in servers:
            server.start()
        if settings.listen.startswith("unix:"):
            os.chmod(urlsplit(settings.listen).path, 0o600)  # noqa: PTH101 - a socket, not a file
        ready()
        stop.wait()
        for ended in [server.stop(settings.grace) for server in servers]:
            ended.wait()


def _at_once(settings: ApiSettings) -> int:
    """Calls from a network at once. Each agent of a bot that dials in keeps one open; some more, to
    be told that it is full."""
    return settings.threads + settings.dial.streams + _TURNED_AWAY


def _local(
    threads: ThreadPoolExecutor, settings: ApiSettings, arena: Arena, dial: DialDesk
) -> grpc.Server:
    """For this machine's user, who may do everything."""
    owner = Caller(settings.owner, everything=True)
    calls = Calls(lambda _: owner)
    server = grpc.server(threads, options=LOCAL)
    server.add_generic_rpc_handlers([service.handler(calls) for service in (arena, dial)])
    healthy = health.HealthServicer()
    healthy.set("", health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    server.add_insecure_port(settings.listen)
    return server


def _door(
    threads: ThreadPoolExecutor,
    settings: ApiSettings,
    network: Network,
    arena: Arena,
    dial: DialDesk,
    tokens: Tokens,
) -> grpc.Server:
    """For whoever has a token, over TLS."""

    def who(context: grpc.ServicerContext) -> Caller:
        token = token_of(tokens, context.invocation_metadata())
        if token is None:  # revoked since it was let in
            raise RefusalError(grpc.StatusCode.UNAUTHENTICATED, UNKNOWN)
        return Caller(token.name, token.role == "organiser")

    server = grpc.server(
        threads,
        interceptors=[Door(tokens)],
        options=[*REMOTE, ("grpc.server_handshake_timeout_ms", round(settings.handshake_s * 1000))],
        maximum_concurrent_rpcs=_at_once(settings),
    )
    server.add_generic_rpc_handlers(
        [
            arena.handler(Calls(who, Room(settings.calls_each, MANY))),
            # Each agent has a beat and an answer under way at times.
            dial.handler(
                Calls(who, Room(2 * settings.dial.each, MANY), Room(settings.dial.each, ENOUGH))
            ),
        ]
    )
    pair = network.key.read_bytes(), network.certificate.read_bytes()
    try:
        server.add_secure_port(network.address, grpc.ssl_server_credentials([pair]))
    except RuntimeError as error:
        raise OSError(f"cannot listen on {network.address}: {error}") from None
    return server
