"""Bots: their snapshots on the arena's disk, and how they stand."""

from contextlib import suppress

import grpc

from arena.api import submissions
from arena.api.career import Career
from arena.api.door import Caller
from arena.api.ladders import benches
from arena.api.refusals import RefusalError, invalid
from knockbox.v1 import arena_pb2 as pb
from workers import botlogs
from workers.folders import Folders
from workers.ratings import elo_now
from workers.sandbox import manifest
from workers.sandbox.manifest import BotError, BotFolder
from workers.store import NotFound, Store
from workers.store.bots import Bot
from workers.store.ratings import Rating
from workers.store.submissions import Submission


class BotDesk:
    """Shows bots."""

    def __init__(self, store: Store, folders: Folders) -> None:
        self._store = store
        self._folders = folders

    def get(self, request: pb.GetBotRequest, caller: Caller) -> pb.GetBotResponse:
        """One bot with all its versions, and how it has done. Raises NotFound."""
        handed_in = self._handed_in(request.name, caller)
        try:
            message = self._whole(self._store.bots.get(request.name))
        except NotFound:
            if not handed_in:
                raise
            message = pb.Bot(name=request.name, owner=handed_in[0].owner)
        message.submissions.extend(submissions.message(one, message) for one in handed_in)
        return pb.GetBotResponse(bot=message)

    def _handed_in(self, name: str, caller: Caller) -> list[Submission]:
        """What was submitted for a bot, as far as the caller may see it."""
        found = self._store.submissions.of_bot(name)
        return [one for one in found if caller.everything or one.owner == caller.name]

    def _whole(self, bot: Bot) -> pb.Bot:
        """A bot with all its versions."""
        (message,) = self._messages([bot])
        message.all_versions.extend(self._versions(bot))
        career = Career(self._store, self._folders, bot.name)
        for version in message.all_versions:
            career.put_history(version)
        if fault := career.last_fault():
            message.last_fault.CopyFrom(fault)
        message.recent.CopyFrom(career.recent())
        message.benches.extend(benches(self._store, bot.name))
        return message

    def logs(self, request: pb.GetBotLogsRequest, caller: Caller) -> pb.GetBotLogsResponse:
        """What a bot printed in one match. Raises NotFound, RefusalError."""
        try:
            self._owned_by(caller, request.name)
        except NotFound:
            if not self._handed_in(request.name, caller):
                raise
            raise RefusalError(
                grpc.StatusCode.NOT_FOUND,
                f"no version of {request.name} was accepted yet, so it has no matches; "
                f"`knockbox bot show {request.name}` has what its check said",
            ) from None
        leg = request.leg if request.HasField("leg") else None
        try:
            found = botlogs.find(
                self._folders, request.name, request.match_id, leg, self._has_ended
            )
        except ValueError as error:
            raise invalid("match_id", str(error)) from None
        if request.match_id and not self._store.matches.get(request.match_id).ended:
            raise RefusalError(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"match {request.match_id} has not ended: nothing of it is shown before",
            )
        answer = pb.GetBotLogsResponse()
        for log in found:
            text = "\n".join(log.lines(request.tail))
            answer.logs.add(match_id=log.match_id, attempt=log.attempt, leg=log.leg, text=text)
        return answer

    def _has_ended(self, match_id: str) -> bool:
        """Whether a match has ended; before that nothing that bots printed in it is shown."""
        with suppress(NotFound):
            return self._store.matches.get(match_id).ended
        return False

    def retire(self, request: pb.RetireBotRequest, caller: Caller) -> pb.RetireBotResponse:
        """Take a bot out of new matches, or let it have them again.

        Raises NotFound, RefusalError.
        """
        self._owned_by(caller, request.name)
        self._store.bots.retire(request.name, restore=request.restore)
        return pb.RetireBotResponse(bot=self.message(request.name))

    def _owned_by(self, caller: Caller, name: str) -> None:
        """Raise RefusalError where a bot is none of the caller's business, NotFound."""
        if self._store.bots.get(name).owner != caller.name and not caller.everything:
            raise RefusalError(grpc.StatusCode.PERMISSION_DENIED, f"{name} is not your bot")

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

    def message(self, name: str) -> pb.Bot:
        """One bot as it stands now. Raises NotFound."""
        return self._messages([self._store.bots.get(name)])[0]

    def _messages(self, bots: list[Bot]) -> list[pb.Bot]:
        ratings = self._store.ratings.of((bot.name, bot.version) for bot in bots)
        found = [self._message(bot, rating) for bot, rating in zip(bots, ratings, strict=True)]
        afar = self._store.dial.known(bot.version for bot in bots)
        agents = self._store.dial.agents(bot.name for bot in bots if bot.version in afar)
        for message in found:
            if agent := agents.get(message.name):
                message.dial_in.CopyFrom(pb.DialState(**agent._asdict()))
        return found

    def _versions(self, bot: Bot) -> list[pb.BotVersion]:
        """Every version with its own record, newest first."""
        newest_first = bot.versions[::-1]
        ratings = self._store.ratings.of((bot.name, version) for version in newest_first)
        found: list[pb.BotVersion] = []
        for version, rating in zip(newest_first, ratings, strict=True):
            message = pb.BotVersion(version=version, added_ms=self._added_ms(bot, version))
            if rating is None:
                message.milli_elo = elo_now(self._store, [(bot.name, version)])[0]
            else:
                _count(message, rating)
            found.append(message)
        return found

    def _added_ms(self, bot: Bot, version: str) -> int:
        """When a snapshot was made, which is never written again; or an image was pinned. Of what
        dials in nothing is here: the first came with the bot, of later ones it is not known."""
        with suppress(OSError):
            return self._folders.snapshot(version).stat().st_mtime_ns // 1_000_000
        if image := self._store.images.get(version):
            return image.pinned_ms
        return bot.added_ms if version == bot.versions[0] else 0

    def _message(self, bot: Bot, rating: Rating | None) -> pb.Bot:
        message = pb.Bot(
            name=bot.name,
            owner=bot.owner,
            visibility=pb.VISIBILITY_PUBLIC,
            version=bot.version,
            versions=len(bot.versions),
            added_ms=bot.added_ms,
            retired_ms=bot.retired_ms,
        )
        if rating is None:
            message.milli_elo = elo_now(self._store, [(bot.name, bot.version)])[0]
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


def checked(request: pb.AddBotRequest) -> BotFolder:
    """The folder in a request. Raises RefusalError."""
    try:
        folder = manifest.from_files(
            (file.path, file.content, file.executable) for file in request.files
        )
    except BotError as error:
        raise invalid("files", str(error)) from None
    if request.name != folder.name:
        raise invalid("name", f"{request.name[:40]!r} is not {folder.name!r}, as its files say")
    return folder
