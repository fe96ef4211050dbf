"""Who is benched on a ladder, and who comes back."""

from typing import Any

import pytest

from tests.workers.ladder_kit import Climb
from workers import ladder


@pytest.fixture
def climb(world: Any) -> Climb:
    """No ladder yet."""
    return Climb(world)


def test_a_bot_that_only_forfeits_is_benched(climb: Climb) -> None:
    """Three matches in a row without a game played: it gets no more, and the reason is kept."""
    climb.start("ab", "cd", "ef", "gh")
    met = climb.go(12, loser="ef")
    assert sum("ef" in bots for bots in met) == 3
    benched = ladder.benched_now(climb.store, climb.get(), climb.store.bots.versions())["ef"]
    assert benched.reason == "forfeited every game of 3 matches in a row (games: 6 crash)"
    (alarm,) = climb.store.log.alarms(9)
    assert (alarm.kind, alarm.match) == ("benched", benched.match_id)
    assert alarm.words == f"ef gets no matches on the ladder open: it {benched.reason}"
    assert not any("ef" in bots for bots in climb.go(6))


def test_what_is_forfeited_between_two_looks_counts(climb: Climb) -> None:
    """Who crashes faster than it is looked at is benched for all that it has forfeited by then."""
    climb.start("ab", "cd")
    for _ in range(6):
        climb.play(climb.fill()[0], loser="cd")
    (benched,) = ladder.note(climb.store, "open", 3)
    assert (benched.name, benched.matches) == ("cd", 6)
    assert climb.fill() == []


def test_one_game_that_is_played_keeps_a_bot(climb: Climb) -> None:
    """Who forfeits often and not always is not benched."""
    climb.start("ab", "cd", "ef")
    climb.go(9)
    assert climb.store.ladders.benched("open") == {}


def test_a_benched_bot_comes_back(climb: Climb) -> None:
    """By a command, or by a new version; it is benched again by three more matches, not by one."""
    climb.start("ab", "cd", "ef")
    climb.go(8, loser="ef")
    assert climb.store.ladders.unbench("open", "ef")
    met = climb.go(12, loser="ef")
    assert sum("ef" in bots for bots in met) == 3
    assert "ef" in ladder.benched_now(climb.store, climb.get(), climb.store.bots.versions())
    climb.world.add("ef", "mended")
    assert any("ef" in bots for bots in climb.go(3))
    assert not climb.store.ladders.unbench("open", "gh")


def test_no_entry_is_noted_twice(climb: Climb) -> None:
    """Two reconcilers, or one that was killed: a match counts for benching once."""
    day = climb.start("ab", "cd")
    climb.play(climb.fill()[0], loser="cd")
    ladder.note(climb.store, "open", 3)
    assert ladder.note(climb.store, "open", 3) == []
    assert climb.store.ladders.streaks("open")["cd"].matches == 1
    assert not climb.store.ladders.note("open", day, 0, 1, {}, [])


def test_a_dead_match_benches_nobody(climb: Climb) -> None:
    """The platform's failures are nobody's row of forfeits, and the ladder goes on."""
    day = climb.start("ab", "cd")
    for number in range(1, 5):
        climb.fill()
        claim = climb.world.claim(f"{day}.{number}")
        climb.store.matches.void(f"{day}.{number}", claim.fence, "refused", climb.world.limits)
        for _ in range(3):
            fence = climb.world.claim(f"{day}.{number}").fence
            climb.store.matches.void(f"{day}.{number}", fence, "refused", climb.world.limits)
    assert climb.store.tournaments.get(day).dead == 4
    assert ladder.note(climb.store, "open", 1) == []
    assert len(climb.fill()) == 1
