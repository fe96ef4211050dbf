"""A tournament as the arena tells it while it goes on."""

import threading
from typing import Any

import pytest

from arena.api.tables import TableDesk
from arena.api.tournaments import TournamentDesk


@pytest.fixture
def desk(world: Any) -> TournamentDesk:
    """A desk over the world's store."""
    store = world.store
    return TournamentDesk(
        store, TableDesk(store), lambda _: (False, ""), 0.01, threading.Event(), lambda _: None
    )


def test_running_matches_count_as_far_as_they_are_played(desk: TournamentDesk, world: Any) -> None:
    """Legs and games that are over are part of the match; a new attempt begins at nothing."""
    for name in ("ab", "cd"):
        world.add(name)
    cup = world.filled("ab", "cd")
    claim = world.claim(f"{cup}.1")
    assert desk.whole(cup).running_millionths == 0
    told = {"leg": 1, "games_over": 1, "games": 2}
    assert world.store.matches.beat(claim.match_id, claim.fence, 0, told)
    assert (desk.whole(cup).running, desk.whole(cup).running_millionths) == (1, 750_000)
    world.claim(f"{cup}.1")
    assert (desk.whole(cup).running, desk.whole(cup).running_millionths) == (1, 0)
