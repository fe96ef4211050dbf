"""Recording: a result counts once, whoever says it how often, and only as the replay has it."""

import json
from pathlib import Path
from typing import Any

import pytest

from workers import rebuild
from workers.ratings import elo_now
from workers.recorder import Recorder
from workers.sealed import read
from workers.store import Client, Store, keys


@pytest.fixture
def recorder(world: Any) -> Recorder:
    """A recorder of the world's store."""
    return Recorder(world.store, world.folders, world.limits)


@pytest.fixture
def match(world: Any) -> str:
    """A queued match between `ab` and `cd`, two units."""
    world.add("ab")
    world.add("cd")
    return f"{world.filled('ab', 'cd')}.1"


def elos(store: Store) -> dict[str, int]:
    """Ratings by name, thousandths."""
    return {row.name: row.elo for row in store.ratings.all()}


def test_a_sealed_match_is_recorded(world: Any, recorder: Recorder, match: str) -> None:
    """Log, ratings, match, tournament and file tell of it afterwards."""
    fence = world.seal(match, losers=[1])
    assert recorder.record(match, fence) == ("recorded", "t1")
    found = world.store.matches.get(match)
    kept = read(world.folders.replay(match))
    assert (found.state, found.digest, found.seq) == ("done", kept.digest, 1)
    assert elos(world.store) == {"ab": 1_530_590, "cd": 1_469_410}
    losses = {row.name: (row.games["lost"], dict(row.faults)) for row in world.store.ratings.all()}
    assert losses == {"ab": (0, {}), "cd": (4, {"crash": 4})}
    tournament = world.store.tournaments.get("t1")
    assert (tournament.state, tournament.recorded) == ("over", 1)
    assert world.store.queue.counts() == (0, 0, 0, 0)
    assert not world.folders.incoming(match, fence).exists()


@pytest.mark.parametrize("rules", ["three_handed", "partnership"])
def test_matches_of_many_seats_are_recorded(world: Any, recorder: Recorder, rules: str) -> None:
    """Every match of a round robin over three seats, or over partners, is rated and rebuilt."""
    names = ("ab", "cd", "ef", "gh")
    for name in names:
        world.add(name)
    tournament = world.filled(*names, rules=rules, units=1)
    total = world.store.tournaments.get(tournament).plan.total
    for number in range(1, total + 1):
        match = f"{tournament}.{number}"
        fence = world.seal(match, losers=[0])
        assert recorder.record(match, fence).word == "recorded"
    assert world.store.tournaments.get(tournament).state == "over"
    entries = [json.loads(text) for _, text in world.store.log.texts()]
    for entry in entries:
        moves = [bot["add"].get("elo", 0) for bot in entry["bots"]]
        first = [moves[bot] for bot in entry["sides"][0]]
        assert len(set(first)) == 1 and first[0] < 0 < moves[1]
    assert rebuild.check(world.store).difference == ""


def test_recording_twice_is_recording_once(world: Any, recorder: Recorder, match: str) -> None:
    """The same again gets the same answer and moves nothing."""
    fence = world.seal(match)
    recorder.record(match, fence)
    before = (world.store.log.head(), elos(world.store))
    assert recorder.record(match, fence).word == "dup"
    world.replay(match, [1]).write(world.folders.incoming(match, fence))
    assert recorder.record(match, fence).word == "dup"
    assert (world.store.log.head(), elos(world.store)) == before
    assert world.store.log.alarms_kept() == 0


def test_another_result_of_the_same_attempt_is_an_alarm(
    world: Any, recorder: Recorder, match: str
) -> None:
    """The first result stays; the other one is kept for a person to look at."""
    fence = world.seal(match, losers=[1])
    recorder.record(match, fence)
    before = (world.store.log.head(), elos(world.store))
    other = world.replay(match, [0])
    other.write(world.folders.incoming(match, fence))
    assert recorder.record(match, fence).word == "conflict"
    assert (world.store.log.head(), elos(world.store)) == before
    (alarm,) = world.store.log.alarms(9)
    assert (alarm.kind, alarm.match) == ("conflict", match)
    assert other.digest.hex() in alarm.words
    assert world.folders.incoming(match, fence).with_suffix(".conflict").exists()


def test_an_old_fence_is_stale(world: Any, recorder: Recorder, match: str) -> None:
    """Who lost the match in the middle records nothing, before the other's record and after."""
    world.claim(match, lease_ms=0)
    old = world.folders.incoming(match, 1)
    fence = world.seal(match, losers=[1])
    world.replay(match, [0]).write(old)
    assert (fence, recorder.record(match, 1).word) == (2, "stale")
    assert recorder.record(match, 2).word == "recorded"
    world.replay(match, [0]).write(old)
    assert recorder.record(match, 1).word == "stale"
    assert elos(world.store)["ab"] > elos(world.store)["cd"]
    assert world.store.log.alarms_kept() == 0


def test_the_scripts_themselves_refuse(world: Any, recorder: Recorder, match: str) -> None:
    """The store answers by itself what the recorder would have asked: head, fence, once."""
    fence = world.seal(match)
    record, head = world.store.log.record, world.store.log.head()
    moved = head._replace(seq=7, hash="0" * 64)
    assert record(match, fence, "d1", moved, "text", "hash", []) == "moved"
    assert record(match, fence + 1, "d1", head, "text", "hash", []) == "stale"
    assert record("t1.77", fence, "d1", head, "text", "hash", []) == "unknown"
    assert recorder.record(match, fence).word == "recorded"
    digest = world.store.matches.get(match).digest
    assert record(match, fence, digest, head, "text", "hash", []) == "dup"
    assert record(match, fence, "other", head, "text", "hash", []) == "conflict"
    assert world.store.log.head().seq == 1


def test_a_head_that_moved_is_followed(
    world: Any, match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between reading the head and writing, another match is recorded: both count, chained."""
    world.add("ef")
    other = f"{world.filled('ab', 'ef')}.1"
    fences = {match: world.seal(match), other: world.seal(other)}
    recorder = Recorder(world.store, world.folders, world.limits)
    head = world.store.log.head

    def overtaken() -> Any:
        found = head()
        monkeypatch.setattr(world.store.log, "head", head)
        assert Recorder(Store(world.store._client), world.folders, world.limits).record(
            other, fences[other]
        ) == ("recorded", "t2")
        return found

    monkeypatch.setattr(world.store.log, "head", overtaken)
    assert recorder.record(match, fences[match]).word == "recorded"
    assert [json.loads(text)["match"] for _, text in world.store.log.texts()] == [other, match]
    assert rebuild.check(world.store).difference == ""


def test_a_recorder_that_died_after_the_move_goes_on(
    world: Any, recorder: Recorder, match: str
) -> None:
    """The file is in its place and the log knows nothing yet: the next try finds it there."""
    fence = world.seal(match)
    world.folders.incoming(match, fence).replace(world.folders.replay(match))
    assert recorder.record(match, fence).word == "recorded"


@pytest.mark.parametrize("what", ["missing", "cut", "flipped"])
def test_a_replay_that_cannot_be_believed_voids_the_attempt(
    world: Any, recorder: Recorder, match: str, what: str
) -> None:
    """The match is played again, no bot is to blame, and a person hears of it."""
    fence = world.seal(match)
    path = world.folders.incoming(match, fence)
    data = bytearray(path.read_bytes())
    if what == "missing":
        path.unlink()
    else:
        data[100] ^= 1
        path.write_bytes(data[:-9] if what == "cut" else data)
    assert recorder.record(match, fence).word == "queued"
    assert world.store.log.head().seq == 0
    assert elos(world.store) == {}
    assert [one.kind for one in world.store.log.alarms(9)] == ["replay"]
    assert world.seal(match) == 2
    assert recorder.record(match, 2).word == "recorded"


def test_a_match_that_is_given_up_for_its_replays_is_told(
    world: Any, recorder: Recorder, match: str
) -> None:
    """The fourth replay that cannot be believed ends the match, with an alarm of its own."""
    words = []
    for _ in range(4):
        fence = world.seal(match)
        world.folders.incoming(match, fence).unlink()
        words.append(recorder.record(match, fence).word)
    assert words == ["queued"] * 3 + ["dead"]
    assert [one.kind for one in world.store.log.alarms(9)] == ["dead"] + ["replay"] * 4


def test_a_replay_of_another_match_is_refused(world: Any, recorder: Recorder, match: str) -> None:
    """A replay that verifies, but is not of this match, records nothing."""
    world.add("ef")
    other = f"{world.filled('ab', 'ef')}.1"
    fence = world.seal(match)
    world.replay(other, [0]).write(world.folders.incoming(match, fence))
    assert recorder.record(match, fence).word == "queued"
    (alarm,) = world.store.log.alarms(9)
    assert (alarm.kind, alarm.match) == ("mismatch", match)
    assert alarm.words == "attempt 1: match is not that of the match"
    assert world.store.log.head().seq == 0


@pytest.mark.parametrize("junk", ["t1.2", "t9.1", "nope", "../x.1"])
def test_an_unknown_match_records_nothing(
    world: Any, recorder: Recorder, match: str, junk: str
) -> None:
    """Whatever a message names, only a match that exists is recorded."""
    assert recorder.record(junk, 1).word == "unknown"
    assert world.store.log.head().seq == 0


def test_two_names_of_one_version_are_unrated(world: Any, recorder: Recorder) -> None:
    """A bot cannot win points from itself; its games are counted, its rating stays."""
    world.add("ab", "same")
    world.add("cd", "same")
    match = f"{world.filled('ab', 'cd')}.1"
    assert recorder.record(match, world.seal(match, losers=[1])).word == "recorded"
    rows = {row.name: (row.elo, row.units, row.games["won"]) for row in world.store.ratings.all()}
    assert rows == {"ab": (1_500_000, 0, 4), "cd": (1_500_000, 0, 0)}
    assert rebuild.check(world.store).difference == ""


@pytest.mark.parametrize(("owner", "rated"), [("owner", False), ("another", True)])
def test_bots_of_one_owner_are_unrated_where_it_says_so(
    world: Any, recorder: Recorder, owner: str, rated: bool
) -> None:
    """A tournament may leave matches within one owner's bots out of the ratings; they count in its
    table, and all others are rated."""
    world.add("ab")
    world.store.bots.add("cd", f"sha256:{'c' * 64}", owner)
    match = f"{world.filled('ab', 'cd', rate_same_owner=False)}.1"
    assert recorder.record(match, world.seal(match)).word == "recorded"
    assert (elos(world.store)["ab"] > 1_500_000) == rated
    entry = json.loads(next(world.store.log.texts())[1])
    assert (entry["rated"], len(entry["bots"][0]["units"])) == (rated, 2)
    assert rebuild.check(world.store).difference == ""


def test_a_new_version_begins_where_its_parent_stands(world: Any, recorder: Recorder) -> None:
    """It has a rating of its own from its first match on, and the old one's stays."""
    old = world.add("ab", "v1")
    world.add("cd")
    first = world.filled("ab", "cd")
    recorder.record(f"{first}.1", world.seal(f"{first}.1", losers=[1]))
    world.add("ab", "v2")  # never plays
    new = world.add("ab", "v3")
    second = world.filled("ab", "cd")
    recorder.record(f"{second}.1", world.seal(f"{second}.1", losers=[0]))
    rows = {row.version: (row.base, row.elo, row.units) for row in world.store.ratings.all()}
    assert rows[old] == (1_500_000, 1_530_590, 2)
    assert rows[new][0] == 1_530_590
    assert rows[new][1] < 1_530_590
    assert rebuild.check(world.store).difference == ""


def test_versions_that_follow_each_other_in_a_ring_end_no_recorder(
    world: Any, recorder: Recorder, client: Client
) -> None:
    """Whatever a store says of who followed whom, a match is recorded: such a bot begins anew."""
    old, new = world.add("ab", "v1"), world.add("ab", "v2")
    world.add("cd")
    client.hset(keys.bot_parents("ab"), old, new)
    match = f"{world.filled('ab', 'cd')}.1"
    assert recorder.record(match, world.seal(match)).word == "recorded"
    (row,) = [one for one in world.store.ratings.all() if one.name == "ab"]
    assert (row.version, row.base) == (new, 1_500_000)


def test_where_a_version_begins_is_told_before_it_plays(world: Any, recorder: Recorder) -> None:
    """What is shown of a new version is what its first match begins with."""
    world.add("ab", "v1")
    world.add("cd")
    first = f"{world.filled('ab', 'cd')}.1"
    recorder.record(first, world.seal(first))
    new = world.add("ab", "v2")
    (told,) = elo_now(world.store, [("ab", new)])
    second = f"{world.filled('ab', 'cd')}.1"
    recorder.record(second, world.seal(second))
    (row,) = [one for one in world.store.ratings.all() if one.version == new]
    assert row.base == told != 1_500_000


def test_a_running_tournament_rates_the_version_it_began_with(
    world: Any, recorder: Recorder, match: str
) -> None:
    """A version that is added meanwhile has nothing to do with it."""
    old = world.store.bots.get("ab").version
    fence = world.seal(match)
    world.add("ab", "newer")
    recorder.record(match, fence)
    assert {row.version for row in world.store.ratings.all() if row.name == "ab"} == {old}


def test_the_table_comes_from_the_log(world: Any, recorder: Recorder, tmp_path: Path) -> None:
    """A tournament's entries, and only its own, are found in the order of the log."""
    for name in ("ab", "cd", "ef"):
        world.add(name)
    mine, other = world.filled("ab", "cd", "ef"), world.filled("ab", "cd")
    for match_id in (f"{mine}.2", f"{other}.1", f"{mine}.1"):
        recorder.record(match_id, world.seal(match_id))
    entries = [json.loads(text)["match"] for text in world.store.log.of_tournament(mine)]
    assert entries == [f"{mine}.2", f"{mine}.1"]
    assert [json.loads(text)["match"] for text in world.store.log.newest(2)] == [
        f"{mine}.1",
        f"{other}.1",
    ]
