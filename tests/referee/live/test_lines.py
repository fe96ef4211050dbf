"""Connections: who is let in, who comes again, and who is shown the door."""

import asyncio
import stat
from contextlib import suppress
from typing import Any

import grpc
import pytest
from grpc import aio

from knockbox.v1 import play_pb2
from referee.bots import NOT_ADMITTED

pytestmark = pytest.mark.anyio
PLAYED = play_pb2.REASON_PLAYED


async def refused(one: Any) -> tuple[grpc.StatusCode, str]:
    """How a connection ends that is not let in."""
    assert await one.next() is None
    return await one.status()


async def test_every_wrong_ticket_hears_the_same(kit: Any, bot: Any) -> None:
    """Wrong, empty, another seat's, another match's, no Join at all: one code, one text."""
    worker, elsewhere = await kit.host(), await kit.host()
    doors, others = await worker.leg(), await elsewhere.leg()
    tickets = ["wrong", "", "é", doors[1].ticket, others[0].ticket, doors[0].ticket + "x"]
    answers = []
    for ticket in tickets:
        one = bot(doors[0])
        await one.send(join=play_pb2.Join(ticket=ticket, protocol=1))
        answers.append(await refused(one))
    for data in (b"", b"\xff\xff", play_pb2.PlayRequest(ready={}).SerializeToString()):
        one = bot(doors[0])
        await one.raw(data)
        answers.append(await refused(one))
    assert set(answers) == {(grpc.StatusCode.UNAUTHENTICATED, NOT_ADMITTED)}


async def test_another_protocol_is_refused(kit: Any, bot: Any) -> None:
    """A bot that speaks another version is told which one is spoken here."""
    worker = await kit.host()
    one = bot((await worker.leg())[0])
    await one.send(join=play_pb2.Join(ticket=one.door.ticket, protocol=2))
    code, text = await refused(one)
    assert code == grpc.StatusCode.FAILED_PRECONDITION
    assert "protocol 1" in text


async def test_a_silent_connection_is_ended(start: Any, bot: Any) -> None:
    """A connection that says nothing does not stay."""
    kit = await start(handshake=0.1)
    worker = await kit.host()
    one = bot((await worker.leg())[0])
    assert (await refused(one))[0] == grpc.StatusCode.UNAUTHENTICATED


async def test_a_crowd_at_a_seat_is_kept_outside(kit: Any, bot: Any) -> None:
    """Of a hundred connections at one seat all but a few are closed at once; the other seats, and
    the seat itself when the crowd has gone, are served as ever."""
    worker = await kit.host()
    first, second = await worker.leg()
    path = first.address.removeprefix("unix://")
    crowd = [await asyncio.open_unix_connection(path) for _ in range(100)]
    closed = [asyncio.ensure_future(_until_closed(reader)) for reader, _ in crowd]
    async with asyncio.timeout(2):  # less than a handshake may take
        for one in asyncio.as_completed(closed):
            await one
            if sum(each.done() for each in closed) >= 60:
                break
    await bot(second).join()
    for _, writer in crowd:
        writer.close()
    await asyncio.wait(closed)
    await bot(first).join()


async def _until_closed(reader: asyncio.StreamReader) -> None:
    """Read to the end, whichever end it is."""
    with suppress(OSError):
        while await reader.read(1024):
            pass


async def test_a_lost_connection_may_come_again(kit: Any, bot: Any, verify: Any) -> None:
    """After a loss the open deals are told anew, the same questions come, and the match goes on."""
    worker = await kit.host(units=4, boards=3, rules="danish")
    doors = await worker.leg()
    other = asyncio.ensure_future((await bot(doors[1]).join()).play())
    one = await bot(doors[0]).join()
    for _ in range(12):
        turns = await one.turns()
        await one.drop()
        one = await bot(doors[0]).join()
        again = await one.turns()
        told = {deal.board: deal for deal in again.deals_started}
        assert len(told) <= 3
        owed = {turn.decision: turn for turn in again.turns}
        for turn in turns.turns:
            assert owed[turn.decision] == turn
            assert whole(told[turn.board], turn)
        await one.answer(map(one.greedy, again.turns))
    assert (await one.play()).reason == PLAYED
    assert (await other).reason == PLAYED
    assert await worker.leg_over() == [PLAYED, PLAYED]


def whole(deal: play_pb2.DealStarted, turn: play_pb2.Turn) -> bool:
    """What a new connection is told makes the pile whose top it sees."""
    pile, events = [deal.upcard], deal.events + turn.events
    for kind, card in zip(events[::2], events[1::2], strict=True):
        if kind >> 4 == 2:
            pile.pop()
        elif kind >> 4 == 4:
            pile.append(card)
    return (pile[-1] if pile else None) == (turn.top if turn.HasField("top") else None)


async def test_a_second_connection_replaces_the_first(kit: Any, bot: Any) -> None:
    """The newest connection has the seat; the older one is told so."""
    worker = await kit.host()
    doors = await worker.leg()
    first = await bot(doors[0]).join()
    other = asyncio.ensure_future((await bot(doors[1]).join()).play())
    await first.turns()
    second = await bot(doors[0]).join()
    assert await first.next() is None
    assert (await first.status())[0] == grpc.StatusCode.ABORTED
    assert (await second.play()).reason == PLAYED
    await other
    assert await worker.leg_over() == [PLAYED, PLAYED]


async def test_an_action_after_match_over_closes_the_stream(kit: Any, bot: Any) -> None:
    """Nothing that comes after MatchOver is heard."""
    worker = await kit.host()
    doors = await worker.leg()
    one, other = [await bot(door).join() for door in doors]
    await worker.exited(0, 1, code=3)
    while one.over is None:
        await one.next()
    await one.answer([play_pb2.Action(decision=0, draw={})])
    assert await one.next() is None
    assert (await one.status())[0] == grpc.StatusCode.OK
    await other.until_over()
    assert await worker.leg_over() == [PLAYED, play_pb2.REASON_CRASH]


async def test_who_comes_after_the_end_hears_how_it_ended(start: Any, bot: Any) -> None:
    """Within the grace a bot that lost its connection can still fetch its MatchOver."""
    kit = await start(grace=5.0)
    worker = await kit.host()
    doors = await worker.leg()
    one, other = [await bot(door).join() for door in doors]
    await worker.exited(0, 1, code=3)
    while one.over is None:
        await one.next()
    late = await bot(doors[1]).join()
    assert (await late.until_over()).reason == play_pb2.REASON_CRASH
    await other.until_over()
    await one.leave()
    await worker.leg_over()


async def test_a_bot_that_will_not_go_is_shown_the_door(start: Any, connect: Any) -> None:
    """After the grace the leg ends whether or not its bots have left."""
    kit = await start(grace=0.1)
    worker = await kit.host()
    bots = await connect(await worker.leg())
    await worker.exited(0, 0, code=1)
    assert await worker.leg_over() == [play_pb2.REASON_CRASH, PLAYED]
    for one in bots:
        while await one.next() is not None:
            pass
        assert one.over is not None


async def test_a_door_leads_to_one_seat_alone(kit: Any) -> None:
    """A seat's socket lies alone in its folder, open to everybody, and has PlayService only."""
    worker = await kit.host()
    doors = await worker.leg()
    paths = [path for path in kit.sockets() if path.name == "s.sock"]
    assert sorted(door.address for door in doors) == sorted(f"unix://{path}" for path in paths)
    for path in paths:
        assert stat.S_IMODE(path.stat().st_mode) == 0o666
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o755
        assert list(path.parent.iterdir()) == [path]
    async with aio.insecure_channel(doors[0].address) as channel:
        for method in (
            "knockbox.v1.MatchService/HostMatch",
            "grpc.health.v1.Health/Watch",
            "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        ):
            call: Any = channel.stream_stream(f"/{method}")()
            assert await call.code() == grpc.StatusCode.UNIMPLEMENTED
