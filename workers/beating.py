"""A claim is renewed while somebody works in its name, and its end is known in time."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from workers.store import DOWN


async def beat(renew: Callable[[], bool], lease_s: float, beat_s: float) -> None:
    """Renew a claim every `beat_s` seconds until it is lost: refused, or not renewed for as long as
    it lasts. Whoever works in its name stops when this returns, for then another may begin.

    `renew` is run in a thread; where it waits for a store that is away, nobody waits for it longer
    than the claim lasts.
    """
    time = asyncio.get_running_loop().time
    end = time() + lease_s
    with suppress(TimeoutError):
        while True:
            async with asyncio.timeout_at(end):
                await asyncio.sleep(beat_s)
                asked = time()
                with suppress(*DOWN):
                    if not await asyncio.to_thread(renew):
                        return
                    end = asked + lease_s
