"""The table of endings: each is as it is written there, for every seat."""

from typing import Any

import pytest

from tests.referee.live.endings import CASES, endings

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("phase", dict.fromkeys(case.phase for case in CASES))
async def test_endings(no_tasks_left: None, cases: Any, phase: str) -> None:
    """Whatever a bot does, exactly what it deserves is lost, whichever seat it has."""
    chosen = [case for case in CASES if case.phase == phase]
    wrong = {
        f"{got.case.name}, seat {got.seat}": (got.case.expected, got.what)
        async for got in endings(chosen)
        if not got.right
    }
    assert wrong == {}
    cases["endings of a leg, seat by seat"] += sum(case.seats for case in chosen)
