"""Matches that go well."""

import asyncio
from typing import Any

import pytest

from knockbox.v1 import play_pb2

pytestmark = pytest.mark.anyio
PLAYED = play_pb2.REASON_PLAYED


async def test_a_whole_match(kit: Any, connect: Any) -> None:
    """Two bots play every leg of a match to its result."""
    worker = await kit.host(units=3)
    for leg in range(2):
        doors = await worker.leg()
        await worker.started(leg, 0, 1)
        bots = await connect(doors)
        overs = await asyncio.gather(*(bot.play() for bot in bots))
        assert [over.reason for over in overs] == [PLAYED, PLAYED]
        assert await worker.leg_over() == [PLAYED, PLAYED]
    result = await worker.done()
    assert result.reason == PLAYED
    assert sum(bot.won + bot.lost + bot.drawn for bot in result.bots) == 12
