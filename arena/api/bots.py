"""Bots: their snapshots on the arena's disk, and how they stand."""

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from arena.api.refusals import invalid
from knockbox.v1 import arena_pb2 as pb
from workers import elo
from workers.folders import Folders
from workers.sandbox import manifest
from workers.sandbox.manifest import BotError, BotFolder, File
from workers.store import Store
from workers.store.bots import Bot
from workers.store.ratings import Rating

VISIBILITIES = {"public": pb.VISIBILITY_PUBLIC, "private": pb.VISIBILITY_PRIVATE}


class BotDesk:
    """Registers and shows bots. `owner` is whose bots they are."""

    def __init__(self, store: Store, folders: Folders, owner: str) -> None:
        self._store = store
        self._folders = folders
        self._owner = owner

    def add(self, request: pb.AddBotRequest) -> pb.AddBotResponse:
        """Keep a snapshot of the folder, and register it. Raises RefusalError, StoreError."""
        folder = _checked(request)
        digest = manifest.digest(folder.files)
        keep_snapshot(self._folders, digest, folder.files)
        added = self._store.bots.add(folder.name, digest, self._owner)
        return pb.AddBotResponse(bot=self._bot(folder.name), added=added)

    def get(self, request: pb.GetBotRequest) -> pb.GetBotResponse:
        """One bot. Raises NotFound."""
        return pb.GetBotResponse(bot=self._bot(request.name))

    def all(self, _: pb.ListBotsRequest) -> pb.ListBotsResponse:
        """All bots, by name."""
        return pb.ListBotsResponse(bots=self._messages(self._store.bots.all()))

    def ratings(self, _: pb.ListRatingsRequest) -> pb.ListRatingsResponse:
        """Elo of all bots in the version that plays now, best first."""
        bots = self._messages(self._store.bots.all())
        bots.sort(key=lambda bot: (-bot.milli_elo, bot.name))
        return pb.ListRatingsResponse(
            ratings=[
                pb.Rating(
                    bot=bot.name, version=bot.version, milli_elo=bot.milli_elo, units=bot.units
                )
                for bot in bots
            ]
        )

    def _bot(self, name: str) -> pb.Bot:
        return self._messages([self._store.bots.get(name)])[0]

    def _messages(self, bots: list[Bot]) -> list[pb.Bot]:
        ratings = self._store.ratings.of((bot.name, bot.version) for bot in bots)
        return [self._message(bot, rating) for bot, rating in zip(bots, ratings, strict=True)]

    def _message(self, bot: Bot, rating: Rating | None) -> pb.Bot:
        message = pb.Bot(
            name=bot.name,
            owner=bot.owner,
            visibility=VISIBILITIES[bot.visibility],
            version=bot.version,
            versions=len(bot.versions),
            added_ms=bot.added_ms,
        )
        if rating is None:
            message.milli_elo = first_elo(self._store, bot.name, bot.version)
            return message
        message.milli_elo = rating.elo
        message.units = rating.units
        message.won, message.lost = rating.games["won"], rating.games["lost"]
        message.drawn = rating.games["drawn"]
        for reason, games in rating.faults.items():
            message.faults.add(reason=reason, games=games)
        return message


def first_elo(store: Store, name: str, version: str) -> int:
    """Where a version without a rating will begin, in thousandths: at its parent's rating."""
    parents = store.bots.parents(name)
    for _ in parents:
        version = parents.get(version, "")
        if not version:
            break
        (rating,) = store.ratings.of([(name, version)])
        if rating is not None:
            return rating.elo
    return elo.START


def keep_snapshot(folders: Folders, version: str, files: Iterable[File]) -> None:
    """Put a version's files in their place, whole or not at all; again changes nothing."""
    place = folders.snapshot(version)
    if place.is_dir():
        return
    temporary = Path(tempfile.mkdtemp(prefix="bot-", dir=folders.incoming_folder))
    try:
        manifest.unpack(files, temporary)
        temporary.replace(place)
    except OSError:
        if not place.is_dir():  # else another call has put the same there
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _checked(request: pb.AddBotRequest) -> BotFolder:
    try:
        folder = manifest.from_files(
            (file.path, file.content, file.executable) for file in request.files
        )
    except BotError as error:
        raise invalid("files", str(error)) from None
    if request.name != folder.name:
        raise invalid("name", f"{request.name[:40]!r} is not {folder.name!r}, as its files say")
    return folder
