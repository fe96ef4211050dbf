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
        (bots, afar), images = self._apart(entrants), self._images.all()
        found, why = self._wanted(bots, images)
        if found:
            return True, _told(why, bots, afar)
        if self._sandbox == "container":
            raise invalid("bots", f"{why}; this arena plays in containers only")
        if only := [bot.name for bot in bots if images.get(bot.version) == bot.version]:
            raise invalid(
                "bots", f"{some(only)}: an image plays in a container only, and here {why}"
            )
        return False, _told(f"as processes, unsandboxed: {why}", bots, afar)

    def judge_ladder(self, entrants: Iterable[Entrant]) -> tuple[bool, str]:
        """The same for a ladder, which leaves out those who cannot play as it plays.

        Raises RefusalError where this arena plays in containers only, and there can be none.
        """
        bots, afar = self._apart(entrants)
        if self._sandbox == "container":
            found, why = self._engine()
            if not found:
                raise invalid("ladder", f"{why}; this arena plays in containers only")
        else:
            found, why = self._wanted(bots, self._images.all())
        how = why if found else f"as processes, unsandboxed: {why}"
        return found, _told(how, bots, afar)

    def _apart(self, entrants: Iterable[Entrant]) -> tuple[list[Entrant], list[Entrant]]:
        """Who is started here; and who dials in, and runs somewhere else."""
        bots = [*entrants]
        known = self._dial.known(bot.version for bot in bots)
        here = [bot for bot in bots if bot.version not in known]
        return here, [bot for bot in bots if bot.version in known]

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


def _told(how: str, here: list[Entrant], afar: list[Entrant]) -> str:
    """How those play who are started `here`; and that the others run elsewhere."""
    if not afar:
        return how
    where = "its author's machine" if len(afar) == 1 else "their authors' machines"
    elsewhere = f"{some([bot.name for bot in afar])} on {where}"
    return f"{how}; {elsewhere}" if here else f"on {where}"
