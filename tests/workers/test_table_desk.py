"""Tables as the arena answers them: kept up with the log, whatever comes into it."""

from typing import Any

import pytest

from arena.api import tables
from arena.api.tables import TableDesk
from knockbox.v1 import arena_pb2 as pb
from workers import organise
from workers.recorder import Recorder


@pytest.fixture
def desk(world: Any) -> TableDesk:
    """A desk over the world's store."""
    return TableDesk(world.store)


@pytest.fixture
def cup(world: Any) -> str:
    """A tournament of three bots, nothing of it recorded."""
    for name in ("ab", "cd", "ef"):
        world.add(name)
    return world.filled("ab", "cd", "ef")


def record(world: Any, cup: str, number: int, losers: list[int]) -> None:
    """Record a match in which these bots forfeit in turn."""
    match_id = f"{cup}.{number}"
    recorder = Recorder(world.store, world.folders, world.limits)
    assert recorder.record(match_id, world.seal(match_id, losers)).word == "recorded"


def rows(desk: TableDesk, world: Any, cup: str) -> dict[str, pb.TableRow]:
    """The rows by bot."""
    return {row.bot: row for row in desk.rows(world.store.tournaments.get(cup))}


def cross(desk: TableDesk, cup: str) -> list[pb.HeadToHead]:
    """The whole cross table."""
    request = pb.GetCrossTableRequest(tournament_id=cup)
    return [one for part in desk.cross(request, lambda: True) for one in part.meetings]


def test_a_table_follows_what_is_recorded(desk: TableDesk, world: Any, cup: str) -> None:
    """Each recorded match is in the next answer, as if all had been read at once."""
    assert not any(row.HasField("rating") for row in rows(desk, world, cup).values())
    for number, losers in ((1, [1]), (2, [0, 1, 1]), (3, [0])):
        record(world, cup, number, losers)
        assert rows(desk, world, cup) == rows(TableDesk(world.store), world, cup)
    found = rows(desk, world, cup)
    assert sum(row.forfeits for row in found.values()) == 12
    assert all(
        row.units == 4 and not row.HasField("milli_points_interval") for row in found.values()
    )
    assert round(sum(row.rating.milli for row in found.values()) / 3000) == 1500
    assert {(one.bot, one.opponent) for one in cross(desk, cup)} == {
        (one, other) for one in found for other in found if one != other
    }


def test_a_match_that_is_made_void_leaves_the_table(desk: TableDesk, world: Any, cup: str) -> None:
    """A correction that arrives while tables are kept has its effect at once."""
    record(world, cup, 1, [1])
    before, met = rows(desk, world, cup), cross(desk, cup)
    record(world, cup, 2, [0])
    assert rows(desk, world, cup) != before
    organise.void(world.store, f"{cup}.2", "a mistake")
    after = rows(desk, world, cup)
    assert {name: row.rating for name, row in after.items()} == {
        name: row.rating for name, row in before.items()
    }
    assert [row.won for row in after.values()] == [row.won for row in before.values()]
    assert cross(desk, cup) == met
    record(world, cup, 3, [0])
    assert rows(desk, world, cup) == rows(TableDesk(world.store), world, cup)


def test_ratings_have_intervals_from_the_whole_log(
    desk: TableDesk, world: Any, cup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has played has a rating out of all units; a log that is too long is not read for it."""
    record(world, cup, 1, [1])
    played = world.store.ratings.all()
    names = [(one.name, one.version) for one in played] + [("zz", "v")]

    def asked() -> list[bool]:
        answer = pb.ListRatingsResponse(
            ratings=[pb.Rating(bot=name, version=version) for name, version in names]
        )
        return [one.HasField("rating") for one in desk.with_ratings(answer).ratings]

    assert asked() == [True, True, False]
    monkeypatch.setattr(tables, "WHOLE_LOG_MOST", 0)
    assert asked() == [False, False, False]


def test_few_tables_are_kept(
    desk: TableDesk, world: Any, cup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table whose book was let go is made again, the same."""
    record(world, cup, 1, [1])
    first = rows(desk, world, cup)
    monkeypatch.setattr(tables, "KEPT", 1)
    other = world.filled("ab", "cd")
    assert set(rows(desk, world, other)) == {"ab", "cd"}
    assert rows(desk, world, cup) == first
