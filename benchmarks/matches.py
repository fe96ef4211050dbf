"""What whole matches cost: several at once, bytes a decision, and the memory of referee and bot.

Rates are multiples of a rate of the same round; one match keeps about one processor busy, so that
four gain only what other processors have to spare. Bytes are those of the referee's messages with
turns, as a bot reads them. Memory is resident, shared pages included, as `/proc` says; without
`/proc` it is not measured. Megabytes are millions of bytes.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks import stage

AT_ONCE = 4
_UNITS = 48
BOARDS = 64
DEALS = 10_000
"""What growth is measured over by default, and what it is always stated for."""
_MATCH_DEALS = 2_000
_WARM_UP = 3
_BYTES_UNITS = 512
_BOT_UNITS = 512
_SAMPLES = Path(__file__).parent.parent / "sample_bots" / "python"
# At least so many times one match; at most so many bytes, and megabytes.
_AIMS = {"matches": 1.4, "bytes": 75.0, "growth": 5.0, "bot": 45.0}


async def measure(rounds: int, deals: int = DEALS) -> list[dict[str, Any]]:
    """A row for each figure: `figure`, `value`, `unit`, `aim`, `within` the aim, `note`."""
    ratios: list[float] = []
    busy = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors when it began"
    async with stage.referee() as on:
        for _ in range(rounds):
            one = await _rate(on, 1)
            ratios.append(await _rate(on, AT_ONCE) / one)
        plain = await _bytes(on, "throw")
        counted = await _bytes(on, "greedy")
        bot = await _bot_memory(on)
    rows = [
        _row(
            f"{AT_ONCE} matches of 1 board at once", statistics.median(ratios), "x", "matches", busy
        ),
        _row(f"a decision, {BOARDS} boards", plain, "bytes", "bytes"),
        _row(f"a decision, {BOARDS} boards, deadwood wanted", counted, "bytes", "bytes"),
    ]
    if bot is not None:
        growth, played = await _growth(deals)
        note = f"{played:,} played in matches of {_MATCH_DEALS:,}"
        note += "" if played == DEALS else f", scaled to {DEALS:,}"
        rows.append(_row(f"referee's growth, {DEALS:,} deals", growth, "MB", "growth", note))
        rows.append(_row("an SDK bot, at its largest", bot, "MB", "bot"))
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """The figures for people."""
    lines = ["Matches: several against one of the same round, bytes, resident memory"]
    for row in rows:
        sense = "at least" if row["unit"] == "x" else "at most"
        note = f"   ({row['note']})" if row["note"] else ""
        lines.append(
            f"  {row['figure']:<40}{row['value']:8.2f} {row['unit']:<6}"
            f"   aim {sense} {row['aim']:g}{note}"
        )
    return "\n".join(lines)


def _row(figure: str, value: float, unit: str, aim: str, note: str = "") -> dict[str, Any]:
    within = value >= _AIMS[aim] if unit == "x" else value <= _AIMS[aim]
    return {
        "figure": figure,
        "value": round(value, 2),
        "unit": unit,
        "aim": _AIMS[aim],
        "within": within,
        "note": note,
    }


async def _rate(on: stage.Stage, matches: int) -> float:
    """Decisions a second of so many matches, while all of them are in full swing."""
    played = await asyncio.gather(
        *(stage.play(on, stage.opening(_UNITS, 1), stage.bot("throw")) for _ in range(matches))
    )
    steady = [stage.steady(marks, _UNITS, 1) for marks, _ in played]
    begin = max(marks[0].time for marks in steady)
    end = min(marks[-1].time for marks in steady)
    return sum(_at(marks, end) - _at(marks, begin) for marks in steady) / (end - begin)


def _at(marks: list[stage.Mark], time: float) -> float:
    """Decisions at a time between the first mark and the last, on the line from mark to mark."""
    before, after = next((a, b) for a, b in pairwise(marks) if a.time <= time <= b.time)
    share = (time - before.time) / (after.time - before.time)
    return before.decisions + share * (after.decisions - before.decisions)


async def _bytes(on: stage.Stage, kind: str) -> float:
    """Bytes of the referee's messages by decision, the news of deals among them."""
    bot = stage.bot(kind, asyncio.subprocess.PIPE)
    _, said = await stage.play(on, stage.opening(_BYTES_UNITS, BOARDS), bot)
    read = [json.loads(line) for line in said]
    return sum(one["bytes"] for one in read) / sum(one["decisions"] for one in read)


async def _growth(deals: int) -> tuple[float, int]:
    """What a warm referee grows by in whole matches, scaled to `DEALS`, and the deals it played.

    Megabytes; what it holds of a match while that match is played is not growth and not in here.
    """
    matches = max(1, round(deals / _MATCH_DEALS))
    async with stage.referee() as on:
        before = 0
        for number in range(_WARM_UP + matches):
            if number == _WARM_UP:
                before = _resident(on.pid)
            opening = stage.opening(_MATCH_DEALS // 2, BOARDS)
            await stage.play(on, opening, stage.bot("greedy"), legs=2)
        played = matches * _MATCH_DEALS
        return (_resident(on.pid) - before) / 1e6 * DEALS / played, played


async def _bot_memory(on: stage.Stage) -> float | None:
    """The most that either of two greedy bots of the Python SDK held in a leg, in megabytes."""
    pids: list[int] = []
    peak = 0

    async def start(address: str, ticket: str) -> stage.Process:
        variables = {
            **os.environ,
            "KNOCKBOX_REFEREE": address,
            "KNOCKBOX_TICKET": ticket,
            "PYTHONPATH": str(_SAMPLES),
        }
        command = (sys.executable, str(_SAMPLES / "greedy" / "bot.py"))
        quiet = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(*command, env=variables, stderr=quiet)
        pids.append(process.pid)
        return process

    if not Path("/proc/self/statm").exists():
        return None
    match = asyncio.ensure_future(stage.play(on, stage.opening(_BOT_UNITS, BOARDS), start))
    while not match.done():
        await asyncio.wait([match], timeout=0.05)
        peak = max([peak, *(_resident(pid) for pid in pids)])
    await match
    return peak / 1e6


def _resident(pid: int) -> int:
    """Resident bytes of a process; 0 when it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matches", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds to take medians of")
    parser.add_argument(
        "--deals", type=int, default=DEALS, help="deals to watch growth over, in whole matches"
    )
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    asked = parser.parse_args()
    found = asyncio.run(measure(asked.rounds, asked.deals))
    print(json.dumps({"matches": found}) if asked.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
