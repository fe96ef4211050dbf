"""Decisions a second through a whole referee, as multiples of a bare gRPC ping-pong.

Every case is a server process and bot processes on this machine over unix sockets; the cases of a
round run one after the other and rounds are interleaved, so that a busy minute hits all alike.
Read the ratios: the rates depend on the machine. The bots are those of `benchmarks.stage`.

The bare ping-pong is one bot and a server that writes one ready-made question, of the size that a
referee writes at one board, and reads one answer, again and again: what gRPC alone allows.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import grpc
from grpc import aio

from benchmarks import stage
from knockbox.v1 import cards_pb2, play_pb2

AIMS = {"throw 1": 0.85, "throw 16": 7.0, "throw 64": 18.0, "greedy 64": 13.0}
UNITS = {1: 64, 16: 512, 64: 1024}
PING = 6000


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
        command = (sys.executable, "-m", "benchmarks.decisions", "--ping", address)
        server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        assert server.stdout is not None
        await server.stdout.readline()
        bot = await stage.bot("throw")(address, "")
        rate = float(await server.stdout.readline())
        await bot.wait()
        await server.wait()
        return rate


async def refereed(on: stage.Stage, kind: str, boards: int) -> float:
    """Decisions a second between two bots, the first and last tenth of the games left out."""
    games = UNITS[boards]
    marks, _ = await stage.play(on, stage.opening(games, boards), stage.bot(kind))
    steady = stage.steady(marks, games, boards)
    first, last = steady[0], steady[-1]
    return (last.decisions - first.decisions) / (last.time - first.time)


async def measure(rounds: int, kinds: list[str]) -> dict[str, list[float]]:
    """Rates by case, one a round."""
    rates: dict[str, list[float]] = {}
    async with stage.referee() as on:
        for _ in range(rounds):
            rates.setdefault("ping-pong", []).append(await ping_pong())
            for kind in kinds:
                for boards in UNITS:
                    rate = await refereed(on, kind, boards)
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
    parser.add_argument("--kinds", nargs="+", choices=stage.KINDS)
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    parser.add_argument("--ping", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.ping:
        asyncio.run(run_ping(asked.ping))
        return 0
    table = list(rows(asyncio.run(measure(asked.rounds, asked.kinds or list(stage.KINDS)))))
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
