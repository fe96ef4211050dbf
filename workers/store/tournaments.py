"""Tournaments: what is to be played, and how far it is. Who meets whom is `workers.pairing`."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from workers.names import complaint, fold, match_id
from workers.store import keys
from workers.store.client import Client
from workers.store.errors import BadName, NameTaken, NotFound
from workers.store.log import Head
from workers.store.scripts import Scripts

Chained: TypeAlias = tuple[str, str]
"""An entry of the log with its place in the chain, and the SHA-256 of it, hexadecimal."""
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
    and while it goes on its total is `OPEN`. Without `rate_same_owner` a match between bots of one
    owner moves no rating.
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
    rate_same_owner: bool = True
    ladder: str = ""


class Tournament(NamedTuple):
    """A tournament as it stands. Times are Unix milliseconds; `over_ms` is 0 before the end.

    `state` is "running", "paused", "closing" (it was closed, and what is played is being recorded)
    or "over". Of its matches `recorded` were played and count, `dead` were given up, and `void` are
    those that count for nothing: nobody will play them, because of `withdrawn` bots or because the
    whole was `closed`, or an organiser made them void.
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
    void: int = 0
    withdrawn: tuple[str, ...] = ()
    closed: bool = False

    @property
    def over(self) -> bool:
        """Every match is recorded, given up or void."""
        return self.state == "over"

    @property
    def matches(self) -> int:
        """How many matches it has, or has so far."""
        return self.next if self.plan.total == OPEN else self.plan.total

    @property
    def revealed(self) -> bytes:
        """The secret once every match is recorded or void, else nothing.

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

    def holder(self, name: str) -> str:
        """The tournament that has this name, or one that looks like it; "" for none."""
        return self._client.hget(keys.TOURNAMENTS_FOLDED, fold(name)) or ""

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
        return _tournament(found)

    def all(self) -> list[Tournament]:
        """Every tournament, newest first."""
        pipe = self._client.pipeline(transaction=False)
        for name in self._client.zrange(keys.TOURNAMENTS, 0, -1, desc=True):
            pipe.hgetall(keys.tournament(name))
        return [_tournament(found) for found in pipe.execute()]

    def fill(self, tournament_id: str, window: int) -> list[str]:
        """Make the next matches until `window` are open; the ids to send to the queue, in order.

        Doing it twice does nothing more. An id that is never sent is found by the reconciler.
        """
        return self._scripts.run(
            "fill",
            [
                *(keys.tournament(tournament_id), keys.TOPUP, keys.SENT),
                keys.tournament_void(tournament_id),
                keys.tournament_corrections(tournament_id),
            ],
            [tournament_id, window, keys.match("")],
        )

    def pause(self, tournament_id: str) -> str:
        """Begin no match of it any more; the state it was in. What is in play is finished."""
        return self._scripts.run(
            "pause", [keys.tournament(tournament_id), keys.TOPUP], [tournament_id]
        )

    def unpause(self, tournament_id: str) -> str:
        """Let it go on if it is paused; the state it was in."""
        return self._scripts.run(
            "unpause", [keys.tournament(tournament_id), keys.TOPUP, keys.DUE], [tournament_id]
        )

    def withdraw(
        self, tournament_id: str, bot: str, numbers: Iterable[int], head: Head, entry: Chained
    ) -> str:
        """Take a bot out; `numbers` are its matches, `entry` is the one after `head`.

        Answers "withdrawn"; "again", it was out before; "over", there is nothing to leave; "moved",
        the log has another head by now. In play or played, its matches are finished and count.
        """
        return self._scripts.run(
            "withdraw",
            [
                *(keys.tournament(tournament_id), keys.TOPUP, keys.SENT, keys.DUE),
                *(keys.tournament_dead(tournament_id), keys.tournament_void(tournament_id)),
                *(keys.LOG, keys.HEAD, keys.tournament_log(tournament_id)),
            ],
            [
                *(tournament_id, bot, keys.match(""), json.dumps(list(numbers))),
                *(head.hash, head.seq + 1, *entry),
            ],
        )

    def close(self, tournament_id: str, head: Head, entry: Chained) -> str:
        """End it for good: "closed"; "over", it was; "moved", the log has another head by now.

        What is in play is void at once; what is played and not recorded yet is still recorded.
        """
        return self._scripts.run(
            "close",
            [
                *(keys.tournament(tournament_id), keys.TOPUP, keys.SENT, keys.DUE, keys.LEASES),
                *(keys.SEALED, keys.tournament_dead(tournament_id)),
                *(keys.LOG, keys.HEAD, keys.tournament_log(tournament_id)),
            ],
            [tournament_id, keys.match(""), head.hash, head.seq + 1, *entry],
        )

    def ladder_of(self, tournament_id: str) -> str:
        """The ladder whose day it is; "" for any other tournament."""
        return self._client.hget(keys.tournament(tournament_id), "ladder") or ""

    def counts(self, tournament_id: str) -> tuple[int, int]:
        """Matches made so far, and how many of them are neither over nor waiting for a bot that
        dials in; (0, 0) for none such."""
        fields = self._client.hmget(
            keys.tournament(tournament_id), ["next", "recorded", "dead", "void"]
        )
        made, *ended = (int(field or 0) for field in fields)
        return made, made - sum(ended) - self.waiting(tournament_id)

    def waiting(self, tournament_id: str) -> int:
        """How many of its matches wait for a bot that dials in."""
        return self._client.zcard(keys.tournament_waiting(tournament_id))

    def seen_to(self, tournament_id: str) -> None:
        """It wants no more messages, until another of its matches is over."""
        self._client.srem(keys.TOPUP, tournament_id)

    def wanting(self) -> list[str]:
        """Tournaments that may have room for more messages."""
        return sorted(self._client.smembers(keys.TOPUP))

    def dead(self, tournament_id: str, most: int = 0) -> list[str]:
        """The ids of its matches that were given up, the first `most` of them (0: all)."""
        numbers = self._client.zrange(keys.tournament_dead(tournament_id), 0, most - 1)
        return [match_id(tournament_id, int(number)) for number in numbers]


def _tournament(found: Mapping[str, str]) -> Tournament:
    return Tournament(
        id=found["id"],
        plan=_plan(found),
        state=found["state"],
        created_ms=int(found["created_ms"]),
        over_ms=int(found["over_ms"]),
        next=int(found["next"]),
        recorded=int(found["recorded"]),
        dead=int(found["dead"]),
        void=int(found.get("void", 0)),
        withdrawn=tuple(found.get("withdrawn", "").split()),
        closed="closed" in found,
    )


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
        "rate_same_owner": int(plan.rate_same_owner),
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
        rate_same_owner=found.get("rate_same_owner", "1") == "1",
        ladder=found.get("ladder", ""),
    )
