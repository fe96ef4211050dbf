"""Whether a container engine answers: one question to its socket, without any client of it."""

import http.client
import json
import socket
from urllib.parse import urlsplit

ENGINE = "unix:///var/run/docker.sock"
"""Where an engine listens unless something else is said."""


def version(url: str, timeout: float = 2.0) -> str:
    """The version of the engine at unix:///ABS/PATH or tcp://HOST:PORT; '' where none answers."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        connection: http.client.HTTPConnection = _UnixConnection(parts.path, timeout)
    elif parts.scheme == "tcp" and parts.hostname:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    else:
        return ""
    try:
        connection.request("GET", "/version")
        told = json.loads(connection.getresponse().read(1 << 20))
        return str(told.get("Version", ""))[:40]
    except (OSError, http.client.HTTPException, ValueError, AttributeError):
        return ""
    finally:
        connection.close()


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket's path."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)
