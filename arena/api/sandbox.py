"""Whether a tournament's bots play in containers: asked for, possible here, images at hand."""

from collections.abc import Callable, Iterable

import grpc

from arena.api.refusals import invalid
from knockbox.v1 import launch_pb2, launch_pb2_grpc
from workers.folders import Folders
from workers.store.tournaments import Entrant

_WAIT_S = 5.0
_NAMED_MOST = 5

Judge = Callable[[Iterable[Entrant]], tuple[bool, str]]


class SandboxDesk:
    """Judges who plays in containers. `sandbox` is auto, container or process; `launcher` is the
    launcher's address, '' where there is none."""

    def __init__(self, folders: Folders, sandbox: str, launcher: str) -> None:
        self._folders = folders
        self._sandbox = sandbox
        self._launcher = launcher

    def judge(self, entrants: Iterable[Entrant]) -> tuple[bool, str]:
        """Whether these bots play in containers, and in words how and why.

        Raises RefusalError where they cannot play as they must.
        """
        bots = [*entrants]
        found, why = False, "as this arena was told"
        if self._sandbox != "process":
            found, why = self._possible(bots)
        if found:
            return True, why
        if self._sandbox == "container":
            raise invalid("bots", f"{why}; this arena plays in containers only")
        # Without a folder the image itself is the version.
        images = [bot.name for bot in bots if self._folders.image(bot.version) == bot.version]
        if images:
            raise invalid(
                "bots", f"{_named(images)}: an image plays in a container only, and here {why}"
            )
        return False, f"as processes, unsandboxed: {why}"

    def _possible(self, bots: list[Entrant]) -> tuple[bool, str]:
        if not self._launcher:
            return False, "no container engine answers"
        without = [bot.name for bot in bots if not self._folders.image(bot.version)]
        if without:
            return False, f"{_named(without)} {'has' if len(without) == 1 else 'have'} no image"
        try:
            with grpc.insecure_channel(self._launcher) as channel:
                stub = launch_pb2_grpc.LaunchServiceStub(channel)
                told = stub.GetEngine(launch_pb2.GetEngineRequest(), timeout=_WAIT_S)
        except grpc.RpcError:
            return False, "the container engine does not answer now"
        return True, f"in containers (engine {told.version})"


def _named(names: list[str]) -> str:
    """The first few of them."""
    more = f" and {len(names) - _NAMED_MOST} more" if len(names) > _NAMED_MOST else ""
    return ", ".join(names[:_NAMED_MOST]) + more
