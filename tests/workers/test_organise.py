"""Pausing, resuming, withdrawing, closing: what was played counts, and every tournament ends.

And making a match void: it counts for nothing, as if it had not been played.
"""

import json
from typing import Any

import pytest

from workers import organise, rebuild
from workers.organise import NotNow
from workers.recorder import Recorder
from workers.schedule import fixture
from workers.standings.book import Book
from workers.standings.table import Row, table
from workers.store import NotFound
from workers.store.log import Head
from workers.store.matches import Claim

NAMES = ("ab", "cd", "ef", "gh")
MATCHES = 6


@pytest.fixture
def made(world: Any) -> str:
    """A tournament of four bots, six matches; none is sent yet."""
    for name in NAMES:
        world.add(name)
    return world.tournament(*NAMES)


def play(world: Any, match_id: str) -> None:
    fence = world.seal(match_id)
    assert Recorder(world.store, world.folders, world.limits).record(match_id, fence).word == (
        "recorded"
    )


def table_of(world: Any, made: str) -> list[Row]:
    """A tournament's table from the log."""
    book = Book(world.store.tournaments.get(made).plan.entrants)
    book.extend(json.loads(text) for text in world.store.log.of_tournament(made))
    return table(book)


def fields(world: Any) -> dict[str, dict[str, int]]:
    """All numbers of all ratings that are not 0."""
    kept = world.store.ratings.fields()
    return {name: {key: n for key, n in own.items() if n} for name, own in kept.items()}


def state(world: Any, made: str) -> tuple[str, int, int, int]:
    found = world.store.tournaments.get(made)
    return found.state, found.recorded, found.dead, found.void


def kill(world: Any, match_id: str) -> None:
    for fence in range(1, 5):
        world.claim(match_id)
        word = world.store.matches.void(match_id, fence, "launcher", world.limits)
    assert word == "dead"


def own(world: Any, made: str, bot: str) -> list[str]:
    """The ids of a bot's matches."""
    ids = [f"{made}.{number}" for number in range(1, MATCHES + 1)]
    return [one for one in ids if bot in [b.name for b in fixture(world.store, one).bots]]


def test_a_paused_tournament_begins_nothing(world: Any, made: str) -> None:
    """No match is sent or claimed while it is paused; what is in play is finished and counts."""
    first, second, *_ = world.store.tournaments.fill(made, 3)
    running = world.claim(first)
    organise.pause(world.store, made)
    assert world.store.tournaments.fill(made, 99) == []
    assert world.claim(second) == "paused"
    assert world.store.matches.get(second).attempts == ()
    world.replay(first, [1]).write(world.folders.incoming(first, running.fence))
    assert world.store.matches.seal(first, running.fence)
    Recorder(world.store, world.folders, world.limits).record(first, running.fence)
    assert state(world, made) == ("paused", 1, 0, 0)
    assert world.store.queue.take_due() == []


def test_a_failed_attempt_waits_for_the_pause_to_end(world: Any, made: str) -> None:
    """What breaks off during a pause is not begun again before it is over."""
    (match,) = world.store.tournaments.fill(made, 1)
    claim = world.claim(match)
    organise.pause(world.store, made)
    assert world.store.matches.void(match, claim.fence, "referee", world.limits) == "queued"
    assert world.store.queue.take_due() == [match]
    assert world.claim(match) == "paused"
    assert world.store.queue.take_due() == []


def test_resuming_goes_on_where_it_was(world: Any, made: str) -> None:
    """What was set aside is due at once, and the rest is sent; nothing was lost or doubled."""
    ids = world.store.tournaments.fill(made, 2)
    organise.pause(world.store, made)
    organise.pause(world.store, made)
    assert [world.claim(match) for match in ids] == ["paused", "paused"]
    assert organise.resume(world.store, made) == (True, [])
    assert organise.resume(world.store, made) == (False, [])
    assert sorted(world.store.queue.take_due()) == ids
    assert world.store.tournaments.wanting() == [made]
    assert len(world.store.tournaments.fill(made, 99)) == MATCHES - 2
    for number in range(1, MATCHES + 1):
        play(world, f"{made}.{number}")
    assert state(world, made) == ("over", MATCHES, 0, 0)


def test_pausing_sets_only_its_own_aside(world: Any, made: str) -> None:
    """Another tournament goes on, and stays paused when this one is resumed."""
    other = world.tournament("ab", "cd", name=f"{made}x")
    (mine,) = world.store.tournaments.fill(made, 1)
    (its,) = world.store.tournaments.fill(other, 1)
    organise.pause(world.store, made)
    organise.pause(world.store, other)
    assert (world.claim(mine), world.claim(its)) == ("paused", "paused")
    organise.resume(world.store, made)
    assert world.store.queue.take_due() == [mine]
    assert isinstance(world.claim(mine), Claim)
    assert world.claim(its) == "early"


def test_given_up_matches_are_resumed_in_a_paused_tournament(world: Any, made: str) -> None:
    """One command lets a tournament go on, and queues what was given up again."""
    first, _ = world.store.tournaments.fill(made, 2)
    kill(world, first)
    organise.pause(world.store, made)
    assert organise.resume(world.store, made) == (True, [first])
    assert state(world, made) == ("running", 0, 0, 0)


def test_a_withdrawn_bots_results_stay(world: Any, made: str) -> None:
    """What was played counts, the rest is void, the table follows, and the event ends."""
    mine = own(world, made, "gh")
    world.store.tournaments.fill(made, MATCHES)
    play(world, mine[0])
    rating = world.store.ratings.fields()
    organise.withdraw(world.store, made, "gh")
    assert state(world, made) == ("running", 1, 0, 2)
    assert [world.claim(match) for match in mine[1:]] == ["void", "void"]
    assert world.store.ratings.fields() == rating
    for number in range(1, MATCHES + 1):
        if f"{made}.{number}" not in mine:
            play(world, f"{made}.{number}")
    found = world.store.tournaments.get(made)
    assert (found.state, found.recorded, found.void) == ("over", 4, 2)
    assert (found.withdrawn, found.revealed) == (("gh",), found.plan.secret)
    rows = {row.name: row.units for row in table_of(world, made)}
    assert (rows["gh"], sum(rows.values())) == (2, 16)
    assert rebuild.check(world.store).difference == ""


def test_matches_that_were_not_made_yet_are_skipped(world: Any, made: str) -> None:
    """A bot that leaves early has no further match; the others are sent, as many as are wanted."""
    organise.withdraw(world.store, made, "ab")
    sent = world.store.tournaments.fill(made, 2)
    assert len(sent) == 2
    rest = [match for match in own(world, made, "cd") if match not in own(world, made, "ab")]
    assert set(sent) <= {*rest, *own(world, made, "ef")}
    assert not set(sent) & set(own(world, made, "ab"))
    assert len(world.store.tournaments.fill(made, 99)) == 1
    assert state(world, made) == ("running", 0, 0, 3)


def test_a_match_in_play_is_finished_and_counts(world: Any, made: str) -> None:
    """A withdrawal breaks nothing off: the match's units are finished, so they stay."""
    match = own(world, made, "gh")[0]
    world.store.tournaments.fill(made, MATCHES)
    claim = world.claim(match)
    organise.withdraw(world.store, made, "gh")
    assert world.store.matches.beat(match, claim.fence, 60_000)
    world.replay(match, [1]).write(world.folders.incoming(match, claim.fence))
    assert world.store.matches.seal(match, claim.fence)
    assert Recorder(world.store, world.folders, world.limits).record(match, 1).word == "recorded"
    assert state(world, made) == ("running", 1, 0, 2)


@pytest.mark.parametrize("end", ["void", "expire", "claim", "release", "put_off", "refused"])
def test_a_match_in_play_that_fails_is_not_tried_again(world: Any, made: str, end: str) -> None:
    """However an attempt breaks off after the withdrawal, its match is void and nobody waits."""
    match = own(world, made, "gh")[0]
    world.store.tournaments.fill(made, MATCHES)
    world.claim(match, lease_ms=0 if end in ("expire", "claim") else 60_000)
    matches = world.store.matches
    if end == "refused":
        assert matches.seal(match, 1)
    organise.withdraw(world.store, made, "gh")
    if end in ("void", "refused"):
        assert matches.void(match, 1, "referee", world.limits) == "void"
    elif end == "expire":
        assert matches.expire(match, world.limits) == "void"
    elif end == "claim":
        assert world.claim(match) == "void"
    elif end == "release":
        assert matches.release(match, 1)
    else:
        assert matches.put_off(match, 1, "ENOSPC", world.limits) == "void"
    assert matches.get(match).state == "void"
    assert state(world, made) == ("running", 0, 0, 3)
    assert sum(world.store.queue.counts()) == 3


def test_a_given_up_match_of_a_withdrawn_bot(world: Any, made: str) -> None:
    """It is void too: nothing can be resumed, and the secret is told at the end."""
    mine = own(world, made, "gh")
    world.store.tournaments.fill(made, MATCHES)
    kill(world, mine[0])
    for number in range(1, MATCHES + 1):
        if f"{made}.{number}" != mine[0]:
            play(world, f"{made}.{number}")
    over = world.store.tournaments.get(made)
    assert (over.over, over.revealed) == (True, b"")
    organise.withdraw(world.store, made, "gh")
    assert state(world, made) == ("over", 5, 0, 1)
    now = world.store.tournaments.get(made)
    assert (now.revealed, now.over_ms) == (now.plan.secret, over.over_ms)
    assert organise.resume(world.store, made) == (False, [])


def test_withdrawing_twice_changes_nothing(world: Any, made: str) -> None:
    """The second time is no news: no entry, no count."""
    organise.withdraw(world.store, made, "gh")
    head = world.store.log.head()
    organise.withdraw(world.store, made, "gh")
    assert (world.store.log.head(), state(world, made)) == (head, ("running", 0, 0, 3))


def test_everybody_may_withdraw(world: Any, made: str) -> None:
    """Matches between two bots that left are counted once; the last one ends the tournament."""
    for name in NAMES[:3]:
        organise.withdraw(world.store, made, name)
    found = world.store.tournaments.get(made)
    assert (found.state, found.void, found.withdrawn) == ("over", MATCHES, NAMES[:3])
    with pytest.raises(NotNow, match="is over"):
        organise.withdraw(world.store, made, "gh")


def test_closing_ends_for_good(world: Any, made: str) -> None:
    """What is queued, in play, given up or not made yet is void; what is recorded stays."""
    ids = world.store.tournaments.fill(made, 4)
    play(world, ids[0])
    running = world.claim(ids[1])
    kill(world, ids[2])
    organise.close(world.store, made)
    found = world.store.tournaments.get(made)
    assert (found.state, found.recorded, found.dead, found.void) == ("over", 1, 0, 5)
    assert (found.closed, found.revealed) == (True, found.plan.secret)
    assert not world.store.matches.beat(ids[1], running.fence, 60_000)
    assert not world.store.matches.seal(ids[1], running.fence)
    assert [world.claim(match) for match in ids[1:]] == ["void"] * 3
    assert world.store.tournaments.fill(made, 99) == []
    assert world.store.queue.counts() == (0, 0, 0, 0)
    assert world.store.tournaments.wanting() == []
    assert rebuild.check(world.store).difference == ""
    for refused in (organise.resume, organise.close, organise.pause):
        with pytest.raises(NotNow):
            refused(world.store, made)


def test_what_is_played_is_still_recorded(world: Any, made: str) -> None:
    """A match that lies sealed when its tournament is closed counts; only then it is over."""
    ids = world.store.tournaments.fill(made, 2)
    fence = world.seal(ids[0])
    organise.close(world.store, made)
    found = world.store.tournaments.get(made)
    assert (found.state, found.revealed) == ("closing", b"")
    Recorder(world.store, world.folders, world.limits).record(ids[0], fence)
    found = world.store.tournaments.get(made)
    assert (found.state, found.recorded, found.void) == ("over", 1, 5)
    assert found.revealed == found.plan.secret


def test_a_tournament_with_a_dead_match_is_closed(world: Any, made: str) -> None:
    """It is over already, and keeps its time; what is new is that its secret is told."""
    ids = world.store.tournaments.fill(made, MATCHES)
    kill(world, ids[0])
    for match in ids[1:]:
        play(world, match)
    before = world.store.tournaments.get(made)
    organise.close(world.store, made)
    found = world.store.tournaments.get(made)
    assert (before.revealed, found.revealed) == (b"", found.plan.secret)
    assert (found.over_ms, found.dead, found.void) == (before.over_ms, 0, 1)


def test_the_log_tells_why_matches_are_missing(world: Any, made: str) -> None:
    """A withdrawal and an end are entries of the chain that move no rating."""
    ids = world.store.tournaments.fill(made, MATCHES)
    play(world, ids[0])
    organise.withdraw(world.store, made, "gh")
    organise.close(world.store, made)
    entries = [json.loads(text) for text in world.store.log.of_tournament(made)]
    assert [entry["kind"] for entry in entries] == ["result", "withdrawn", "closed"]
    assert (entries[1]["bot"], entries[2]["tournament"]) == ("gh", made)
    assert world.store.log.matches() == 1
    assert rebuild.check(world.store) == (3, 2, world.store.log.head().hash, "")


@pytest.mark.parametrize("bot", ["nobody", "../x", "ab\n", ""])
def test_who_does_not_play_cannot_leave(world: Any, made: str, bot: str) -> None:
    """A name that is not in the tournament is refused, and nothing changes."""
    with pytest.raises(NotNow, match="does not play"):
        organise.withdraw(world.store, made, bot)
    assert state(world, made) == ("running", 0, 0, 0)


def test_unknown_tournaments(world: Any) -> None:
    """None of it makes a tournament that is not there."""
    for call in (organise.pause, organise.resume, organise.close):
        with pytest.raises(NotFound):
            call(world.store, "nobody")
    with pytest.raises(NotFound):
        organise.withdraw(world.store, "nobody", "ab")


def test_a_match_that_is_made_void_counts_for_nothing(world: Any, made: str) -> None:
    """Ratings, counts and table are as before it; the log adds up, the tournament stays over."""
    *first, last = world.store.tournaments.fill(made, MATCHES)
    for match in first:
        play(world, match)
    ratings, rows = fields(world), table_of(world, made)
    play(world, last)
    secret = world.store.tournaments.get(made).revealed
    organise.void(world.store, last, "the wrong version played")
    assert (fields(world), table_of(world, made)) == (ratings, rows)
    assert state(world, made) == ("over", MATCHES - 1, 0, 1)
    assert world.store.tournaments.get(made).revealed == secret
    assert world.store.log.matches() == MATCHES - 1
    assert rebuild.check(world.store).difference == ""


def test_what_later_matches_have_moved_stays(world: Any, made: str) -> None:
    """A correction takes off what its match has added to the Elo, and nothing else."""
    ids = world.store.tournaments.fill(made, MATCHES)
    for match in ids:
        play(world, match)
    entries = [json.loads(text) for text in world.store.log.of_tournament(made)]
    before = {rating.name: rating.elo for rating in world.store.ratings.all()}
    organise.void(world.store, ids[0], "a mistake")
    moved = {bot["name"]: bot["add"]["elo"] for bot in entries[0]["bots"]}
    after = {rating.name: rating.elo for rating in world.store.ratings.all()}
    assert after == {name: elo - moved.get(name, 0) for name, elo in before.items()}
    assert world.store.ratings.all()[-1].faults.keys() <= {"crash"}
    other = world.filled("ab", "cd")
    play(world, f"{other}.1")
    assert rebuild.check(world.store).difference == ""
    assert rebuild.rebuild(world.store).difference == ""
    assert {rating.name: rating.elo for rating in world.store.ratings.all()} != before


def test_a_fault_that_no_longer_counts_is_no_fault(world: Any, made: str) -> None:
    """A bot whose only forfeits were in a match that is void has none."""
    (match,) = world.store.tournaments.fill(made, 1)
    play(world, match)
    assert any(rating.faults for rating in world.store.ratings.all())
    organise.void(world.store, match, "a mistake")
    assert not any(rating.faults for rating in world.store.ratings.all())


def test_a_match_is_made_void_once(world: Any, made: str) -> None:
    """The second time is refused with the first one's reason, and nothing changes."""
    (match,) = world.store.tournaments.fill(made, 1)
    play(world, match)
    organise.void(world.store, match, "the first reason")
    head, ratings = world.store.log.head(), world.store.ratings.fields()
    with pytest.raises(NotNow, match=f"{match} is void already: the first reason"):
        organise.void(world.store, match, "another")
    assert (world.store.log.head(), world.store.ratings.fields()) == (head, ratings)
    assert len(world.store.log.corrections(made, 10)) == 1


@pytest.mark.parametrize("stands", ["queued", "running", "sealed", "dead", "void"])
def test_what_is_not_recorded_cannot_be_made_void(world: Any, made: str, stands: str) -> None:
    """It counts for nothing as it is: it is refused in plain words, and nothing changes."""
    match = own(world, made, "gh")[0]
    world.store.tournaments.fill(made, MATCHES)
    if stands == "running":
        world.claim(match)
    elif stands == "sealed":
        world.seal(match)
    elif stands == "dead":
        kill(world, match)
    elif stands == "void":
        organise.withdraw(world.store, made, "gh")
    before = state(world, made), world.store.log.head()
    with pytest.raises(NotNow, match=f"match {match} is not recorded"):
        organise.void(world.store, match, "a mistake")
    assert (state(world, made), world.store.log.head()) == before
    with pytest.raises(NotFound):
        organise.void(world.store, f"{made}.99", "a mistake")


def test_a_void_match_stays_void(world: Any, made: str) -> None:
    """A record that comes again changes nothing, and nobody plays it again."""
    (match,) = world.store.tournaments.fill(made, 1)
    play(world, match)
    organise.void(world.store, match, "a mistake")
    head = world.store.log.head()
    recorder = Recorder(world.store, world.folders, world.limits)
    assert recorder.record(match, 1).word == "stale"
    assert world.folders.replay(match).exists()
    assert world.claim(match) == "void"
    assert not world.store.matches.resume(match)
    assert world.store.log.head() == head


def test_the_script_itself_looks(world: Any, made: str) -> None:
    """On another head than the log's, or for a match that is not recorded, it changes nothing."""
    first, second = world.store.tournaments.fill(made, 2)
    play(world, first)
    before, ratings = world.store.log.head(), world.store.ratings.fields()
    correct = world.store.log.correct
    assert correct(first, Head(0, ""), "{}", "0", []) == "moved"
    assert correct(second, before, "{}", "0", []) == "unrecorded"
    assert (world.store.log.head(), world.store.ratings.fields()) == (before, ratings)
    assert world.store.matches.get(first).state == "done"


def test_every_match_of_a_bot_against_itself_can_be_made_void(world: Any) -> None:
    """Its two places in the entry are two changes of one rating, which both go back."""
    world.add("ab")
    made = world.filled("ab", "ab")
    play(world, f"{made}.1")
    organise.void(world.store, f"{made}.1", "a mistake")
    version = world.store.bots.get("ab").version
    assert fields(world) == {f"ab {version}": {"base": 1_500_000, "elo": 1_500_000}}
    assert rebuild.check(world.store).difference == ""


def test_matches_made_void_keep_no_place_in_the_queue(world: Any, made: str) -> None:
    """However many recorded matches are made void while a tournament goes on, it is filled up."""
    window = 2
    for number in range(1, MATCHES):
        fresh = world.store.tournaments.fill(made, window)
        assert len(fresh) == (window if number == 1 else 1)
        play(world, f"{made}.{number}")
        organise.void(world.store, f"{made}.{number}", "an old build")
    assert world.store.tournaments.get(made).void == MATCHES - 1
    play(world, f"{made}.{MATCHES}")
    assert state(world, made) == ("over", 1, 0, MATCHES - 1)
