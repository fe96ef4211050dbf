"""A data folder that begins anew each time: emptied only when it is known to be one of these."""

import shutil
from pathlib import Path

from arena.local import state

MARK = "made-by-knockbox-demo"


class NotOursError(Exception):
    """A folder that was not made here, and so is not emptied; the message says what to do."""


def folder(data: Path) -> None:
    """Make `data` an empty folder with our mark. Raises NotOursError."""
    if state.locked(data):
        raise NotOursError(f"an arena runs in {data}: `knockbox down --data {data}` ends it")
    if data.is_symlink() or (data.exists() and not data.is_dir()):
        raise NotOursError(f"{data} is no folder: name another one with --data")
    if data.exists() and any(data.iterdir()) and not (data / MARK).is_file():
        raise NotOursError(f"{data} is not empty and not of an earlier demo: name another one")
    try:
        if data.exists():
            shutil.rmtree(data)
        data.mkdir(mode=0o700, parents=True)
        (data / MARK).write_text("The next `knockbox demo` empties this folder.\n")
    except OSError as error:
        raise NotOursError(f"cannot begin anew in {data}: {error.strerror}") from None
