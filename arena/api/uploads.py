"""What authors send: parts that find their places in a file, until it is what its digest says.

Nobody is alone with a file: two that send the same write the same bytes to the same places.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import grpc

from arena.api.door import Caller
from arena.api.refusals import RefusalError, invalid
from arena.api.submissions import Terms
from knockbox.v1 import submissions_pb2 as sub
from workers.folders import Folders, settle
from workers.names import DIGEST
from workers.store import Store
from workers.store.uploads import Upload


class UploadDesk:
    """Takes uploads in for one data folder."""

    def __init__(self, store: Store, folders: Folders, terms: Terms) -> None:
        self._store = store
        self._folders = folders
        self._terms = terms

    def begin(self, request: sub.BeginUploadRequest, caller: Caller) -> sub.BeginUploadResponse:
        """How much is here. Raises RefusalError, StoreError."""
        self._store.bots.free(request.bot, caller.name)
        upload = _upload(request.bot, request.digest, caller)
        most = self._terms.size
        if not request.size:
            raise invalid("size", "an upload has one byte at least")
        if request.size > most:
            raise RefusalError(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                f"the arena takes {most >> 20:,} MiB at most (its KNOCKBOX_SUBMIT_MB), and this "
                f"has {request.size / (1 << 20):,.1f} MiB",
            )
        allowed = 0 if caller.everything else self._terms.allowance.open
        for gone in self._store.uploads.begin(upload, request.size, allowed):
            self._folders.forget_upload(gone.field)
        if self._folders.upload(upload.field, whole=True).exists():
            return sub.BeginUploadResponse(offset=request.size)
        return sub.BeginUploadResponse(offset=_size(self._folders.upload(upload.field)))

    def send(
        self, requests: Iterator[sub.SendUploadRequest], caller: Caller
    ) -> sub.SendUploadResponse:
        """Take parts in; how much is here then. Raises RefusalError."""
        first = next(requests, sub.SendUploadRequest())
        upload = _upload(first.bot, first.digest, caller)
        size = self._store.uploads.size(upload)
        if size is None:
            raise self._not_here()
        place, whole = (self._folders.upload(upload.field, whole=end) for end in (False, True))
        if whole.exists():
            return sub.SendUploadResponse(offset=size)
        at = first.offset
        if at > _size(place):
            raise invalid("offset", f"only {_size(place)} bytes are here")
        for data in _parts(first, requests):
            if at + len(data) > size:
                raise invalid("data", f"it is longer than the {size} bytes that it was to have")
            # It may have made room for another one, or been found whole, since the last part.
            if self._store.uploads.size(upload) != size:
                raise self._not_here()
            if whole.exists():
                return sub.SendUploadResponse(offset=size)
            _write(place, at, data)
            at += len(data)
        if at == size:
            self._whole(upload, place, whole)
        return sub.SendUploadResponse(offset=at)

    def _whole(self, upload: Upload, place: Path, whole: Path) -> None:
        """All of it is here: look at it, and let it be used. Raises RefusalError."""
        try:
            with place.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
            if f"sha256:{found}" == upload.digest:
                settle(place, whole)
                return
        except FileNotFoundError:  # another call has sent the last part too
            if not whole.exists():
                raise self._not_here() from None
        place.unlink(missing_ok=True)
        # Another call may have found it whole just before this one wrote: to a new file then, that
        # has nothing but this call's parts.
        if not whole.exists():
            raise RefusalError(
                grpc.StatusCode.DATA_LOSS, "what came is not what its digest says; send it again"
            )

    def _not_here(self) -> RefusalError:
        most = self._terms.allowance.open
        return RefusalError(
            grpc.StatusCode.NOT_FOUND,
            "no such upload is here: it was never begun, or it was handed in or made room for a "
            f"newer one of yours since (an author has {most} at a time: KNOCKBOX_SUBMIT_OPEN)",
        )


def _upload(bot: str, digest: str, caller: Caller) -> Upload:
    if not DIGEST.fullmatch(digest):
        raise invalid("digest", "sha256: and 64 hexadecimal digits")
    return Upload(bot, digest, caller.name)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _write(place: Path, at: int, data: bytes) -> None:
    """Put a part in its place. Nothing is kept open meanwhile: what is deleted is gone."""
    handle = os.open(place, os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        rest = memoryview(data)
        while rest:  # the system may take less than it is given
            written = os.pwrite(handle, rest, at)
            at, rest = at + written, rest[written:]
    finally:
        os.close(handle)


def _parts(first: sub.SendUploadRequest, rest: Iterator[sub.SendUploadRequest]) -> Iterator[bytes]:
    yield first.data
    for request in rest:
        yield request.data
