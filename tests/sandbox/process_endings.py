"""Endings by what a real program does: exit code, signal, memory and silence told apart.

A bot has seat 0 in the first leg and seat 1 in the second, so that every case is tried on both.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from knockbox.v1 import play_pb2
from referee.verify import verify
from tests.sandbox.attempts import bot, end_referee, left, order, played, sample, start_referee
from workers.attempt import SeatLog


class Program(NamedTuple):
    """A program, and how it ends: `REASON: EXIT`. `seconds` bound its thinking."""

    name: str
    source: str
    expected: str
    seconds: int = 20


RUN = "from knockbox_sdk import run, Action\nimport os, sys, time\n"
BUSY = RUN + "def bot(state):\n    "
EXITS = BUSY + "{}\nrun(bot)"
PROGRAMS = (
    Program("exits-0-at-once", "print('bye')", "crash: code 0"),
    Program("exits-7-at-once", "raise SystemExit(7)", "crash: code 7"),
    Program("killed-at-once", "import os\nos.kill(os.getpid(), 9)", "crash: signal 9"),
    Program("raises-in-play", EXITS.format("1 / 0"), "crash: code 1"),
    Program("exits-0-in-play", EXITS.format("os._exit(0)"), "crash: code 0"),
    Program("killed-in-play", EXITS.format("os.kill(os.getpid(), 9)"), "crash: signal 9"),
    Program("aborts-in-play", EXITS.format("os.abort()"), "crash: signal 6"),
    Program(
        "eats-memory",
        BUSY + "global food\n    food = bytearray(300 << 20)\n    time.sleep(600)\nrun(bot)",
        "memory: signal 9",
    ),
    Program("hangs", EXITS.format("time.sleep(600)"), "time: stopped", seconds=2),
    Program(
        "cheats",
        RUN + "run(lambda state: Action(state.turn.decision, 'discard', 77))",
        "illegal: code 0",
    ),
    Program("never-connects", "import time\ntime.sleep(600)", "no_show: stopped"),
)


async def process_endings(
    folder: Path, words: list[str]
) -> AsyncIterator[tuple[Program, list[str]]]:
    """Each program that all words fit, with what came of it, seat by seat."""
    for program in PROGRAMS:
        if all(word in f"process {program.name}" for word in words):
            yield program, await process_ending(folder / program.name, program)


async def process_ending(folder: Path, program: Program) -> list[str]:
    """What came of a program on seat 0 and on seat 1; the other bot loses nothing by it."""
    folder.mkdir()
    milliseconds = program.seconds * 1000
    clock = play_pb2.ClockSettings(bank_per_game_ms=milliseconds, cap_ms=milliseconds)
    bots = bot(folder, program.name, program.source), sample(folder, "greedy")
    referee = start_referee(connect=2.0 if "no_show" in program.expected else 20.0)
    try:
        attempt = await played(
            referee, folder, order(*bots, units=1, clock=clock, memory=200 << 20)
        )
    finally:
        end_referee(referee)
    faulty, other = attempt.result.bots
    assert (faulty.forfeits, faulty.lost, other.won, other.forfeits) == (2, 2, 2, 0)
    assert {log.reason for log in attempt.logs if log.bot == 1} == {"played"}
    assert verify(attempt.replay_path).ok
    attempt.replay_path.unlink()
    assert left(folder) == []
    return [f"{log.reason}: {how(log)}" for log in attempt.logs if log.bot == 0]


def how(log: SeatLog) -> str:
    """How a program ended."""
    exited = log.exited
    if exited is None:
        return "unknown"
    if exited.stopped:
        return "stopped"
    return f"signal {exited.signal}" if exited.signal else f"code {exited.code}"
