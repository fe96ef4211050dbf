"""The seats' doors: for each seat and leg a small server on a socket of its own, and its ticket.

Behind such a door is PlayService and nothing else. Who may come in is asked here; what is said
inside is `referee.bots`.
"""

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
from grpc import aio

from referee.settings import Settings

Context = aio.ServicerContext[bytes, bytes]
Handler = Callable[[object, Context], Awaitable[None]]

SOCKET_PATH_BYTES = 107
_SERVICE = "knockbox.v1.PlayService"
_STREAMS = 8
_CONNECTIONS = 8
"""Connections of a seat at once, besides those that it may make in a leg. Each is one of the
referee's files: without a limit one bot could take all of them, and no other would be let in."""
_CLOSE_S = 2.0


class SocketPathError(ValueError):
    """A socket's path does not fit into the address of a unix socket."""


def check_path(path: Path) -> None:
    """Raise SocketPathError for a path that the system, or some client, could not bind or reach."""
    size = len(bytes(path))
    if size > SOCKET_PATH_BYTES:
        raise SocketPathError(
            f"the socket path {path} has {size} bytes, {SOCKET_PATH_BYTES} at most fit: "
            "choose a shorter folder"
        )


def check_run_dir(run_dir: Path) -> None:
    """Raise SocketPathError where seats' sockets could not lie in this folder."""
    check_path(_folder(run_dir, "0" * 8, 0) / "s.sock")


class Door:
    """One seat's way in: `address` and `ticket` go to its bot, `close` ends whoever is inside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._socket = folder / "s.sock"
        self._server: aio.Server | None = None
        self.address = f"unix://{self._socket}"
        self.ticket = secrets.token_urlsafe(32)

    def admits(self, ticket: str) -> bool:
        """The ticket is this door's. Takes the same time for every wrong one."""
        return hmac.compare_digest(ticket.encode(), self.ticket.encode())

    async def open(self, handler: Handler, most_bytes: int, settings: Settings) -> None:
        """Listen. A message of more than `most_bytes` ends its stream in the transport."""
        check_path(self._socket)
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o755)
        self.folder.parent.chmod(0o755)
        server = aio.server(
            options=_options(most_bytes, settings), maximum_concurrent_rpcs=_STREAMS
        )
        # No (de)serialisers: messages stay bytes, and the seat's line parses them itself.
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(handler)
        service = grpc.method_handlers_generic_handler(_SERVICE, {"Play": play})
        server.add_generic_rpc_handlers((service,))
        server.add_insecure_port(self.address)
        self._server = server
        self._socket.chmod(0o666)
        await server.start()

    async def close(self) -> None:
        """End every connection and remove the socket with its folder."""
        if self._server is not None:
            # A call that will not end must not hold up the match; its socket is gone all the same.
            stopping = asyncio.ensure_future(self._server.stop(0.05))
            await asyncio.wait([stopping], timeout=_CLOSE_S)
        self._socket.unlink(missing_ok=True)
        if self.folder.exists():
            self.folder.rmdir()


def make_doors(run_dir: Path, seats: int) -> list[Door]:
    """Doors for the seats of one leg, in a new folder; none is open yet."""
    name = secrets.token_hex(4)
    return [Door(_folder(run_dir, name, seat)) for seat in range(seats)]


async def close_doors(doors: list[Door]) -> None:
    """Close all doors of a leg and remove their folder."""
    for door in doors:
        await door.close()
    folder = doors[0].folder.parent
    if folder.exists():
        folder.rmdir()


def _folder(run_dir: Path, name: str, seat: int) -> Path:
    return run_dir / name / str(seat)


def _options(most_bytes: int, settings: Settings) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", most_bytes),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_concurrent_streams", _STREAMS),
        ("grpc.max_allowed_incoming_connections", 1 + settings.reconnects + _CONNECTIONS),
        ("grpc.max_metadata_size", 8192),
        ("grpc.absolute_max_metadata_size", 16384),
        ("grpc.server_handshake_timeout_ms", int(settings.handshake * 1000)),
        ("grpc.http2.min_ping_interval_without_data_ms", 5000),
        ("grpc.http2.max_ping_strikes", 2),
        ("grpc.so_reuseport", 0),
    ]
