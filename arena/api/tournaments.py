"""Tournaments: how one is created from a request, and how it stands for people."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from arena.api import plans
from arena.api.refusals import invalid
from arena.api.sandbox import Judge
from arena.api.tables import TableDesk
from knockbox.v1 import arena_pb2 as pb
from referee.rules.ruleset import resolve
from referee.wire import rules as wire
from workers import ledger
from workers.forecast import PACE, rest
from workers.names import complaint
from workers.store import NameTaken, NotFound, Store
from workers.store.bots import Bot
from workers.store.tournaments import OPEN, Entrant, Plan, Tournament

NAMED_MOST = 20
"""Matches given up that are named, and those made void; the numbers tell of the rest."""

STATES = {
    "running": pb.TOURNAMENT_STATE_RUNNING,
    "paused": pb.TOURNAMENT_STATE_PAUSED,
    "closing": pb.TOURNAMENT_STATE_RUNNING,
    "over": pb.TOURNAMENT_STATE_OVER,
}


class TournamentDesk:
    """Creates and shows tournaments. `began` is told the id of each new one."""

    def __init__(
        self,
        store: Store,
        tables: TableDesk,
        judge: Judge,
        watch_every: float,
        stop: threading.Event,
        began: Callable[[str], None],
    ) -> None:
        self._store = store
        self._tables = tables
        self._judge = judge
        self._watch_every = watch_every
        self._stop = stop
        self._began = began

    def create(self, request: pb.CreateTournamentRequest) -> pb.CreateTournamentResponse:
        """Create it; its matches are sent out at once. Raises RefusalError, StoreError."""
        plan, left_out = self.plan(request)
        sandboxed, why = self._judge(plan.entrants)
        made = self._store.tournaments.create(request.name, plan._replace(sandboxed=sandboxed))
        self._began(made)
        return pb.CreateTournamentResponse(
            tournament=self.whole(made), sandbox=why, left_out=left_out
        )

    def plan(self, request: pb.CreateTournamentRequest) -> tuple[Plan, list[str]]:
        """What a request would have played, and the bots that it leaves out though it names none.

        Raises RefusalError, StoreError.
        """
        if request.name:
            if wrong := complaint(request.name):
                raise invalid("name", f"{request.name[:40]!r} is no name: {wrong}")
            if by := self._store.tournaments.holder(request.name):
                raise NameTaken(request.name, by)
        if request.bots:
            bots, left_out = self._named(list(request.bots)), list[str]()
        else:
            bots, left_out = self._all_there()
        entrants = tuple(Entrant(bot.name, bot.version) for bot in bots)
        return plans.make(request, entrants, left_out), left_out

    def get(self, request: pb.GetTournamentRequest) -> pb.GetTournamentResponse:
        """One tournament with its table. Raises NotFound."""
        return pb.GetTournamentResponse(tournament=self.whole(request.tournament_id))

    def all(self, _: pb.ListTournamentsRequest) -> pb.ListTournamentsResponse:
        """All tournaments, newest first, without tables."""
        found, running = self._store.tournaments.all(), _counted(self._store.queue.running())
        return pb.ListTournamentsResponse(tournaments=[_message(one, running) for one in found])

    def watch(
        self, request: pb.WatchTournamentRequest, wanted: Callable[[], bool]
    ) -> Iterator[pb.WatchTournamentResponse]:
        """The tournament now and whenever it has changed, until it is over or not `wanted`."""
        shown: pb.Tournament | None = None
        table: list[pb.TableRow] = []
        given_up: list[pb.GivenUp] = []
        corrections: list[pb.Correction] = []
        forecast: pb.Forecast | None = None
        while wanted() and not self._stop.is_set():
            found = self._store.tournaments.get(request.tournament_id)
            message = self._told(found)
            counts = message.recorded, message.voided
            if shown is None or counts != (shown.recorded, shown.voided):
                table, forecast = self._tables.rows(found), self._forecast(found)
                corrections = self._corrections(found)
            if shown is None or message.dead != shown.dead:
                given_up = self._given_up(found)
            message.table.extend(table)
            message.given_up.extend(given_up)
            message.corrections.extend(corrections)
            if forecast is not None and found.state == "running":
                message.forecast.CopyFrom(forecast)
            if message != shown:
                shown = message
                yield pb.WatchTournamentResponse(tournament=message)
            if found.over:
                return
            self._stop.wait(self._watch_every)

    def whole(self, tournament_id: str) -> pb.Tournament:
        """A tournament with all that is told of it. Raises NotFound."""
        found = self._store.tournaments.get(tournament_id)
        message = self._told(found)
        message.table.extend(self._tables.rows(found))
        message.given_up.extend(self._given_up(found))
        message.corrections.extend(self._corrections(found))
        if found.state == "running" and (forecast := self._forecast(found)):
            message.forecast.CopyFrom(forecast)
        return message

    def _told(self, found: Tournament) -> pb.Tournament:
        """A tournament without its table; who dials in, and how many matches wait for that."""
        running = self._store.queue.running()
        message = _message(found, _counted(running))
        message.running_millionths = self._played(found, running)
        known = self._store.dial.known(bot.version for bot in found.plan.entrants)
        message.dial_in.extend(bot.name for bot in found.plan.entrants if bot.version in known)
        message.waiting = self._store.tournaments.waiting(found.id)
        return message

    def _played(self, found: Tournament, running: Iterable[str]) -> int:
        """How much of its matches that run is played, in millionths of a match."""
        legs = resolve(found.plan.rules).players
        own = (match_id for match_id in running if match_id.rpartition(".")[0] == found.id)
        told = (self._store.matches.get(match_id).progress for match_id in own)
        played = (one["leg"] + one["games_over"] / one["games"] for one in told if one.get("games"))
        return sum(round(1_000_000 * legs_over / legs) for legs_over in played)

    def _forecast(self, found: Tournament) -> pb.Forecast | None:
        """How long the rest will take, by the pace of the last matches; None: too early to tell."""
        if found.plan.total == OPEN:
            return None
        left = found.plan.total - found.recorded - found.dead - found.void
        entries = map(json.loads, self._store.log.last_of_tournament(found.id, PACE + 1))
        times = [entry["recorded_ms"] for entry in entries if ledger.played(entry)]
        if not left or (time := rest(times, left)) is None:
            return None
        return pb.Forecast(
            low_ms=time.low, high_ms=time.high, matches=len(times), recorded_ms=times[-1]
        )

    def _given_up(self, found: Tournament) -> list[pb.GivenUp]:
        """The first matches that were given up, each with what its last attempt ended by."""
        dead = self._store.tournaments.dead(found.id, NAMED_MOST) if found.dead else []
        tried = [(match_id, self._store.matches.get(match_id).attempts) for match_id in dead]
        return [
            pb.GivenUp(match_id=match_id, cause=attempts[-1].cause if attempts else "")
            for match_id, attempts in tried
        ]

    def _corrections(self, found: Tournament) -> list[pb.Correction]:
        """The last matches that were recorded and made void, each with why."""
        texts = self._store.log.corrections(found.id, NAMED_MOST) if found.void else []
        return [
            pb.Correction(match_id=one["match"], why=one["why"], recorded_ms=one["recorded_ms"])
            for one in map(json.loads, texts)
        ]

    def _named(self, names: list[str]) -> list[Bot]:
        """The bots of these names. Raises RefusalError."""
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise invalid("bots", f"{twice[:40]!r} is named twice")
        try:
            bots = [self._store.bots.get(name) for name in names]
        except NotFound as error:
            raise invalid("bots", f"{error}; `knockbox bot list` shows which there are") from None
        if retired := [bot.name for bot in bots if bot.retired_ms]:
            raise invalid("bots", f"{retired[0]} is retired; `knockbox bot restore` lets it play")
        return bots

    def _all_there(self) -> tuple[list[Bot], list[str]]:
        """All registered bots but those that dial in and are away, and the names of these: else
        whoever registers names and never comes would make every tournament wait."""
        bots = self._store.bots.playing()
        known = self._store.dial.known(bot.version for bot in bots)
        agents = self._store.dial.agents(bot.name for bot in bots if bot.version in known)
        away = {name for name, agent in agents.items() if agent.away}
        return [bot for bot in bots if bot.name not in away], sorted(away)


def _counted(matches: Iterable[str]) -> Counter[str]:
    """How many of these matches each tournament has."""
    return Counter(match_id.rpartition(".")[0] for match_id in matches)


def _message(found: Tournament, running: Mapping[str, int]) -> pb.Tournament:
    """A tournament without its table; `running` are the matches in play by tournament."""
    message = pb.Tournament(
        tournament_id=found.id,
        state=STATES[found.state],
        rules=wire.to_proto(resolve(found.plan.rules)),
        units=found.plan.units,
        commitment=found.plan.commitment,
        secret=found.revealed,
        matches=found.matches,
        recorded=found.recorded,
        running=running.get(found.id, 0),
        dead=found.dead,
        created_ms=found.created_ms,
        over_ms=found.over_ms,
        voided=found.void,
        withdrawn=found.withdrawn,
        closed=found.closed,
        rate_same_owner=found.plan.rate_same_owner,
        sandboxed=found.plan.sandboxed,
        ladder=found.plan.ladder,
    )
    if found.plan.seed is not None:
        message.seed = found.plan.seed
    return message
