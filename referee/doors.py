"""The seats' doors: for each seat and leg a small server of its own, and its ticket.

Behind such a door is PlayService and nothing else. Who may come in is asked here; what is said
inside is `referee.bots`. A bot that is started here comes over a unix socket in a folder of its
own, one that dials in over TLS (`referee.network`).
"""

import asyncio
import hmac
import secrets
import shutil
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

import grpc
from grpc import aio

from referee.finishing import whole
from referee.settings import Settings

Context = aio.ServicerContext[bytes, bytes]
Handler = Callable[[object, Context], Awaitable[None]]
Options = list[tuple[str, int]]

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
    """One seat's way in: `address` and `ticket` go to its bot, `close` ends whoever is inside.

    `streams` calls at once are let in. `certificate` is SHA-256 of what is shown, where one is.
    """

    streams = _STREAMS
    certificate = b""

    def __init__(self) -> None:
        self._server: aio.Server | None = None
        self.address = ""
        self.ticket = secrets.token_urlsafe(32)

    def admits(self, ticket: str) -> bool:
        """The ticket is this door's. Takes the same time for every wrong one."""
        return hmac.compare_digest(ticket.encode(), self.ticket.encode())

    async def open(self, handler: Handler, most_bytes: int, settings: Settings) -> None:
        """Listen. A message of more than `most_bytes` ends its stream in the transport.

        Raises OSError where nobody can listen there.
        """
        server = aio.server(
            options=[*_options(most_bytes, settings), *self.options(settings)],
            maximum_concurrent_rpcs=self.streams,
        )
        # No (de)serialisers: messages stay bytes, and the seat's line parses them itself.
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(handler)
        service = grpc.method_handlers_generic_handler(_SERVICE, {"Play": play})
        server.add_generic_rpc_handlers((service,))
        self.bind(server)
        self._server = server
        await server.start()

    def options(self, settings: Settings) -> Options:
        """What this kind of door asks of the transport besides, or instead."""
        return [("grpc.max_allowed_incoming_connections", 1 + settings.reconnects + _CONNECTIONS)]

    def bind(self, server: aio.Server) -> None:
        """Give the server its address. Raises OSError."""
        raise NotImplementedError

    async def close(self) -> None:
        """End every connection."""
        if self._server is not None:
            # A call that will not end must not hold up the match; its socket is gone all the same.
            stopping = asyncio.ensure_future(self._server.stop(0.05))
            await asyncio.wait([stopping], timeout=_CLOSE_S)


class SocketDoor(Door):
    """A door of this machine: a unix socket in the folder of one seat."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self._socket = folder / "s.sock"
        self.address = f"unix://{self._socket}"

    def bind(self, server: aio.Server) -> None:
        """See `Door`. The folder is made, and the bot's user may open the socket."""
        check_path(self._socket)
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o755)
        self.folder.parent.chmod(0o755)
        server.add_insecure_port(self.address)
        self._socket.chmod(0o666)


def make_doors(run_dir: Path, from_afar: Sequence[Door | None]) -> list[Door]:
    """Doors for the seats of one leg, those of this machine in a new folder; none is open yet.

    `from_afar` has the doors that are made already by seat, None where a socket is to be made.
    """
    name = secrets.token_hex(4)
    return [
        SocketDoor(_folder(run_dir, name, seat)) if door is None else door
        for seat, door in enumerate(from_afar)
    ]


async def close_doors(doors: list[Door]) -> None:
    """Close all doors of a leg and remove their folder, with whatever its bots have put there.

    What cannot be removed stays: no bot is to void a match by what it leaves.
    """
    await whole(_closed(doors))


async def _closed(doors: Sequence[Door]) -> None:
    closed = await asyncio.gather(*(door.close() for door in doors), return_exceptions=True)
    for folder in {door.folder.parent for door in doors if isinstance(door, SocketDoor)}:
        with suppress(RecursionError):
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    for error in closed:
        if error is not None:
            raise error


def _folder(run_dir: Path, name: str, seat: int) -> Path:
    return run_dir / name / str(seat)


def _options(most_bytes: int, settings: Settings) -> Options:
    return [
        ("grpc.max_receive_message_length", most_bytes),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_concurrent_streams", _STREAMS),
        ("grpc.max_metadata_size", 8192),
        ("grpc.absolute_max_metadata_size", 16384),
        ("grpc.server_handshake_timeout_ms", int(settings.handshake * 1000)),
        ("grpc.http2.min_ping_interval_without_data_ms", 5000),
        ("grpc.http2.max_ping_strikes", 2),
        ("grpc.so_reuseport", 0),
    ]
