"""One bot's check in this process: referee, launcher and course, and no service."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from arena.local import beside, boxes, builds, ending, leftovers, places
from arena.local.sandbox import SandboxError
from referee.rules.ruleset import Ruleset
from workers.attempt import AttemptVoid, BotSpec
from workers.check import course, folder
from workers.check.rows import Row
from workers.check.stage import RIVALS, Place
from workers.codes import CODES, Blame
from workers.sandbox import manifest
from workers.sandbox.launcher import Launcher
from workers.sandbox.manifest import BotFolder


class Wish(NamedTuple):
    """What is to be checked, and how it runs: auto, container or process, with the engine at
    `engine`. `rivals` are the packaged bots of `RIVALS`, in that order."""

    bot: BotFolder
    rivals: tuple[BotFolder, ...]
    rules: Ruleset
    sandbox: str
    engine: str


class Hear(NamedTuple):
    """Who hears of what happens: each row, what is played now, and in words how bots run."""

    row: Callable[[Row], None]
    step: Callable[[str], None]
    note: boxes.Note


class CheckError(Exception):
    """The platform failed; nothing has been said against the bot."""


def check(wish: Wish, runtime_base: Path, hear: Hear) -> None:
    """Check it. `runtime_base` is a short folder for sockets.

    Raises CheckError; Ended where a signal came.
    """
    hear.row(folder.read(wish.bot))
    try:
        with ending.ends() as end, leftovers.room(runtime_base) as (sockets, work):
            specs = tuple(
                _unpacked(bot, work / "bots" / str(number))
                for number, bot in enumerate((wish.bot, *wish.rivals))
            )
            bots = boxes.Bots((wish.bot, *wish.rivals), specs)
            chosen = boxes.choice(wish.sandbox, wish.engine, bots, as_in_arena=True)
            if chosen.words:
                hear.note(chosen.words)
            room = boxes.Places(sockets, work)
            with boxes.launcher(chosen, wish.engine, bots, room, hear.note) as (launcher, ready):
                boxed = launcher.sandboxed
                hear.row(folder.built(ready[0].image) if boxed else folder.recipe(wish.bot))
                asyncio.run(end.cancels(_play(wish, launcher, ready, room, hear)))
    except boxes.ImageRefusedError as error:
        own = error.version == manifest.digest(wish.bot.files)
        if not own or CODES[error.refused.code].blame is not Blame.BOT:
            raise CheckError(str(error)) from None
        hear.row(folder.unbuilt(error.refused))
    except builds.BuildFailedError as error:
        hear.row(folder.uncompiled(error.reason, error.lines))
    except AttemptVoid as void:
        raise CheckError(f"the check was broken off: {void}") from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise CheckError(f"{where}{error.strerror or error}") from None
    except (places.PlaceError, SandboxError) as error:
        raise CheckError(str(error)) from None


async def _play(
    wish: Wish, launcher: Launcher, ready: tuple[BotSpec, ...], room: boxes.Places, hear: Hear
) -> None:
    subject, *others = ready
    async with beside.referee(room.sockets) as channel:
        place = Place(channel, launcher, dict(zip(RIVALS, others, strict=True)), room.work)
        async for row in course.check(subject, place, wish.rules, on_step=hear.step):
            hear.row(row)


def _unpacked(bot: BotFolder, snapshot: Path) -> BotSpec:
    manifest.unpack(bot.files, snapshot)
    return BotSpec(bot.name, manifest.digest(bot.files), snapshot)
