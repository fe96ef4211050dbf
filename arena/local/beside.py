"""A referee in this process, beside whoever has something to be played: no service is needed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc.aio
import structlog

from referee import service
from referee.settings import Settings


@asynccontextmanager
async def referee(sockets: Path) -> AsyncIterator[grpc.aio.Channel]:
    """The control channel of a referee that serves during the block; `sockets` is a short folder
    of its own. The seats' sockets lie in its folder `r`."""
    shutdown, ready = asyncio.Event(), asyncio.Event()
    control = f"unix://{sockets / 'c.sock'}"
    settings = Settings(control=control, run_dir=sockets / "r")
    silent = structlog.wrap_logger(
        structlog.ReturnLogger(), wrapper_class=structlog.make_filtering_bound_logger(50)
    )
    serving = asyncio.create_task(service.serve(settings, shutdown, ready.set, silent))
    try:
        await _either(serving, ready.wait())
        async with grpc.aio.insecure_channel(control) as channel:
            yield channel
    finally:
        shutdown.set()
        await serving


async def _either(serving: asyncio.Task[None], ready: Awaitable[object]) -> None:
    """Wait for the referee to be ready; raise what it ended with if it never is."""
    waiting = asyncio.ensure_future(ready)
    await asyncio.wait([serving, waiting], return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        waiting.cancel()
        serving.result()
