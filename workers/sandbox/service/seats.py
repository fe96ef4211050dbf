"""The seat's folder: all that a container sees of the host. Checked before and after mounting.

    <root>/<leg>/<seat>/s.sock     the referee's socket for one seat of one leg

A folder that does not look exactly so is refused: whoever can order a container still cannot have
another folder of the host mounted.
"""

import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workers.sandbox.service.template import SEAT, SOCKET

_BELOW = re.compile(rf"([0-9a-f]{{8}})/([0-9]{{1,2}})/{re.escape(SOCKET)}")


class SeatError(ValueError):
    """A seat's address or folder that is refused; the message says why."""


def folder_of(address: str, root: Path) -> Path:
    """The folder of a seat's address, below `root` (absolute, without links). Raises SeatError."""
    prefix = f"unix://{root}/"
    if not address.startswith(prefix):
        raise SeatError(f"the seat's address is not below {root}")
    form = _BELOW.fullmatch(address.removeprefix(prefix))
    if form is None:
        raise SeatError(f"the seat's address is not {root}/LEG/SEAT/{SOCKET}")
    leg, seat = root / form[1], root / form[1] / form[2]
    try:
        # No link anywhere on the way, and nothing beside the socket.
        ways = [stat.S_ISDIR(folder.lstat().st_mode) for folder in (leg, seat)]
        ways.append(stat.S_ISSOCK((seat / SOCKET).lstat().st_mode))
        inside = [each.name for each in seat.iterdir()]
    except OSError as error:
        raise SeatError(f"the seat's folder is gone: {error.strerror}") from None
    if not all(ways) or inside != [SOCKET]:
        raise SeatError("the seat's folder is not a folder with a socket in it, and nothing else")
    return seat


def complaint(attributes: Mapping[str, Any], folder: Path) -> str:
    """What the engine would mount, as it says itself, beside the seat's folder; '' for nothing.

    `attributes` are those of a container that is not started yet.
    """
    host = attributes["HostConfig"]
    if host.get("Binds") or host.get("VolumesFrom") or host.get("Devices"):
        return "it has binds, volumes or devices of the host"
    for mount in attributes["Mounts"]:
        if mount["Type"] == "volume":
            return f"its image declares a volume at {mount['Destination']}"
    if [_told(mount) for mount in attributes["Mounts"]] != [("bind", str(folder), SEAT, False)]:
        return "its only mount is not the seat's folder, read-only"
    return ""


def _told(mount: Mapping[str, Any]) -> tuple[str, str, str, bool]:
    return mount["Type"], mount["Source"], mount["Destination"], mount["RW"]
