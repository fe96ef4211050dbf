"""The words that scripted bots are made of: a script is a tuple of steps for one seat of a leg.

A step is a coroutine function of the player; most are made by a function of this module. What
comes of a script is told by `endings_stage`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from grpc import aio

from knockbox.v1 import match_pb2, play_pb2
from tests.referee.live.live_kit import Bot, Worker, greedy

Action = play_pb2.Action


class Player:
    """One seat of one leg under a script. `bot` is its newest connection, `asked` the questions
    that it heard last, `owed` how many of them it let lapse, `former` its door in the leg before.
    """

    def __init__(
        self,
        worker: Worker,
        leg: int,
        doors: tuple[match_pb2.SeatDoor, ...],
        seat: int,
        barrier: asyncio.Barrier,
    ) -> None:
        self.worker = worker
        self.leg = leg
        self.doors = doors
        self.door = doors[seat]
        self.seat = seat
        self.barrier = barrier
        self.bots: list[Bot] = []
        self.asked: list[play_pb2.Turn] = []
        self.owed = 0
        self.deals_over = 0
        self.holding = False
        self.table: list[Player] = []
        self.former: match_pb2.SeatDoor | None = None

    @property
    def bot(self) -> Bot:
        return self.bots[-1]

    @property
    def over(self) -> play_pb2.MatchOver | None:
        """The seat's last message, on whichever connection it came."""
        return next((bot.over for bot in self.bots if bot.over is not None), None)

    async def hear(self) -> bool:
        """Read one message; False where it is no question any more."""
        response = await self.bot.next()
        if response is None or response.WhichOneof("message") != "turns":
            return False
        self.asked = list(response.turns.turns)
        self.deals_over += len(response.turns.deals_over)
        return True

    async def part(self) -> None:
        """Read what still comes, and leave in good order."""
        if self.bots and self.bot.over is None and not self.bot.gone:
            while await self.hear():
                pass
        for bot in self.bots:
            if not bot.gone:
                await bot.leave()


Step = Callable[[Player], Awaitable[None]]
Script = tuple[Step, ...]


def times(number: int, *steps: Step) -> Step:
    """The same steps again and again."""

    async def step(player: Player) -> None:
        for _ in range(number):
            for one in steps:
                await one(player)

    return step


async def connect(player: Player) -> None:
    """A new connection; nothing is said yet."""
    player.bots.append(Bot(player.door))


def join(ticket: str | None = None, **fields: Any) -> Step:
    """Join, and read what comes of it."""

    async def step(player: Player) -> None:
        own = player.door.ticket if ticket is None else ticket
        fields.setdefault("protocol", 1)
        with suppress(aio.AioRpcError, asyncio.InvalidStateError):
            await player.bot.send(join=play_pb2.Join(ticket=own, **fields))
        await player.bot.next()

    return step


async def join_elsewhere(player: Player) -> None:
    """Join with the ticket of the next seat."""
    await join(player.doors[(player.seat + 1) % len(player.doors)].ticket)(player)


async def join_as_before(player: Player) -> None:
    """Join with the ticket that was good in the leg before."""
    assert player.former is not None
    await join(player.former.ticket)(player)


async def knock_at_the_old_door(player: Player) -> None:
    """Come where the seat of the leg before was."""
    assert player.former is not None
    player.bots.append(Bot(player.former))
    await join(player.former.ticket)(player)


async def ready(player: Player) -> None:
    """Say Ready."""
    await player.bot.send(ready=play_pb2.Ready(want_deadwood=True))


def say(data: bytes, *, heard: bool = False) -> Step:
    """Send these bytes; read the answer where one is due."""

    async def step(player: Player) -> None:
        with suppress(aio.AioRpcError, asyncio.InvalidStateError):
            await player.bot.raw(data)
        if heard:
            await player.hear()

    return step


async def hear(player: Player) -> None:
    """Wait to be asked."""
    await player.hear()


async def answer(player: Player) -> None:
    """Answer everything, as a greedy player does."""
    await answer_with(lambda turns: [greedy(turn) for turn in turns])(player)


def answer_with(make: Callable[[list[play_pb2.Turn]], list[play_pb2.Action]]) -> Step:
    """Answer with what `make` makes of the questions."""

    async def step(player: Player) -> None:
        with suppress(aio.AioRpcError, asyncio.InvalidStateError):
            await player.bot.answer(make(player.asked))

    return step


def illegal(turns: list[play_pb2.Turn]) -> list[play_pb2.Action]:
    """A card that is not in the pack."""
    return [Action(decision=turn.decision, discard={"card": 52}) for turn in turns]


def doubled(turns: list[play_pb2.Turn]) -> list[play_pb2.Action]:
    """The first decision twice, no other."""
    return [greedy(turns[0])] * 2


def swapped(turns: list[play_pb2.Turn]) -> list[play_pb2.Action]:
    """All answers, the last question's first."""
    return [greedy(turn) for turn in reversed(turns)]


def first_only(turns: list[play_pb2.Turn]) -> list[play_pb2.Action]:
    """One answer of all that are due."""
    return [greedy(turns[0])]


def strange(turns: list[play_pb2.Turn]) -> list[play_pb2.Action]:
    """An answer to what nobody asked."""
    return [Action(decision=99_999, draw={})]


def no_choice(turns: list[play_pb2.Turn]) -> list[play_pb2.Action]:
    """Decisions without a choice."""
    return [Action(decision=turn.decision) for turn in turns]


def long_note(turns: list[play_pb2.Turn]) -> list[play_pb2.Action]:
    """More than a message of so few decisions may weigh, less than ends the stream."""
    return [Action(decision=turns[0].decision, note="x" * 1_600)]
