"""Time that the machine or the referee took, and what the others hear of a game broken off."""

import asyncio
import time
from typing import Any

import pytest

from knockbox.v1 import cards_pb2, match_pb2, play_pb2
from referee.replay import Replay

pytestmark = pytest.mark.anyio
PLAYED = play_pb2.REASON_PLAYED


def clock(bank: int, cap: int) -> play_pb2.ClockSettings:
    return play_pb2.ClockSettings(bank_per_game_ms=bank, cap_ms=cap)


async def test_a_deal_broken_off_is_told(kit: Any, connect: Any) -> None:
    """Whoever is left hears of each open deal that it was broken off, whoever fails why."""
    worker = await kit.host(units=3)
    bots = await connect(await worker.leg())
    await bots[0].call.done_writing()
    overs = await asyncio.gather(bots[0].until_over(), bots[1].until_over())
    assert [over.reason for over in overs] == [play_pb2.REASON_CRASH, PLAYED]
    assert {deal.end for deal in overs[1].deals_over} == {cards_pb2.DEAL_END_BROKEN_OFF}


async def test_time_that_the_machine_took_is_not_the_bots(kit: Any, connect: Any) -> None:
    """A bot whose container was held back that long is not late."""
    worker = await kit.host(clock=clock(60_000, 500))
    bots = await connect(await worker.leg())
    others = [asyncio.ensure_future(bot.next()) for bot in bots]
    await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)
    seat = 0 if others[0].done() else 1
    throttled = match_pb2.SeatThrottled(leg=0, seat=seat, total_ms=60_000)
    await worker.send(seat_throttled=throttled)
    for _ in range(5):
        await worker.next("progress")
    turns = others[seat].result().turns
    await bots[seat].answer(map(bots[seat].greedy, turns.turns))
    others[1 - seat].cancel()
    overs = await asyncio.gather(*(bot.play() for bot in bots))
    assert [over.reason for over in overs] == [PLAYED, PLAYED]


async def test_a_stall_of_the_referee_costs_nobody_time(kit: Any, connect: Any) -> None:
    """What the referee's own event loop loses is taken off every clock."""
    worker = await kit.host(units=2, clock=clock(60_000, 300))
    bots = await connect(await worker.leg())
    turns = [await bot.turns() for bot in bots]
    time.sleep(1.0)  # the stall itself: referee and bots share this loop
    for bot, asked in zip(bots, turns, strict=True):
        await bot.answer(map(bot.greedy, asked.turns))
    overs = await asyncio.gather(*(bot.play() for bot in bots))
    assert [over.reason for over in overs] == [PLAYED, PLAYED]


async def test_a_late_bot_that_comes_again_is_late(start: Any, connect: Any, bot: Any) -> None:
    """A connection made between the lapse of a message and its judgement saves nothing."""
    kit = await start(step=0.4)
    worker = await kit.host(units=4, boards=1, rules="danish", clock=clock(60_000, 200))
    doors = await worker.leg()
    bots = await connect(doors)
    other = asyncio.ensure_future(bots[1].play())
    await bots[0].turns()
    await bots[0].drop()
    # The question is due at 0.2 s, and its timer looks at the clock at 0.6 s.
    await asyncio.sleep(0.4)
    again = await bot(doors[0]).join()
    over = await again.play()
    assert over.reason == play_pb2.REASON_TIME
    assert (await other).won >= 1
    assert over.won + over.lost == 4


async def test_a_late_answer_is_heard_while_it_is_judged(
    start: Any, connect: Any, verify: Any
) -> None:
    """Late, and read between the lapse and its judgement: it costs its game, not the leg."""
    kit = await start(step=0.4)
    worker = await kit.host(units=4, boards=1, rules="danish", clock=clock(60_000, 400))
    bots = await connect(await worker.leg())
    other = asyncio.ensure_future(bots[1].play())
    first = await bots[0].turns()
    await asyncio.sleep(0.2)
    await bots[0].answer(map(bots[0].greedy, first.turns))
    second = await bots[0].turns()
    # The first question's timer looks at the clock 0.6 s from here, the lapse is judged at 0.8 s.
    await asyncio.sleep(0.7)
    await bots[0].answer(map(bots[0].greedy, second.turns))
    over = await bots[0].play()
    assert over.reason == play_pb2.REASON_TIME
    await other
    assert over.won + over.lost == 4
    await worker.leg_over()
    again = await connect(await worker.leg())
    await asyncio.gather(*(bot.play() for bot in again))
    await worker.done()
    verify(worker.replay)
    replay = Replay.open(worker.replay)
    results = [replay.game(unit, 0).result for unit in range(4)]
    assert [result.reason for result in results].count(play_pb2.REASON_TIME) == 1
