"""The tasks. Each is short, takes ids and nothing else, and may run any number of times.

A message may be junk: whoever can write to the broker can send anything. What does not fit is
dropped with a reason, and the worker lives on.
"""

import asyncio
import signal
from collections.abc import Coroutine
from functools import cached_property, partial
from typing import Any

import structlog
from celery import Celery

from workers.folders import Folders
from workers.names import complaint, split_match_id
from workers.settings import Settings


class Parts:
    """What the tasks of one process work with, each made when it is first needed."""

    def __init__(self, app: Celery, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    @cached_property
    def store(self) -> Any:
        """The result store."""
        from workers.store import open_store

        return open_store(self._settings.redis_url)

    @cached_property
    def messages(self) -> Any:
        """The way to the queues."""
        from workers.messages import Messages

        return Messages(self._app)

    @cached_property
    def player(self) -> Any:
        """What plays matches."""
        from workers.hall import Hall
        from workers.player import Player

        folders = Folders(self._settings.data)
        folders.make()
        return Player(
            self.store,
            folders,
            self._settings.limits,
            self._settings.timing,
            self._launchers,
            self._settings.control,
            hall=Hall(self.store, self._settings.waiting),
            waits=self._settings.waits,
        )

    @cached_property
    def _launchers(self) -> Any:
        """How programs are started."""
        from workers.player import Launchers
        from workers.sandbox.containers import ContainerLauncher
        from workers.sandbox.processes import ProcessLauncher

        processes = ProcessLauncher(Folders(self._settings.data).work)
        return Launchers(processes, ContainerLauncher(self._settings.launch))

    @cached_property
    def examiner(self) -> Any:
        """What builds and checks submissions."""
        from workers.checking import Checking
        from workers.examine import Examiner
        from workers.intake import Intake

        folders = Folders(self._settings.data)
        folders.make()
        settings = self._settings
        strict = bool(settings.launch) and settings.sandbox != "process"
        intake = Intake(folders, self.store.images, settings.launch, strict=True)
        check = Checking(
            folders, intake, self._launchers, settings.control, settings.referee_wait_s
        )
        return Examiner(
            self.store, folders, settings.launch, check, settings.patience, strict=strict
        )

    @cached_property
    def recorder(self) -> Any:
        """What records matches."""
        from workers.recorder import Recorder

        folders = Folders(self._settings.data)
        folders.make()
        return Recorder(self.store, folders, self._settings.limits)

    def top_up(self, tournament_id: str) -> int:
        """Keep enough matches of a tournament on their way; how many were sent."""
        from workers.schedule import top_up

        return top_up(self.store, tournament_id, self._settings.window, self.messages.play)

    def wake(self, freed: tuple[str, ...]) -> None:
        """Send out a match for each of these bots that dial in, and have a slot free now."""
        for bot in freed:
            for match_id in self.store.dial.wake(bot, 1):
                self.messages.play(match_id)


def register(app: Celery, settings: Settings) -> None:
    """Give an application its tasks."""
    parts = Parts(app, settings)
    log = structlog.get_logger("tasks")

    def task(*kinds: type) -> Any:
        """Register a function of so many arguments of these types under its own name."""
        return partial(_register, app, kinds)

    @task(str)
    def play_match(match_id: str) -> None:
        played = asyncio.run(_stoppable(parts.player.play(match_id)))
        if played.word == "sealed":
            parts.messages.record(match_id, played.fence)
        elif played.word in ("dead", "void", "waits"):
            parts.top_up(match_id.rpartition(".")[0])
        else:
            log.info("not played", match=match_id, why=played.word)
        parts.wake(played.freed)

    @task(str)
    def examine(submission_id: str) -> None:
        word = asyncio.run(_stoppable(parts.examiner.examine(submission_id)))
        if word not in ("accepted", "refused"):
            log.info("not settled", submission=submission_id, why=word)

    @task(str, int)
    def record(match_id: str, fence: int) -> None:
        verdict = parts.recorder.record(match_id, fence)
        if verdict.word not in ("recorded", "dup"):
            log.warning("not recorded", match=match_id, fence=fence, why=verdict.word)
        if verdict.tournament:
            parts.top_up(verdict.tournament)

    @task(str)
    def top_up(tournament_id: str) -> None:
        parts.top_up(tournament_id)


def _register(app: Celery, kinds: tuple[type, ...], function: Any) -> Any:
    """Make a function a task that drops what does not fit."""

    def run(*args: Any, **kwargs: Any) -> None:
        if why := unfit(args, kwargs, kinds):
            structlog.get_logger("tasks").warning("dropped", task=function.__name__, why=why)
            return
        function(*args)

    return app.task(run, name=f"knockbox.{function.__name__}", lazy=False)


async def _stoppable(work: Coroutine[Any, Any, Any]) -> Any:
    """Do it; SIGTERM, which is what the pool's end sends, has it put back in order."""
    working = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, working.cancel)
    try:
        return await working
    except asyncio.CancelledError:
        raise SystemExit(0) from None
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def unfit(args: tuple[Any, ...], kwargs: dict[str, Any], kinds: tuple[type, ...]) -> str:
    """Why a message's arguments are junk; '' where they are not."""
    if kwargs:
        return f"{len(kwargs)} arguments by name"
    if len(args) != len(kinds):
        return f"{len(args)} arguments instead of {len(kinds)}"
    if [type(arg) for arg in args] != list(kinds):
        return "arguments of another type"
    name = args[0]
    if split_match_id(name) is None and complaint(name):
        return f"not an id: {name[:40]!r} ({len(name)} characters)"
    return ""
