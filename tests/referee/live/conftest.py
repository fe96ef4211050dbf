"""Fixtures: a running referee, bots for its doors, and what has to be clean after each test."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from knockbox.v1 import match_pb2
from referee.verify import verify as verify_replay
from tests.referee.live.live_kit import Bot, Kit, running

Start = Callable[..., Any]


@pytest.fixture
async def no_tasks_left() -> AsyncIterator[None]:
    """After the test nothing runs that did not run before it."""
    before = _tasks()
    yield
    async with asyncio.timeout(5):
        # gRPC ends its own tasks a moment after the calls that they served.
        while left := _tasks() - before:
            await asyncio.wait(left)


@pytest.fixture
async def start(no_tasks_left: None) -> AsyncIterator[Start]:
    """Starts referees: `await start(grace=0.1)` gives a Kit. Nothing may be left of any."""
    async with AsyncExitStack() as stack:

        async def begin(**settings: Any) -> Kit:
            return await stack.enter_async_context(running(**settings))

        yield begin


@pytest.fixture
async def kit(start: Start) -> Kit:
    """A referee with short durations."""
    return await start()


@pytest.fixture
async def bot() -> AsyncIterator[Callable[[match_pb2.SeatDoor], Bot]]:
    """Makes a bot for a door; whatever it leaves behind is taken away."""
    made: list[Bot] = []

    def make(door: match_pb2.SeatDoor) -> Bot:
        made.append(Bot(door))
        return made[-1]

    yield make
    for one in made:
        await one.drop()


@pytest.fixture
def connect(bot: Callable[[match_pb2.SeatDoor], Bot]) -> Callable[..., Any]:
    """Bots for all doors of a leg, connected and ready."""

    async def connect(doors: Iterable[match_pb2.SeatDoor], **ready: Any) -> list[Bot]:
        return list(await asyncio.gather(*(bot(door).join(**ready) for door in doors)))

    return connect


@pytest.fixture
def verify(tmp_path: Path) -> Callable[[bytes], None]:
    """Fails where a replay does not verify."""

    def verify(replay: bytes) -> None:
        path = tmp_path / "match.kbr"
        path.write_bytes(replay)
        verdict = verify_replay(path)
        assert verdict.ok, verdict.error

    return verify


def _tasks() -> set[asyncio.Task[Any]]:
    """What runs, but for the test runner itself."""
    return {task for task in asyncio.all_tasks() if "TestRunner" not in repr(task)}
