"""Bots that dial in and do not take their seats: asked less and less often, one match at a time."""

from typing import Any

import pytest

from knockbox.v1 import match_pb2
from workers import ladder
from workers.hall import Absent, Hall, Waiting
from workers.orders import order_of
from workers.schedule import fixture
from workers.store import Client, keys
from workers.store.dial import REFUSED, TAKEN, Offer
from workers.store.matches import Claim, Waits

LEASE = 60_000
HOUR = 3_600_000
HOURLY = Waits(again_ms=HOUR, patience_ms=0)


class Evening:
    """A bot "afar" with many slots, and the matches that it has with the bots of this machine."""

    def __init__(self, world: Any, client: Client) -> None:
        self.store = world.store
        self.folders, self._limits, self._client = world.folders, world.limits, client
        self.store.dial.add("afar", world.add("afar"), "owner")
        others = [world.add(name) and name for name in ("one", "two", "three", "four", "five")]
        made = world.filled("afar", *others)
        ids = [f"{made}.{number}" for number in range(1, 16)]
        self.own = [one for one in ids if world.dialled(one)]

    def come(self, session: str = "s", slots: int = 64) -> None:
        """Its agent comes."""
        self.store.dial.come("afar", session, slots, LEASE)

    def claim(self, match_id: str, waits: Waits = HOURLY) -> Claim | str:
        """What comes of a claim, as soon as the match is due."""
        self._client.zrem(keys.DUE, match_id)
        return self.store.matches.claim(match_id, LEASE, self._limits, ("afar",), waits)

    def begun(self, waits: Waits = HOURLY) -> list[Claim]:
        """The attempts that workers begin who look at every match."""
        claims = [self.claim(match_id, waits) for match_id in self.own]
        return [one for one in claims if isinstance(one, Claim)]

    def decline(self, claim: Claim, waits: Waits = HOURLY) -> str:
        """The seat is not taken."""
        return self.store.matches.await_bot(claim.match_id, claim.fence, "afar", waits)

    def pass_quiet(self) -> int:
        """Its quiet time is over; how long it was, to the next hour."""
        until = int(self._client.hget(keys.dial("afar"), "quiet_until_ms") or 0)
        self._client.hset(keys.dial("afar"), "quiet_until_ms", 1)
        return -(-(until - self.store.queue.now_ms()) // HOUR)


@pytest.fixture
def evening(world: Any, client: Client) -> Evening:
    """Five matches that wait for a bot that dials in."""
    evening = Evening(world, client)
    assert evening.begun() == []
    return evening


def test_a_quiet_bot_holds_no_worker(evening: Evening) -> None:
    """However many of its matches wait and however often its agent comes, nothing is begun with a
    bot that has just not taken a seat; then one match is, and not the next before that is over."""
    evening.come()
    first, *others = evening.begun()
    assert len(others) == 4
    assert {evening.decline(one) for one in (first, *others)} == {"waits"}
    for session in ("again", "and again"):
        evening.store.dial.go("afar", "s")
        evening.come(session)
        assert evening.store.dial.wake("afar", 64) == []
        assert evening.begun() == []
    evening.pass_quiet()
    for session in ("more", "and more"):
        evening.come(session)
        assert len(evening.begun()) == (session == "more")
        assert evening.store.dial.wake("afar", 64) == []


def test_one_match_is_woken_for_a_bot_that_was_quiet(evening: Evening) -> None:
    """Its agent comes when its quiet time is over: one match is sent out, whatever its slots, and
    the others when it has taken that seat."""
    evening.come()
    for claim in evening.begun():
        evening.decline(claim)
    evening.pass_quiet()
    assert len(evening.store.dial.wake("afar", 64)) == 1
    evening.store.dial.sits("afar")
    assert len(evening.store.dial.wake("afar", 64)) == 4


def test_twice_as_long_each_time(evening: Evening) -> None:
    """Offers that are open at once count as one; each later one that is not taken doubles the time,
    and a seat that is taken ends all that at once."""
    evening.come()
    for claim in evening.begun():
        evening.decline(claim)
    assert evening.pass_quiet() == 1
    for hours in (2, 4, 8, 16, 32, 64, 64):
        (claim,) = evening.begun()
        evening.decline(claim)
        agent = evening.store.dial.agents(["afar"])["afar"]
        assert (agent.online, agent.away, agent.room) == (True, True, 0)
        assert evening.pass_quiet() == hours
    assert evening.store.dial.agents(["afar"])["afar"].declines == 8
    evening.store.dial.sits("afar")
    assert len(evening.begun()) == 5


def test_matches_of_a_bot_that_takes_nothing_are_given_up(evening: Evening) -> None:
    """Those that were never offered to it too, so that a tournament comes to its end, though the
    bot's agent comes again and again."""
    evening.come(slots=1)
    (offered,) = evening.begun()
    evening.decline(offered)
    waiting = evening.own[1]
    words: list[Claim | str] = []
    while words[-1:] != ["given up"]:
        evening.come()
        words.append(evening.claim(waiting, Waits(again_ms=HOUR, patience_ms=1)))
        assert len(words) < 1000
    found = evening.store.matches.get(waiting)
    assert (found.state, [one.cause for one in found.attempts]) == ("dead", ["declined"])


def test_a_ladder_leaves_a_quiet_bot_out(evening: Evening) -> None:
    """It is given no match while it is quiet, and one at a time until it takes a seat."""
    evening.come()
    assert evening.store.dial.agents(["afar"])["afar"].room == 64 - 5
    claims = evening.begun()
    assert ladder.absent(evening.store, evening.store.bots.versions()) == set()
    for claim in claims:
        evening.decline(claim)
    assert ladder.absent(evening.store, evening.store.bots.versions()) == {"afar"}
    evening.pass_quiet()
    assert ladder.absent(evening.store, evening.store.bots.versions()) == {
        "afar"
    }  # five matches wait for it already
    evening.store.dial.sits("afar")
    assert ladder.absent(evening.store, evening.store.bots.versions()) == set()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("leg", "word", "declines"), [(0, TAKEN, 0), (0, REFUSED, 1), (0, "", 1), (1, TAKEN, 1)]
)
async def test_a_first_seat_that_is_taken(
    evening: Evening, leg: int, word: str, declines: int
) -> None:
    """The first seat of a match, once taken, lets a bot have all its slots again; to say no, to say
    nothing, or to go on with a match that was begun before does not."""
    evening.come()
    claim, other, *_ = evening.begun()
    evening.decline(other)
    planned = fixture(evening.store, claim.match_id)
    order = order_of(evening.store, evening.folders, planned, claim, 60.0)
    door = match_pb2.SeatDoor(seat=0, address="tls://x:7", ticket="t", certificate=b"c")
    seat = Hall(evening.store, Waiting(take_s=0.0, look_s=0.01)).call(order, "afar", leg, door)
    offer = Offer("afar", claim.match_id, claim.fence, leg, 0, "x", 7, "t", "63")
    if word:
        evening.store.dial.offer(offer)
        evening.store.dial.tell("afar", offer.id, word)

    async def play() -> None:
        async for _ in seat.events():
            await seat.stop()

    if word == TAKEN:
        await play()
    else:
        with pytest.raises(Absent):
            await play()
    assert evening.store.dial.agents(["afar"])["afar"].declines == declines
