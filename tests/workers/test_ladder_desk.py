"""Ladders as the arena answers them: what counts in their tables."""

from typing import Any

import pytest

from arena.api import ladders
from arena.api.ladders import LadderDesk
from arena.cli.shapes import climber_state
from knockbox.v1 import arena_pb2 as pb
from tests.workers.ladder_kit import DAY_MS, NOON, Climb
from workers import ladder, organise
from workers.store.matches import Claim


@pytest.fixture
def climb(world: Any) -> Climb:
    """No ladder yet."""
    return Climb(world)


@pytest.fixture
def desk(climb: Climb) -> LadderDesk:
    """A desk over the ladder's store; nothing is started by it."""
    return LadderDesk(climb.store, lambda _: (False, ""), lambda _: None, DAY_MS)


def shown(desk: LadderDesk) -> pb.Ladder:
    """The ladder as it is told."""
    return desk.get(pb.GetLadderRequest(name="open")).ladder


def test_a_void_match_of_a_day_leaves_the_ladders_table(climb: Climb, desk: LadderDesk) -> None:
    """The table is as before the match was played, and follows what is played after it."""
    day = climb.start("ab", "cd")
    climb.go(2)
    before = shown(desk)
    climb.go(1, loser="ab")
    assert shown(desk).counted == 3
    organise.void(climb.store, f"{day}.3", "a mistake")
    assert shown(desk).table == before.table
    climb.go(1)
    assert shown(desk).counted == 3
    assert [row.row.units for row in shown(desk).table] == [3, 3]


def test_a_void_match_too_old_for_the_table_changes_nothing(
    climb: Climb, desk: LadderDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its correction takes nothing from the matches that are counted."""
    day = climb.start("ab", "cd")
    climb.go(4)
    monkeypatch.setattr(ladders, "COUNTED_MOST", 3)
    organise.void(climb.store, f"{day}.1", "a mistake")
    found = shown(desk)
    assert found.counted == 2
    assert [(line.row.units, line.row.won + line.row.lost) for line in found.table] == [(2, 4)] * 2


def test_a_bot_that_is_away_is_no_opponent(climb: Climb, desk: LadderDesk) -> None:
    """A ladder's table says who can play: a bot that dials in and is offline is away, and whom it
    leaves alone waits; when it comes both play, also while it has as many matches as it can."""
    climb.store.dial.add("afar", f"sha256:{'a' * 64}", "me")
    climb.start("ab")

    def states() -> dict[str, str]:
        return {line.row.bot: climber_state(line) for line in shown(desk).table}

    assert states() == {"ab": "waiting", "afar": "away"}
    climb.store.dial.come("afar", "session", 1, 60_000)
    assert states() == {"ab": "playing", "afar": "playing"}
    climb.turn(NOON)
    (match,) = climb.fill()
    assert isinstance(climb.store.matches.claim(match, 60_000, climb.world.limits, ["afar"]), Claim)
    assert states() == {"ab": "playing", "afar": "playing"}
    ladder.stop(climb.store, "open")
    climb.store.dial.go("afar", "session")
    assert states() == {"ab": "stopped", "afar": "stopped"}


def test_what_was_void_before_it_was_noted_benches_nobody(climb: Climb) -> None:
    """A match that counts for nothing is none of a row of forfeits."""
    climb.start("ab", "cd")
    (match,) = climb.fill()
    climb.play(match, loser="cd")
    organise.void(climb.store, match, "a mistake")
    climb.go(2, loser="cd")
    assert climb.store.ladders.streaks("open")["cd"].matches == 2
