"""A data folder that begins anew each time: emptied only when it is known to be one of these, and
put aside when somebody has worked with it.
"""

import shutil
from pathlib import Path

from arena.local import state

MARK = "made-by-knockbox-demo"
WATCHED = ("bots", "replays", "store")
"""The folders that tell whether somebody has worked with an arena."""
ASIDE_MOST = 1000


class NotOursError(Exception):
    """A folder that was not made here, and so is not emptied; the message says what to do."""


def folder(data: Path) -> Path | None:
    """Make `data` an empty folder with our mark. Raises NotOursError.

    What is there and was changed since `done` is put aside: the answer is where it lies now.
    """
    if state.locked(data):
        raise NotOursError(f"an arena runs in {data}: `knockbox down --data {data}` ends it")
    if data.is_symlink() or (data.exists() and not data.is_dir()):
        raise NotOursError(f"{data} is no folder: name another one with --data")
    filled = data.exists() and any(data.iterdir())
    if filled and not (data / MARK).is_file():
        raise NotOursError(f"{data} is not empty and not of an earlier demo: name another one")
    aside = None
    try:
        if filled and _has_played(data) and (data / MARK).read_text() != _print_of(data):
            aside = _free_name(data)
            data.rename(aside)
        if data.exists():
            shutil.rmtree(data)
        data.mkdir(mode=0o700, parents=True)
        (data / MARK).write_text("")
    except OSError as error:
        raise NotOursError(f"cannot begin anew in {data}: {error.strerror}") from None
    return aside


def done(data: Path) -> None:
    """The demo has ended: whatever changes from now on is somebody's work."""
    if (data / MARK).is_file():
        (data / MARK).write_text(_print_of(data))


def _has_played(data: Path) -> bool:
    """Whether there is anything that could be lost."""
    return any((data / name).is_dir() and any((data / name).iterdir()) for name in WATCHED)


def _print_of(data: Path) -> str:
    """Which files the arena keeps; whoever starts it again changes its store."""
    lines = ["The next `knockbox demo` empties this folder, unless one of these has changed."]
    for name in WATCHED:
        for path in sorted((data / name).rglob("*")):
            if path.is_file():
                lines.append(f"{path.relative_to(data)} {path.stat().st_size}")
    return "\n".join(lines) + "\n"


def _free_name(data: Path) -> Path:
    for number in range(1, ASIDE_MOST):
        found = data.with_name(f"{data.name}-{number}")
        if not found.exists() and not found.is_symlink():
            return found
    raise NotOursError(f"there are too many folders like {data}-1: remove some")
