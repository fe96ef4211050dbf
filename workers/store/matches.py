"""One match from its first message to its record: claims, leases, attempts. The state machine:

    queued ──claim──▶ running ──seal──▶ sealed ──record──▶ done ──correct──▶ void
      ▲                  │                 │
      ├──void, lease over┴─────void────────┘      after too many void attempts: dead
      └──resume── dead

A match that is not played any more, its bot being withdrawn or its tournament closed, is void too.
Every attempt has a number, the fence; who holds an old one is refused by each script.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from workers.names import split_match_id
from workers.store import keys
from workers.store.client import Client
from workers.store.errors import NotFound
from workers.store.scripts import Scripts


class Limits(NamedTuple):
    """When a match is given up, and how long it waits before another attempt, milliseconds.

    Given up after so many void `attempts`, or so many `alike` in a row; and, unless another attempt
    could not change their cause, only if the first of these was `dead_after_ms` ago. The wait
    begins with `retry_ms` and doubles up to `longest_ms`.
    """

    attempts: int = 10
    alike: int = 4
    retry_ms: int = 2000
    longest_ms: int = 60_000
    dead_after_ms: int = 1_800_000


class Waits(NamedTuple):
    """How a match waits for a bot that dials in, milliseconds: it is looked at again after
    `again_ms`, and given up where the bot was away for `patience_ms` (0: never). A bot that did not
    take its seat is quiet for `again_ms`, twice as long each time, up to 64 times."""

    again_ms: int = 30_000
    patience_ms: int = 86_400_000


PATIENT = Waits()


class Attempt(NamedTuple):
    """A void attempt: which, why (one word), when (Unix milliseconds)."""

    fence: int
    cause: str
    ended_ms: int


class Match(NamedTuple):
    """One match as it stands. `digest` is '' and `seq` 0 before it is recorded; `correction` is the
    number of the log entry that made it void after that, 0 for none.

    `put_off` is what the machine had too little of when it was last tried, '' for nothing;
    `waits_for` the bot that dials in and that it waits for, '' for none.
    """

    id: str
    tournament: str
    number: int
    state: str
    fence: int
    attempts: tuple[Attempt, ...]
    progress: Mapping[str, int]
    digest: str
    seq: int
    put_off: str = ""
    waits_for: str = ""
    correction: int = 0

    @property
    def ended(self) -> bool:
        """It is recorded, given up or void: no attempt at it is made."""
        return self.state in ("done", "dead", "void")


class Claim(NamedTuple):
    """An attempt that may be played. `nonces` by bot, where an earlier attempt left them."""

    match_id: str
    fence: int
    nonces: tuple[bytes, ...]


class Matches:
    """The matches of one store."""

    def __init__(self, client: Client, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def get(self, match_id: str) -> Match:
        """One match. Raises NotFound, for what is no id too, and before it is first sent."""
        if split_match_id(match_id) is None:
            raise NotFound("match", str(match_id))
        found = self._client.hgetall(keys.match(match_id))
        if not found:
            raise NotFound("match", match_id)
        attempts = [line.split() for line in self._client.lrange(keys.attempts(match_id), 0, -1)]
        return Match(
            id=match_id,
            tournament=found["tournament"],
            number=int(found["number"]),
            state=found["state"],
            fence=int(found["fence"]),
            attempts=tuple(Attempt(int(f), cause, int(float(ms))) for f, cause, ms in attempts),
            progress=json.loads(found.get("progress", "{}")),
            digest=found.get("digest", ""),
            seq=int(found.get("seq", 0)),
            put_off=found.get("put_off_cause", ""),
            waits_for=found.get("waits_for", ""),
            correction=int(found.get("correction", 0)),
        )

    def bots(self, match_id: str) -> list[list[str]]:
        """Name and version of each bot, where the match itself says who plays. Raises NotFound."""
        found = self._client.hget(keys.match(match_id), "bots")
        if found is None:
            raise NotFound("match", match_id)
        return json.loads(found)

    def claim(
        self,
        match_id: str,
        lease_ms: int,
        limits: Limits,
        dial_in: Sequence[str] = (),
        waits: Waits = PATIENT,
    ) -> Claim | str:
        """Begin an attempt: the claim, or why not. `dial_in` are its bots that dial in: with the
        claim each of them has a slot taken, until the lease is over in whatever way.

        Why not: "unknown"; "busy", somebody's lease is alive; "early", the back-off after a void
        attempt runs; "paused", its tournament is, and it waits for that; "waits", one of `dial_in`
        is offline, is quiet or has no slot left, and it waits for that; "given up", it is dead from
        now on, and its last attempt says why; "sealed", "done", "dead" or "void".
        """
        if split_match_id(match_id) is None:
            return "unknown"
        own = [
            key
            for bot in dial_in
            for key in (keys.dial(bot), keys.dial(bot, "held"), keys.dial(bot, "waiting"))
        ]
        answer = self._scripts.run(
            "claim",
            [*match_keys(match_id), *own],
            [match_id, lease_ms, *limits, *waits, *dial_in],
        )
        if answer[0] != "claimed":
            return answer[0]
        nonces = tuple(bytes.fromhex(text) for text in json.loads(answer[2] or "[]"))
        return Claim(match_id, int(answer[1]), nonces)

    def beat(
        self, match_id: str, fence: int, lease_ms: int, progress: Mapping[str, int] | None = None
    ) -> bool:
        """Renew a lease; False: the match belongs to somebody else, stop playing it."""
        text = json.dumps(dict(progress)) if progress else ""
        return self._run("beat", match_id, fence, lease_ms, text) == 1

    def keep_nonces(self, match_id: str, fence: int, nonces: Sequence[bytes]) -> bool:
        """Keep the bots' nonces for later attempts; False: the match belongs to somebody else."""
        text = json.dumps([nonce.hex() for nonce in nonces])
        return self._run("nonces", match_id, fence, text) == 1

    def seal(self, match_id: str, fence: int) -> bool:
        """The attempt's replay lies sealed on disk; False: the match belongs to somebody else."""
        return self._run("seal", match_id, fence) == 1

    def void(self, match_id: str, fence: int, cause: str, limits: Limits) -> str:
        """End an attempt that counts for nothing: "queued", "dead", "void", or "stale".

        `cause` is one word; a run of equal ones ends the match sooner.
        """
        return self._run("void", match_id, fence, _word(cause), *limits)

    def put_off(self, match_id: str, fence: int, cause: str, limits: Limits) -> str:
        """Put a running match off because the machine has too little of something (one word).

        Answers "put off", no attempt is counted; once that has gone on for `dead_after_ms`, what
        `void` answers; or "stale".
        """
        return self._run("put_off", match_id, fence, _word(cause), *limits)

    def await_bot(self, match_id: str, fence: int, bot: str, waits: Waits) -> str:
        """Put a running match back for a bot that dials in and did not come before anything was
        dealt: "waits", no attempt is counted, and the bot is quiet; "dead", it has gone on so for
        too long; "void", or "stale"."""
        return self._scripts.run(
            "dial_wait",
            [*match_keys(match_id), keys.dial(bot), keys.dial(bot, "waiting")],
            [match_id, fence, bot, *waits],
        )

    def resume(self, match_id: str) -> bool:
        """Queue a dead match again, its void attempts forgiven; False: it is not dead."""
        return self._run("resume", match_id) == 1

    def expire(self, match_id: str, limits: Limits) -> str:
        """End an attempt whose lease is over: "queued", "dead", "void", or "alive"."""
        return self._run("expire", match_id, *limits)

    def postpone(self, match_id: str, delay_ms: int) -> bool:
        """Put off a queued match that could not be begun; no attempt is counted."""
        return self._run("postpone", match_id, delay_ms) == 1

    def release(self, match_id: str, fence: int) -> bool:
        """Put a running match back in order; no attempt is counted. False: it is not yours."""
        return self._run("release", match_id, fence) == 1

    def _run(self, script: str, match_id: str, *args: str | int) -> Any:
        return self._scripts.run(script, match_keys(match_id), [match_id, *args])


def _word(cause: str) -> str:
    if not cause or len(cause.split()) != 1:
        raise ValueError(f"a cause is one word: {cause!r}")
    return cause


def match_keys(match_id: str) -> list[str]:
    """The keys of one match in the order of lua/common.lua. Raises NotFound for no id."""
    parts = split_match_id(match_id)
    if parts is None:
        raise NotFound("match", str(match_id))
    return [
        keys.match(match_id),
        keys.attempts(match_id),
        keys.tournament(parts[0]),
        keys.LEASES,
        keys.SENT,
        keys.DUE,
        keys.SEALED,
        keys.TOPUP,
    ]
