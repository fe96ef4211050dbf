"""Every way in which a leg ends by somebody's fault, and whose loss it is."""

import asyncio
import time
from typing import Any

import grpc
import pytest

from knockbox.v1 import match_pb2, play_pb2
from referee.deck import Decks, seed_secret
from referee.replay import Replay
from referee.rules.ruleset import resolve

pytestmark = pytest.mark.anyio
PLAYED, CRASH, MEMORY = play_pb2.REASON_PLAYED, play_pb2.REASON_CRASH, play_pb2.REASON_MEMORY
NO_SHOW, TIME, FLOOD = play_pb2.REASON_NO_SHOW, play_pb2.REASON_TIME, play_pb2.REASON_FLOOD
ILLEGAL, DOUBLE = play_pb2.REASON_ILLEGAL, play_pb2.REASON_DOUBLE_FAULT
GARBAGE = b"\xff\xff\xff"


async def second_leg(worker: Any, connect: Any) -> Any:
    """Play the other leg well; gives the games of the first, and the result."""
    doors = await worker.leg()
    await asyncio.gather(*(bot.play() for bot in await connect(doors)))
    result = await worker.done()
    replay = Replay.open(worker.replay)
    units = worker.opening.plan.units
    return [replay.game(unit, 0).result for unit in range(units)], result


async def settle(worker: Any, connect: Any, verify: Any, reason: int, faulty: int) -> None:
    """Seat `faulty` has lost every game of the first leg; the next leg was not touched."""
    reasons = await worker.leg_over()
    assert reasons == [reason if seat == faulty else PLAYED for seat in range(2)]
    games, result = await second_leg(worker, connect)
    assert worker.reasons[1] == [PLAYED, PLAYED]
    for game in games:
        assert (game.reason, list(game.faulty_seats), game.winner) == (reason, [faulty], 1 - faulty)
        assert game.counts
    assert [bot.forfeits for bot in result.bots] == [
        len(games) if bot == faulty else 0 for bot in range(2)
    ]
    verify(worker.replay)


async def test_a_half_closed_stream_is_a_crash(kit: Any, connect: Any, verify: Any) -> None:
    """A bot that says goodbye in the middle of a leg loses it; both hear how it went."""
    worker = await kit.host(units=3)
    bots = await connect(await worker.leg())
    await bots[0].call.done_writing()
    overs = await asyncio.gather(bots[0].until_over(), bots[1].until_over())
    assert [over.reason for over in overs] == [CRASH, PLAYED]
    assert [(over.won, over.lost) for over in overs] == [(0, 3), (3, 0)]
    assert {deal.end for deal in overs[1].deals_over} == {7}
    await settle(worker, connect, verify, CRASH, 0)


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"code": 0}, CRASH),
        ({"code": 1}, CRASH),
        ({"signal": 9}, CRASH),
        ({"signal": 9, "memory": True}, MEMORY),
    ],
)
async def test_an_exit_is_told_apart(
    kit: Any, connect: Any, verify: Any, how: dict[str, Any], reason: int
) -> None:
    """A process that ends loses its leg by crash, or by memory where the launcher says so."""
    worker = await kit.host(units=2)
    bots = await connect(await worker.leg())
    await bots[1].drop()
    await worker.exited(0, 1, **how)
    over = await bots[0].until_over()
    assert (over.won, over.lost, over.reason) == (2, 0, PLAYED)
    await settle(worker, connect, verify, reason, 1)


async def test_an_exit_after_match_over_is_fine(kit: Any, connect: Any) -> None:
    """Leaving when the leg is over is nobody's fault."""
    worker = await kit.host()
    for leg in range(2):
        bots = await connect(await worker.leg())
        await asyncio.gather(*(bot.play() for bot in bots))
        await worker.exited(leg, 0, code=1)
        await worker.exited(leg, 1, signal=11)
        assert await worker.leg_over() == [PLAYED, PLAYED]
    await worker.done()


async def test_a_bot_that_never_connects(kit: Any, bot: Any, connect: Any, verify: Any) -> None:
    """Not ready within the budget of its process: the leg is lost by no_show, no card is dealt."""
    worker = await kit.host(units=2)
    doors = await worker.leg()
    await worker.started(0, 0, 1)
    other = await bot(doors[1]).join()
    assert (await other.until_over()).won == 2
    assert other.over.deals_started == []
    await settle(worker, connect, verify, NO_SHOW, 0)


async def test_nobody_connects(kit: Any, verify: Any) -> None:
    """Where no bot shows up the match is void and rates nobody."""
    worker = await kit.host(units=2)
    for leg in range(2):
        await worker.leg()
        await worker.started(leg, 0, 1)
        assert await worker.leg_over() == [NO_SHOW, NO_SHOW]
    result = await worker.done()
    assert result.reason == DOUBLE
    assert [(bot.won, bot.lost, bot.forfeits) for bot in result.bots] == [(0, 0, 0)] * 2
    verify(worker.replay)


async def test_two_exits_at_once_are_nobodys_win(kit: Any, connect: Any, verify: Any) -> None:
    """Both failing before either is judged voids the games, whichever was read first."""
    worker = await kit.host(units=2)
    doors = await worker.leg()
    await worker.exited(0, 1, code=1)
    await worker.exited(0, 0, code=1)
    assert await worker.leg_over() == [CRASH, CRASH]
    games, _ = await second_leg(worker, connect)
    assert [(game.reason, game.counts) for game in games] == [(DOUBLE, False)] * 2
    assert len(doors) == 2
    verify(worker.replay)


async def test_two_that_hang_lose_nothing_to_each_other(
    start: Any, connect: Any, verify: Any
) -> None:
    """Both silent for good: each loses what it was asked, the rest is void and nobody's win."""
    kit = await start(step=0.3)
    ruleset = resolve("danish")
    seeds = (seed_secret(str(number)) for number in range(100))
    secret = next(seed for seed in seeds if evenly_dealt(Decks(seed, (), ruleset)))
    worker = await kit.host(
        units=8, boards=4, rules="danish", clock=clock(60_000, 100), secret=secret
    )
    bots = await connect(await worker.leg())
    overs = await asyncio.gather(*(bot.until_over() for bot in bots))
    assert [(over.won, over.lost, over.not_counted) for over in overs] == [(2, 2, 4)] * 2
    assert await worker.leg_over() == [TIME, TIME]
    games, _ = await second_leg(worker, connect)
    assert sorted(game.reason for game in games) == [TIME] * 4 + [DOUBLE] * 4
    verify(worker.replay)


def evenly_dealt(decks: Decks) -> bool:
    """Of the first four games each seat begins two."""
    dealers = [decks.first_dealer(unit, 0) for unit in decks.board_order(0, 8)[:4]]
    return sum(dealers) == 2


def clock(bank: int, cap: int, **more: Any) -> play_pb2.ClockSettings:
    return play_pb2.ClockSettings(bank_per_game_ms=bank, cap_ms=cap, **more)


async def test_a_message_over_its_cap_loses_its_games(
    kit: Any, connect: Any, bot: Any, verify: Any
) -> None:
    """Exactly the games owed in the message are lost; its late answers are ignored for nothing."""
    worker = await kit.host(units=4, boards=2, rules="danish", clock=clock(60_000, 300))
    bots = await connect(await worker.leg())
    other = asyncio.ensure_future(bots[1].play())
    asked = await bots[0].turns()
    owed = list(asked.turns)
    while worker.said[-1].progress.games_over < len(owed):
        await worker.next("progress")
    late = [play_pb2.Action(decision=turn.decision, draw={}) for turn in owed]
    await bots[0].answer(late * 10)
    over = await bots[0].play()
    await other
    assert over.reason == TIME
    assert await worker.leg_over() == [TIME, PLAYED]
    games, result = await second_leg(worker, connect)
    lost = [game for game in games if game.reason == TIME]
    assert len(lost) == len(owed) == result.bots[0].forfeits
    assert all(list(game.faulty_seats) == [0] and game.winner == 1 for game in lost)
    counted = Replay.open(worker.replay).side.clocks[0]
    assert (counted.stale, counted.strikes) == (0, 0)
    verify(worker.replay)


async def test_a_late_answer_is_heard_while_it_is_judged(start: Any, connect: Any) -> None:
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
    assert (await bots[0].play()).reason == TIME
    await other
    assert bots[0].over.won + bots[0].over.lost == 4
    await worker.leg_over()
    await second_leg(worker, connect)
    reasons = [Replay.open(worker.replay).game(unit, 0).result.reason for unit in range(4)]
    assert reasons.count(TIME) == 1


async def test_an_answer_that_never_comes_loses_the_leg(
    kit: Any, connect: Any, verify: Any
) -> None:
    """After the games of the message its answer is waited for once more, then all is lost."""
    worker = await kit.host(units=4, boards=2, rules="danish", clock=clock(60_000, 100))
    bots = await connect(await worker.leg())
    other = asyncio.ensure_future(bots[1].play())
    assert (await bots[0].until_over()).lost == 4
    await other
    await settle(worker, connect, verify, TIME, 0)


async def test_an_empty_bank_loses(kit: Any, connect: Any, verify: Any) -> None:
    """A bot that has thought its bank away loses the games that wait for it, then the leg."""
    worker = await kit.host(units=2, clock=clock(300, 0))
    bots = await connect(await worker.leg())
    other = asyncio.ensure_future(bots[1].play())
    assert (await bots[0].until_over()).lost == 2
    await other
    await settle(worker, connect, verify, TIME, 0)


async def test_three_strikes_are_put_up_with(kit: Any, connect: Any) -> None:
    """Three messages with an illegal answer cost nothing but time."""
    worker = await kit.host()
    bots = await connect(await worker.leg())
    other = asyncio.ensure_future(bots[1].play())
    turn = (await bots[0].turns()).turns[0]
    for _ in range(3):
        await bots[0].answer([play_pb2.Action(decision=turn.decision, discard={"card": 52})])
        again = await bots[0].turns()
        assert again.turns[0] == turn
        assert [(r.decision, r.code) for r in again.refused] == [
            (turn.decision, play_pb2.REFUSAL_CODE_ILLEGAL)
        ]
    await bots[0].answer([bots[0].greedy(turn)])
    assert (await bots[0].play()).reason == PLAYED
    await other


@pytest.mark.parametrize("what", ["illegal", "malformed"])
async def test_the_fourth_strike_loses_the_leg(
    kit: Any, connect: Any, verify: Any, what: str
) -> None:
    """Refused for the fourth time: every unfinished game of the leg is lost."""
    worker = await kit.host(units=2)
    bots = await connect(await worker.leg())
    for _ in range(4):
        turns = (await bots[0].turns()).turns
        if what == "illegal":
            await bots[0].answer([play_pb2.Action(decision=turns[0].decision, big_gin={})])
        else:
            await bots[0].raw(GARBAGE)
    assert (await bots[0].until_over()).reason == ILLEGAL
    assert (await bots[1].until_over()).won == 2
    await settle(worker, connect, verify, ILLEGAL, 0)


async def test_a_flood_of_strange_answers_loses_the_leg(
    kit: Any, connect: Any, verify: Any
) -> None:
    """Twenty messages that answer what is not asked are ignored, the next is a flood."""
    worker = await kit.host(units=2)
    bots = await connect(await worker.leg())
    await bots[0].turns()
    for _ in range(21):
        await bots[0].answer([play_pb2.Action(decision=99_999, draw={})] * 5)
    assert (await bots[0].until_over()).reason == FLOOD
    assert len(bots[0].heard) == 3  # Welcome, Turns, MatchOver: no answer to any of them
    await settle(worker, connect, verify, FLOOD, 0)


async def test_too_many_connections_are_a_flood(
    start: Any, bot: Any, connect: Any, verify: Any
) -> None:
    """Whoever connects more often than allowed loses the leg."""
    kit = await start(reconnects=3)
    worker = await kit.host()
    doors = await worker.leg()
    other = await bot(doors[1]).join()
    for _ in range(5):
        last = await bot(doors[0]).join()
    assert (await last.until_over()).reason == FLOOD
    assert (await other.until_over()).won == 1
    await settle(worker, connect, verify, FLOOD, 0)


async def test_a_platform_fault_voids_the_attempt(kit: Any, connect: Any) -> None:
    """A bot that could not be started through no fault of its own loses nothing."""
    worker = await kit.host()
    bots = await connect(await worker.leg())
    await worker.exited(0, 0, infra=True)
    assert (await worker.status())[0] == grpc.StatusCode.CANCELLED
    for bot in bots:
        assert bot.over is None


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
