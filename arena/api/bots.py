"""Bots: their snapshots on the arena's disk, and how they stand."""

import json
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.api.ladders import benches
from arena.api.refusals import invalid
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import play_pb2
from referee.replay import Replay, ReplayError
from referee.results import seat_of
from referee.wire.replay import reason_word
from workers.folders import Folders
from workers.ratings import first_elo
from workers.sandbox import manifest
from workers.sandbox.manifest import BotError, BotFolder, File
from workers.store import Store
from workers.store.bots import Bot
from workers.store.ratings import Rating

RECENT = 1000
"""Recorded matches that are looked through for a bot's last fault."""

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
        """One bot with all its versions, its last fault and its benches. Raises NotFound."""
        bot = self._store.bots.get(request.name)
        (message,) = self._messages([bot])
        message.all_versions.extend(self._versions(bot))
        if fault := self._last_fault(bot.name):
            message.last_fault.CopyFrom(fault)
        message.benches.extend(benches(self._store, bot.name))
        return pb.GetBotResponse(bot=message)

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

    def _versions(self, bot: Bot) -> list[pb.BotVersion]:
        """Every version with its own record, newest first."""
        newest_first = bot.versions[::-1]
        ratings = self._store.ratings.of((bot.name, version) for version in newest_first)
        found: list[pb.BotVersion] = []
        for version, rating in zip(newest_first, ratings, strict=True):
            message = pb.BotVersion(version=version, added_ms=self._added_ms(version))
            if rating is None:
                message.milli_elo = first_elo(self._store, bot.name, version)
            else:
                _count(message, rating)
            found.append(message)
        return found

    def _added_ms(self, version: str) -> int:
        """When a snapshot was made; it is never written again."""
        try:
            return self._folders.snapshot(version).stat().st_mtime_ns // 1_000_000
        except OSError:
            return 0

    def _last_fault(self, name: str) -> pb.BotFault | None:
        """The newest leg that a bot forfeited, among the last matches recorded."""
        for text in self._store.log.newest(RECENT):
            entry: dict[str, Any] = json.loads(text)
            for number, bot in enumerate(entry.get("bots", ())):
                if bot["name"] == name and bot["add"].get("forfeits"):
                    return self._fault_in(entry, number, name)
        return None

    def _fault_in(self, entry: dict[str, Any], number: int, name: str) -> pb.BotFault:
        """Where in a match that is recorded a bot was at fault; its replay says it best."""
        reasons = [key[6:] for key in entry["bots"][number]["add"] if key.startswith("fault.")]
        fault = pb.BotFault(
            match_id=entry["match"],
            reason=reasons[0] if reasons else "",
            recorded_ms=entry["recorded_ms"],
        )
        with suppress(OSError, ReplayError):
            replay = Replay.open(self._folders.replay(entry["match"]))
            seats = len(replay.header.bots)
            for leg in replay.seal.legs:
                reason = leg.reasons[seat_of(number, leg.leg, seats)]
                if reason != play_pb2.REASON_PLAYED:
                    fault.leg, fault.reason = leg.leg, reason_word(reason)
                    break
        log = self._folders.log(entry["match"], entry["fence"], fault.leg, name)
        if log.is_file():
            fault.log = str(log)
        return fault

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
        _count(message, rating)
        return message


def _count(message: pb.Bot | pb.BotVersion, rating: Rating) -> None:
    """Fill in what a rating says."""
    message.milli_elo = rating.elo
    message.units = rating.units
    message.won, message.lost = rating.games["won"], rating.games["lost"]
    message.drawn = rating.games["drawn"]
    for reason, games in rating.faults.items():
        message.faults.add(reason=reason, games=games)


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
