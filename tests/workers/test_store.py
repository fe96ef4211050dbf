"""Bots, tournaments and the format mark in a real store."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from workers.store import BadName, Client, FormatError, NameTaken, NotFound, Store
from workers.store.log import Log
from workers.store.scripts import Scripts

ONE = "sha256:" + "1" * 64
TWO = "sha256:" + "2" * 64


def test_the_same_digest_gets_the_same_answer(store: Store) -> None:
    """Adding a version twice changes nothing; another one is another version."""
    assert store.bots.add("greedy", ONE, "ann") is True
    assert store.bots.add("greedy", ONE, "ann") is False
    assert store.bots.add("greedy", TWO, "ann") is True
    bot = store.bots.get("greedy")
    assert (bot.owner, bot.version, bot.versions) == ("ann", TWO, (ONE, TWO))
    assert store.bots.parents_of(["greedy"]) == {"greedy": {ONE: "", TWO: ONE}}


def test_an_older_version_plays_again_when_it_is_added_again(store: Store) -> None:
    """What was added last is what plays, and no version is listed twice."""
    for digest in (ONE, TWO, ONE):
        store.bots.add("greedy", digest, "ann")
    assert store.bots.get("greedy").version == ONE
    assert store.bots.get("greedy").versions == (ONE, TWO)


def test_two_adds_at_once_are_one(store: Store) -> None:
    """Of many who bring the same version at the same moment exactly one adds it."""
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: store.bots.add("greedy", ONE, "ann"), range(32)))
    assert answers.count(True) == 1
    assert store.bots.get("greedy").versions == (ONE,)


def test_a_look_alike_is_taken(store: Store) -> None:
    """A name that could be mistaken for one that exists is refused and told apart."""
    store.bots.add("gin-hunter", ONE, "ann")
    with pytest.raises(NameTaken, match="looks like 'gin-hunter'"):
        store.bots.add("gin_hunter", TWO, "ann")
    assert [bot.name for bot in store.bots.all()] == ["gin-hunter"]


def test_another_owners_bot_is_taken(store: Store) -> None:
    """Nobody adds a version to somebody else's bot."""
    store.bots.add("greedy", ONE, "ann")
    with pytest.raises(NameTaken, match="'greedy' is taken"):
        store.bots.add("greedy", TWO, "bob")
    assert store.bots.get("greedy").version == ONE


@pytest.mark.parametrize("name", ["", "A", "../x", "a*", "x" * 10_000, "\u202eab"])
def test_bad_names_reach_no_key(store: Store, client: Any, name: str) -> None:
    """A name outside the rule is refused when added, and unknown when asked for."""
    with pytest.raises(BadName):
        store.bots.add(name, ONE, "ann")
    with pytest.raises(NotFound):
        store.bots.get(name)
    assert client.keys("kb:bot*") == []


def test_tournaments_without_a_name_are_numbered(world: Any) -> None:
    """t1, t2 … as far as these are free."""
    world.add("ab")
    world.add("cd")
    assert world.tournament("ab", "cd", name="t2") == "t2"
    assert [world.tournament("ab", "cd"), world.tournament("ab", "cd")] == ["t1", "t3"]
    assert [found.id for found in world.store.tournaments.all()] == ["t3", "t1", "t2"]


def test_a_tournaments_name_is_taken_once(world: Any) -> None:
    """A second tournament of a name, or of a look-alike, is refused."""
    world.add("ab")
    world.add("cd")
    world.tournament("ab", "cd", name="cup-1")
    for name in ("cup-1", "cup_l"):
        with pytest.raises(NameTaken):
            world.tournament("ab", "cd", name=name)


def test_a_plan_comes_back_as_it_was(world: Any) -> None:
    """Rules, versions, seed and secret are pinned when a tournament is created."""
    version = world.add("ab", "first")
    world.add("cd")
    made = world.tournament("ab", "cd", units=3)
    world.add("ab", "second")
    found = world.store.tournaments.get(made)
    assert found.plan.entrants[0] == ("ab", version)
    assert (found.plan.units, found.plan.seed, found.plan.rules["preset"]) == (3, "tests", "danish")
    assert (found.state, found.revealed, len(found.plan.secret)) == ("running", b"", 32)


def test_filling_up_is_idempotent(world: Any) -> None:
    """Only so many matches are on their way as the window says, however often it is asked."""
    for name in ("ab", "cd", "ef", "gh"):
        world.add(name)
    made = world.tournament("ab", "cd", "ef", "gh")
    fill = world.store.tournaments.fill
    assert fill(made, 2) == [f"{made}.1", f"{made}.2"]
    assert fill(made, 2) == []
    assert fill(made, 4) == [f"{made}.3", f"{made}.4"]
    assert fill(made, 99) == [f"{made}.5", f"{made}.6"]
    assert fill(made, 99) == fill("no-such-one", 9) == []


def test_a_newer_format_is_refused(store: Store, client: Any) -> None:
    """A store that a newer version has written is left alone, in plain words."""
    client.set("kb:format", "2")
    with pytest.raises(FormatError, match="format 2, this version of Knockbox reads 1"):
        store.check()


def test_alarms_have_the_stores_own_time(client: Client) -> None:
    """An alarm is dated as all that the store keeps; the newest come first, a thousand are kept."""
    times = iter(range(1, 1003))
    log = Log(client, Scripts(client), lambda: next(times))
    for _ in range(1002):
        log.alarm("replay", "t1.1", "it is broken")
    assert log.alarms(2) == [(ms, "replay", "t1.1", "it is broken") for ms in (1002, 1001)]
    assert log.alarms_kept() == 1000
