"""The way from a bot's own unix socket to its seat at an arena, over TLS: bytes in both directions.

The bot speaks to a socket of this machine and needs no TLS. A connection of the bot is a connection
to the seat, no more: where one is lost the other is closed, and the bot comes again by itself.
"""

import asyncio
import random
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

_PART = 1 << 16
_FIRST_WAIT_S = 0.05
_LONGEST_WAIT_S = 1.0

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Place(NamedTuple):
    """Where a seat is: host, port, and SHA-256 of the certificate that is shown there."""

    host: str
    port: int
    certificate: bytes


class WayError(Exception):
    """The seat cannot be reached now; the message says why."""


class Way:
    """A unix socket at `socket_path` that leads to `place`.

    A silent network is taken for lost after `link_s`; a connection is tried for `patience_s`.
    `told` hears, for people, when the way is lost to a bot that goes on, and when it is back.
    """

    def __init__(
        self,
        socket_path: Path,
        place: Place,
        link_s: float,
        patience_s: float,
        told: Callable[[str], None],
    ) -> None:
        self.address = f"unix://{socket_path}"
        self._path = socket_path
        self._place = place
        self._link_s = link_s
        self._patience_s = patience_s
        self._told = told
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self._lost = False
        self._broken = ""

    async def open(self) -> None:
        """Listen. Raises OSError."""
        self._server = await asyncio.start_unix_server(self._accept, self._path)

    async def close(self) -> None:
        """End all connections, and listen no more."""
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        self._path.unlink(missing_ok=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._carry((reader, writer))
        except asyncio.CancelledError:
            pass  # the leg is over
        finally:
            self._open.discard(task)

    async def _carry(self, near: Streams) -> None:
        """One connection of the bot, to its end."""
        far: Streams | None = None
        try:
            if self._broken:
                self._lose(self._broken)
            far = await self._reach()
            if self._lost:
                self._lost = False
                self._told("the way to the seat is there again")
            await _both_ways(near, far)
        except WayError as error:
            self._lose(str(error))
        except OSError as error:  # at the end of a leg too; a bot that plays on comes again
            self._broken = str(error) or type(error).__name__
        finally:
            for streams in filter(None, (near, far)):
                streams[1].close()

    def _lose(self, why: str) -> None:
        self._lost, self._broken = True, ""
        self._told(f"the way to the seat is lost: {why}")

    async def _reach(self) -> Streams:
        """A connection to the seat, as soon as there can be one. Raises WayError."""
        loop = asyncio.get_running_loop()
        end, wait = loop.time() + self._patience_s, _FIRST_WAIT_S
        while True:
            try:
                return await self._connect()
            except (OSError, TimeoutError) as error:
                if loop.time() + wait > end:
                    raise WayError(f"{error}") from None
            await asyncio.sleep(wait * random.uniform(0.5, 1))  # noqa: S311 - no secret
            wait = min(2 * wait, _LONGEST_WAIT_S)

    async def _connect(self) -> Streams:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # its certificate was told, and is compared below
        context.set_alpn_protocols(["h2"])
        async with asyncio.timeout(self._link_s):
            reader, writer = await asyncio.open_connection(
                self._place.host, self._place.port, ssl=context
            )
        secured = writer.get_extra_info("ssl_object")
        if sha256(secured.getpeercert(binary_form=True)).digest() != self._place.certificate:
            writer.close()
            raise WayError("the seat shows another certificate than the arena has told")
        _watched(writer.get_extra_info("socket"), self._link_s)
        return reader, writer


async def _both_ways(near: Streams, far: Streams) -> None:
    """Carry until one end closes. Raises OSError where the network fails."""
    pumps = [
        asyncio.create_task(_pump(near[0], far[1])),
        asyncio.create_task(_pump(far[0], near[1])),
    ]
    try:
        done, _ = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in pumps:
            task.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)
    for task in done:
        task.result()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Carry all that comes. Raises OSError where the network fails."""
    while data := await source.read(_PART):
        target.write(data)
        await target.drain()


def _watched(connection: socket.socket, link_s: float) -> None:
    """Have the system find out that nobody answers any more (Linux; elsewhere as far as it can)."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    seconds = max(1, round(link_s / 2))
    options = {
        "TCP_KEEPIDLE": seconds,
        "TCP_KEEPINTVL": seconds,
        "TCP_KEEPCNT": 2,
        "TCP_USER_TIMEOUT": round(link_s * 1000),
    }
    for name, value in options.items():
        with suppress(AttributeError, OSError):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
