"""Bounds what the command of a build takes: time, room, processes. Ends it where it takes more."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from workers.sandbox.images.engine import FAULTS, Engine
from workers.sandbox.images.limits import Limits

UNWANTED = "nobody waits for it any more"


class Watch:
    """Bounds the container that runs a build's command, in a thread of its own.

    Only this thread asks the engine to end a command: the engine does not answer before what the
    command has printed is read, and that is the other thread's part.
    """

    def __init__(self, engine: Engine, wanted: Callable[[], bool]) -> None:
        self._wanted = wanted
        self._api = engine.client.api
        self._limits: Limits = engine.limits
        self._woken = threading.Event()
        self._over = False
        self._container = ""
        self._deadline = 0.0
        self.killed = ""
        self._thread = threading.Thread(target=self._look, name="build-watch", daemon=True)

    def start(self) -> None:
        """Time runs from here."""
        self._deadline = time.monotonic() + self._limits.build_time
        self._thread.start()

    def runs(self, container: str) -> None:
        """This one runs now; '' for none."""
        self._container = container
        if container:
            self._bound(container)
        if self.killed:
            self._woken.set()

    def kill(self, why: str) -> None:
        """End the command that runs, and every one that comes."""
        self.killed = self.killed or why
        self._woken.set()

    def end(self) -> None:
        """The build is over, in whatever way."""
        self._over = True
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join()

    def _bound(self, container: str) -> None:
        bounds = {"PidsLimit": self._limits.build_processes}
        url = f"{self._api.base_url}/v{self._api.api_version}/containers/{container}/update"
        with suppress(*FAULTS):  # it may be over already
            self._api.post(url, json=bounds, timeout=10)  # building knows no limit of processes

    def _look(self) -> None:
        while True:
            self._woken.wait(self._limits.build_look)
            self._woken.clear()
            if self._over:
                return
            if not self._wanted():
                self.killed = self.killed or UNWANTED
            elif time.monotonic() > self._deadline:
                self.killed = (
                    self.killed or f"the build takes more than {self._limits.build_time:g} s"
                )
            elif self._written() > self._limits.build_room:
                self.killed = (
                    self.killed or f"it writes more than {self._limits.build_room >> 20} MiB"
                )
            container = self._container
            if self.killed and container:
                with suppress(*FAULTS):
                    self._api.kill(container)

    def _written(self) -> int:
        container = self._container
        if not container:
            return 0
        with suppress(*FAULTS):
            for found in self._api.containers(all=True, size=True, filters={"id": container}):
                return int(found.get("SizeRw") or 0)
        return 0
