"""How matches that were given up are queued again. What a tournament is, is `tournaments`."""

from knockbox.v1 import arena_pb2 as pb
from workers.store import Store


class ResumeDesk:
    """Queues matches again. Their messages are the reconciler's affair."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def resume(self, request: pb.ResumeTournamentRequest) -> pb.ResumeTournamentResponse:
        """Queue again what was given up, in a running tournament or one that is over.

        Its secret is not told while a match of it is dead, so its decks are still unknown.
        Raises NotFound.
        """
        found = self._store.tournaments.get(request.tournament_id)
        dead = self._store.tournaments.dead(found)
        return pb.ResumeTournamentResponse(
            match_ids=[match_id for match_id in dead if self._store.matches.resume(match_id)]
        )
