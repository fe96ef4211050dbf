"""The stage of the benchmarks: a referee, and bots in processes of their own.

The bots are the least that can play: `throw` discards what it drew, `greedy` discards for least
deadwood and knocks when it may. What is measured on the stage is said elsewhere.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import grpc
from grpc import aio

from knockbox.v1 import cards_pb2, match_pb2, match_pb2_grpc, play_pb2, replay_pb2
from referee.deck import seed_secret
from referee.rules.ruleset import resolve
from referee.wire.rules import to_proto

METHOD = "/knockbox.v1.PlayService/Play"
KINDS = ("throw", "greedy")

Process = asyncio.subprocess.Process
StartBot = Callable[[str, str], Awaitable[Process]]
"""Starts a bot for an address and a ticket."""
_numbers = count(1)


class Mark(NamedTuple):
    """How far a leg was at a time of the monotonic clock, in seconds."""

    time: float
    decisions: int
    games_over: int


class Stage(NamedTuple):
    """A running referee: the channel to its control door, its process, its folder of seats."""

    channel: aio.Channel
    pid: int
    seats: Path


def run_bot(kind: str) -> dict[str, int]:
    """Play one leg as a bot of this kind, from the two variables that a bot gets.

    Returns the `bytes` of all messages with turns, as they arrived, and their `decisions`.
    """
    out: SimpleQueue[bytes | None] = SimpleQueue()
    read = {"bytes": 0, "decisions": 0}
    with grpc.insecure_channel(os.environ["KNOCKBOX_REFEREE"]) as channel:
        call: Any = channel.stream_stream(METHOD)(iter(out.get, None))
        ticket = os.environ["KNOCKBOX_TICKET"]
        out.put(_request(join=play_pb2.Join(ticket=ticket, protocol=1)))
        next(call)
        out.put(_request(ready=play_pb2.Ready(want_deadwood=kind == "greedy")))
        choose = greedy if kind == "greedy" else Thrower()
        for data in call:
            response = play_pb2.PlayResponse.FromString(data)
            turns = response.turns.turns
            if not turns:
                break
            read["bytes"] += len(data)
            read["decisions"] += len(turns)
            request = play_pb2.PlayRequest()
            add = request.actions.actions.add
            for turn in turns:
                action = add()
                action.decision = turn.decision
                choose(turn, action)
            out.put(request.SerializeToString())
        out.put(None)
        for _ in call:
            pass
    return read


class Thrower:
    """Draws, and discards what it drew."""

    def __init__(self) -> None:
        self.hands: dict[int, int] = {}

    def __call__(self, turn: play_pb2.Turn, action: play_pb2.Action) -> None:
        """Fill in the answer."""
        phase = turn.phase
        if phase == cards_pb2.PHASE_DISCARD:
            action.discard.card = (turn.hand & ~self.hands[turn.board]).bit_length() - 1
        elif phase == cards_pb2.PHASE_DRAW:
            self.hands[turn.board] = turn.hand
            action.draw.SetInParent()
        elif phase == cards_pb2.PHASE_OFFER:
            action.decline.SetInParent()
        else:
            action.lay_off.SetInParent()


def greedy(turn: play_pb2.Turn, action: play_pb2.Action) -> None:
    """Fill in the answer of least deadwood."""
    phase, may = turn.phase, turn.options
    if phase == cards_pb2.PHASE_DISCARD:
        counts, left = may.discard_deadwood, may.discards
        for _ in range(counts.index(min(counts))):
            left &= left - 1
        bit = left & -left
        (action.knock if may.knocks & bit else action.discard).card = bit.bit_length() - 1
    elif phase == cards_pb2.PHASE_LAYOFF:
        action.lay_off.SetInParent()
    elif may.may_take and may.deadwood_if_taken < may.deadwood:
        action.take.SetInParent()
    elif may.may_decline:
        action.decline.SetInParent()
    else:
        action.draw.SetInParent()


def _request(**message: Any) -> bytes:
    return play_pb2.PlayRequest(**message).SerializeToString()


async def play(
    stage: Stage, opening: match_pb2.Open, start: StartBot, legs: int = 1
) -> tuple[list[Mark], list[bytes]]:
    """Play so many legs of a match, with bots that `start` starts; all legs give a result too.

    Returns the progress of the last leg, and what each bot wrote to a pipe, if it has one.
    """
    call: Any = match_pb2_grpc.MatchServiceStub(stage.channel).HostMatch()
    await call.write(match_pb2.HostMatchRequest(open=opening))
    bots: list[Process] = []
    marks: list[Mark] = []
    async for response in call:
        match response.WhichOneof("message"):
            case "leg_opened":
                marks.clear()
                doors = response.leg_opened.doors
                bots += [await start(door.address, door.ticket) for door in doors]
            case "progress":
                done = response.progress
                marks.append(Mark(time.monotonic(), done.decisions, done.games_over))
            case "leg_over" if response.leg_over.leg + 1 == legs < len(opening.bots):
                break
            case _:
                pass
    call.cancel()
    return marks, [(await bot.communicate())[0] for bot in bots]


def opening(units: int, boards: int) -> match_pb2.Open:
    """A match of two bots, one deal a game, with all the time in the world."""
    clock = play_pb2.ClockSettings(bank_per_game_ms=60_000, cap_ms=60_000)
    plan = replay_pb2.Plan(
        units=units, boards=boards, pairing=replay_pb2.PAIRING_UNITS, clock=clock
    )
    bots = [replay_pb2.BotIdentity(name=name, version="sha256:0") for name in ("one", "two")]
    return match_pb2.Open(
        match_id=f"bench-{next(_numbers)}",
        fence=1,
        rules=to_proto(resolve("spanish_single")),
        plan=plan,
        bots=bots,
        secret=seed_secret("bench"),
        seeded=True,
    )


def steady(marks: list[Mark], games: int, boards: int) -> list[Mark]:
    """The marks without the first tenth of the games and without the end, when boards run dry."""
    return [m for m in marks if games // 10 <= m.games_over <= games - max(1, boards)]


@asynccontextmanager
async def referee() -> AsyncIterator[Stage]:
    """A referee of its own, ended with the block."""
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        control = f"unix://{folder}/c/s.sock"
        settings = ("--control", control, "--run-dir", f"{folder}/r", "--progress", "0.05")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "referee", *settings, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            async with aio.insecure_channel(control) as channel:
                await asyncio.wait_for(channel.channel_ready(), 10)
                yield Stage(channel, process.pid, Path(folder) / "r")
        finally:
            process.terminate()
            await process.wait()


def bot(kind: str, stdout: int = asyncio.subprocess.DEVNULL) -> StartBot:
    """Starts bots of this kind; they write what `run_bot` returns to `stdout`, as JSON."""

    async def start(address: str, ticket: str) -> Process:
        variables = {**os.environ, "KNOCKBOX_REFEREE": address, "KNOCKBOX_TICKET": ticket}
        command = (sys.executable, "-m", "benchmarks.stage", kind)
        return await asyncio.create_subprocess_exec(*command, env=variables, stdout=stdout)

    return start


def main() -> int:
    """Be one bot."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stage", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    print(json.dumps(run_bot(parser.parse_args().kind)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
