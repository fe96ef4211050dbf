"""What a container engine says of itself, asked at its socket without any client of it."""

import http.client
import json
import socket
from typing import Any
from urllib.parse import quote, urlsplit

ENGINE = "unix:///var/run/docker.sock"
"""Where an engine listens unless something else is said."""


def version(url: str, timeout: float = 2.0) -> str:
    """The version of the engine at unix:///ABS/PATH or tcp://HOST:PORT; '' where none answers."""
    return str(_ask(url, "/version", timeout).get("Version", ""))[:40]


def knows(url: str, image: str, timeout: float = 2.0) -> bool:
    """The engine there has an image of this name or digest."""
    return "Id" in _ask(url, f"/images/{quote(image, safe='/:')}/json", timeout)


def _ask(url: str, path: str, timeout: float) -> dict[str, Any]:
    """The engine's answer, an object; empty where there is none."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        connection: http.client.HTTPConnection = _UnixConnection(parts.path, timeout)
    elif parts.scheme == "tcp" and parts.hostname:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    else:
        return {}
    try:
        connection.request("GET", path)
        told = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return {}
    finally:
        connection.close()
    return told if isinstance(told, dict) else {}


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket's path."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)
