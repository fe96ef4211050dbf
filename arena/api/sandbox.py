"""Whether a tournament's bots play in containers: asked for, possible here, images at hand."""

from collections.abc import Callable, Iterable, Mapping

import grpc

from arena.api.refusals import invalid
from arena.telling import some
from knockbox.v1 import launch_pb2, launch_pb2_grpc
from workers.store import Store
from workers.store.tournaments import Entrant

_WAIT_S = 5.0

Judge = Callable[[Iterable[Entrant]], tuple[bool, str]]


class SandboxDesk:
    """Judges who plays in containers. `sandbox` is auto, container or process; `launcher` is the
    launcher's address, '' where there is none."""

    def __init__(self, store: Store, sandbox: str, launcher: str) -> None:
        self._images = store.images
        self._dial = store.dial
        self._sandbox = sandbox
        self._launcher = launcher

    def judge(self, entrants: Iterable[Entrant]) -> tuple[bool, str]:
        """Whether these bots play in containers, and in words how and why.

        Raises RefusalError where they cannot play as they must.
        """
        bots, images = self._started_here(entrants), self._images.all()
        found, why = self._wanted(bots, images)
        if found:
            return True, why
        if self._sandbox == "container":
            raise invalid("bots", f"{why}; this arena plays in containers only")
        if only := [bot.name for bot in bots if images.get(bot.version) == bot.version]:
            raise invalid(
                "bots", f"{some(only)}: an image plays in a container only, and here {why}"
            )
        return False, f"as processes, unsandboxed: {why}"

    def judge_ladder(self, bots: Iterable[Entrant]) -> tuple[bool, str]:
        """The same for a ladder, which leaves out those who cannot play as it plays.

        Raises RefusalError where this arena plays in containers only, and there can be none.
        """
        if self._sandbox == "container":
            found, why = self._engine()
            if not found:
                raise invalid("ladder", f"{why}; this arena plays in containers only")
            return True, why
        found, why = self._wanted(self._started_here(bots), self._images.all())
        return found, why if found else f"as processes, unsandboxed: {why}"

    def _started_here(self, entrants: Iterable[Entrant]) -> list[Entrant]:
        """All but those that dial in, who run somewhere else."""
        bots = [*entrants]
        afar = self._dial.known(bot.version for bot in bots)
        return [bot for bot in bots if bot.version not in afar]

    def _wanted(self, bots: list[Entrant], images: Mapping[str, str]) -> tuple[bool, str]:
        """Whether all of them can play in containers, and this arena would have it so."""
        if self._sandbox == "process":
            return False, "as this arena was told"
        if self._launcher and (without := [bot for bot in bots if bot.version not in images]):
            names = [bot.name for bot in without]
            return False, f"{some(names)} {'has' if len(names) == 1 else 'have'} no image"
        return self._engine()

    def _engine(self) -> tuple[bool, str]:
        """Whether a container engine answers now."""
        if not self._launcher:
            return False, "no container engine answers"
        try:
            with grpc.insecure_channel(self._launcher) as channel:
                stub = launch_pb2_grpc.LaunchServiceStub(channel)
                told = stub.GetEngine(launch_pb2.GetEngineRequest(), timeout=_WAIT_S)
        except grpc.RpcError:
            return False, "the container engine does not answer now"
        return True, f"in containers (engine {told.version})"
