"""The referee as a server: the control door, health, reflection, and a stop in good order.

A function of its settings and a shutdown event. It reads no environment and no argument; nobody
but workers comes in here (bots have `referee.doors`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from google.protobuf.internal import api_implementation
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from structlog.typing import FilteringBoundLogger

from knockbox.v1 import match_pb2, match_pb2_grpc
from referee.clock import Lag
from referee.doors import check_path, check_run_dir
from referee.host import Host
from referee.network import pair
from referee.ports import ports
from referee.settings import Settings
from referee.table import Time

_DRAIN_STEP = 0.05
_SERVICES = (
    match_pb2.DESCRIPTOR.services_by_name["MatchService"].full_name,
    health.SERVICE_NAME,
    reflection.SERVICE_NAME,
)
"""What the control door tells about itself."""


class ServeError(Exception):
    """The referee cannot start like this; the text says what to change."""


async def serve(
    settings: Settings,
    shutdown: asyncio.Event,
    ready: Callable[[], None],
    log: FilteringBoundLogger,
) -> None:
    """Serve until `shutdown` is set; `ready` is called when workers can come.

    Then running matches get `settings.drain` seconds, and what runs after them is void. Raises
    ServeError, or SocketPathError, before anything is made.
    """
    socket = _control_socket(settings.control)
    check_run_dir(settings.run_dir)
    _check_dial(settings)
    if api_implementation.Type() != "upb":
        raise ServeError("protobuf runs without its fast backend; reinstall its wheel")
    _make_private(socket.parent)
    settings.run_dir.mkdir(parents=True, exist_ok=True)
    server = aio.server(options=[("grpc.so_reuseport", 0)])
    checks: Any = cast("Any", health).aio.HealthServicer()
    async with _beating(settings) as time:
        host = Host(settings, time, log)
        match_pb2_grpc.add_MatchServiceServicer_to_server(host, server)
        health_pb2_grpc.add_HealthServicer_to_server(checks, server)  # pyright: ignore[reportUnknownMemberType]  # untyped
        reflection.enable_server_reflection(_SERVICES, server)  # pyright: ignore[reportUnknownMemberType]  # untyped
        server.add_insecure_port(settings.control)
        await server.start()
        try:
            await checks.set("", health_pb2.HealthCheckResponse.SERVING)
            log.info("ready", control=settings.control, run_dir=str(settings.run_dir))
            ready()
            await shutdown.wait()
            await checks.enter_graceful_shutdown()
            await _drain(host, settings.drain, log)
        finally:
            host.stop()
            host.end()
            await server.stop(1)
            socket.unlink(missing_ok=True)
    log.info("stopped")


async def _drain(host: Host, seconds: float, log: FilteringBoundLogger) -> None:
    host.stop()
    log.info("stopping", matches=host.matches)
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while host.matches and loop.time() < end:
        await asyncio.sleep(_DRAIN_STEP)


@asynccontextmanager
async def _beating(settings: Settings) -> AsyncGenerator[Time]:
    """The match's time, which stands still while the event loop does."""
    loop = asyncio.get_running_loop()
    lag = Lag(settings.lag_interval, settings.lag_slack, loop.time())

    async def beat() -> None:
        while True:
            await asyncio.sleep(settings.lag_interval)
            lag.beat(loop.time())

    def time() -> float:
        now = loop.time()
        return now - lag.total(now)

    task = loop.create_task(beat())
    try:
        yield time
    finally:
        task.cancel()


def _check_dial(settings: Settings) -> None:
    """Refuse an address for bots that dial in at which none could."""
    if not settings.dial_host:
        return
    try:
        ports(settings.dial_ports)
        pair(settings)
    except (OSError, ValueError) as error:
        raise ServeError(f"the address for bots that dial in cannot be used: {error}") from None


def _control_socket(control: str) -> Path:
    scheme, _, path = control.partition("://")
    if scheme != "unix" or not path.startswith("/"):
        raise ServeError(f"the control address is unix:///ABS/PATH, not {control}")
    socket = Path(path)
    check_path(socket)
    return socket


def _make_private(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_mode & 0o077:
        raise ServeError(
            f"{folder} is open to others: whoever gets in there sees every secret; "
            f"choose another folder, or chmod 700 it"
        )
