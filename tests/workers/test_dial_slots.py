"""Bots that dial in, as the store has them: slots, what waits, and offers."""

from typing import Any

import pytest

from workers.store import LimitReached, NameTaken
from workers.store.dial import Agent, Offer
from workers.store.matches import Claim, Waits

LEASE = 60_000
AGAIN = Waits(again_ms=1, patience_ms=0)


def dial(world: Any, *names: str) -> None:
    """Register bots that dial in."""
    for name in names:
        world.store.dial.add(name, world.add(name), "owner")


def claim(
    world: Any, match_id: str, *bots: str, lease_ms: int = LEASE, waits: Waits = AGAIN
) -> Any:
    """What comes of a claim of a match with these bots that dial in."""
    got = world.store.matches.claim(match_id, lease_ms, world.limits, bots, waits)
    return "claimed" if isinstance(got, Claim) else got


def test_one_slot_and_three_matches(world: Any) -> None:
    """One is played, the others wait without loss; each end of one lets the next begin."""
    dial(world, "afar")
    for name in ("one", "two", "three"):
        world.add(name)
    made = world.filled("afar", "one", "two", "three")
    ids = [f"{made}.{n}" for n in range(1, 7)]
    own = [one for one in ids if "afar" in [b.name for b in world.bots(one)]]
    world.store.dial.come("afar", "s", 1, LEASE)
    assert [claim(world, one, "afar") for one in own] == ["claimed", "waits", "waits"]
    assert world.store.dial.agents(["afar"])["afar"] == Agent(
        True, 1, 1, 2, world.store.dial.agents(["afar"])["afar"].since_ms
    )
    assert world.store.tournaments.waiting(made) == 2
    assert [world.store.matches.get(one).attempts for one in own] == [()] * 3
    assert world.store.matches.seal(own[0], 1)
    assert world.store.dial.wake("afar", 1) == [own[1]]
    assert claim(world, own[1], "afar") == "claimed"
    world.store.matches.void(own[1], 1, "referee", replace_limits(world))
    assert world.store.dial.wake("afar", 1) == [own[2]]
    assert claim(world, own[2], "afar") == "claimed"
    assert world.store.tournaments.waiting(made) == 0


def replace_limits(world: Any) -> Any:
    return world.limits._replace(alike=9)


def test_a_slot_ends_with_its_lease(world: Any) -> None:
    """A worker that is gone keeps no slot longer than its lease."""
    dial(world, "afar")
    world.add("one")
    world.add("two")
    made = world.filled("afar", "one", "two")
    own = [
        f"{made}.{n}" for n in (1, 2, 3) if "afar" in [b.name for b in world.bots(f"{made}.{n}")]
    ]
    world.store.dial.come("afar", "s", 1, LEASE)
    assert claim(world, own[0], "afar", lease_ms=0) == "claimed"
    assert claim(world, own[1], "afar") == "claimed"


def test_offline_and_for_how_long(world: Any) -> None:
    """It waits for whoever is offline; who stays so loses no point, its match is given up."""
    dial(world, "afar")
    world.add("one")
    made = world.filled("afar", "one")
    match = f"{made}.1"
    assert claim(world, match, "afar") == "waits"
    assert world.store.matches.get(match).waits_for == "afar"
    while (word := claim(world, match, "afar", waits=Waits(0, 1))) in ("waits", "early"):
        pass
    assert word == "given up"
    found = world.store.matches.get(match)
    assert (found.state, [one.cause for one in found.attempts]) == ("dead", ["offline"])
    assert world.store.tournaments.waiting(made) == 0
    assert world.store.matches.resume(match)
    world.store.dial.come("afar", "s", 1, LEASE)
    assert claim(world, match, "afar") == "claimed"


def test_what_waits_leaves_room_for_others(world: Any) -> None:
    """Matches that wait for a bot do not count among those on their way."""
    dial(world, "afar")
    for name in ("one", "two", "three"):
        world.add(name)
    made = world.tournament("afar", "one", "two", "three")
    first = world.store.tournaments.fill(made, 2)
    waiting = [one for one in first if claim(world, one, *world.dialled(one)) == "waits"]
    assert len(world.store.tournaments.fill(made, 2)) == len(waiting) == 1


def test_withdrawn_and_closed_while_it_waits(world: Any) -> None:
    """What waits is void like everything that was not begun."""
    from workers import organise

    dial(world, "afar")
    world.add("one")
    world.add("two")
    made = world.filled("afar", "one", "two")
    for n in (1, 2, 3):
        claim(world, f"{made}.{n}", *world.dialled(f"{made}.{n}"))
    assert world.store.tournaments.waiting(made) == 2
    organise.withdraw(world.store, made, "afar")
    assert world.store.tournaments.waiting(made) == 0
    world.store.dial.come("afar", "s", 9, LEASE)
    assert world.store.dial.wake("afar", 9) == []


def test_one_agent_a_bot(world: Any) -> None:
    """The newest one is its agent, and no other's word counts."""
    dial(world, "afar")
    desk = world.store.dial
    desk.come("afar", "old", 2, LEASE)
    desk.come("afar", "new", 3, LEASE)
    assert not desk.beat("afar", "old", LEASE)
    assert desk.beat("afar", "new", LEASE)
    desk.go("afar", "old")
    assert desk.session("afar") == "new"
    desk.go("afar", "new")
    assert (desk.session("afar"), desk.agents(["afar"])["afar"].online) == ("", False)
    assert not desk.beat("afar", "new", LEASE)


def test_offers(world: Any) -> None:
    """An offer is open while its attempt runs; that a program has ended is the last word on it."""
    dial(world, "afar")
    world.add("one")
    made = world.filled("afar", "one")
    desk = world.store.dial
    desk.come("afar", "s", 1, LEASE)
    assert claim(world, f"{made}.1", "afar") == "claimed"
    offer = Offer("afar", f"{made}.1", 1, 0, 0, "", 7, "t", "00")
    desk.offer(offer)
    desk.offer(offer._replace(leg=1, fence=9))
    assert [one.id for one in desk.offers()] == [offer.id]
    assert not desk.tell("other", offer.id, "taken")
    for word in ("taken", "ended 3 0", "taken"):
        assert desk.tell("afar", offer.id, word)
    assert desk.offers()[0].told == desk.told(offer.id) == "ended 3 0"
    desk.take_away(offer.id)
    assert not desk.tell("afar", offer.id, "taken")
    assert (desk.offers(), desk.told(offer.id)) == ([], "")


def test_who_only_declines_ends_it(world: Any) -> None:
    """A bot that is there and never begins a match is asked less and less often, and at last no
    more: the match is given up without a point."""
    dial(world, "afar")
    world.add("one")
    match = f"{world.filled('afar', 'one')}.1"
    world.store.dial.come("afar", "s", 1, LEASE)
    words: list[str] = []
    while words[-1:] != ["dead"]:
        while (got := world.store.matches.claim(match, LEASE, world.limits, ("afar",), AGAIN)) in (
            "early",
            "waits",
        ):
            pass
        assert isinstance(got, Claim)
        words.append(world.store.matches.await_bot(match, got.fence, "afar", Waits(1, 20)))
    assert words[0] == "waits"
    found = world.store.matches.get(match)
    assert (found.state, [one.cause for one in found.attempts]) == ("dead", ["declined"])
    assert world.store.matches.resume(match)
    world.store.dial.sits("afar")
    assert claim(world, match, "afar") == "claimed"


def test_so_many_new_bots_a_day(world: Any) -> None:
    """Names and revisions count, each once; whose name it is is looked at as for all bots."""
    add = world.store.dial.add
    versions = [f"sha256:{number:064x}" for number in range(3)]
    assert add("afar", versions[0], "ada", 2)
    assert not add("afar", versions[0], "ada", 2)
    assert add("afar", versions[1], "ada", 2)
    with pytest.raises(LimitReached, match="KNOCKBOX_SUBMIT_DAY"):
        add("further", versions[2], "ada", 2)
    with pytest.raises(NameTaken):
        add("afar", versions[2], "bob", 2)
    assert world.store.bots.get("afar").version == versions[1]
    assert world.store.dial.known(versions) == frozenset(versions[:2])
