"""The three tasks. Each is short, takes ids and nothing else, and may run any number of times.

A message may be junk: whoever can write to the broker can send anything. What does not fit is
dropped with a reason, and the worker lives on.
"""

import asyncio
import signal
from functools import cached_property
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
        from workers.player import Launchers, Player
        from workers.sandbox.containers import ContainerLauncher
        from workers.sandbox.processes import ProcessLauncher

        folders = Folders(self._settings.data)
        folders.make()
        return Player(
            self.store,
            folders,
            self._settings.limits,
            self._settings.timing,
            Launchers(ProcessLauncher(folders.work), ContainerLauncher(self._settings.launch)),
            self._settings.control,
            hall=Hall(self.store, self._settings.waiting),
            waits=self._settings.waits,
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

        def make(function: Any) -> Any:
            def run(*args: Any, **kwargs: Any) -> None:
                if why := unfit(args, kwargs, kinds):
                    log.warning("dropped", task=function.__name__, why=why)
                    return
                function(*args)

            return app.task(run, name=f"knockbox.{function.__name__}", lazy=False)

        return make

    @task(str)
    def play_match(match_id: str) -> None:
        played = asyncio.run(_stoppable(parts.player, match_id))
        if played.word == "sealed":
            parts.messages.record(match_id, played.fence)
        elif played.word in ("dead", "void", "waits"):
            parts.top_up(match_id.rpartition(".")[0])
        else:
            log.info("not played", match=match_id, why=played.word)
        parts.wake(played.freed)

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


async def _stoppable(player: Any, match_id: str) -> Any:
    """Play; SIGTERM, which is what the pool's end sends, puts the match back in order."""
    playing = asyncio.ensure_future(player.play(match_id))
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, playing.cancel)
    try:
        return await playing
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
