"""Every named ruleset through the referee, and faults where more than two are at the table."""

import asyncio
from typing import Any

import pytest

from knockbox.v1 import play_pb2, replay_pb2
from referee.replay import Replay
from referee.rules.ruleset import PRESETS

pytestmark = pytest.mark.anyio
PLAYED, CRASH = play_pb2.REASON_PLAYED, play_pb2.REASON_CRASH


@pytest.mark.parametrize("preset", PRESETS)
async def test_every_preset_is_played(kit: Any, connect: Any, verify: Any, preset: str) -> None:
    """A match under each named ruleset ends, every bot on every seat, and its replay verifies."""
    players = PRESETS[preset].players
    worker = await kit.host(rules=preset, match_id=preset.replace("_", "-"))
    for _ in range(players):
        bots = await connect(await worker.leg())
        await asyncio.gather(*(bot.play() for bot in bots))
    result = await worker.done()
    assert result.reason == PLAYED
    assert worker.reasons == [[PLAYED] * players] * players
    assert [bot.won + bot.lost + bot.drawn for bot in result.bots] == [players] * players
    scores = sum(bot.score_millionths for bot in result.bots)
    assert scores == pytest.approx(players * 500_000, abs=players)
    verify(worker.replay)


async def forfeited(
    kit: Any, connect: Any, verify: Any, rules: str, leavers: tuple[int, ...]
) -> list[replay_pb2.GameResult]:
    """The games of a match in whose leg 0 the programs of some seats end before they connect."""
    worker = await kit.host(rules=rules, units=2)
    for leg in range(PRESETS[rules].players):
        doors = await worker.leg()
        gone = leavers if leg == 0 else ()
        # Nothing is judged before every seat has come or failed: all of them fail in one step.
        for seat in gone:
            await worker.exited(leg, seat, code=1)
        bots = await connect(door for door in doors if door.seat not in gone)
        await asyncio.gather(*(bot.play() for bot in bots))
    result = await worker.done()
    verify(worker.replay)
    replay = Replay.open(worker.replay)
    assert result.digest == replay.digest
    crashed = [CRASH if seat in leavers else PLAYED for seat in range(PRESETS[rules].players)]
    assert worker.reasons[0] == crashed
    return [replay.game(unit, 0).result for unit in range(2)]


async def test_one_of_three_loses_by_its_fault(kit: Any, connect: Any, verify: Any) -> None:
    """The seat at fault is last; the others share the places above it by what they had."""
    for result in await forfeited(kit, connect, verify, "three_handed", (1,)):
        assert (result.counts, result.reason, list(result.faulty_seats)) == (True, CRASH, [1])
        assert list(result.faulty_reasons) == [CRASH]
        assert list(result.places) == [1, 3, 1]
        assert not result.HasField("winner")
