"""Matches in which nobody fails."""

import asyncio
from typing import Any

import pytest

from knockbox.v1 import match_pb2, play_pb2
from referee.deck import commitment, seed_secret
from referee.replay import Replay

pytestmark = pytest.mark.anyio
PLAYED = play_pb2.REASON_PLAYED


async def play(worker: Any, connect: Any, **ready: Any) -> match_pb2.Result:
    """Play all legs of a match with greedy bots."""
    for leg in range(2):
        doors = await worker.leg()
        await worker.started(leg, 0, 1)
        bots = await connect(doors, **ready)
        if leg == 0 and not worker.opening.seeded and not worker.opening.nonces:
            await worker.next("nonces")
            await worker.send(nonces_kept=match_pb2.NoncesKept())
        await asyncio.gather(*(bot.play() for bot in bots))
    return await worker.done()


async def test_a_whole_match(kit: Any, connect: Any, verify: Any) -> None:
    """Two bots play every leg to a result and a replay that verifies."""
    worker = await kit.host(units=5, boards=2, rules="spanish")
    result = await play(worker, connect)
    assert result.reason == PLAYED
    assert worker.reasons == [[PLAYED, PLAYED]] * 2
    assert [bot.won + bot.lost + bot.drawn for bot in result.bots] == [10, 10]
    assert sum(bot.score_millionths for bot in result.bots) == 1_000_000
    replay = Replay.open(worker.replay)
    assert replay.digest == result.digest
    assert len(replay.games) == 10
    verify(worker.replay)


async def test_seats_go_round(kit: Any, connect: Any) -> None:
    """In leg l bot b sits on seat (b + l) mod n."""
    worker = await kit.host()
    seen = []
    for _ in range(2):
        doors = await worker.leg()
        seen.append([(door.seat, door.bot) for door in doors])
        await asyncio.gather(*(bot.play() for bot in await connect(doors)))
        await worker.leg_over()
    assert seen == [[(0, 0), (1, 1)], [(0, 1), (1, 0)]]
    await worker.done()


async def test_welcome_tells_what_was_committed(kit: Any, connect: Any) -> None:
    """A bot learns rules, seat, clock, games and the commitment before it gives its nonce."""
    worker = await kit.host(units=3)
    bots = await connect(await worker.leg())
    for seat, bot in enumerate(bots):
        assert bot.welcome.commitment == commitment(seed_secret("tests"))
        assert bot.welcome.rules == worker.opening.rules
        assert bot.welcome.clock == worker.opening.plan.clock
        assert (bot.welcome.seat, bot.welcome.games, bot.welcome.protocol) == (seat, 3, 1)


async def test_nothing_is_dealt_before_the_nonces_are_kept(kit: Any, bot: Any) -> None:
    """Nonces come by bot, once, and the first question only after NoncesKept."""
    worker = await kit.host(seeded=False)
    doors = await worker.leg()
    bots = [await bot(door).join(nonce=bytes([65 + door.seat])) for door in doors]
    said = await worker.next("nonces")
    assert list(said.nonces.nonces) == [b"A", b"B"]
    reading = [asyncio.ensure_future(one.play()) for one in bots]
    assert not any(task.done() for task in reading)
    assert all(len(one.heard) == 1 for one in bots)
    await worker.send(nonces_kept=match_pb2.NoncesKept())
    await asyncio.gather(*reading)
    doors = await worker.leg()
    bots = [await bot(door).join(nonce=b"other") for door in doors]
    await asyncio.gather(*(one.play() for one in bots))
    await worker.done()
    kinds = [response.WhichOneof("message") for response in worker.said]
    assert kinds.count("nonces") == 1
    assert list(Replay.open(worker.replay).seal.nonces) == [b"A", b"B"]


async def test_a_retried_attempt_deals_the_same_cards(kit: Any, connect: Any, verify: Any) -> None:
    """With the nonces of the first attempt the sealed part of the replay is the same again."""
    first = await kit.host(seeded=False, units=2, match_id="again")
    await play(first, connect, nonce=b"first")
    second = await kit.host(
        seeded=False, units=2, match_id="again", fence=2, nonces=[b"first", b"first"]
    )
    await play(second, connect, nonce=b"second")
    assert first.nonces == [b"first", b"first"]
    assert second.nonces == []
    assert second.result == first.result
    verify(second.replay)


@pytest.mark.parametrize("boards", [2, 3])
async def test_the_order_of_arrival_leaves_no_trace(kit: Any, connect: Any, boards: int) -> None:
    """The same match has the same digest whatever is in flight at once, and however fast."""
    digests = set()
    for most in (0, boards, 1):
        worker = await kit.host(units=6, boards=8, match_id="same")
        digests.add((await play(worker, connect, max_boards=most)).digest)
    assert len(digests) == 1


async def test_a_bot_may_ask_for_fewer_boards(kit: Any, bot: Any) -> None:
    """The least of what the match and its bots want is in flight."""
    worker = await kit.host(units=6, boards=4)
    doors = await worker.leg()
    bots = [await bot(door).join(max_boards=2 + door.seat) for door in doors]
    await asyncio.gather(*(one.play() for one in bots))
    for one in bots:
        assert max(in_flight(one)) == 2


def in_flight(bot: Any) -> list[int]:
    """Games open after each message, as one bot counts them."""
    begun, ended, counts = set(), set(), []
    for response in bot.heard:
        news = response.turns if response.HasField("turns") else response.match_over
        begun |= {(deal.board, deal.deal) for deal in news.deals_started}
        ended |= {(deal.board, deal.deal) for deal in news.deals_over}
        counts.append(len(begun - ended))
    return counts


async def test_several_matches_at_once(kit: Any, connect: Any) -> None:
    """Matches in one process do not meet."""
    workers = [await kit.host(units=2, rules=rules) for rules in ("danish", "german", "spanish")]
    results = await asyncio.gather(*(play(worker, connect) for worker in workers))
    assert [result.reason for result in results] == [PLAYED] * 3
    for worker in workers:
        assert Replay.open(worker.replay).header.match_id == worker.opening.match_id


async def test_events_are_told_once_and_in_order(kit: Any, connect: Any) -> None:
    """What the messages of a deal tell a seat is the deal's public history, whole."""
    worker = await kit.host(units=4, boards=2)
    for _ in range(2):
        bots = await connect(await worker.leg())
        await asyncio.gather(*(bot.play() for bot in bots))
        told = [history(bot) for bot in bots]
        assert told[0] == told[1]
        assert len(told[0]) == 4
    await worker.done()


def history(bot: Any) -> dict[tuple[int, int], bytes]:
    """Public events by board and deal, as one bot was told them."""
    told: dict[tuple[int, int], bytes] = {}
    deals: dict[int, int] = {}
    for response in bot.heard:
        news = response.turns if response.HasField("turns") else response.match_over
        turns = response.turns.turns
        for over in news.deals_over:
            told[over.board, over.deal] = told.get((over.board, over.deal), b"") + over.events
        for deal in news.deals_started:
            deals[deal.board] = deal.deal
            told.setdefault((deal.board, deal.deal), b"")
        for turn in turns:
            told[turn.board, deals[turn.board]] += turn.events
    return told


async def test_progress_tells_counts_alone(start: Any, connect: Any) -> None:
    """Progress comes while a leg runs, and holds no card."""
    kit = await start(progress=0.01)
    worker = await kit.host(units=8)
    await play(worker, connect)
    seen = [said.progress for said in worker.said if said.HasField("progress")]
    assert seen[-1].games_over == seen[-1].games == 8
    assert seen[-1].decisions > 0


async def test_a_decision_is_small(kit: Any, connect: Any) -> None:
    """At 64 boards a decision weighs 75 bytes at most on average."""
    worker = await kit.host(units=64, boards=64)
    bots = await connect(await worker.leg())
    await asyncio.gather(*(bot.play() for bot in bots))
    for bot in bots:
        asked = [said for said in bot.heard if said.HasField("turns")]
        turns = sum(len(said.turns.turns) for said in asked)
        assert sum(said.ByteSize() for said in asked) / turns <= 75
