"""What an organiser asks of a tournament. What it means is `workers.organise`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import grpc

from arena.api.refusals import RefusalError, invalid
from knockbox.v1 import arena_pb2 as pb
from workers import organise
from workers.names import line_complaint
from workers.store import Store

WHY_MOST = 200
"""Characters of the words by which a match is made void."""


class OrganiserDesk:
    """Pauses, resumes and closes tournaments, takes bots out of them, and makes matches void.

    `told` gives a tournament as it stands; `again` sends out what is due of it.
    """

    def __init__(
        self, store: Store, told: Callable[[str], pb.Tournament], again: Callable[[str], None]
    ) -> None:
        self._store = store
        self._told = told
        self._again = again

    def pause(self, request: pb.PauseTournamentRequest) -> pb.PauseTournamentResponse:
        """Begin no match of it. Raises NotFound, RefusalError."""
        with _not_now():
            organise.pause(self._store, request.tournament_id)
        return pb.PauseTournamentResponse(tournament=self._told(request.tournament_id))

    def resume(self, request: pb.ResumeTournamentRequest) -> pb.ResumeTournamentResponse:
        """Let it go on, with what was given up. Raises NotFound, RefusalError."""
        with _not_now():
            paused, match_ids = organise.resume(self._store, request.tournament_id)
        if paused or match_ids:
            self._again(request.tournament_id)
        return pb.ResumeTournamentResponse(match_ids=match_ids, unpaused=paused)

    def withdraw(self, request: pb.WithdrawBotRequest) -> pb.WithdrawBotResponse:
        """Take a bot out. Raises NotFound, RefusalError."""
        with _not_now():
            organise.withdraw(self._store, request.tournament_id, request.bot)
        self._again(request.tournament_id)
        return pb.WithdrawBotResponse(tournament=self._told(request.tournament_id))

    def close(self, request: pb.CloseTournamentRequest) -> pb.CloseTournamentResponse:
        """End it for good. Raises NotFound, RefusalError."""
        with _not_now():
            organise.close(self._store, request.tournament_id)
        return pb.CloseTournamentResponse(tournament=self._told(request.tournament_id))

    def void(self, request: pb.VoidMatchRequest) -> pb.VoidMatchResponse:
        """Make a recorded match count for nothing. Raises NotFound, RefusalError."""
        why = request.why.strip()
        if wrong := line_complaint(why, WHY_MOST):
            raise invalid("why", wrong)
        with _not_now():
            organise.void(self._store, request.match_id, why)
        tournament_id = request.match_id.rpartition(".")[0]
        return pb.VoidMatchResponse(tournament=self._told(tournament_id))


@contextmanager
def _not_now() -> Iterator[None]:
    try:
        yield
    except organise.NotNow as error:
        raise RefusalError(grpc.StatusCode.FAILED_PRECONDITION, str(error)) from None
