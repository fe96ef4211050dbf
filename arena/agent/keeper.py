"""Runs a bot's program for one leg; when this ends, so has all that the program has started.

`python -m arena.agent.keeper GRACE_S FOLDER PROGRAM ARGUMENTS…`, started on a leash. The program
runs in FOLDER, in a session of its own; who leaves that session and loses its parent becomes a
child of the keeper (Linux), and is found so. At SIGTERM, which the agent's death sends too, the
program has GRACE_S seconds to leave. The keeper ends as its program has ended.
"""

import asyncio
import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from arena.local import processes


async def keep(grace_s: float, folder: str, command: Sequence[str]) -> int:
    """Run it to its end, or to SIGTERM; its return code, when nothing of it is left."""
    processes.adopt_orphans()
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, told.set)
    process = await asyncio.create_subprocess_exec(
        *processes.leash(command, signal.SIGKILL), cwd=folder, start_new_session=True
    )
    # Orphans that end before the program does are to leave no zombies.
    reap = partial(processes.sweep, {process.pid}, kill=False)
    loop.add_signal_handler(signal.SIGCHLD, reap)
    ends = [asyncio.ensure_future(process.wait()), asyncio.ensure_future(told.wait())]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    await processes.end(process, signal.SIGTERM, grace_s)
    await processes.sweep_all()
    for end in ends:
        end.cancel()
    return await process.wait()


def main(arguments: Sequence[str]) -> None:
    """Keep a program, and end as it has ended."""
    grace_s, folder, *command = arguments
    status = asyncio.run(keep(float(grace_s), folder, command))
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # SIGKILL can have no handler
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


if __name__ == "__main__":
    main(sys.argv[1:])
