"""Recorded matches: the list from the log, the files from the arena's disk."""

import json
from collections.abc import Callable, Iterator

import grpc

from arena.api.refusals import RefusalError, invalid
from knockbox.v1 import arena_pb2 as pb
from workers import ledger
from workers.folders import Folders
from workers.store import Store

LIMIT, LIMIT_MOST = 100, 10_000
PART = 1 << 20
MILLION = 1_000_000


class ReplayDesk:
    """Lists and hands out replays. The log says which there are, never the folder."""

    def __init__(self, store: Store, folders: Folders) -> None:
        self._store = store
        self._folders = folders

    def all(self, request: pb.ListReplaysRequest) -> pb.ListReplaysResponse:
        """Recorded matches, newest first; of one tournament, or of all. Raises NotFound."""
        if request.limit > LIMIT_MOST:
            raise invalid("limit", f"{request.limit:,} are too many, {LIMIT_MOST:,} at most")
        limit = request.limit or LIMIT
        tournament_id = request.tournament_id
        most = limit + 100  # the entries of what an organiser did are few
        if tournament_id:
            self._store.tournaments.get(tournament_id)
            texts = self._store.log.last_of_tournament(tournament_id, most)[::-1]
        else:
            texts = self._store.log.newest(most)
        entries: list[ledger.Entry] = [json.loads(text) for text in texts]
        # What takes a match back is newer than the match: it is among them too.
        void = ledger.taken_back(entries)
        played = [entry for entry in entries if ledger.played(entry)][:limit]
        return pb.ListReplaysResponse(
            replays=[self._message(entry, void.get(entry["seq"], "")) for entry in played]
        )

    def parts(
        self, request: pb.GetReplayRequest, wanted: Callable[[], bool]
    ) -> Iterator[pb.GetReplayResponse]:
        """The file of one recorded match in parts. Raises NotFound, RefusalError."""
        match = self._store.matches.get(request.match_id)
        if not match.digest:
            raise RefusalError(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"match {match.id} is not recorded yet: nothing of it is shown before",
            )
        void = ""
        if match.correction:
            void = json.loads(self._store.log.text(match.correction))["why"]
        try:
            with self._folders.replay(match.id).open("rb") as file:
                while wanted() and (part := file.read(PART)):
                    yield pb.GetReplayResponse(data=part, void=void)
        except OSError as error:
            raise RefusalError(
                grpc.StatusCode.NOT_FOUND,
                f"the replay of {match.id} cannot be read: {error.strerror}",
            ) from None

    def _message(self, entry: ledger.Entry, void: str) -> pb.ReplayEntry:
        path = self._folders.replay(entry["match"])
        message = pb.ReplayEntry(
            match_id=entry["match"],
            tournament_id=entry["tournament"],
            digest=bytes.fromhex(entry["digest"]),
            size=path.stat().st_size if path.exists() else 0,
            path=str(path),
            recorded_ms=entry["recorded_ms"],
            void=void,
        )
        for bot in entry["bots"]:
            message.bots.add(name=bot["name"], version=bot["version"])
            units: list[int] = bot["units"]
            mean = sum(units) * MILLION // (len(units) * entry["scale"]) if units else 0
            message.score_millionths.append(mean)
        return message
