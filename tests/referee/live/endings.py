"""Every way in which a leg can end, as a table: who does what, and whose loss it is.

`python -m tests.referee.live.endings` plays all of it, each case with every seat of the table as
the one under test, and prints case, seat, expected and got; words given to it choose among the
cases. The cases are in `endings_alone` and `endings_together`, the steps of their bots in
`endings_script` and `endings_play`, what `expected` says in `endings_stage.ending`.
"""

import asyncio
import io
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import NamedTuple

from tests.referee.live.endings_alone import alone
from tests.referee.live.endings_stage import Case, ending
from tests.referee.live.endings_together import together
from tests.referee.live.live_kit import Kit, running
from tests.sandbox.process_endings import process_endings

CASES = (*alone(), *together())
AT_ONCE = 6
"""Endings that are played at once; where clocks run out it is two."""


class Got(NamedTuple):
    """What came of a case with one seat as the one under test."""

    case: Case
    seat: int
    what: str

    @property
    def right(self) -> bool:
        return self.what == self.case.expected


async def endings(cases: Iterable[Case]) -> AsyncIterator[Got]:
    """Play cases with every seat as the one under test, those of equal settings side by side."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(repr(sorted(case.all_settings.items())), []).append(case)
    for group in groups.values():
        timed = any("time" in case.expected for case in group)
        limit = asyncio.Semaphore(2 if timed else AT_ONCE)
        async with running(io.StringIO(), **group[0].all_settings) as kit:
            playing = [
                asyncio.ensure_future(_one(kit, case, seat, limit))
                for case in group
                for seat in range(case.seats)
            ]
            for each in playing:
                yield await each


async def _one(kit: Kit, case: Case, seat: int, limit: asyncio.Semaphore) -> Got:
    async with limit:
        try:
            return Got(case, seat, await ending(kit, case, seat))
        except Exception as error:  # noqa: BLE001 - it is shown as what came of it
            return Got(case, seat, repr(error))


async def main(words: list[str]) -> int:
    """Print the table. The exit code is 1 where an ending is not as expected."""
    chosen = [case for case in CASES if all(word in f"{case.phase} {case.name}" for word in words)]
    print(f"{'case':<50} {'seat':<4} {'expected':<40} got")
    wrong = number = 0
    async for got in endings(chosen):
        number += 1
        wrong += not got.right
        name = f"{got.case.phase}: {got.case.name}"
        mark = "" if got.right else "   <-- not as expected"
        print(f"{name:<50} {got.seat:<4} {got.case.expected:<40} {got.what}{mark}", flush=True)
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        async for program, ends in process_endings(Path(folder), words):
            for seat, what in enumerate(ends):
                number += 1
                wrong += what != program.expected
                mark = "" if what == program.expected else "   <-- not as expected"
                name = f"process: {program.name}"
                print(f"{name:<50} {seat:<4} {program.expected:<40} {what}{mark}", flush=True)
    print(f"{number} endings, {wrong} not as expected")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
