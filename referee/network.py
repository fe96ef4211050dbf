"""Doors for bots that dial in: a port of its own for each seat and leg, over TLS.

Whoever finds the port may knock, so more may knock at once than at a socket, and who says nothing
is shown out soon; only the ticket opens.
"""

import secrets
from pathlib import Path

import grpc
from grpc import aio

from referee.certificates import fingerprint
from referee.doors import Door, Options
from referee.ports import ports
from referee.settings import Settings

_STREAMS = 64
_CONNECTIONS = 256
_KEEPALIVE_MS = 10_000
"""Between two looks whether a silent peer is still there."""


def pair(settings: Settings) -> tuple[bytes, bytes]:
    """Key and certificate in PEM. Raises OSError, and ValueError where it is no certificate."""
    key, certificate = Path(settings.dial_key), Path(settings.dial_certificate)
    found = key.read_bytes(), certificate.read_bytes()
    fingerprint(found[1])
    return found


class NetworkDoor(Door):
    """A door for one seat whose bot comes from another machine."""

    streams = _STREAMS

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def options(self, settings: Settings) -> Options:
        """See `Door`."""
        return [
            ("grpc.max_allowed_incoming_connections", _CONNECTIONS),
            ("grpc.max_connection_idle_ms", int(settings.handshake * 1000)),
            ("grpc.keepalive_time_ms", _KEEPALIVE_MS),
            ("grpc.keepalive_timeout_ms", _KEEPALIVE_MS),
        ]

    def bind(self, server: aio.Server) -> None:
        """See `Door`. The certificate is read anew, for it may have been renewed."""
        settings = self._settings
        try:
            key, certificate = pair(settings)
            self.certificate = fingerprint(certificate)
        except ValueError as error:
            raise OSError(f"{settings.dial_certificate} cannot be used: {error}") from None
        credentials = grpc.ssl_server_credentials([(key, certificate)])
        candidates = ports(settings.dial_ports)
        start = secrets.randbelow(len(candidates))
        for port in [*candidates[start:], *candidates[:start]]:
            try:
                bound = server.add_secure_port(f"{settings.dial_host}:{port}", credentials)
            except RuntimeError:
                continue  # somebody listens there
            self.address = f"tls://{settings.dial_name}:{bound}"
            return
        raise OSError(f"no free port at {settings.dial_host} among {settings.dial_ports}")
