"""Deletes what nobody awaits any more: replays that came to nothing, old logs of bots, uploads."""

import shutil
import time
from typing import NamedTuple

from workers.folders import UNFINISHED, Folders, leftovers
from workers.names import split_match_id
from workers.store import NotFound, Store

EVIDENCE = (".refused", ".conflict")
"""Replays that somebody may want to look into."""


class Keep(NamedTuple):
    """How long things are kept, seconds: replays that were not recorded, snapshots that were not
    finished; what bots printed in a match and replays that were refused (0: for ever), which are
    looked for every `every_s`; what authors began to send."""

    replays_s: float = 86_400.0
    logs_s: float = 30 * 86_400.0
    every_s: float = 3600.0
    uploads_s: float = 86_400.0


class Clearing:
    """Clears one data folder, whose matches are in one store."""

    def __init__(self, store: Store, folders: Folders, keep: Keep) -> None:
        self._store = store
        self._folders = folders
        self._keep = keep
        self._next = time.monotonic()

    def round(self) -> None:
        """Delete what may go now."""
        for path in leftovers(self._folders.incoming_folder, self._keep.replays_s):
            if path.name.startswith(UNFINISHED) and path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif not self._awaited(path.name):
                path.unlink(missing_ok=True)
        for path in self._folders.incoming_folder.glob("*.kbr.part"):
            if self._abandoned(path.name):
                path.unlink(missing_ok=True)
        self._old_uploads()
        if self._keep.logs_s and time.monotonic() >= self._next:
            self._next = time.monotonic() + self._keep.every_s
            self._old_logs()

    def _old_uploads(self) -> None:
        """What the store has no word of any more is as old as its last byte."""
        for upload in self._store.uploads.old(round(self._keep.uploads_s * 1000)):
            self._folders.forget_upload(upload.field)
        known = {
            self._folders.upload(upload.field, whole=whole)
            for upload in self._store.uploads.all()
            for whole in (False, True)
        }
        for path in leftovers(self._folders.uploads, self._keep.uploads_s):
            if path.is_dir():  # of an attempt that has ended long ago
                shutil.rmtree(path, ignore_errors=True)
            elif path not in known:
                path.unlink(missing_ok=True)

    def _old_logs(self) -> None:
        """A match's folder is as old as its last attempt. The services' logs are no folders."""
        for path in leftovers(self._folders.logs, self._keep.logs_s):
            if split_match_id(path.name) and path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
        for path in leftovers(self._folders.incoming_folder, self._keep.logs_s):
            if path.suffix in EVIDENCE:
                path.unlink(missing_ok=True)

    def _abandoned(self, name: str) -> bool:
        """Whether a replay was coming in for an attempt that has ended: <match>.<fence>.<any>…"""
        match_id, _, fence = name.removesuffix(".kbr.part").rpartition(".")[0].rpartition(".")
        try:
            match = self._store.matches.get(match_id)
        except NotFound:
            return False  # not one of ours: it has its day
        return match.state != "running" or str(match.fence) != fence

    def _awaited(self, name: str) -> bool:
        """Whether a file is one that somebody may still record or look at."""
        if not name.endswith(".kbr"):
            return not name.endswith(".part")
        match_id, _, fence = name.removesuffix(".kbr").rpartition(".")
        if split_match_id(match_id) is None:
            return True
        try:
            match = self._store.matches.get(match_id)
        except NotFound:
            return False
        return match.state == "sealed" and str(match.fence) == fence
