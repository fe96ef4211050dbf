"""The words that scripted bots are made of: a script is a tuple of steps for one seat of a leg.

A step is a coroutine function of the player; most are made by a function of this module. What
comes of a script is told by `endings_stage`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from grpc import aio

from knockbox.v1 import cards_pb2, match_pb2, play_pb2
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


async def play(player: Player) -> None:
    """Answer everything until the leg is over."""
    while await player.hear():
        await answer(player)


async def play_slowly(player: Player) -> None:
    """Answer everything, each message after a while."""
    while await player.hear():
        await tick(player)
        if player.over is None:
            await answer(player)


async def play_in_part(player: Player) -> None:
    """Leave out all answers but one, in every message."""
    while await player.hear():
        await answer_with(first_only)(player)


def play_with(make: Callable[[list[play_pb2.Turn]], list[play_pb2.Action]]) -> Step:
    """Answer with what `make` makes of each message, until the leg is over."""

    async def step(player: Player) -> None:
        while await player.hear():
            await answer_with(make)(player)

    return step


async def until_deal_over(player: Player) -> None:
    """Play until a deal has ended and something is asked again."""
    while player.deals_over == 0 and await player.hear():
        if player.deals_over == 0:
            await answer(player)


async def until_layoff(player: Player) -> None:
    """Play without ever knocking, until another seat has and this one may lay off."""
    while await player.hear():
        if any(turn.phase == cards_pb2.PHASE_LAYOFF for turn in player.asked):
            return
        await player.bot.answer(map(patient, player.asked))


def patient(turn: play_pb2.Turn) -> play_pb2.Action:
    """Like greedy, but never knocks."""
    action = greedy(turn)
    if action.WhichOneof("choice") == "knock":
        action.discard.card = action.knock.card
    return action


async def until_others_hold(player: Player) -> None:
    """Play until nothing is asked any more, because another seat holds the game up."""
    while not any(other.holding for other in player.table):
        waiting = asyncio.ensure_future(player.hear())
        while not waiting.done():
            if any(other.holding for other in player.table):
                waiting.cancel()
                await asyncio.wait([waiting])
                return
            await asyncio.wait([waiting], timeout=0.01)
        await answer(player)


async def hold(player: Player) -> None:
    """Take the first question and say nothing until the leg is over."""
    await player.hear()
    player.holding = True
    while await player.hear():
        pass


async def silent(player: Player) -> None:
    """Say nothing until the leg is over."""
    while await player.hear():
        pass


async def lapse(player: Player) -> None:
    """Be asked, and wait until the games of the question are lost."""
    await player.hear()
    player.owed = len(player.asked)
    async with asyncio.timeout(10):
        while not any(games_over(said) >= player.owed for said in player.worker.said):
            await asyncio.sleep(0.005)


def games_over(said: match_pb2.HostMatchResponse) -> int:
    """How many games a message of the referee reports as over."""
    return said.progress.games_over if said.HasField("progress") else 0


async def tick(player: Player) -> None:
    """Wait until the referee has reported its progress once more, which it does by its clock."""
    heard = len(player.worker.said)
    async with asyncio.timeout(10):
        while len(player.worker.said) == heard:
            await asyncio.sleep(0.005)


async def meet(player: Player) -> None:
    """Wait for the other seats that are to do something at the same time."""
    await player.barrier.wait()


async def half_close(player: Player) -> None:
    """Say goodbye in good order."""
    await player.bot.call.done_writing()


async def drop(player: Player) -> None:
    """Lose the connection."""
    await player.bot.drop()


def exits(**how: Any) -> Step:
    """The worker says that the process has ended."""

    async def step(player: Player) -> None:
        await player.worker.exited(player.leg, player.seat, **how)

    return step


def dies(**how: Any) -> Step:
    """The process ends: its connection is lost, and the worker says so."""

    async def step(player: Player) -> None:
        await drop(player)
        await exits(**how)(player)

    return step


async def started(player: Player) -> None:
    """The worker says that the process runs."""
    await player.worker.started(player.leg, player.seat)


async def stop(player: Player) -> None:
    """The worker breaks the attempt off."""
    await player.worker.send(stop=match_pb2.Stop(why="withdrawn"))


async def worker_leaves(player: Player) -> None:
    """The worker ends its stream."""
    await player.worker.call.done_writing()


async def worker_lost(player: Player) -> None:
    """The worker is gone."""
    player.worker.call.cancel()


async def evict(player: Player) -> None:
    """A later attempt at the same match begins."""
    opening = match_pb2.Open()
    opening.CopyFrom(player.worker.opening)
    opening.fence += 1
    await player.worker.kit.host(opening=opening)


IN: Script = (connect, join(), ready)
PLAYS: Script = (*IN, play)
