"""`knockbox worker`: another worker beside the arena of this machine, in this process."""

import os
import sys
from pathlib import Path
from typing import Annotated

from arena.cli import options, output
from arena.cli.errors import unreachable, usage
from arena.cli.options import Data, number

MOST = 256


def worker(
    *,
    slots: Annotated[int, number("Matches at a time.")] = 1,
    data: Data = None,
) -> None:
    """Play matches of the arena of this machine, as many of these side by side as it bears.

    It stays here. Ctrl-C or SIGTERM: it takes no new match, plays the running ones to their end
    (KNOCKBOX_FINISH_S at most) and ends; Ctrl-C again: at once, its matches are put back.

    Example: knockbox worker --slots 2
    """
    from arena.cli.client import NOT_RUNNING
    from arena.local import services, state

    if not 1 <= slots <= MOST:
        raise usage(f"--slots is {slots}: 1 to {MOST}")
    settings = options.settings(data)
    found = state.read(settings.data)
    if found is None:
        raise unreachable(NOT_RUNNING.format(data=settings.data))
    output.note(f"plays for the arena of {found.data}, {slots} at a time (Ctrl-C ends it)")
    wiring = services.Wiring(
        found.data, found.control, found.redis_url, found.launch, found.sandbox
    )
    variables = services.shared(options.environment(), wiring)
    os.chdir(Path("/"))  # a folder of the user's could hide our modules
    command = services.worker_command(slots)
    os.execve(sys.executable, command, variables)  # noqa: S606 - our own module, in our place
