"""More words for scripts: playing a leg or a part of it, letting time pass, and ending."""

import asyncio
from collections.abc import Callable
from typing import Any

from knockbox.v1 import cards_pb2, match_pb2, play_pb2
from tests.referee.live.endings_script import (
    Player,
    Script,
    Step,
    answer,
    answer_with,
    connect,
    first_only,
    join,
    ready,
)
from tests.referee.live.live_kit import greedy


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
