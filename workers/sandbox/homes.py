"""The folders that programs live in: made for one run, and gone after it.

    <work>/<pid>-<start>/<random>/bot    a read-only copy of the snapshot; programs begin here
                                 /home   HOME
                                 /tmp    TMPDIR

The second level names the process that owns the runs, so that whoever comes later can clear away
what a killed owner has left.
"""

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from workers.sandbox import processtable

_ALL = stat.S_IRWXU


def owner_folder(work: Path) -> Path:
    """The folder of this process below `work`, made if it is not there."""
    me = processtable.entry(os.getpid())
    folder = work / f"{os.getpid()}-{me.start if me else 0}"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def make(owner: Path, snapshot: Path) -> Path:
    """A new home with a copy of the snapshot. Raises OSError, and then leaves nothing."""
    home = Path(tempfile.mkdtemp(dir=owner))
    try:
        (home / "home").mkdir()
        (home / "tmp").mkdir()
        _copy(snapshot, home / "bot")
    except BaseException:
        remove(home)
        raise
    return home


def _copy(source: Path, target: Path) -> None:
    target.mkdir()
    for item in sorted(source.iterdir()):
        if item.is_symlink():
            continue  # a snapshot has none
        if item.is_dir():
            _copy(item, target / item.name)
        elif item.is_file():
            shutil.copyfile(item, target / item.name)
            executable = item.stat().st_mode & stat.S_IXUSR
            (target / item.name).chmod(0o555 if executable else 0o444)
    target.chmod(0o555)


def remove(home: Path) -> None:
    """Delete a home whatever its folders' rights are. What still cannot be deleted stays."""
    for folder, names, _ in os.walk(home):
        for name in [".", *names]:
            path = Path(folder, name)
            # Several workers may clear the same leftovers at once.
            with suppress(FileNotFoundError):
                if not path.is_symlink():
                    path.chmod(_ALL)
    shutil.rmtree(home, ignore_errors=True)


def sweep(work: Path) -> None:
    """Kill and delete what owners that are gone have left below `work`."""
    if not work.is_dir():
        return
    for folder in work.iterdir():
        pid, _, start = folder.name.partition("-")
        if not (pid.isdigit() and start.isdigit()) or processtable.alive(int(pid), int(start)):
            continue
        processtable.kill_inside(folder)
        remove(folder)
