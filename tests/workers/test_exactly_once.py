"""Whatever is claimed, lost, sealed, repeated or answered late: every match counts at most once.

A state machine against a real store. Workers claim, beat, lose their lease, seal and void in any
order; records are repeated, come from old attempts, and meet a head that has moved. Time passes
in leaps, machines lack things, and matches that were given up are resumed. An organiser pauses and
resumes the tournament, withdraws bots, closes it, and makes recorded matches void.
"""

import json
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from workers import ledger, organise, rebuild
from workers.folders import Folders
from workers.recorder import Recorder
from workers.store import Store
from workers.store.matches import Attempt, Claim, Limits

MATCHES = 3
LIMITS = Limits(attempts=6, alike=3, retry_ms=0, dead_after_ms=3_600_000)
LASTING = ("replay", "mismatch", "refused")
numbers = st.integers(1, MATCHES)
causes = st.sampled_from(["referee", "launcher", "refused"])
losers = st.lists(st.integers(0, 1), min_size=1, max_size=4)


class ExactlyOnce(RuleBasedStateMachine):
    """Three matches between three bots, in any disorder. `world` is set by the test."""

    world: Any
    client: Any

    def __init__(self) -> None:
        super().__init__()
        self.client.flushall()
        self.folder = tempfile.TemporaryDirectory(prefix="kb-once-")
        store = Store(self.client)
        self.world = type(self.world)(store, Folders(Path(self.folder.name)), LIMITS)
        self.world.folders.make()
        for name in ("ab", "cd", "ef"):
            self.world.add(name)
        self.made = self.world.filled("ab", "cd", "ef", units=1)
        self.recorder = Recorder(store, self.world.folders, LIMITS)
        self.claims: dict[int, list[int]] = {number: [] for number in range(1, MATCHES + 1)}
        self.recorded: dict[str, str] = {}
        self.corrected: set[str] = set()
        self.forgiven: dict[int, int] = dict.fromkeys(self.claims, 0)

    def teardown(self) -> None:
        """Every match ends: recorded, or given up."""
        self.finish()
        tournament = self.world.store.tournaments.get(self.made)
        assert tournament.over
        assert tournament.recorded == len(self.recorded) - len(self.corrected)
        assert self.world.store.queue.counts() == (0, 0, 0, 0)
        assert tournament.revealed or tournament.dead
        self.folder.cleanup()

    def match(self, number: int) -> str:
        """A match's id."""
        return f"{self.made}.{number}"

    def fence(self, number: int, late: int) -> int:
        """The last fence that was handed out, or one of those before."""
        fences = self.claims[number]
        return fences[max(0, len(fences) - 1 - late)] if fences else 1

    @rule(number=numbers, dies=st.booleans())
    def claim(self, number: int, dies: bool) -> None:
        """A message arrives; who `dies` never renews its claim."""
        before = self.world.store.matches.get(self.match(number))
        lapsed = self.match(number) in self.world.store.queue.expired()
        got = self.world.claim(self.match(number), lease_ms=0 if dies else 3_600_000)
        if isinstance(got, Claim):
            assert self.world.store.tournaments.get(self.made).state != "paused"
            assert got.fence == before.fence + 1
            assert before.state == "queued" or lapsed
            self.claims[number].append(got.fence)

    @rule(number=numbers, late=st.integers(0, 2))
    def beat(self, number: int, late: int) -> None:
        """Only the holder of a running match renews."""
        fence = self.fence(number, late)
        match = self.world.store.matches.get(self.match(number))
        held = match.state == "running" and match.fence == fence
        assert self.world.store.matches.beat(self.match(number), fence, 3_600_000) == held

    @rule(number=numbers, late=st.integers(0, 2))
    def stall(self, number: int, late: int) -> None:
        """A worker's last renewal was long ago."""
        self.world.store.matches.beat(self.match(number), self.fence(number, late), 0)

    @rule(number=numbers)
    def expire(self, number: int) -> None:
        """The reconciler looks at a lease."""
        self.world.store.matches.expire(self.match(number), LIMITS)

    @rule(number=numbers, late=st.integers(0, 2), lost=losers, says=st.booleans())
    def seal(self, number: int, late: int, lost: list[int], says: bool) -> None:
        """A worker has played; it may die before it `says` so."""
        fence = self.fence(number, late)
        place = self.world.folders.incoming(self.match(number), fence)
        if not place.exists():
            self.world.replay(self.match(number), lost).write(place)
        if says:
            before = self.world.store.matches.get(self.match(number))
            held = before.state in ("running", "sealed") and before.fence == fence
            assert self.world.store.matches.seal(self.match(number), fence) == held

    @rule(
        number=numbers,
        late=st.integers(0, 2),
        cause=causes,
    )
    def void(self, number: int, late: int, cause: str) -> None:
        """A worker gives an attempt up."""
        fence = self.fence(number, late)
        before = self.world.store.matches.get(self.match(number))
        word = self.world.store.matches.void(self.match(number), fence, cause, LIMITS)
        held = before.state in ("running", "sealed") and before.fence == fence
        assert (word != "stale") == held

    @rule(number=numbers, late=st.integers(0, 2))
    def put_off(self, number: int, late: int) -> None:
        """A worker's machine has too little of something."""
        fence = self.fence(number, late)
        before = self.world.store.matches.get(self.match(number))
        word = self.world.store.matches.put_off(self.match(number), fence, "ENOSPC", LIMITS)
        assert (word != "stale") == (before.state == "running" and before.fence == fence)
        after = self.world.store.matches.get(self.match(number))
        assert word != "put off" or after.attempts == before.attempts

    @rule()
    def an_hour_passes(self) -> None:
        """Everything that was void happened an hour earlier."""
        for number in self.claims:
            match = f"kb:match:{self.match(number)}"
            for place, line in enumerate(self.client.lrange(f"{match}:attempts", 0, -1)):
                fence, cause, ended_ms = line.split()
                line = f"{fence} {cause} {int(ended_ms) - 3_600_000}"
                self.client.lset(f"{match}:attempts", place, line)
            if since := self.client.hget(match, "put_off_ms"):
                self.client.hset(match, "put_off_ms", int(since) - 3_600_000)

    @rule(number=numbers)
    def resume(self, number: int) -> None:
        """An organiser queues a match again; only one that was given up."""
        before = self.world.store.matches.get(self.match(number))
        assert self.world.store.matches.resume(self.match(number)) == (before.state == "dead")
        if before.state == "dead":
            self.forgiven[number] = len(before.attempts)

    @rule(goes_on=st.booleans())
    def pause(self, goes_on: bool) -> None:
        """An organiser pauses the tournament, or lets it go on."""
        before = self.world.store.tournaments.get(self.made)
        if goes_on:
            assert self.world.store.tournaments.unpause(self.made) == before.state
        elif before.state != "over":
            with suppress(organise.NotNow):
                organise.pause(self.world.store, self.made)

    @rule(bot=st.sampled_from(["ab", "cd", "ef"]), sure=st.integers(0, 2))
    def withdraw(self, bot: str, sure: int) -> None:
        """An organiser takes a bot out."""
        if not sure:
            with suppress(organise.NotNow):
                organise.withdraw(self.world.store, self.made, bot)

    @rule(sure=st.integers(0, 6))
    def close(self, sure: int) -> None:
        """An organiser ends the tournament for good; what is sealed is still recorded."""
        if not sure:
            with suppress(organise.NotNow):
                organise.close(self.world.store, self.made)

    @rule(number=numbers, late=st.integers(0, 2), repeat=st.integers(1, 2))
    def record(self, number: int, late: int, repeat: int) -> None:
        """The recorder is told of an attempt, perhaps twice, perhaps of an old one."""
        match, fence = self.match(number), self.fence(number, late)
        before = self.world.store.matches.get(match)
        for _ in range(repeat):
            word = self.recorder.record(match, fence).word
            if word == "recorded":
                assert match not in self.recorded
                assert (before.state, before.fence) == ("sealed", fence)
                self.recorded[match] = self.world.store.matches.get(match).digest

    @rule(number=numbers)
    def correct(self, number: int) -> None:
        """An organiser makes a match void; only one that is recorded, and once."""
        match = self.match(number)
        counted = match in self.recorded and match not in self.corrected
        try:
            organise.void(self.world.store, match, "a mistake")
        except organise.NotNow:
            assert not counted
        else:
            assert counted
            self.corrected.add(match)

    @rule(number=numbers, cut=st.booleans())
    def record_and_die(self, number: int, cut: bool) -> None:
        """The recorder is killed after it has moved the file, before it has written."""
        match = self.world.store.matches.get(self.match(number))
        place = self.world.folders.incoming(match.id, match.fence)
        if match.state == "sealed" and place.exists() and cut:
            place.replace(self.world.folders.replay(match.id))

    @invariant()
    def once(self) -> None:
        """One entry a match at most, with the digest that was answered and kept."""
        entries = [json.loads(text) for _, text in self.world.store.log.texts()]
        assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
        results = [entry for entry in entries if ledger.played(entry)]
        assert {entry["match"]: entry["digest"] for entry in results} == self.recorded
        assert len(results) == len(self.recorded)
        counting = {entry["match"] for entry in ledger.counting(entries)}
        assert counting == self.recorded.keys() - self.corrected
        assert len(counting) == self.world.store.log.matches()

    @invariant()
    def rebuilt(self) -> None:
        """The ratings are those that follow from the log, whose chain holds."""
        assert rebuild.check(self.world.store).difference == ""

    @invariant()
    def given_up(self) -> None:
        """Dead is who failed too often and for too long, or for a cause that lasts; no other is."""
        for number, forgiven in self.forgiven.items():
            match = self.world.store.matches.get(self.match(number))
            attempts = match.attempts[forgiven:]
            row: list[Attempt] = []
            for attempt in reversed(attempts):
                if attempt.cause != attempts[-1].cause:
                    break
                row.append(attempt)
            lasted = [len(line) > 0 and _lasted(line) for line in (row, attempts)]
            alike = len(row) >= LIMITS.alike and (row[0].cause in LASTING or lasted[0])
            too_many = len(attempts) >= LIMITS.attempts and lasted[1]
            assert match.state == "void" or (alike or too_many) == (match.state == "dead"), match

    @invariant()
    def secret(self) -> None:
        """The secret is told only when nothing can be played with it any more."""
        tournament = self.world.store.tournaments.get(self.made)
        settled = len(self.recorded) - len(self.corrected) + tournament.void
        assert bool(tournament.revealed) == (settled == MATCHES)

    @invariant()
    def conserved(self) -> None:
        """No match moves the sum of ratings while all bots have the same K."""
        ratings = self.world.store.ratings.all()
        assert sum(row.elo for row in ratings) == 1_500_000 * len(ratings)

    @invariant()
    def counted(self) -> None:
        """Every match is in exactly one place, and the tournament counts what is over."""
        states = [self.world.store.matches.get(self.match(n)).state for n in self.claims]
        tournament = self.world.store.tournaments.get(self.made)
        settled = (tournament.recorded, tournament.dead, tournament.void)
        assert settled == tuple(states.count(state) for state in ("done", "dead", "void"))
        assert tournament.over == (sum(settled) == MATCHES)
        dead = [
            self.match(n) for n, state in zip(self.claims, states, strict=True) if state == "dead"
        ]
        assert self.world.store.tournaments.dead(self.made) == dead
        counts = self.world.store.queue.counts()
        assert sum(counts) == MATCHES - sum(settled)
        assert (counts.running, counts.sealed) == (states.count("running"), states.count("sealed"))

    def finish(self) -> None:
        """What a reconciler and a quiet worker bring about in the end."""
        self.world.store.tournaments.unpause(self.made)
        for number in self.claims:
            match = self.match(number)
            self.world.store.matches.beat(match, self.fence(number, 0), 0)
            state = self.world.store.matches.get(match).state
            while state not in ("done", "dead", "void"):
                if state != "sealed":
                    self.claim(number, dies=False)
                    self.seal(number, 0, [1], says=True)
                self.record(number, 0, 1)
                state = self.world.store.matches.get(match).state


def _lasted(attempts: Sequence[Attempt]) -> bool:
    """Whether these failures are an hour apart."""
    times = [attempt.ended_ms for attempt in attempts]
    return max(times) - min(times) >= LIMITS.dead_after_ms


def test_every_match_counts_at_most_once(world: Any, client: Any) -> None:
    """No order of claims, deaths, seals and records doubles, loses or mixes up a result."""
    machine = type("Machine", (ExactlyOnce,), {"world": world, "client": client})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=25,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_ledger_tells_a_missing_check(world: Any, client: Any) -> None:
    """The invariants would see a result that is written twice: its second entry contradicts."""
    world.add("ab")
    world.add("cd")
    match = f"{world.filled('ab', 'cd')}.1"
    Recorder(world.store, world.folders, world.limits).record(match, world.seal(match))
    (_, text), head = next(world.store.log.texts()), world.store.log.head()
    entry = {k: v for k, v in json.loads(text).items() if k not in ("seq", "prev")}
    again, _ = ledger.chained(entry, head.seq + 1, head.hash)
    client.xadd("kb:log", {"entry": again}, id=f"{head.seq + 1}-0")
    _, seq, _, broken = ledger.replay(world.store.log.texts(), world.store.log.text)
    assert (seq, broken is not None and broken.what.split(",")[0]) == (
        1,
        "ab begins with 1500000",
    )
