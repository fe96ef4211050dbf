"""Where a match puts its replay: looked at before it is played, filled whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class TargetError(Exception):
    """Nothing can be put there; the message says why."""


def target(out: Path | None, match_id: str) -> Path:
    """The file: `out`, or in it where it is a folder; else in ./replays."""
    if out is None:
        return Path("replays") / f"{match_id}.kbr"
    return out / f"{match_id}.kbr" if out.is_dir() else out


@contextmanager
def place(path: Path) -> Iterator[Callable[[Path], None]]:
    """A way to put a file at `path`, which is known to work: its room is taken beforehand.

    Raises TargetError where it cannot be, and leaves nothing where it is not used.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            raise TargetError(f"{path} is not a file: name a file or a folder for the replay")
        if path.exists() and not os.access(path, os.W_OK):
            raise TargetError(f"{path} is there and may not be written")
        handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    except OSError as error:
        raise TargetError(f"the replay cannot be kept at {path}: {error.strerror}") from None
    part = Path(name)

    def put(source: Path) -> None:
        with source.open("rb") as coming, os.fdopen(os.dup(handle), "wb") as file:
            shutil.copyfileobj(coming, file)
            file.flush()
            os.fsync(handle)
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        part.replace(path)

    try:
        yield put
    finally:
        os.close(handle)
        part.unlink(missing_ok=True)
