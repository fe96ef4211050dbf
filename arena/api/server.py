"""The API's server: one listener for people's tools, with health, until told to stop."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from arena.api.service import Arena
from workers.folders import Folders
from workers.store import Store

MESSAGE_MOST = 20 << 20
"""Bytes in one message: a bot's folder of 16 MiB with its names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """What the API needs to know. Durations are seconds.

    `store` names the result store for people; `owner` is whose the bots are that are added.
    `watch_every` is the time between two looks at a tournament that somebody watches; `slots` are
    matches played at once, for estimates; `launcher` is where images are made, unix:///ABS/PATH,
    '' where there is none; `sandbox` says how bots play: auto, container or process.
    """

    listen: str
    data: Path
    store: str
    owner: str
    watch_every: float = 0.25
    ladder_day_s: float = 86400.0
    threads: int = 64
    slots: int = 1
    launcher: str = ""
    sandbox: str = "auto"
    grace: float = 1.0


def serve(
    settings: ApiSettings,
    store: Store,
    began: Callable[[str], None],
    stop: threading.Event,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until `stop` is set; the socket is this user's alone.

    `began` is told the id of each new tournament, and sends its first matches out.
    """
    Folders(settings.data).make()
    options = [
        ("grpc.max_receive_message_length", MESSAGE_MOST),
        ("grpc.max_send_message_length", MESSAGE_MOST),
    ]
    server = grpc.server(ThreadPoolExecutor(settings.threads, "api"), options=options)
    arena = Arena(
        store,
        settings.data,
        settings.store,
        settings.owner,
        began,
        settings.watch_every,
        stop,
        settings.slots,
        settings.launcher,
        settings.sandbox,
        round(settings.ladder_day_s * 1000),
    )
    server.add_generic_rpc_handlers([arena.handler()])
    healthy = health.HealthServicer()
    healthy.set("", health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    server.add_insecure_port(settings.listen)
    server.start()
    if settings.listen.startswith("unix:"):
        os.chmod(urlsplit(settings.listen).path, 0o600)  # noqa: PTH101 - a socket, not a file
    ready()
    stop.wait()
    server.stop(settings.grace).wait()
