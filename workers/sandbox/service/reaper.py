"""Removes containers that nobody holds any more: their launcher is gone, or their time is over."""

import threading
import time
from collections.abc import Mapping

from docker import DockerClient
from docker.errors import APIError, NotFound
from structlog.typing import FilteringBoundLogger

from workers.sandbox.service import owner
from workers.sandbox.service.container import ENGINE_FAULTS
from workers.sandbox.service.template import LABEL, Sandbox

LATE_S = 10.0
"""So long after its deadline a container's own launcher has surely failed to end it."""


class Hands:
    """The names of the containers that this launcher holds."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._lock = threading.Lock()

    def take(self, name: str) -> None:
        """Before it is created."""
        with self._lock:
            self._names.add(name)

    def drop(self, name: str) -> None:
        """When it is removed, or could not be."""
        with self._lock:
            self._names.discard(name)

    def __contains__(self, name: object) -> bool:
        with self._lock:
            return name in self._names

    def __len__(self) -> int:
        with self._lock:
            return len(self._names)


class Reaper:
    """Looks for leftovers at the engine."""

    def __init__(
        self, client: DockerClient, sandbox: Sandbox, hands: Hands, log: FilteringBoundLogger
    ) -> None:
        self._api = client.api
        self._sandbox = sandbox
        self._hands = hands
        self._log = log

    def reap(self) -> int:
        """Remove what is left over; how many those were. Raises one of ENGINE_FAULTS."""
        removed = 0
        for one in self._api.containers(all=True, filters={"label": LABEL}):
            name, labels = one["Names"][0].removeprefix("/"), one["Labels"]
            if name in self._hands or not self._is_left(labels):
                continue
            try:
                self._api.remove_container(one["Id"], v=True, force=True)
            except NotFound:
                continue  # somebody else was faster
            except APIError as error:
                # One that the engine cannot remove now is not to keep the others.
                self._log.warning("not removed", container=name, why=str(error.explanation))
                continue
            self._log.info("reaped", container=name, match=labels.get(f"{LABEL}.match"))
            removed += 1
        return removed

    def _is_left(self, labels: Mapping[str, str]) -> bool:
        deadline = labels.get(f"{LABEL}.deadline", "")
        if not deadline.isdigit() or int(deadline) + LATE_S < time.time():
            return True
        # Nobody else serves in the same place: its former launcher is gone.
        if labels.get(f"{LABEL}.owner") == self._sandbox.owner:
            return True
        return owner.gone(labels.get(f"{LABEL}.process", ""))

    def run(self, stop: threading.Event, every: float) -> None:
        """Reap at once and every so many seconds, until told to stop."""
        while True:
            try:
                self.reap()
            except ENGINE_FAULTS as error:
                self._log.warning("the engine does not answer", error=str(error))
            if stop.wait(every):
                return
