"""The launcher as a server: its services on a private socket, its reaper, and a stop in good order.

A function of its settings, an engine's client and a shutdown event; reads no environment.
"""

import json
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from docker import DockerClient
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from structlog.typing import FilteringBoundLogger

from knockbox.v1 import images_pb2_grpc, launch_pb2_grpc
from workers.sandbox.images.service import MESSAGE_MOST, Images
from workers.sandbox.service import engine, owner, seccomp
from workers.sandbox.service.launch import Launches
from workers.sandbox.service.settings import Settings
from workers.sandbox.service.shares import Cores
from workers.sandbox.service.template import Sandbox

_SPARE_THREADS = 16
_STEP_S = 0.02


class ServeError(Exception):
    """The launcher cannot start like this; the text says what to change."""


def serve(
    settings: Settings,
    client: DockerClient,
    stop: threading.Event,
    ready: Callable[[], None],
    log: FilteringBoundLogger,
) -> None:
    """Serve until `stop` is set; then every container is ended and removed. Raises ServeError."""
    socket = _socket(settings.listen)
    sandbox = Sandbox(
        json.dumps(seccomp.profile()), owner.place(socket), owner.process(), settings.runtime
    )
    told = engine.facts(client, settings.runtime)
    if settings.runtime and not client.info().get("Runtimes", {}).get(settings.runtime):
        raise ServeError(f"the engine has no runtime {settings.runtime}")
    launches = Launches(settings, client, sandbox, Cores(told.processors), log)
    threads = settings.containers + _SPARE_THREADS
    options = [("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", MESSAGE_MOST)]
    server = grpc.server(ThreadPoolExecutor(threads, "launch"), options=options)
    images_pb2_grpc.add_ImageServiceServicer_to_server(Images(client, settings.images, log), server)
    launch_pb2_grpc.add_LaunchServiceServicer_to_server(launches, server)
    healthy = health.HealthServicer()
    healthy.set("", health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    server.add_insecure_port(settings.listen)
    reaping = threading.Thread(target=launches.reaper.run, args=(stop, settings.reap))
    reaping.start()
    server.start()
    os.chmod(socket, 0o600)  # noqa: PTH101 - a socket, not a file
    log.info("ready", listen=settings.listen, engine=told.version, unenforced=list(told.unenforced))
    try:
        ready()
        stop.wait()
    finally:
        stop.set()
        launches.end()
        _until(lambda: not len(launches.hands), settings.stop_grace)
        server.stop(1.0).wait()
        reaping.join()
        socket.unlink(missing_ok=True)
    log.info("stopped", left=len(launches.hands))


def _socket(listen: str) -> Path:
    scheme, _, path = listen.partition("://")
    if scheme != "unix" or not path.startswith("/"):
        raise ServeError(f"the address is unix:///ABS/PATH, not {listen}")
    folder = Path(path).parent
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_mode & 0o077:
        raise ServeError(
            f"{folder} is open to others: whoever gets in there can start containers; choose "
            "another folder, or chmod 700 it"
        )
    return Path(path)


def _until(so: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not so() and time.monotonic() < end:
        time.sleep(_STEP_S)
