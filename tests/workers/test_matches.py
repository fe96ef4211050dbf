"""Claims, leases, attempts: who may play a match, and when it is given up."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

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
    patient = Limits(attempts=10, alike=4, retry_ms=3_600_000)
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
    assert tournament.revealed == tournament.plan.secret


def test_ten_are_the_end(world: Any, match: str) -> None:
    """Ten void attempts of whatever cause: dead."""
    words = []
    for fence in range(1, 11):
        world.claim(match)
        cause = "launcher" if fence % 2 else "referee"
        words.append(world.store.matches.void(match, fence, cause, world.limits))
    assert words == ["queued"] * 9 + ["dead"]


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
