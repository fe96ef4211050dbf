"""The data folder: where snapshots, replays and logs lie, and how a file gets there safely.

<data>/bots/<hex digest>/                       a version's snapshot
<data>/uploads/<digest of what it is>           what an author sends; whole: with .whole at the end
<data>/uploads/<submission>/                    a folder while it is checked
<data>/incoming/<match>.<fence>.kbr             sealed, not recorded yet
<data>/replays/<match>.kbr                      recorded
<data>/logs/<match>/<fence>-leg<n>-<bot>.log    what a bot printed
<data>/work/                                    homes of running bots
"""

import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

UNFINISHED = "bot-"
"""How the name of a snapshot begins that is still being written, among the incoming replays."""


class Folders(NamedTuple):
    """The data folder of one arena. Making one touches nothing; `make` creates what is missing."""

    data: Path

    def make(self) -> None:
        """Create the folders, for this user alone."""
        for name in ("bots", "uploads", "incoming", "replays", "logs", "work"):
            (self.data / name).mkdir(parents=True, exist_ok=True, mode=0o700)

    def snapshot(self, version: str) -> Path:
        """Where the snapshot of a version ("sha256:…") lies."""
        return self.data / "bots" / version.removeprefix("sha256:")

    def unfinished_snapshot(self) -> Path:
        """A new folder, to be moved to its place when it holds a whole snapshot."""
        return Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=self.incoming_folder))

    @property
    def uploads(self) -> Path:
        """Where what authors send lies until it is settled."""
        return self.data / "uploads"

    def upload(self, field: str, *, whole: bool = False) -> Path:
        """Where an upload lies; `field` is what the store calls it."""
        name = hashlib.sha256(field.encode()).hexdigest()[:32]
        return self.uploads / (f"{name}.whole" if whole else name)

    def forget_upload(self, field: str) -> None:
        """Remove what lies here of an upload."""
        for whole in (False, True):
            self.upload(field, whole=whole).unlink(missing_ok=True)

    def staged(self, submission_id: str) -> Path:
        """Where a submitted folder lies while it is checked."""
        return self.uploads / submission_id

    @property
    def incoming_folder(self) -> Path:
        """Where replays lie before they are recorded."""
        return self.data / "incoming"

    @property
    def logs(self) -> Path:
        """Where a match's folder of logs lies, beside the services' own."""
        return self.data / "logs"

    @property
    def work(self) -> Path:
        """Where bots run."""
        return self.data / "work"

    def incoming(self, match_id: str, fence: int) -> Path:
        """The replay of one attempt before it is recorded."""
        return self.incoming_folder / f"{match_id}.{fence}.kbr"

    def replay(self, match_id: str) -> Path:
        """The replay of a recorded match."""
        return self.data / "replays" / f"{match_id}.kbr"

    def log(self, match_id: str, fence: int, leg: int, bot: str) -> Path:
        """What a bot printed in one leg of one attempt."""
        return self.data / "logs" / match_id / f"{fence}-leg{leg}-{bot}.log"


def settle(source: Path, target: Path) -> None:
    """Move a finished file to its place: whole or not at all, and it survives a power cut."""
    with source.open("rb") as file:
        os.fsync(file.fileno())
    source.replace(target)
    for folder in {source.parent, target.parent}:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def leftovers(folder: Path, older_s: float) -> list[Path]:
    """Files that nobody has touched for so many seconds."""
    oldest = time.time() - older_s
    found: list[Path] = []
    for path in folder.iterdir():
        try:
            if path.stat().st_mtime < oldest:
                found.append(path)
        except FileNotFoundError:
            continue  # it has just found its place
    return found
