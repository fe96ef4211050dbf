"""Tournaments: what is to be played, and how far it is. Who meets whom is `workers.pairing`."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from workers.names import complaint, fold, match_id
from workers.store import keys
from workers.store.client import Client
from workers.store.errors import BadName, NameTaken, NotFound
from workers.store.scripts import Scripts

OPEN = 999_999_999
"""Matches of a tournament that has no last one yet: as many as can have a number."""


class Entrant(NamedTuple):
    """A bot with the version that plays in a tournament, pinned when it was created."""

    name: str
    version: str


class Plan(NamedTuple):
    """What a tournament plays. `rules` and `clock` are JSON objects, complete.

    `units` and `boards` are as in proto Plan; `total` is the number of matches; `secret` 32 bytes.
    A ladder's day names its `ladder`: its matches name their bots themselves, it has no entrants,
    and while it goes on its total is `OPEN`.
    """

    rules: Mapping[str, Any]
    units: int
    boards: int
    clock: Mapping[str, Any]
    entrants: tuple[Entrant, ...]
    total: int
    secret: bytes
    commitment: bytes
    seed: str | None = None
    sandboxed: bool = False
    format: str = "round_robin"
    ladder: str = ""


class Tournament(NamedTuple):
    """A tournament as it stands. Times are Unix milliseconds; `over_ms` is 0 before the end.

    `secret` is the organiser's until nothing can be played with it any more: see `revealed`.
    """

    id: str
    plan: Plan
    state: str
    created_ms: int
    over_ms: int
    next: int
    recorded: int
    dead: int

    @property
    def over(self) -> bool:
        """Every match is recorded or given up."""
        return self.state == "over"

    @property
    def matches(self) -> int:
        """How many matches it has, or has so far."""
        return self.next if self.plan.total == OPEN else self.plan.total

    @property
    def revealed(self) -> bytes:
        """The secret once every match is recorded, else nothing.

        A match that was given up may be resumed, and its decks follow from the secret.
        """
        return self.plan.secret if self.over and not self.dead else b""


class Tournaments:
    """The tournaments of one store."""

    def __init__(self, client: Client, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def create(self, name: str, plan: Plan) -> str:
        """Create a tournament; its id is `name`, or the next free of t1, t2 … where that is ''.

        Raises BadName, NameTaken.
        """
        if name:
            self._create(name, plan)
            return name
        while True:
            made = f"t{self._client.incr(keys.COUNTER)}"
            try:
                self._create(made, plan)
            except NameTaken:
                continue
            return made

    def _create(self, name: str, plan: Plan) -> None:
        if wrong := complaint(name):
            raise BadName(name, wrong)
        fields = plan_fields(plan)
        holder = self._scripts.run(
            "create",
            [keys.tournament(name), keys.TOURNAMENTS, keys.TOURNAMENTS_FOLDED, keys.TOPUP],
            [name, fold(name), *(part for pair in fields.items() for part in pair)],
        )
        if holder:
            raise NameTaken(name, by=holder)

    def get(self, tournament_id: str) -> Tournament:
        """One tournament. Raises NotFound, for ids that break the rule too."""
        if complaint(tournament_id):
            raise NotFound("tournament", str(tournament_id))
        found = self._client.hgetall(keys.tournament(tournament_id))
        if not found:
            raise NotFound("tournament", tournament_id)
        return Tournament(
            id=tournament_id,
            plan=_plan(found),
            state=found["state"],
            created_ms=int(found["created_ms"]),
            over_ms=int(found["over_ms"]),
            next=int(found["next"]),
            recorded=int(found["recorded"]),
            dead=int(found["dead"]),
        )

    def all(self) -> list[Tournament]:
        """Every tournament, newest first."""
        return [self.get(name) for name in self._client.zrange(keys.TOURNAMENTS, 0, -1, desc=True)]

    def fill(self, tournament_id: str, window: int) -> list[str]:
        """Make the next matches until `window` are open; the ids to send to the queue, in order.

        Doing it twice does nothing more. An id that is never sent is found by the reconciler.
        """
        return self._scripts.run(
            "fill",
            [keys.tournament(tournament_id), keys.TOPUP, keys.SENT],
            [tournament_id, window, keys.match("")],
        )

    def ladder_of(self, tournament_id: str) -> str:
        """The ladder whose day it is; "" for any other tournament."""
        return self._client.hget(keys.tournament(tournament_id), "ladder") or ""

    def counts(self, tournament_id: str) -> tuple[int, int]:
        """Matches made so far, and how many of them are not over; (0, 0) for none such."""
        fields = self._client.hmget(keys.tournament(tournament_id), ["next", "recorded", "dead"])
        made, *ended = (int(field or 0) for field in fields)
        return made, made - sum(ended)

    def seen_to(self, tournament_id: str) -> None:
        """It wants no more messages, until another of its matches is over."""
        self._client.srem(keys.TOPUP, tournament_id)

    def wanting(self) -> list[str]:
        """Tournaments that may have room for more messages."""
        return sorted(self._client.smembers(keys.TOPUP))

    def dead(self, tournament: Tournament) -> list[str]:
        """The ids of its matches that were given up."""
        ids = self.match_ids(tournament)
        pipe = self._client.pipeline(transaction=False)
        for one in ids:
            pipe.hget(keys.match(one), "state")
        return [one for one, state in zip(ids, pipe.execute(), strict=True) if state == "dead"]

    def match_ids(self, tournament: Tournament) -> list[str]:
        """The ids of the matches that were made so far."""
        return [match_id(tournament.id, number) for number in range(1, tournament.next + 1)]


def plan_fields(plan: Plan) -> dict[str, str | int]:
    """A plan as the fields of its tournament's hash."""
    fields: dict[str, str | int] = {
        "rules": json.dumps(dict(plan.rules), sort_keys=True),
        "units": plan.units,
        "boards": plan.boards,
        "clock": json.dumps(dict(plan.clock), sort_keys=True),
        "entrants": json.dumps(plan.entrants),
        "total": plan.total,
        "secret": plan.secret.hex(),
        "commitment": plan.commitment.hex(),
        "sandboxed": int(plan.sandboxed),
        "format": plan.format,
    }
    if plan.seed is not None:
        fields["seed"] = plan.seed
    if plan.ladder:
        fields["ladder"] = plan.ladder
    return fields


def _plan(found: Mapping[str, str]) -> Plan:
    return Plan(
        rules=json.loads(found["rules"]),
        units=int(found["units"]),
        boards=int(found["boards"]),
        clock=json.loads(found["clock"]),
        entrants=tuple(Entrant(*pair) for pair in json.loads(found["entrants"])),
        total=int(found["total"]),
        secret=bytes.fromhex(found["secret"]),
        commitment=bytes.fromhex(found["commitment"]),
        seed=found.get("seed"),
        sandboxed=found["sandboxed"] == "1",
        format=found["format"],
        ladder=found.get("ladder", ""),
    )
