"""Seats of bots that dial in: TLS, a port of their own, and decks of every leg's own."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.agent.way import Place, Way
from arena.local.tls import ready
from arena.settings import load
from knockbox.v1 import match_pb2, play_pb2, replay_pb2
from referee.deck import attempt_commitments, attempt_secret, seed_secret
from referee.replay import Replay
from referee.transcript import match_text
from referee.verify import check

pytestmark = pytest.mark.anyio
TOURNAMENT = seed_secret("tests")
Lead = Callable[[match_pb2.SeatDoor], Any]


@pytest.fixture
async def dialled(start: Any, tmp_path: Path) -> Any:
    """A referee at which bots may dial in, on the loopback."""
    made = ready(load({"HOME": "/h", "KNOCKBOX_LISTEN": "127.0.0.1:1"}, 0, 2, tmp_path))
    pair = {"dial_certificate": str(made.certificate), "dial_key": str(made.key)}
    return await start(dial_host="127.0.0.1", handshake=1.0, **pair)


@pytest.fixture
async def lead(tmp_path: Path) -> AsyncIterator[Lead]:
    """Leads a door over TLS to a unix socket, for bots that know no TLS: the door, and its way."""
    async with AsyncExitStack() as stack:

        async def lead(door: match_pb2.SeatDoor) -> tuple[match_pb2.SeatDoor, Way]:
            path = Path("/tmp") / f"kbw-{door.ticket[:8]}"
            way = Way(path, place_of(door), 2.0, 2.0, lambda _: None)
            await way.open()
            stack.push_async_callback(way.close)
            return match_pb2.SeatDoor(address=way.address, ticket=door.ticket), way

        yield lead


def place_of(door: match_pb2.SeatDoor) -> Place:
    assert door.address.startswith("tls://:")
    return Place("127.0.0.1", int(door.address.rpartition(":")[2]), door.certificate)


def opening(kit: Any, fence: int = 1, **fields: Any) -> match_pb2.Open:
    """An attempt in which ann dials in."""
    known = attempt_commitments(TOURNAMENT, "t.7", fence)
    secret = attempt_secret(TOURNAMENT, "t.7", fence)
    made = kit.opening(
        match_id="t.7", fence=fence, secret=secret, commitments=known, seeded=False, **fields
    )
    made.bots[0].dial_in = True
    made.plan.pairing = replay_pb2.PAIRING_INDEPENDENT
    return made


async def test_a_match_over_tls(dialled: Any, lead: Lead, connect: Any) -> None:
    """A bot without TLS plays over its way; the replay is proven, and says what it is."""
    worker = await dialled.host(opening=opening(dialled, fence=3, units=2))
    for leg in range(2):
        doors = list(await worker.leg())
        doors[leg], _ = await lead(doors[leg])
        bots = await connect(doors)
        reasons, *_ = await asyncio.gather(worker.leg_over(), *(one.play() for one in bots))
        assert set(reasons) == {play_pb2.REASON_PLAYED}
    await worker.done()
    replay = Replay.open(worker.replay)
    check(replay, TOURNAMENT)
    header = replay.header
    assert [bot.dial_in for bot in header.bots] == [True, False]
    assert len(header.commitments) == 3
    dialled = "Dialled in: ann; each leg has cards of its own; attempt 3, with a secret of its own"
    assert dialled in match_text(replay).splitlines()
    hands = {tuple(replay.game(0, leg).deals[0].hands) for leg in range(2)}
    assert len(hands) == 2


async def test_a_way_that_is_lost_once(dialled: Any, lead: Lead, bot: Any) -> None:
    """The bot comes again with its ticket and goes on where it was."""
    worker = await dialled.host(opening=opening(dialled, units=2))
    doors = list(await worker.leg())
    doors[0], way = await lead(doors[0])
    one, other = bot(doors[0]), bot(doors[1])
    await asyncio.gather(one.join(), other.join())
    await worker.next("progress")
    playing = asyncio.create_task(other.play())
    turns = await one.turns()
    await way.close()
    assert await one.next() is None
    await way.open()
    again = bot(doors[0])
    await again.join()
    assert {turn.decision for turn in (await again.turns()).turns} >= {
        turn.decision for turn in turns.turns
    }
    await again.answer(map(again.greedy, again.heard[-1].turns.turns))
    assert (await again.play()).reason == play_pb2.REASON_PLAYED
    await playing


async def test_strangers_at_the_port(dialled: Any, bot: Any) -> None:
    """Without TLS nobody is heard, who is silent is shown out, and a wrong ticket is none."""
    worker = await dialled.host(opening=opening(dialled))
    door = (await worker.leg())[0]
    place = place_of(door)
    reader, writer = await asyncio.open_connection(place.host, place.port)
    writer.write(b"GET / HTTP/1.0\r\n\r\n")
    assert await reader.read() in (b"", b"\x15\x03\x01\x00\x02\x02\x46")
    writer.close()
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    reader, writer = await asyncio.open_connection(place.host, place.port, ssl=context)
    async with asyncio.timeout(10):
        while await reader.read(1024):
            pass
    writer.close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda o: setattr(o.plan, "pairing", replay_pb2.PAIRING_UNITS), "plan.pairing"),
        (lambda o: o.commitments.pop(), "commitments"),
        (lambda o: setattr(o, "fence", 4), "commitments"),
    ],
)
async def test_what_would_let_it_meet_cards_twice(dialled: Any, change: Any, words: str) -> None:
    """Legs with the same cards, or attempts with one secret, are refused."""
    wrong = opening(dialled)
    change(wrong)
    code, said = await (await dialled.host(opening=wrong)).status()
    assert (code, said.startswith(words)) == (grpc.StatusCode.INVALID_ARGUMENT, True), said


async def test_a_referee_without_an_address(kit: Any) -> None:
    """Where nobody may dial in the attempt is void, and that is said."""
    code, said = await (await kit.host(opening=opening(kit))).status()
    assert (code, said) == (
        grpc.StatusCode.CANCELLED,
        "this referee has no address for bots that dial in",
    )


async def test_ports_that_are_all_taken(start: Any, tmp_path: Path) -> None:
    """A seat takes a port of those that were named, and none is an end of the attempt."""
    made = ready(load({"HOME": "/h", "KNOCKBOX_LISTEN": "127.0.0.1:1"}, 0, 2, tmp_path))
    pair = {"dial_certificate": str(made.certificate), "dial_key": str(made.key)}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = str(taken.getsockname()[1])
        kit = await start(dial_host="127.0.0.1", dial_ports=ports, **pair)
        code, said = await (await kit.host(opening=opening(kit))).status()
    assert (code, "no free port" in said) == (grpc.StatusCode.CANCELLED, True), said
