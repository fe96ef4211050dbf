"""What a tournament would take: from what this arena has played by the same rules, else from what
the sample bots take."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from knockbox.v1 import arena_pb2 as pb
from referee import deck, selfplay
from referee.replay import Replay, ReplayError
from referee.rules.ruleset import Ruleset, resolve
from workers import forecast
from workers.folders import Folders
from workers.forecast import Played
from workers.schedule import longest_s
from workers.store import NotFound, Store
from workers.store.tournaments import Plan

RECENT = 1000
"""Recorded matches that are looked through for those of the same rules."""
MEASURED = 20
"""Of these so many are measured, the newest."""
FEWEST = 2
GAMES = 16
"""Games that are played in this process where none was measured, to count their decisions."""


class EstimateDesk:
    """Estimates tournaments; `plan` makes one from a request and tells whom it leaves out, and
    `slots` matches run at once."""

    def __init__(
        self,
        store: Store,
        folders: Folders,
        plan: Callable[[pb.CreateTournamentRequest], tuple[Plan, list[str]]],
        slots: int,
    ) -> None:
        self._store = store
        self._folders = folders
        self._plan = plan
        self._slots = slots

    def estimate(self, request: pb.EstimateTournamentRequest) -> pb.EstimateTournamentResponse:
        """Raises what creating it would raise."""
        plan, left_out = self._plan(request.tournament)
        rules = resolve(plan.rules)
        games = plan.units * rules.players
        played = list(islice(self._played(rules), MEASURED))
        if len(played) >= FEWEST:
            time = forecast.whole(plan.total, games, self._slots, played)
            size = forecast.size(plan.total, games, played)
        else:
            played, decisions = [], _decisions(rules)
            time = forecast.unplayed(plan.total, rules.players, games, self._slots, decisions)
            size = forecast.unplayed_size(plan.total, games, decisions)
        longest = longest_s(plan.clock, plan.units, rules.players)
        return pb.EstimateTournamentResponse(
            matches=plan.total,
            units=plan.units,
            games=plan.total * games,
            slots=self._slots,
            low_ms=time.low,
            high_ms=time.high,
            match_most_ms=0 if math.isinf(longest) else round(longest * 1000),
            bytes=size,
            measured=len(played),
            bots=sorted(entrant.name for entrant in plan.entrants),
            left_out=left_out,
        )

    def _played(self, rules: Ruleset) -> Iterator[Played]:
        """Recorded matches of these rules, the newest first."""
        same: dict[str, bool] = {}
        for text in self._store.log.newest(RECENT):
            entry: dict[str, Any] = json.loads(text)
            tournament = entry["tournament"]
            if tournament not in same:
                same[tournament] = self._has(tournament, rules)
            if same[tournament] and entry.get("digest"):
                path = self._folders.replay(entry["match"])
                with suppress(OSError, ReplayError):
                    replay = Replay.open(path)
                    took = replay.side.ended_ms - replay.side.started_ms
                    yield Played(took, path.stat().st_size, len(replay.games))

    def _has(self, tournament_id: str, rules: Ruleset) -> bool:
        try:
            return resolve(self._store.tournaments.get(tournament_id).plan.rules) == rules
        except NotFound:
            return False


def _decisions(rules: Ruleset) -> float:
    """Decisions a game between players who keep the least deadwood."""
    decks = deck.Decks(deck.seed_secret("estimate"), (), rules)
    players = [selfplay.POLICIES["greedy"]] * rules.players
    mix = selfplay.games(rules, decks, GAMES, players, lambda most: most - 1)
    return mix.decisions / mix.games
