"""One attempt around a host that the test controls: claims, leases, causes, logs, files."""

import asyncio
import dataclasses
import errno
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
import structlog

from knockbox.v1 import match_pb2
from workers.attempt import Attempt, AttemptVoid, MatchOrder, SeatLog
from workers.player import Launchers, Played, Player, Timing
from workers.sandbox.capture import Log
from workers.sandbox.launcher import Exited

pytestmark = pytest.mark.anyio

QUICK = Timing(lease_s=60.0, beat_s=0.01, referee_wait_s=5.0, longest_s=60.0)
Body = Callable[[MatchOrder, Any, Any, Path], Awaitable[Attempt]]


@pytest.fixture
async def control() -> AsyncIterator[str]:
    """A control listener that can be reached; nothing is asked of it."""
    with tempfile.TemporaryDirectory(prefix="kb-", dir="/tmp") as folder:
        server = grpc.aio.server()
        server.add_insecure_port(f"unix://{folder}/c")
        await server.start()
        yield f"unix://{folder}/c"
        await server.stop(0)


@pytest.fixture
def match(world: Any) -> str:
    """A queued match."""
    world.add("ab")
    world.add("cd")
    return f"{world.filled('ab', 'cd')}.1"


def player(world: Any, control: str, body: Body, timing: Timing = QUICK) -> Player:
    """A player whose host is `body`."""

    async def host(
        channel: Any,
        launcher: Any,
        order: MatchOrder,
        keep: Any,
        note: Any,
        scratch: Any = None,
        hall: Any = None,
    ) -> Attempt:
        return await body(order, keep, note, scratch)

    launchers: Any = Launchers(None, None)  # pyright: ignore[reportArgumentType]
    return Player(world.store, world.folders, world.limits, timing, launchers, control, host)


async def forever(*_: Any) -> Attempt:
    """A match without end."""
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_match_that_was_played_lies_sealed(world: Any, control: str, match: str) -> None:
    """The replay is in its place, the state says so, the nonces and the progress were kept."""
    orders: list[MatchOrder] = []

    async def body(order: MatchOrder, keep: Any, note: Any, scratch: Path) -> Attempt:
        orders.append(order)
        await keep((b"a", b"b"))
        await note(match_pb2.Progress(leg=1, games_over=2, games=4))
        path = scratch / "x.part"
        world.replay(match, [0]).write(path)
        return Attempt(path, match_pb2.Result(), ())

    assert await player(world, control, body).play(match) == Played("sealed", 1)
    assert world.folders.incoming(match, 1).exists()
    assert world.store.matches.get(match).state == "sealed"
    order = orders[0]
    assert (order.match_id, order.fence, order.units, order.seeded) == (match, 1, 2, True)
    assert [bot.folder.parent for bot in order.bots] == [world.folders.data / "bots"] * 2
    assert world.claim(match) == "sealed"


async def test_a_void_attempt_is_kept_with_its_cause(world: Any, control: str, match: str) -> None:
    """The match is queued again, and what the bots printed is kept."""
    log = SeatLog(0, 1, "crash", Exited(1), Log(b"one\ntwo\x1b[31m\n", b"", 0))

    async def body(*_: Any) -> Attempt:
        raise AttemptVoid("launcher", "no room", (log,))

    with structlog.testing.capture_logs() as events:
        assert await player(world, control, body).play(match) == Played("queued", 1)
    assert [a.cause for a in world.store.matches.get(match).attempts] == ["launcher"]
    fault = next(event for event in events if event["event"] == "bot fault")
    assert (fault["bot"], fault["reason"], fault["last_lines"][0]) == ("cd", "crash", "one")
    assert "\x1b" not in Path(fault["log"]).read_text()


async def test_a_lost_claim_stops_the_match(world: Any, control: str, match: str) -> None:
    """Somebody else has the match by now: the host is stopped, and nothing is written."""
    ended: list[bool] = []

    async def body(order: MatchOrder, *rest: Any) -> Attempt:
        world.store.matches.beat(match, order.fence, 0)
        assert world.claim(match).fence == 2
        try:
            return await forever()
        finally:
            ended.append(True)

    assert await player(world, control, body).play(match) == Played("lost", 1)
    assert ended == [True]
    assert (world.store.matches.get(match).state, world.store.matches.get(match).fence) == (
        "running",
        2,
    )


async def test_a_claim_is_renewed_while_the_match_lasts(
    world: Any, control: str, match: str
) -> None:
    """A lease much shorter than the match lives as long as the match does."""

    async def body(order: MatchOrder, keep: Any, note: Any, scratch: Path) -> Attempt:
        world.store.matches.beat(match, order.fence, 0)
        while world.store.queue.expired():
            await asyncio.sleep(0.005)
        raise AttemptVoid("referee", "enough")

    assert (await player(world, control, body).play(match)).word == "queued"


async def test_a_worker_that_is_stopped_puts_the_match_back(
    world: Any, control: str, match: str
) -> None:
    """The match is due at once, no attempt is counted, and the host had its time to clear up."""
    began, cleared = asyncio.Event(), []

    async def body(*_: Any) -> Attempt:
        began.set()
        try:
            return await forever()
        finally:
            await asyncio.sleep(0.01)
            cleared.append(True)

    playing = asyncio.create_task(player(world, control, body).play(match))
    await began.wait()
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert cleared == [True]
    assert world.store.matches.get(match).attempts == ()
    assert world.store.queue.take_due() == [match]


async def test_a_match_that_never_ends_is_void(world: Any, control: str, match: str) -> None:
    """Whatever the clocks say, an attempt has an end."""
    timing = QUICK._replace(longest_s=0.05)
    assert (await player(world, control, forever, timing).play(match)).word == "queued"
    assert [a.cause for a in world.store.matches.get(match).attempts] == ["overrun"]


async def test_a_broken_disk_is_no_bots_fault(world: Any, control: str, match: str) -> None:
    """An error of the machine voids the attempt."""

    async def body(*_: Any) -> Attempt:
        raise OSError(errno.EIO, "Input/output error")

    assert (await player(world, control, body).play(match)).word == "queued"
    assert [a.cause for a in world.store.matches.get(match).attempts] == ["disk"]


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        AttemptVoid("launcher", "cannot start", lacking="ENOSPC"),
    ],
)
async def test_a_full_disk_puts_the_match_off(
    world: Any, control: str, match: str, error: Exception
) -> None:
    """A machine that has too little of something costs no attempt, and the cause is on record."""

    async def body(*_: Any) -> Attempt:
        raise error

    world = dataclasses.replace(world, limits=world.limits._replace(dead_after_ms=3_600_000))
    for fence in range(1, 13):
        assert await player(world, control, body).play(match) == Played("put off", fence)
    found = world.store.matches.get(match)
    assert (found.state, found.attempts, found.put_off) == ("queued", (), "ENOSPC")


async def test_a_fault_of_the_worker_is_an_attempt_of_its_own_cause(
    world: Any, control: str, match: str
) -> None:
    """Whatever goes wrong inside, the match waits for no lease, and the log says it once."""

    async def body(*_: Any) -> Attempt:
        raise ZeroDivisionError("a mistake")

    with structlog.testing.capture_logs() as events:
        assert await player(world, control, body).play(match) == Played("queued", 1)
    assert [a.cause for a in world.store.matches.get(match).attempts] == ["worker"]
    assert [event["event"] for event in events if event["log_level"] == "error"] == [
        "the attempt failed"
    ]


async def test_a_log_that_cannot_be_kept_costs_no_match(
    world: Any, control: str, match: str
) -> None:
    """A match that was played is sealed even where what its bots printed cannot be written."""
    log = SeatLog(0, 1, "played", Exited(0), Log(b"one\n", b"", 0))
    (world.folders.data / "logs" / match).touch()

    async def body(order: MatchOrder, keep: Any, note: Any, scratch: Path) -> Attempt:
        path = scratch / "x.part"
        world.replay(match, [0]).write(path)
        return Attempt(path, match_pb2.Result(), (log,))

    assert await player(world, control, body).play(match) == Played("sealed", 1)


async def test_a_lease_that_was_the_last_one_is_an_alarm(
    world: Any, control: str, match: str
) -> None:
    """A match that is given up when a message finds its lease over tells a person, and once."""
    for _ in range(4):
        world.claim(match, lease_ms=0)
    playing = player(world, control, forever)
    assert [await playing.play(match) for _ in range(2)] == [Played("dead")] * 2
    (alarm,) = world.store.log.alarms(9)
    assert alarm[1:] == ("dead", match, "given up: its last attempt ended by lease")


async def test_no_match_is_begun_without_a_referee(world: Any, match: str) -> None:
    """The match waits for one, and no attempt is counted."""
    timing = QUICK._replace(referee_wait_s=0.05)
    found = await player(world, "unix:///tmp/no-such-referee", forever, timing).play(match)
    assert found == Played("postponed")
    assert world.store.matches.get(match).fence == 0


@pytest.mark.parametrize("junk", ["t1.2", "t7.1", "x", "../t1.1"])
async def test_unknown_matches_are_not_played(world: Any, match: str, junk: str) -> None:
    """No match, no referee is asked."""
    assert await player(world, "unix:///tmp/none", forever).play(junk) == Played("unknown")
