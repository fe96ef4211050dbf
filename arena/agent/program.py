"""What the agent starts for each leg: the bot's command, in the bot's folder, with two variables.

It is its author's own program on its author's machine: it has this user's environment but for what
opens the arena, its output goes where the agent's goes, and no limit holds it but the referee's.
"""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.local import processes
from workers.sandbox import manifest
from workers.sandbox.declaration import base

_SECRET = "KNOCKBOX_"  # noqa: S105 - a prefix
_KEEPER_S = 3.0
"""Seconds in which a keeper whose program has ended has ended what is left of it."""


class Program(NamedTuple):
    """A bot's name, the command that starts it, and the folder in which that is said."""

    name: str
    command: tuple[str, ...]
    folder: Path


def of_folder(folder: Path, copy: Path) -> Program:
    """The program of a bot's folder. Raises BotError.

    It runs where it is; where its manifest names folders elsewhere, in a `copy` that has them too.
    """
    found = manifest.manifest_of(folder)
    if all((folder / base(include)).is_dir() for include in found.include):
        return Program(found.name, found.command, folder.absolute())
    packed = manifest.read(folder)
    manifest.unpack(packed.files, copy)
    return Program(packed.name, packed.command, copy)


def of_command(name: str, command: Sequence[str]) -> Program:
    """A command of this folder's."""
    return Program(name, tuple(command), Path.cwd())


async def start(
    program: Program, environ: Mapping[str, str], variables: Mapping[str, str], grace_s: float
) -> asyncio.subprocess.Process:
    """Start it below a keeper, which is what is returned and ends as the program does.

    It dies with the agent, and has `grace_s` to leave when it is told to. Raises OSError. Call it
    in the main thread.
    """
    known = {name: value for name, value in environ.items() if not name.startswith(_SECRET)}
    # Bots are written for the interpreter that Knockbox has, as far as they are Python.
    known["PATH"] = f"{Path(sys.executable).parent}:{known.get('PATH', os.defpath)}"
    first = program.command[0]
    place = shutil.which(first, path=known["PATH"]) if "/" not in first else None
    command = [place or str(program.folder / first), *program.command[1:]]
    if not os.access(command[0], os.X_OK):
        raise FileNotFoundError(f"{first} is no program here")
    keeper = [sys.executable, "-m", "arena.agent.keeper", str(grace_s), str(program.folder)]
    return await asyncio.create_subprocess_exec(
        *processes.leash([*keeper, *command], signal.SIGTERM),
        cwd="/",  # the bot's folder could hide our modules
        env={**known, "PYTHONUNBUFFERED": "1", **variables},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=sys.stderr.fileno(),
        start_new_session=True,
    )


async def end(process: asyncio.subprocess.Process, grace_s: float) -> None:
    """End it and all that it started, `grace_s` being what it was started with."""
    await processes.end(process, signal.SIGTERM, grace_s + _KEEPER_S)
