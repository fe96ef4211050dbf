"""Where things lie: the data folder's parts, and a short private folder for sockets.

Creates folders and checks whose they are; starts nothing.
"""

import errno
import hashlib
import os
import shutil
import socket
import stat
import tempfile
from pathlib import Path

from arena.local import mark
from arena.settings import Settings

SOCKET_PATH_MAX = 107
"""Bytes in a unix socket's path (Linux, unix(7): sun_path of 108 with its final zero)."""

LEAST_MB = 10
"""Megabytes of disk below which a match may find no room for what is kept of it."""


class PlaceError(Exception):
    """A folder that cannot be used; the message says which and why."""


def unwritable(data: Path) -> str:
    """Why nothing can be kept in the data folder at the moment; "" where it can."""
    found = os.statvfs(data)
    if found.f_flag & os.ST_RDONLY:
        return f"{data} lies on a disk that is read-only"
    free = found.f_bavail * found.f_frsize >> 20
    if free < LEAST_MB:
        return f"only {free:,} MB are free where the data lies ({data}): make room"
    return ""


def prepare(settings: Settings) -> None:
    """Make the data folder and its parts, private to this user, and mark it as ours.

    Raises PlaceError: it cannot be made or written, a newer version made it, or no room is left.
    """
    folders = (
        settings.data,
        settings.bots,
        settings.replays,
        settings.data / "incoming",
        settings.logs,
    )
    for folder in folders:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise PlaceError(f"cannot make the data folder {folder}: {error.strerror}") from None
    try:
        with tempfile.TemporaryFile(dir=settings.data):
            pass
        free_mb = shutil.disk_usage(settings.data).free >> 20
        if free_mb < settings.room_mb:
            raise PlaceError(
                f"only {free_mb:,} MB are free where the data lies ({settings.data}), "
                f"{settings.room_mb:,} are needed: make room, or name another folder with --data"
            )
        mark.claim(settings.data)
        if settings.listen:
            listenable(settings.listen)
    except mark.MarkError as error:
        raise PlaceError(str(error)) from None
    except OSError as error:
        raise PlaceError(
            f"cannot write to the data folder {settings.data}: {error.strerror}"
        ) from None


def listenable(address: str) -> None:
    """Raise PlaceError where nobody can listen at HOST:PORT, such as a port in use."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        family = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0][0]
        with socket.create_server((host, int(port)), family=family):
            pass
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno == errno.EADDRINUSE:
            why = "the port is in use by another program; `ss -ltnp` names it"
        raise PlaceError(f"cannot listen on {address}: {why}") from None


def runtime(settings: Settings) -> Path:
    """The folder for the sockets of this data folder: absolute, 0700, ours. Raises PlaceError."""
    base = settings.runtime_base
    private(base)
    digest = hashlib.sha256(os.fsencode(settings.data.resolve())).hexdigest()
    folder = base / digest[:10]
    private(folder)
    return folder


def socket_path(folder: Path, name: str) -> Path:
    """A socket's path in the runtime folder. Raises PlaceError where it is too long."""
    path = folder / name
    if (length := len(os.fsencode(path))) > SOCKET_PATH_MAX:
        raise PlaceError(
            f"the socket {path} would have a path of {length} bytes, {SOCKET_PATH_MAX} at most"
        )
    return path


def private(folder: Path) -> None:
    """Make `folder` 0700, or refuse one that another user could have put there."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise PlaceError(f"cannot make the runtime folder {folder}: {error.strerror}") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PlaceError(f"{folder} is not a folder of this user: remove it or set XDG_RUNTIME_DIR")
    if found.st_mode & 0o077:
        folder.chmod(0o700)
