"""Decisions a second through a whole referee, as multiples of a bare gRPC ping-pong.

Every case is a server process and bot processes on this machine over unix sockets; the cases of a
round run one after the other and rounds are interleaved, so that a busy minute hits all alike.
Read the ratios: the rates depend on the machine. The bots are the least that can play: `throw`
discards what it drew, `greedy` discards for least deadwood and knocks when it may.

The bare ping-pong is one bot and a server that writes one ready-made question, of the size that a
referee writes at one board, and reads one answer, again and again: what gRPC alone allows.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from queue import SimpleQueue
from typing import Any

import grpc
from grpc import aio

from knockbox.v1 import cards_pb2, match_pb2, match_pb2_grpc, play_pb2, replay_pb2
from referee.deck import seed_secret
from referee.rules.ruleset import resolve
from referee.wire.rules import to_proto

METHOD = "/knockbox.v1.PlayService/Play"
AIMS = {"throw 1": 0.85, "throw 16": 7.0, "throw 64": 18.0, "greedy 64": 13.0}
UNITS = {1: 64, 16: 512, 64: 1024}
PING = 6000


def run_bot(kind: str) -> None:
    """Play one leg as a bot of this kind, from the two variables that a bot gets."""
    out: SimpleQueue[bytes | None] = SimpleQueue()
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


async def run_ping(address: str) -> None:
    """Serve one bot `PING` ready-made questions and print how many it answered a second."""
    turn = play_pb2.Turn(
        decision=300,
        phase=cards_pb2.PHASE_DRAW,
        hand=0x3FF << 40,
        top=17,
        stock=20,
        events=bytes(8),
        options=play_pb2.Options(may_take=True, may_draw=True),
    )
    turns = play_pb2.Turns(clock_left_ms=300_000, turns=[turn])
    question = play_pb2.PlayResponse(turns=turns).SerializeToString()
    rate = asyncio.get_running_loop().create_future()

    async def play(_requests: object, context: aio.ServicerContext[bytes, bytes]) -> None:
        await context.read()
        await context.write(b"")
        await context.read()
        start = time.monotonic()
        for number in range(PING + PING // 10):
            if number == PING // 10:
                start = time.monotonic()
            await context.write(question)
            await context.read()
        rate.set_result(PING / (time.monotonic() - start))
        over = play_pb2.PlayResponse(match_over=play_pb2.MatchOver())
        await context.write(over.SerializeToString())

    server = aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(play)
    service = grpc.method_handlers_generic_handler("knockbox.v1.PlayService", {"Play": handler})
    server.add_generic_rpc_handlers((service,))
    server.add_insecure_port(address)
    await server.start()
    print("ready", flush=True)
    print(await rate, flush=True)
    await server.stop(1)


async def ping_pong() -> float:
    """Round trips a second between a bare server and one bot."""
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        address = f"unix://{folder}/s.sock"
        server = await _self("--ping", address, stdout=asyncio.subprocess.PIPE)
        assert server.stdout is not None
        await server.stdout.readline()
        bot = await _bot("throw", address, "")
        rate = float(await server.stdout.readline())
        await bot.wait()
        await server.wait()
        return rate


async def refereed(channel: aio.Channel, kind: str, boards: int) -> float:
    """Decisions a second between two bots, the first and last tenth of the games left out."""
    call: Any = match_pb2_grpc.MatchServiceStub(channel).HostMatch()
    await call.write(match_pb2.HostMatchRequest(open=_opening(boards)))
    bots: list[asyncio.subprocess.Process] = []
    marks: list[tuple[float, int, int]] = []
    async for response in call:
        if response.HasField("leg_opened"):
            doors = response.leg_opened.doors
            bots = [await _bot(kind, door.address, door.ticket) for door in doors]
        elif response.HasField("progress"):
            progress = response.progress
            marks.append((time.monotonic(), progress.decisions, progress.games_over))
        elif response.HasField("leg_over"):
            break
    call.cancel()
    for bot in bots:
        await bot.wait()
    games = UNITS[boards]
    steady = [mark for mark in marks if games // 10 <= mark[2] <= games - max(1, boards)]
    (start, before, _), (end, after, _) = steady[0], steady[-1]
    return (after - before) / (end - start)


def _opening(boards: int) -> match_pb2.Open:
    clock = play_pb2.ClockSettings(bank_per_game_ms=60_000, cap_ms=60_000)
    plan = replay_pb2.Plan(
        units=UNITS[boards], boards=boards, pairing=replay_pb2.PAIRING_UNITS, clock=clock
    )
    bots = [replay_pb2.BotIdentity(name=name, version="sha256:0") for name in ("one", "two")]
    return match_pb2.Open(
        match_id=f"bench-{boards}",
        fence=1,
        rules=to_proto(resolve("spanish_single")),
        plan=plan,
        bots=bots,
        secret=seed_secret("bench"),
        seeded=True,
    )


@asynccontextmanager
async def _referee() -> AsyncIterator[aio.Channel]:
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        control = f"unix://{folder}/c/s.sock"
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "referee",
            "--control",
            control,
            "--run-dir",
            f"{folder}/r",
            "--progress",
            "0.05",
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with aio.insecure_channel(control) as channel:
                await asyncio.wait_for(channel.channel_ready(), 10)
                yield channel
        finally:
            process.terminate()
            await process.wait()


async def _bot(kind: str, address: str, ticket: str) -> asyncio.subprocess.Process:
    variables = {**os.environ, "KNOCKBOX_REFEREE": address, "KNOCKBOX_TICKET": ticket}
    return await _self("--bot", kind, env=variables)


async def _self(*arguments: str, **options: Any) -> asyncio.subprocess.Process:
    command = (sys.executable, "-m", "benchmarks.decisions", *arguments)
    return await asyncio.create_subprocess_exec(*command, **options)


async def measure(rounds: int, kinds: list[str]) -> dict[str, list[float]]:
    """Rates by case, one a round."""
    rates: dict[str, list[float]] = {}
    async with _referee() as channel:
        for _ in range(rounds):
            rates.setdefault("ping-pong", []).append(await ping_pong())
            for kind in kinds:
                for boards in UNITS:
                    rate = await refereed(channel, kind, boards)
                    rates.setdefault(f"{kind} {boards}", []).append(rate)
    return rates


def rows(rates: dict[str, list[float]]) -> Iterator[dict[str, Any]]:
    """A row for each case: medians of the rate and of its ratio to the round's ping-pong."""
    base = rates["ping-pong"]
    for case, values in rates.items():
        kind, _, boards = case.partition(" ")
        ratios = [value / bare for value, bare in zip(values, base, strict=True)]
        yield {
            "case": kind,
            "boards": int(boards) if boards else None,
            "per_second": round(statistics.median(values)),
            "ratio": round(statistics.median(ratios), 2),
            "aim": AIMS.get(case),
        }


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark, or one of its processes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decisions", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kinds", nargs="+", choices=("throw", "greedy"))
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    parser.add_argument("--bot", choices=("throw", "greedy"), help=argparse.SUPPRESS)
    parser.add_argument("--ping", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.bot:
        run_bot(asked.bot)
        return 0
    if asked.ping:
        asyncio.run(run_ping(asked.ping))
        return 0
    table = list(rows(asyncio.run(measure(asked.rounds, asked.kinds or ["throw", "greedy"]))))
    if asked.json:
        print(json.dumps({"decisions": table}))
        return 0
    print("Decisions a second through the referee, two bots; ratio to a bare gRPC ping-pong")
    for row in table:
        aim = f"aim {row['aim']:5.2f}" if row["aim"] else ""
        print(
            f"  {row['case']:<10}{row['boards'] or '':>3} boards "
            f"{row['per_second']:>8}/s  {row['ratio']:6.2f} x  {aim}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
