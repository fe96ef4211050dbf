"""An API without supervisor: it says itself that it is the arena of its data folder.

So the command line finds it like one of `knockbox up`, wherever the data folder is seen.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata

from arena.api.server import ApiSettings
from arena.local import state
from arena.local.state import ArenaState


@contextmanager
def arena_of(settings: ApiSettings, control: str, redis_url: str) -> Iterator[None]:
    """While this lasts nobody else is the arena of this folder. Raises OSError where one is."""
    settings.data.mkdir(parents=True, exist_ok=True)
    held = state.lock(settings.data)
    if held is None:
        raise OSError(f"another arena runs for {settings.data}")
    try:
        state.write(
            settings.data,
            ArenaState(
                pid=os.getpid(),
                version=metadata.version("knockbox"),
                data=str(settings.data),
                api=settings.listen,
                control=control,
                runtime="",
                redis_url=redis_url,
                store=settings.store,
                started=time.time(),
                ready=True,
            ),
        )
        yield
    finally:
        state.forget(settings.data)
        os.close(held)
