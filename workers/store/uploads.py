"""What authors send and what is not yet settled: how much it will be, and since when nobody came.

The bytes themselves lie in files; here stands whose they are, so that nobody fills the disk.
"""

from typing import NamedTuple

from workers.store import keys
from workers.store.client import Client
from workers.store.errors import LimitReached
from workers.store.scripts import Scripts


class Upload(NamedTuple):
    """Something that `owner` sends for `bot`; `digest` is that of all its bytes ("sha256:…")."""

    bot: str
    digest: str
    owner: str

    @property
    def field(self) -> str:
        """What it is called in the store."""
        return keys.content(*self)

    @classmethod
    def of(cls, field: str) -> "Upload":
        """The one of this field."""
        bot, digest, owner = field.split(" ", 2)
        return cls(bot, digest, owner)


class Uploads:
    """The uploads of one store."""

    def __init__(self, client: Client, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def begin(self, upload: Upload, size: int, most: int = 0) -> list[Upload]:
        """Note that `size` bytes are sent, or go on to be sent; those that are given up for it.

        An owner has at most `most` here (0: any number); whatever is not handed in makes room, the
        longest untouched first. Raises LimitReached where so many are being built and checked.
        """
        args = [upload.field, size, upload.owner, most]
        word, *rest = self._scripts.run("upload_begin", [keys.UPLOADS, keys.CONTENTS], args)
        if word == "open":
            raise LimitReached("KNOCKBOX_SUBMIT_OPEN", f"{rest[0]} of yours are not settled yet")
        return [Upload.of(field) for field in rest]

    def size(self, upload: Upload) -> int | None:
        """How many bytes it will have; None where nothing was begun."""
        kept = self._client.hget(keys.UPLOADS, upload.field)
        return int(kept.split()[0]) if kept else None

    def forget(self, upload: Upload) -> None:
        """Nothing of it is here any more."""
        self._client.hdel(keys.UPLOADS, upload.field)

    def old(self, older_ms: int) -> list[Upload]:
        """Forget what was not handed in and not touched for so long; what it was."""
        gone = self._scripts.run("upload_old", [keys.UPLOADS, keys.CONTENTS], [older_ms])
        return [Upload.of(field) for field in gone]

    def all(self) -> list[Upload]:
        """Everything that is here or on its way."""
        return [Upload.of(field) for field in self._client.hgetall(keys.UPLOADS)]
