"""Tournaments: how one is created from a request, and how it stands for people."""

import threading
from collections.abc import Callable, Iterator

from arena.api import plans
from arena.api.refusals import invalid
from arena.api.tables import TableDesk
from knockbox.v1 import arena_pb2 as pb
from referee.rules.ruleset import resolve
from referee.wire import rules as wire
from workers.names import complaint
from workers.store import NotFound, Store
from workers.store.tournaments import Entrant, Tournament

GIVEN_UP_MOST = 20
"""Matches given up that are named; the number tells of the rest."""
LOOKED_AT_MOST = 20_000
"""Matches that are looked through for them."""

STATES = {"running": pb.TOURNAMENT_STATE_RUNNING, "over": pb.TOURNAMENT_STATE_OVER}


class TournamentDesk:
    """Creates and shows tournaments. `began` is told the id of each new one."""

    def __init__(
        self,
        store: Store,
        tables: TableDesk,
        watch_every: float,
        stop: threading.Event,
        began: Callable[[str], None],
    ) -> None:
        self._store = store
        self._tables = tables
        self._watch_every = watch_every
        self._stop = stop
        self._began = began

    def create(self, request: pb.CreateTournamentRequest) -> pb.CreateTournamentResponse:
        """Create it; its matches are sent out at once. Raises RefusalError, StoreError."""
        if request.name and (wrong := complaint(request.name)):
            raise invalid("name", f"{request.name[:40]!r} is no name: {wrong}")
        plan = plans.make(request, self._entrants(list(request.bots)))
        made = self._store.tournaments.create(request.name, plan)
        self._began(made)
        return pb.CreateTournamentResponse(tournament=self._whole(made))

    def get(self, request: pb.GetTournamentRequest) -> pb.GetTournamentResponse:
        """One tournament with its table. Raises NotFound."""
        return pb.GetTournamentResponse(tournament=self._whole(request.tournament_id))

    def all(self, _: pb.ListTournamentsRequest) -> pb.ListTournamentsResponse:
        """All tournaments, newest first, without tables."""
        found = self._store.tournaments.all()
        return pb.ListTournamentsResponse(tournaments=[self._message(one) for one in found])

    def watch(
        self, request: pb.WatchTournamentRequest, wanted: Callable[[], bool]
    ) -> Iterator[pb.WatchTournamentResponse]:
        """The tournament now and whenever it has changed, until it is over or not `wanted`."""
        shown: pb.Tournament | None = None
        table: list[pb.TableRow] = []
        given_up: list[pb.GivenUp] = []
        while wanted() and not self._stop.is_set():
            found = self._store.tournaments.get(request.tournament_id)
            message = self._message(found)
            if shown is None or message.recorded != shown.recorded:
                table = self._tables.rows(found)
            if shown is None or message.dead != shown.dead:
                given_up = self._given_up(found)
            message.table.extend(table)
            message.given_up.extend(given_up)
            if message != shown:
                shown = message
                yield pb.WatchTournamentResponse(tournament=message)
            if found.over:
                return
            self._stop.wait(self._watch_every)

    def _whole(self, tournament_id: str) -> pb.Tournament:
        found = self._store.tournaments.get(tournament_id)
        message = self._message(found)
        message.table.extend(self._tables.rows(found))
        message.given_up.extend(self._given_up(found))
        return message

    def _given_up(self, found: Tournament) -> list[pb.GivenUp]:
        """The first matches that were given up, each with what its last attempt ended by."""
        named: list[pb.GivenUp] = []
        wanted = min(found.dead, GIVEN_UP_MOST)
        ids = self._store.tournaments.match_ids(found)[:LOOKED_AT_MOST] if wanted else []
        for match_id in ids:
            match = self._store.matches.get(match_id)
            if match.state == "dead":
                cause = match.attempts[-1].cause if match.attempts else ""
                named.append(pb.GivenUp(match_id=match_id, cause=cause))
            if len(named) == wanted:
                break
        return named

    def _entrants(self, names: list[str]) -> tuple[Entrant, ...]:
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise invalid("bots", f"{twice[:40]!r} is named twice")
        try:
            bots = (
                [self._store.bots.get(name) for name in names]
                if names
                else self._store.bots.playing()
            )
        except NotFound as error:
            raise invalid("bots", f"{error}; `knockbox bot list` shows which there are") from None
        if retired := [bot.name for bot in bots if bot.retired_ms]:
            raise invalid("bots", f"{retired[0]} is retired; `knockbox bot restore` lets it play")
        if len(bots) < 2:
            raise invalid("bots", f"a tournament needs two bots or more, here are {len(bots)}")
        if len(bots) > plans.BOTS_MOST:
            raise invalid("bots", f"{len(bots)} are too many, {plans.BOTS_MOST} at most")
        return tuple(Entrant(bot.name, bot.version) for bot in bots)

    def _message(self, found: Tournament) -> pb.Tournament:
        running = self._store.queue.running()
        message = pb.Tournament(
            tournament_id=found.id,
            state=STATES[found.state],
            rules=wire.to_proto(resolve(found.plan.rules)),
            units=found.plan.units,
            commitment=found.plan.commitment,
            secret=found.revealed,
            matches=found.matches,
            recorded=found.recorded,
            running=sum(match.rpartition(".")[0] == found.id for match in running),
            dead=found.dead,
            created_ms=found.created_ms,
            over_ms=found.over_ms,
            ladder=found.plan.ladder,
        )
        if found.plan.seed is not None:
            message.seed = found.plan.seed
        return message
