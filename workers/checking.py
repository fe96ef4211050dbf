"""Has candidates checked where matches are played: at the referee, in the launcher that they need.

What is checked, and what is said of it, is `workers.check`'s.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc.aio

from referee.rules.ruleset import resolve
from workers.attempt import AttemptVoid, BotSpec
from workers.check.course import check
from workers.check.rows import Row
from workers.check.stage import RIVALS, Place
from workers.examine import Candidate, NoVerdictError
from workers.folders import Folders
from workers.intake import Intake, NoEngineError, RefusedError, Taken, made
from workers.player import Launchers
from workers.sandbox import manifest

RULES = "danish"
"""The rules of tournaments where nothing else is said."""
SAMPLES = Path(__file__).parents[1] / "sample_bots" / "python"


class Checking:
    """Checks candidates at the referee behind `control`, against packaged bots that `intake` makes
    the images of. Knows no store."""

    def __init__(
        self,
        folders: Folders,
        intake: Intake,
        launchers: Launchers,
        control: str,
        referee_wait_s: float,
    ) -> None:
        self._folders = folders
        self._intake = intake
        self._launchers = launchers
        self._control = control
        self._wait_s = referee_wait_s

    async def __call__(self, candidate: Candidate) -> AsyncIterator[Row]:
        """The rows of one check. Raises NoVerdictError where something of the arena's fails."""
        boxed = bool(candidate.image)
        launcher = self._launchers.containers if boxed else self._launchers.processes
        rivals = {name: await asyncio.to_thread(self._rival, name, boxed=boxed) for name in RIVALS}
        folder = candidate.folder or self._folders.snapshot(candidate.version)
        subject = BotSpec(candidate.name, candidate.version, folder, candidate.image)
        async with grpc.aio.insecure_channel(self._control) as channel:
            try:
                async with asyncio.timeout(self._wait_s):
                    await channel.channel_ready()
            except TimeoutError:
                raise NoVerdictError("no referee answers") from None
            place = Place(channel, launcher, rivals, self._folders.incoming_folder)
            try:
                async for row in check(subject, place, resolve(RULES)):
                    yield row
            except AttemptVoid as error:
                raise NoVerdictError(f"{error.cause}: {error.detail}") from None

    def _rival(self, name: str, *, boxed: bool) -> BotSpec:
        """A packaged bot, where it plays from like any version of a bot."""
        folder = manifest.read(SAMPLES / name)
        version = manifest.digest(folder.files)
        taken = Taken(name, version, "", files=folder.files)
        if boxed:
            try:
                taken = made(self._intake.folder(folder))
            except (RefusedError, NoEngineError) as error:
                raise NoVerdictError(f"the packaged bot {name} has no image: {error}") from None
        self._intake.keep(taken)
        return BotSpec(name, version, self._folders.snapshot(version), taken.image)
