"""What is left of containers after their time: by the engine's own account, and on the machine."""

import os
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

from docker import DockerClient

from workers.sandbox.service.shares import USERS
from workers.sandbox.service.template import LABEL


class Leftovers:
    """From its making until `close` it hears what one launcher's containers leave. `owner` is the
    label's value, `folders` are where files of theirs could lie. Blocking."""

    def __init__(self, engine: DockerClient, owner: str, *folders: Path) -> None:
        self._engine = engine
        self._owner = owner
        self._folders = folders
        # As they come: the engine itself remembers only its last 256.
        self._stream: Any = engine.api.events(decode=True)
        self._heard: list[dict[str, Any]] = []
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _listen(self) -> None:
        for event in self._stream:
            self._heard.append(event)

    def close(self) -> None:
        """Hear no more."""
        self._stream.close()
        self._listening.join()

    def containers(self) -> dict[str, set[str]]:
        """Each container that was made, with what the engine has told of it."""
        told: dict[str, set[str]] = defaultdict(set)
        for event in self._events("container"):
            if event["Actor"]["Attributes"].get(f"{LABEL}.owner") == self._owner:
                told[event["Actor"]["ID"]].add(event["Action"])
        return told

    def left(self) -> dict[str, list[str]]:
        """All that is still there, by kind."""
        told = self.containers()
        labelled = self._engine.api.containers(
            all=True, filters={"label": f"{LABEL}.owner={self._owner}"}
        )
        assert told  # it has been listened
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

    def _events(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in list(self._heard) if event["Type"] == kind]


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
