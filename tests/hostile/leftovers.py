"""What is left of containers after their time: by the engine's own account, and on the machine."""

import os
import time
from collections import defaultdict
from pathlib import Path

from docker import DockerClient

from workers.sandbox.service.shares import USERS
from workers.sandbox.service.template import LABEL


class Leftovers:
    """From its making on it is known what one launcher's containers leave. `owner` is the label's
    value, `folders` are where files of theirs could lie. Blocking."""

    def __init__(self, engine: DockerClient, owner: str, *folders: Path) -> None:
        self._engine = engine
        self._owner = owner
        self._folders = folders
        self._since = int(time.time())

    def containers(self) -> dict[str, set[str]]:
        """Each container that was made, with what the engine tells of it."""
        told: dict[str, set[str]] = defaultdict(set)
        for event in self._events("container", label=f"{LABEL}.owner={self._owner}"):
            told[event["Actor"]["ID"]].add(event["Action"])
        return told

    def left(self) -> dict[str, list[str]]:
        """All that is still there, by kind."""
        told = self.containers()
        labelled = self._engine.api.containers(
            all=True, filters={"label": f"{LABEL}.owner={self._owner}"}
        )
        assert told
        return {
            "containers": [one for one, what in told.items() if "destroy" not in what]
            + [one["Id"] for one in labelled],
            "volumes": self._joined("volume", set(told)),
            "networks": self._joined("network", set(told)),
            "processes": [str(pid) for pid in _processes(set(told))],
            "files": [path for folder in self._folders for path in _files(folder)],
        }

    def _joined(self, kind: str, containers: set[str]) -> list[str]:
        """What any of the containers has ever been given, but for the network that is none."""
        return [
            event["Actor"]["ID"]
            for event in self._events(kind)
            if event["Actor"]["Attributes"].get("container") in containers
            and event["Actor"]["Attributes"].get("name") != "none"
        ]

    def _events(self, kind: str, **filters: str) -> list[dict]:
        wanted = {"type": kind, **filters}
        until = int(time.time()) + 1
        stream = self._engine.api.events(
            since=self._since, until=until, filters=wanted, decode=True
        )
        return list(stream)


def _processes(containers: set[str]) -> list[int]:
    """Those that any of the containers still holds."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                groups = (entry / "cgroup").read_text()
            except OSError:
                continue
            if any(one in groups for one in containers):
                found.append(int(entry.name))
    return found


def _files(folder: Path) -> list[str]:
    """Those that belong to a container's user."""
    found = []
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = f"{place}/{name}"
            try:
                if os.lstat(path).st_uid in USERS:
                    found.append(path)
            except OSError:
                pass
    return found
