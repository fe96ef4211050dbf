"""Ratings are what the log says, to the last digit, or the check says where they are not."""

import json
from typing import Any

import pytest

from workers import organise, rebuild
from workers.recorder import Recorder


@pytest.fixture
def played(world: Any) -> Any:
    """A world in which three matches are recorded."""
    for name in ("ab", "cd", "ef"):
        world.add(name)
    made = world.filled("ab", "cd", "ef")
    recorder = Recorder(world.store, world.folders, world.limits)
    for number, losers in ((1, [0]), (2, [0, 0, 1]), (3, [1, 0])):
        match_id = f"{made}.{number}"
        recorder.record(match_id, world.seal(match_id, losers))
    return world


def test_untouched_ratings_agree(played: Any) -> None:
    """The check says so, and how much it looked at."""
    report = rebuild.check(played.store)
    assert (report.difference, report.entries, report.ratings) == ("", 3, 3)
    assert report.head == played.store.log.head().hash


def test_an_empty_store_agrees(world: Any) -> None:
    """Nothing follows from nothing."""
    assert rebuild.check(world.store) == (0, 0, "", "")


@pytest.mark.parametrize("field", ["elo", "units", "won", "fault.crash", "invented"])
def test_a_changed_number_is_found_and_mended(played: Any, client: Any, field: str) -> None:
    """The first difference is named; a rebuild writes what the log says."""
    key = next(key for key in sorted(client.keys("kb:rating:*")) if "ab " in key)
    client.hincrby(key, field, 1)
    assert f"ab: {field} is " in rebuild.check(played.store).difference
    assert rebuild.rebuild(played.store).difference == ""
    assert rebuild.check(played.store).difference == ""


def test_a_missing_and_an_invented_rating_are_found(played: Any, client: Any) -> None:
    """Ratings that the log knows and the store does not, and the other way round."""
    client.sadd("kb:rated", "zz sha256:0")
    client.hset("kb:rating:zz sha256:0", "elo", 2_000_000)
    assert "zz: elo is 2000000, the log says 0" in rebuild.check(played.store).difference
    client.delete("kb:rated")
    assert "ab: base is 0" in rebuild.check(played.store).difference
    rebuild.rebuild(played.store)
    assert rebuild.check(played.store).difference == ""


def rewrite(client: Any, seq: int, change: Any) -> None:
    """Put another text in the place of an entry and of all that follow it."""
    entries = [(number, fields["entry"]) for number, fields in client.xrange("kb:log")]
    client.delete("kb:log")
    for number, text in entries:
        entry = json.loads(text)
        if number == f"{seq}-0":
            change(entry)
            text = json.dumps(entry, sort_keys=True, separators=(",", ":"))
        client.xadd("kb:log", {"entry": text}, id=number)


def test_a_changed_entry_breaks_the_chain(played: Any, client: Any) -> None:
    """What the next entry vouches for cannot be changed unseen."""
    rewrite(client, 1, lambda entry: entry.update(recorded_ms=1))
    assert rebuild.check(played.store).difference == "entry 2: does not follow the entry before it"
    before = played.store.ratings.fields()
    assert rebuild.rebuild(played.store).difference
    assert played.store.ratings.fields() == before


def test_a_changed_last_entry_is_found(played: Any, client: Any) -> None:
    """The store's own head vouches for the last one."""
    rewrite(client, 3, lambda entry: entry.update(recorded_ms=1))
    assert "the log ends at entry 3" in rebuild.check(played.store).difference


def test_a_missing_entry_is_found(played: Any, client: Any) -> None:
    """Numbers have no gaps."""
    client.xdel("kb:log", "2-0")
    assert rebuild.check(played.store).difference.startswith("entry 2:")


def test_a_wrong_change_is_found_in_an_unbroken_chain(played: Any, client: Any) -> None:
    """An entry whose numbers do not follow from its own scores is named, hashes or no hashes."""

    def cheat(entry: dict[str, Any]) -> None:
        entry["bots"][0]["add"]["elo"] += 1000

    rewrite(client, 3, cheat)
    assert "entry 3: " in rebuild.check(played.store).difference
    assert " moves by " in rebuild.check(played.store).difference


@pytest.mark.parametrize(
    "cheat",
    [
        lambda entry: entry["bots"][0]["add"].update(elo=entry["bots"][0]["add"]["elo"] + 1),
        lambda entry: entry["bots"][0].update(elo=1),
        lambda entry: entry["bots"].pop(),
        lambda entry: entry.update(match="t1.2"),
    ],
)
def test_a_correction_takes_back_what_was_added(played: Any, client: Any, cheat: Any) -> None:
    """One that takes back anything else than its match has added is named."""
    organise.void(played.store, "t1.3", "a mistake")
    assert rebuild.check(played.store).difference == ""
    rewrite(client, 4, cheat)
    expected = "entry 4: does not take back just what entry 3 has added"
    assert rebuild.check(played.store).difference == expected


@pytest.mark.parametrize("of", [0, 3, 4, 5, 99])
def test_a_correction_takes_back_a_match_that_counts(played: Any, client: Any, of: int) -> None:
    """None, one that is taken back already, a correction, itself, one to come: all are named."""
    organise.void(played.store, "t1.3", "a mistake")
    organise.void(played.store, "t1.2", "a mistake")
    rewrite(client, 5, lambda entry: entry.update(of=of))
    expected = f"entry 5: takes back entry {of}, which is of no match that counts"
    assert rebuild.check(played.store).difference == expected
