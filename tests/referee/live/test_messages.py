"""What bots may send: every message that is wrong, and what comes back."""

import asyncio
from typing import Any

import grpc
import pytest

from knockbox.v1 import cards_pb2, play_pb2
from referee.account import STRIKES
from referee.replay import Replay

pytestmark = pytest.mark.anyio
Action = play_pb2.Action
MALFORMED, ILLEGAL = play_pb2.REFUSAL_CODE_MALFORMED, play_pb2.REFUSAL_CODE_ILLEGAL
FREE = play_pb2.ClockSettings(untimed=True)


def field(number: int, payload: bytes) -> bytes:
    """A length-delimited field."""
    size, head = len(payload), bytes([number << 3 | 2])
    while size > 127:
        head += bytes([size & 127 | 128])
        size >>= 7
    return head + bytes([size]) + payload


def nested(depth: int) -> bytes:
    """Unknown groups inside each other inside Actions."""
    return field(3, b"\xfb\x01" * depth + b"\xfc\x01" * depth)


def actions(*entries: Any) -> bytes:
    message = play_pb2.Actions(actions=entries)
    return play_pb2.PlayRequest(actions=message).SerializeToString()


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff",
        b"",
        b"\x1a\x05\x0a\x09",
        nested(101),
        field(3, field(1, b"\x08\x01" + field(9, b"\xff\xfe"))),
        b"\x1a" + b"\x80" * 10 + b"\x01",
        actions(),
        play_pb2.PlayRequest(join=play_pb2.Join(ticket="x")).SerializeToString(),
        play_pb2.PlayRequest(ready=play_pb2.Ready()).SerializeToString(),
    ],
    ids=["garbage", "empty", "truncated", "nested", "utf8", "varint", "nothing", "join", "ready"],
)
async def test_what_does_not_parse_is_refused_in_band(kit: Any, connect: Any, data: bytes) -> None:
    """Malformed: one strike, the same questions again, and the stream lives."""
    worker = await kit.host()
    bots = await connect(await worker.leg())
    other = asyncio.ensure_future(bots[1].play())
    before = (await bots[0].turns()).turns
    await bots[0].raw(data)
    again = await bots[0].turns()
    assert list(again.turns) == list(before)
    assert again.refused == [play_pb2.Refused(code=MALFORMED)]
    await bots[0].answer(map(bots[0].greedy, again.turns))
    assert (await bots[0].play()).reason == play_pb2.REASON_PLAYED
    await other
    await worker.leg_over()


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"discard": {"card": 52}},
        {"discard": {"card": 255}},
        {"knock": {"card": 52}},
        {"knock": {"card": 0, "melds": [1 << 52]}},
        {"knock": {"card": 0, "melds": [7] * 5}},
        {"big_gin": {}},
        {"lay_off": {}},
        {"lay_off": {"layoffs": [{"card": 60, "meld": 0}]}},
        {"decline": {}, "note": "x" * 201},
        {"draw": {}, "note": "é" * 101},
    ],
)
async def test_what_cannot_be_played_is_illegal(
    kit: Any, connect: Any, choice: dict[str, Any]
) -> None:
    """One code for everything illegal, whatever is wrong about it."""
    worker = await kit.host()
    bots = await connect(await worker.leg())
    turns, seat = await asked(bots)
    turn, bot = turns.turns[0], bots[seat]
    await bot.answer([Action(decision=turn.decision, **choice)])
    again = await bot.turns()
    assert again.turns == [turn]
    assert again.refused == [play_pb2.Refused(decision=turn.decision, code=ILLEGAL)]


async def asked(bots: Any) -> tuple[play_pb2.Turns, int]:
    """The next question of a single game, and the seat that has it."""
    readers = [asyncio.ensure_future(bot.turns()) for bot in bots]
    done, waiting = await asyncio.wait(readers, return_when=asyncio.FIRST_COMPLETED)
    for reader in waiting:
        reader.cancel()
    await asyncio.wait(readers)
    first = done.pop()
    return first.result(), readers.index(first)


async def test_a_message_of_thirty_two(kit: Any, connect: Any) -> None:
    """One missing, one illegal, one doubled: the other 29 are played, the three come again, and it
    was one strike: the bot has two left."""
    worker = await kit.host(units=64, boards=64, rules="german", clock=FREE)
    bots = await connect(await worker.leg())
    turns = []
    while len(turns) < 32:
        got = await bots[0].turns()
        turns = list(got.turns)
        if len(turns) < 32:
            await bots[0].answer(map(bots[0].greedy, turns))
            await answer_some(bots[1])
    answers = [bots[0].greedy(turn) for turn in turns]
    answers = answers[:32]
    answers[1] = Action(decision=turns[1].decision, lay_off={})
    answers += [answers[2]]
    await bots[0].answer(answers[1:])
    again = await bots[0].turns()
    ids = {turn.decision for turn in again.turns}
    assert {turns[0].decision, turns[1].decision, turns[2].decision} <= ids
    assert not ids & {turn.decision for turn in turns[3:32]}
    assert again.refused == [
        play_pb2.Refused(decision=turns[1].decision, code=ILLEGAL),
        play_pb2.Refused(decision=turns[2].decision, code=ILLEGAL),
    ]
    for _ in range(STRIKES - 1):
        await bots[0].answer([Action(decision=turns[1].decision, lay_off={})])
        assert turns[1].decision in {turn.decision for turn in (await bots[0].turns()).turns}


async def answer_some(bot: Any) -> None:
    """Answer one message."""
    await bot.answer(map(bot.greedy, (await bot.turns()).turns))


async def test_what_is_missing_comes_again_free_of_charge(kit: Any, connect: Any) -> None:
    """Leaving answers out is no strike; they come again under their ids beside what is new."""
    worker = await kit.host(units=8, rules="danish", clock=FREE)
    bots = await connect(await worker.leg())
    other = asyncio.ensure_future(bots[1].play())
    for _ in range(30):
        turns = list((await bots[0].turns()).turns)
        await bots[0].answer([bots[0].greedy(turns[-1])])
        if len(turns) > 1:
            kept = {turn.decision: turn for turn in turns[:-1]}
            again = await bots[0].turns()
            assert again.refused == []
            for turn in again.turns:
                assert kept.pop(turn.decision, turn) == turn
            assert kept == {}
            await bots[0].answer(map(bots[0].greedy, again.turns))
    await bots[0].play()
    await other
    assert await worker.leg_over() == [play_pb2.REASON_PLAYED] * 2


async def test_an_old_answer_is_ignored(kit: Any, connect: Any) -> None:
    """Answering the last question again is no answer to this one, and no strike."""
    worker = await kit.host()
    bots = await connect(await worker.leg())
    other = asyncio.ensure_future(bots[1].play())
    first = [bots[0].greedy(turn) for turn in (await bots[0].turns()).turns]
    await bots[0].answer(first)
    turns = (await bots[0].turns()).turns
    await bots[0].answer(first)
    await bots[0].answer(map(bots[0].greedy, turns))
    assert (await bots[0].play()).reason == play_pb2.REASON_PLAYED
    await other
    await finish(worker, connect)
    counted = Replay.open(worker.replay).side.clocks[0]
    assert (counted.stale, counted.strikes) == (1, 0)


async def finish(worker: Any, connect: Any) -> None:
    """Play the second leg."""
    doors = await worker.leg()
    await asyncio.gather(*(bot.play() for bot in await connect(doors)))
    await worker.done()


async def test_an_answer_before_its_question_is_ignored(kit: Any, connect: Any) -> None:
    """Ids can be foreseen; nothing is won by it."""
    worker = await kit.host()
    bots = await connect(await worker.leg())
    turns, seat = await asked(bots)
    turn, asking, waiting = turns.turns[0], bots[seat], bots[1 - seat]
    await waiting.answer([Action(decision=turn.decision, decline={})])
    await asyncio.gather(asking_answers(asking, turn), waiting.play())
    assert waiting.over.reason == play_pb2.REASON_PLAYED


async def asking_answers(bot: Any, turn: play_pb2.Turn) -> None:
    """Go on from a question that has been read."""
    await bot.answer([bot.greedy(turn)])
    await bot.play()


async def test_too_large_is_refused_in_band(kit: Any, connect: Any) -> None:
    """A message over the soft limit for its decisions: one strike, and the match goes on."""
    worker = await kit.host()
    bots = await connect(await worker.leg())
    other = asyncio.ensure_future(bots[1].play())
    turns = (await bots[0].turns()).turns
    await bots[0].raw(actions(Action(decision=turns[0].decision, note="x" * 1600)))
    again = await bots[0].turns()
    assert again.refused == [play_pb2.Refused(code=play_pb2.REFUSAL_CODE_TOO_LARGE)]
    await bots[0].answer(map(bots[0].greedy, again.turns))
    assert (await bots[0].play()).reason == play_pb2.REASON_PLAYED
    await other


async def test_far_too_large_ends_the_stream_alone(kit: Any, connect: Any, bot: Any) -> None:
    """Over the transport's cap the connection is lost, the leg is not."""
    worker = await kit.host()
    doors = await worker.leg()
    bots = await connect(doors)
    other = asyncio.ensure_future(bots[1].play())
    await bots[0].turns()
    await bots[0].raw(bytes(100_000))
    assert await bots[0].next() is None
    assert (await bots[0].status())[0] == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await (await bot(doors[0]).join()).play()).reason == play_pb2.REASON_PLAYED
    await other
    assert await worker.leg_over() == [play_pb2.REASON_PLAYED] * 2


async def test_hidden_cards_leave_no_trace_in_a_refusal(kit: Any, connect: Any) -> None:
    """Discarding a card from the stock and one from the other hand gives the same bytes."""
    worker = await kit.host(rules="danish", clock=FREE)
    bots = await connect(await worker.leg())
    hands: dict[int, int] = {}
    while True:
        turns, seat = await asked(bots)
        for deal in turns.deals_started:
            hands[seat] = deal.hand
        if turns.turns[0].phase == cards_pb2.PHASE_DISCARD and len(hands) == 2:
            break
        await bots[seat].answer([throw(turns.turns[0])])
    turn = turns.turns[0]
    theirs = hands[1 - seat]
    stock = (1 << 52) - 1 & ~theirs & ~turn.hand
    answers = []
    for card in (lowest(theirs), lowest(stock)):
        await bots[seat].answer([Action(decision=turn.decision, discard={"card": card})])
        answers.append((await bots[seat].turns()).SerializeToString())
    assert answers[0] == answers[1]


def throw(turn: play_pb2.Turn) -> play_pb2.Action:
    """Decline, draw, and discard the first card."""
    if turn.options.may_decline:
        return Action(decision=turn.decision, decline={})
    if turn.options.may_draw:
        return Action(decision=turn.decision, draw={})
    return Action(decision=turn.decision, discard={"card": lowest(turn.options.discards)})


def lowest(mask: int) -> int:
    """The first card of a set."""
    return (mask & -mask).bit_length() - 1
