"""The mark of a data folder: which version of the software wrote it last, and in which format.

The result store's own server is marked in its folder (`valkey.py`), its layout in the store itself.
"""

import json
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

FORMAT = 1
"""How a data folder is laid out: grows when an older version could not read it any more."""

NAME = "knockbox.json"


class MarkError(Exception):
    """A data folder that this version cannot use; the message says why and what would help."""


class Mark(NamedTuple):
    """Who wrote a data folder."""

    format: int
    version: str


def read(data: Path) -> Mark | None:
    """The mark of a folder; None where there is none yet. Raises MarkError, OSError."""
    path = data / NAME
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text())
        return Mark(int(found["format"]), str(found["version"]))
    except (ValueError, KeyError, TypeError):
        raise MarkError(
            f"{path} cannot be read: restore it from a backup, or name another folder with --data"
        ) from None


def check(data: Path) -> None:
    """Raise MarkError where a newer version has written the folder."""
    found = read(data)
    if found and found.format > FORMAT:
        raise MarkError(
            f"{data} was written by Knockbox {found.version} (data format {found.format}), and "
            f"this is {metadata.version('knockbox')} (format {FORMAT}): use that version or a "
            "newer one, or another folder with --data"
        )


def claim(data: Path) -> None:
    """Check the folder, and mark it as written by this version. Raises MarkError, OSError."""
    check(data)
    temporary = data / f".{NAME}"
    temporary.write_text(json.dumps({"format": FORMAT, "version": metadata.version("knockbox")}))
    temporary.replace(data / NAME)
