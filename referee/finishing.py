"""Work that is finished whatever happens: what would stay behind if it were cancelled half way."""

import asyncio
from collections.abc import Awaitable
from typing import Any


async def whole(work: Awaitable[Any]) -> None:
    """Finish the work even when this task is cancelled meanwhile; the cancellation comes after.

    Once is not enough: gRPC cancels a call's task again while it clears up.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    await task
    if cancelled is not None:
        raise cancelled
