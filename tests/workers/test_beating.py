"""Claims that are renewed while somebody works: how the end of one is noticed."""

import asyncio
import threading
from typing import Any

import pytest

from workers.beating import beat
from workers.store import DOWN

pytestmark = pytest.mark.anyio


async def test_a_claim_that_is_refused_ends_it() -> None:
    """Somebody else has it by now: nothing is renewed after that."""
    answers = [True, True, False]
    await beat(lambda: answers.pop(0), lease_s=60.0, beat_s=0.0)
    assert answers == []


async def test_a_store_that_fails_for_a_while_ends_nothing() -> None:
    """What counts is the last renewal, not that one failed."""
    answers: list[Any] = [DOWN[0]("away"), True, DOWN[1]("late"), False]

    def renew() -> bool:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    await beat(renew, lease_s=60.0, beat_s=0.0)
    assert answers == []


@pytest.mark.parametrize("how", ["fails", "hangs"])
async def test_a_claim_that_cannot_be_renewed_ends_with_its_lease(how: str) -> None:
    """A store that is away, or never answers, keeps nobody at work whose claim another may have."""
    let_go = threading.Event()

    def renew() -> bool:
        if how == "hangs":
            let_go.wait()
        raise DOWN[0]("away")

    beating = asyncio.create_task(beat(renew, lease_s=0.05, beat_s=0.0))
    try:
        done, _ = await asyncio.wait([beating], timeout=20.0)
    finally:
        let_go.set()
    assert done == {beating}
