"""What a match of two folders or an agent leaves when it is killed, and who clears it away.

Every folder of theirs names its process, so that whoever comes later sees whether it still lives:
below `base()` the programs' homes, in the runtime folder `m-<pid>-<start>-…` the sockets.
Run as a program, this waits for the end of its parent and clears up at once:
`python -m arena.local.leftovers RUNTIME_BASE BASE`, its input being a pipe that the parent holds.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.local import places
from workers.sandbox import homes, processtable

_DEATH_S = 10.0
"""A process that has closed its files is gone in a moment."""


def base() -> Path:
    """This user's folder for both, always the same; it may not be there."""
    return Path(tempfile.gettempdir()) / f"knockbox-match-{os.getuid()}"


@contextmanager
def room(runtime_base: Path) -> Iterator[tuple[Path, Path]]:
    """Folders for the sockets and for the files of one match or agent, gone with the block or this
    process.

    What killed ones have left is cleared away first. Raises OSError, PlaceError.
    """
    places.private(runtime_base)
    places.private(base())
    sweep(runtime_base, base())
    own = homes.owner_folder(base())
    try:
        with (
            _watched(runtime_base, base()),
            tempfile.TemporaryDirectory(prefix=f"m-{own.name}-", dir=runtime_base) as sockets,
            tempfile.TemporaryDirectory(dir=own) as work,
        ):
            yield Path(sockets), Path(work)
    finally:
        with suppress(OSError):  # another match of this process is there
            own.rmdir()


def sweep(runtime_base: Path, matches: Path) -> None:
    """End and delete what matches and agents that are gone have left."""
    homes.sweep(matches)
    for folder in runtime_base.glob("m-*-*-*"):
        _, pid, start, *_ = folder.name.split("-")
        if pid.isdigit() and start.isdigit() and not processtable.alive(int(pid), int(start)):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _watched(runtime_base: Path, matches: Path) -> Iterator[None]:
    """For as long as the block lasts, a process waits for the sudden end of this one."""
    command = [sys.executable, "-m", "arena.local.leftovers", str(runtime_base), str(matches)]
    watcher = subprocess.Popen(  # noqa: S603 - our own module
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",  # a folder of the user's could hide our modules
        start_new_session=True,
    )
    try:
        yield
    finally:
        watcher.kill()
        watcher.communicate()


def main(arguments: list[str]) -> None:
    """Wait until the parent is gone, then clear up after it."""
    runtime_base, matches = map(Path, arguments)
    parent = os.getppid()
    found = processtable.entry(parent)
    sys.stdin.buffer.read()
    end = time.monotonic() + _DEATH_S
    while found and processtable.alive(parent, found.start) and time.monotonic() < end:
        time.sleep(0.02)
    sweep(runtime_base, matches)


if __name__ == "__main__":
    main(sys.argv[1:])
