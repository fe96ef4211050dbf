"""Claims, leases, attempts: who may play a match, and when it is given up."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from workers.recorder import Recorder
from workers.store import NotFound
from workers.store.matches import Claim, Limits


@pytest.fixture
def match(world: Any) -> str:
    """A queued match."""
    world.add("ab")
    world.add("cd")
    return f"{world.filled('ab', 'cd')}.1"


def test_a_claim_begins_an_attempt(world: Any, match: str) -> None:
    """The first claim has fence 1, and the match runs."""
    assert world.claim(match) == Claim(match, 1, ())
    assert world.store.matches.get(match).state == "running"
    assert world.store.queue.counts() == (0, 0, 1, 0)


def test_a_second_claim_is_refused_while_the_lease_lives(world: Any, match: str) -> None:
    """Of many workers that claim at once, one gets the match."""
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: world.claim(match), range(24)))
    assert sum(isinstance(answer, Claim) for answer in answers) == 1
    assert answers.count("busy") == 23


def test_a_dead_lease_goes_to_the_next(world: Any, match: str) -> None:
    """Whoever claims after the lease has the next fence; the cause is kept."""
    world.claim(match, lease_ms=0)
    assert world.claim(match) == Claim(match, 2, ())
    assert [(a.fence, a.cause) for a in world.store.matches.get(match).attempts] == [(1, "lease")]


def test_an_old_fence_can_do_nothing(world: Any, match: str) -> None:
    """Who has lost a match can neither renew, keep nonces, seal, put back nor void it."""
    world.claim(match, lease_ms=0)
    world.claim(match)
    matches = world.store.matches
    assert matches.beat(match, 1, 60_000) is False
    assert matches.keep_nonces(match, 1, [b"x"]) is False
    assert matches.seal(match, 1) is False
    assert matches.release(match, 1) is False
    assert matches.void(match, 1, "referee", world.limits) == "stale"
    assert (matches.get(match).state, matches.get(match).fence) == ("running", 2)


def test_a_beat_renews_the_lease(world: Any, match: str) -> None:
    """A claim that is renewed is not taken for dead, and shows how far the match is."""
    claim = world.claim(match, lease_ms=0)
    assert world.store.matches.beat(match, claim.fence, 60_000, {"games_over": 3})
    assert world.claim(match) == "busy"
    assert world.store.matches.get(match).progress == {"games_over": 3}


def test_the_first_nonces_stay(world: Any, match: str) -> None:
    """A later attempt plays with the nonces of the first that got so far."""
    world.claim(match, lease_ms=0)
    assert world.store.matches.keep_nonces(match, 1, [b"a", b""])
    assert world.claim(match, lease_ms=0) == Claim(match, 2, (b"a", b""))
    assert world.store.matches.keep_nonces(match, 2, [b"b", b"c"])
    assert world.claim(match) == Claim(match, 3, (b"a", b""))


def test_a_void_attempt_waits_before_the_next(world: Any, match: str) -> None:
    """A message that comes during the back-off is too early; it doubles with each attempt."""
    patient = Limits(attempts=10, alike=4, retry_ms=3_600_000, longest_ms=3_600_000)
    world.claim(match)
    assert world.store.matches.void(match, 1, "referee", patient) == "queued"
    assert world.claim(match) == "early"
    assert world.store.queue.take_due() == []
    assert world.store.queue.counts().due == 1


def test_a_back_off_that_is_over_is_sent(world: Any, match: str) -> None:
    """A match whose wait is over is handed out once."""
    world.claim(match)
    world.store.matches.void(match, 1, "referee", world.limits)
    assert world.store.queue.take_due() == [match]
    assert world.store.queue.take_due() == []
    assert world.claim(match) == Claim(match, 2, ())


def test_four_alike_are_the_end(world: Any, match: str) -> None:
    """Four void attempts of one cause in a row: dead, and the tournament does not wait for it."""
    for fence in range(1, 4):
        world.claim(match)
        assert world.store.matches.void(match, fence, "launcher", world.limits) == "queued"
    world.claim(match)
    assert world.store.matches.void(match, 4, "launcher", world.limits) == "dead"
    assert world.claim(match) == "dead"
    tournament = world.store.tournaments.get(match.partition(".")[0])
    assert (tournament.state, tournament.dead, tournament.recorded) == ("over", 1, 0)


def test_ten_are_the_end(world: Any, match: str) -> None:
    """Ten void attempts of whatever cause: dead."""
    words = []
    for fence in range(1, 11):
        world.claim(match)
        cause = "launcher" if fence % 2 else "referee"
        words.append(world.store.matches.void(match, fence, cause, world.limits))
    assert words == ["queued"] * 9 + ["dead"]


PATIENT = Limits(attempts=10, alike=4, retry_ms=0, dead_after_ms=3_600_000)


def an_hour_passes(client: Any, match: str) -> None:
    """As if everything that the store keeps of a match had happened an hour earlier."""
    attempts = f"kb:match:{match}:attempts"
    for place, line in enumerate(client.lrange(attempts, 0, -1)):
        fence, cause, ended_ms = line.split()
        client.lset(attempts, place, f"{fence} {cause} {int(ended_ms) - 3_600_000}")
    if since := client.hget(f"kb:match:{match}", "put_off_ms"):
        client.hset(f"kb:match:{match}", "put_off_ms", int(since) - 3_600_000)


@pytest.mark.parametrize("end", ["void", "expire", "claim"])
def test_a_short_trouble_of_the_machine_kills_no_match(
    world: Any, client: Any, match: str, end: str
) -> None:
    """However often attempts fail: before the time for trouble is over, the match is not dead."""

    def fail() -> str:
        """One attempt that fails, and is ended in one of the three ways."""
        fence = world.store.matches.get(match).fence
        if end == "void":
            world.claim(match)
            return world.store.matches.void(match, fence + 1, "referee", PATIENT)
        got = world.store.matches.claim(match, 0, PATIENT)
        if end == "expire":
            return world.store.matches.expire(match, PATIENT)
        return got if isinstance(got, str) else "queued"

    assert {fail() for _ in range(25)} == {"queued"}
    an_hour_passes(client, match)
    assert fail() == ("given up" if end == "claim" else "dead")
    assert world.store.matches.get(match).state == "dead"


def test_an_old_run_of_another_cause_does_not_count(world: Any, client: Any, match: str) -> None:
    """The time is that of the failures alike, not of one long ago."""
    limits = PATIENT._replace(attempts=99)
    for fence in range(1, 4):
        world.claim(match)
        world.store.matches.void(match, fence, "referee", limits)
    an_hour_passes(client, match)
    words: list[str] = []
    for fence in range(4, 9):
        world.claim(match)
        words.append(world.store.matches.void(match, fence, "launcher", limits))
    assert words == ["queued"] * 5


@pytest.mark.parametrize("cause", ["replay", "mismatch", "refused"])
def test_what_another_attempt_cannot_change_ends_at_once(
    world: Any, match: str, cause: str
) -> None:
    """A cause that follows from the match itself needs no time."""
    words: list[str] = []
    for fence in range(1, 5):
        world.claim(match)
        words.append(world.store.matches.void(match, fence, cause, PATIENT))
    assert words == ["queued", "queued", "queued", "dead"]


def test_the_back_off_has_an_end(world: Any, client: Any, match: str) -> None:
    """It doubles up to the longest wait, and stays there."""
    limits = Limits(retry_ms=1000, longest_ms=5000)
    waits: list[int] = []
    for fence in range(1, 6):
        client.zrem("kb:due", match)
        world.claim(match)
        world.store.matches.void(match, fence, "referee", limits)
        ended = world.store.matches.get(match).attempts[-1].ended_ms
        waits.append(int(client.zscore("kb:due", match)) - ended)
    assert waits == [1000, 2000, 4000, 5000, 5000]


def test_a_machine_that_has_too_little_costs_no_attempt(
    world: Any, client: Any, match: str
) -> None:
    """A match is put off with the cause on record; only when that lasts, attempts count."""
    for fence in range(1, 13):
        world.claim(match)
        assert world.store.matches.put_off(match, fence, "ENOSPC", PATIENT) == "put off"
    found = world.store.matches.get(match)
    assert (found.state, found.attempts, found.put_off) == ("queued", (), "ENOSPC")
    assert world.store.matches.put_off(match, 12, "ENOSPC", PATIENT) == "stale"
    an_hour_passes(client, match)
    world.claim(match)
    assert world.store.matches.put_off(match, 13, "ENOSPC", PATIENT) == "queued"
    assert [a.cause for a in world.store.matches.get(match).attempts] == ["ENOSPC"]


@pytest.mark.parametrize("end", ["void", "expire", "claim"])
def test_a_shortage_that_has_passed_is_forgotten(
    world: Any, client: Any, match: str, end: str
) -> None:
    """The next shortage is news again, once an attempt has failed at something else."""
    world.claim(match)
    assert world.store.matches.put_off(match, 1, "ENOSPC", PATIENT) == "put off"
    world.claim(match)
    an_hour_passes(client, match)
    if end == "void":
        assert world.store.matches.void(match, 2, "referee", PATIENT) == "queued"
    else:
        world.store.matches.beat(match, 2, 0)
    if end == "expire":
        assert world.store.matches.expire(match, PATIENT) == "queued"
    assert world.claim(match) == Claim(match, 3, ())
    assert world.store.matches.get(match).put_off == ""
    assert world.store.matches.put_off(match, 3, "ENOSPC", PATIENT) == "put off"


def test_a_shortage_that_changes_is_the_same_one(world: Any, client: Any, match: str) -> None:
    """Now this is lacking and now that: what has gone on for too long counts each time."""
    world.claim(match)
    assert world.store.matches.put_off(match, 1, "ENOSPC", PATIENT) == "put off"
    an_hour_passes(client, match)
    for fence, cause in enumerate(("EMFILE", "ENOMEM"), 2):
        world.claim(match)
        assert world.store.matches.put_off(match, fence, cause, PATIENT) == "queued"
    found = world.store.matches.get(match)
    assert [attempt.cause for attempt in found.attempts] == ["EMFILE", "ENOMEM"]


def test_a_dead_match_is_resumed(world: Any, client: Any, match: str) -> None:
    """It is due at once, its failures are forgiven, its tournament runs and hides its secret."""
    tournament_id = match.partition(".")[0]
    for fence in range(1, 5):
        world.claim(match)
        world.store.matches.void(match, fence, "launcher", world.limits)
    over = world.store.tournaments.get(tournament_id)
    assert (over.over, over.revealed) == (True, b"")
    assert world.store.tournaments.dead(tournament_id) == [match]
    assert world.store.matches.resume(match)
    assert not world.store.matches.resume(match)
    again = world.store.tournaments.get(tournament_id)
    assert (again.state, again.dead, again.over_ms, again.revealed) == ("running", 0, 0, b"")
    assert world.store.queue.take_due() == [match]
    words: list[str] = []
    for fence in range(5, 9):
        world.claim(match)
        words.append(world.store.matches.void(match, fence, "launcher", world.limits))
    assert words == ["queued", "queued", "queued", "dead"]


def test_the_secret_is_told_when_all_is_recorded(world: Any, match: str) -> None:
    """A tournament without a match to resume tells its secret."""
    fence = world.seal(match)
    Recorder(world.store, world.folders, world.limits).record(match, fence)
    tournament = world.store.tournaments.get(match.partition(".")[0])
    assert tournament.revealed == tournament.plan.secret


def test_leases_that_run_out_count_as_well(world: Any, match: str) -> None:
    """A match that kills its workers is given up like any other."""
    words = []
    for _ in range(4):
        world.claim(match, lease_ms=0)
        words.append(world.store.matches.expire(match, world.limits))
    assert words == ["queued", "queued", "queued", "dead"]


def test_a_living_lease_does_not_expire(world: Any, match: str) -> None:
    """Only a lease that is over can be ended from outside."""
    world.claim(match)
    assert world.store.matches.expire(match, world.limits) == "alive"
    assert world.store.queue.expired() == []


def test_what_is_put_back_in_order_counts_no_attempt(world: Any, match: str) -> None:
    """A worker that is told to stop leaves no trace but the fence."""
    world.claim(match)
    assert world.store.matches.release(match, 1)
    assert world.store.matches.get(match).attempts == ()
    assert world.store.queue.take_due() == [match]
    assert world.claim(match) == Claim(match, 2, ())


def test_what_could_not_begin_is_put_off(world: Any, match: str) -> None:
    """A match that no referee can play waits, and no attempt is counted."""
    assert world.store.matches.postpone(match, 3_600_000)
    assert world.claim(match) == "early"
    assert world.store.matches.get(match).attempts == ()


def test_sealed_and_done_cannot_be_claimed(world: Any, match: str) -> None:
    """What is played waits for its record, whoever asks to play it."""
    world.seal(match)
    assert world.claim(match) == "sealed"


@pytest.mark.parametrize(
    "junk", ["", "t1", "t1.*", "../t1.1", "t1.99", "t9.1", "x" * 1000, "t1.1\n"]
)
def test_junk_is_unknown(world: Any, match: str, junk: str) -> None:
    """No id, no match: unknown, and no key is touched."""
    assert world.claim(junk) == "unknown"
    with pytest.raises(NotFound):
        world.store.matches.get(junk)
