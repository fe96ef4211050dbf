"""Whether a tournament's bots run in containers: asked for, possible here, and images at hand."""

from collections.abc import Iterable
from typing import NamedTuple

import grpc

from arena.api.refusals import invalid
from knockbox.v1 import launch_pb2, launch_pb2_grpc
from workers.folders import Folders
from workers.store.tournaments import Entrant

_WAIT_S = 5.0
_NAMED_MOST = 5


class Sandboxing(NamedTuple):
    """What the API is told: `sandbox` is auto, container or process; `launch` is the launcher's
    address, '' where there is none."""

    sandbox: str = "auto"
    launch: str = ""


NOWHERE = Sandboxing()


class SandboxDesk:
    """Judges who plays in containers."""

    def __init__(self, folders: Folders, told: Sandboxing) -> None:
        self._folders = folders
        self._told = told

    def judge(self, entrants: Iterable[Entrant]) -> tuple[bool, str]:
        """Whether these bots play in containers, and why, for people.

        Raises RefusalError where they must and cannot.
        """
        if self._told.sandbox == "process":
            return False, "as processes, unsandboxed, as the arena was told"
        found, why = self._possible([*entrants])
        if not found and self._told.sandbox == "container":
            raise invalid("bots", f"{why}; this arena plays in containers only")
        return found, why if found else f"as processes, unsandboxed: {why}"

    def _possible(self, entrants: list[Entrant]) -> tuple[bool, str]:
        if not self._told.launch:
            return False, "no container engine answers here"
        without = [bot.name for bot in entrants if not self._folders.image(bot.version)]
        if without:
            more = f" and {len(without) - _NAMED_MOST} more" if len(without) > _NAMED_MOST else ""
            shown = ", ".join(without[:_NAMED_MOST])
            verb = "has" if len(without) == 1 else "have"
            return False, f"{shown}{more} {verb} no image"
        try:
            with grpc.insecure_channel(self._told.launch) as channel:
                stub = launch_pb2_grpc.LaunchServiceStub(channel)
                told = stub.GetEngine(launch_pb2.GetEngineRequest(), timeout=_WAIT_S)
        except grpc.RpcError:
            return False, "the container engine does not answer now"
        return True, f"in containers (engine {told.version})"
