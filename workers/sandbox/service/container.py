"""One container, from an order to the moment when nothing of it is left. Blocking.

`events` is read by one thread, `stop` may come from any. It is attached to before it starts, so
that the first byte is kept; it is looked at before it starts, so that no other mount gets in.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

from docker import DockerClient
from docker.errors import APIError, DockerException, NotFound
from docker.utils.socket import frames_iter
from requests.exceptions import RequestException

from workers.sandbox.capture import Capture
from workers.sandbox.launcher import Event, Exited, Output, Started
from workers.sandbox.service import seats, template
from workers.sandbox.service.template import Order, Sandbox

ENGINE_FAULTS = (DockerException, RequestException, OSError)
"""What the engine's client raises where the engine is gone, refuses or fails."""

OVERDUE = "it ran longer than it may"

_SIGNALLED = 128
_SIGNALS = 64
_KILLED = 137


class _NotRunnable(Exception):  # noqa: N818 - its author's affair, no error of ours
    """The image cannot be run. `code` is what a shell would say of it."""

    def __init__(self, code: int, why: str) -> None:
        self.code = code
        super().__init__(why)


class _Stopped(Exception):  # noqa: N818 - an outcome
    """It was told to stop before it had started."""


class _Printed:
    """Both outputs of a container as they come, until it has ended."""

    def __init__(self, api: Any, name: str) -> None:
        wanted = {"stdout": 1, "stderr": 1, "stream": 1, "logs": 1}
        self._socket: Any = api.attach_socket(name, wanted)

    def __iter__(self) -> Iterator[bytes]:
        """Parts, as they come."""
        return (data for _, data in frames_iter(self._socket, tty=False))

    def close(self) -> None:
        """Without it the connection stays."""
        # Where docker-py keeps it; closing the socket alone does not close the connection.
        self._socket._response.close()


class Container:
    """One container of an order. `name` is its name at the engine; `starting` bounds how many are
    being started at once, by all who share it. Raises OrderError."""

    def __init__(
        self,
        client: DockerClient,
        sandbox: Sandbox,
        order: Order,
        name: str,
        starting: threading.Semaphore,
    ) -> None:
        self._api = client.api
        self._client = client
        self._arguments = template.arguments(sandbox, order)
        self._order = order
        self._name = name
        self._starting = starting
        self._lock = threading.Lock()
        self._created = self._running = self._stopping = self._stopped = False
        self._ended_for = ""
        self._timers: list[threading.Timer] = []

    def events(self) -> Iterator[Event]:
        """Started, Output, Exited; without Started where it could not be started.

        Whether they are all read or not: when the iterator has ended or is closed, nothing is left.
        """
        capture, exited = Capture(), Exited(0, infra=True)
        try:
            with self._starting:
                output = self._begin()
            with closing(output):
                yield Started()
                for data in output:
                    capture.feed(data)
            exited = self._end()
        except _Stopped:
            exited = self._by_us()
        except _NotRunnable as error:
            capture.feed(f"cannot start: {error}\n".encode())
            exited = Exited(error.code)
        except ENGINE_FAULTS as error:
            exited = Exited(0, infra=True, why=f"{type(error).__name__}: {error}")
        finally:
            self._clear()
        yield Output(capture.log())
        yield exited

    def stop(self, grace: float = 0.0, why: str = "") -> None:
        """End it: ask, and kill after `grace` seconds. Again changes nothing. `why` it is ended
        where its worker has not asked for that; its bot is not to blame then."""
        with self._lock:
            if self._stopping:
                return
            self._stopping, self._ended_for = True, why
            if not self._running:
                return
            self._stopped = self._signal("SIGTERM" if grace else "SIGKILL")
        if grace:
            self._later(grace, lambda: self._signal("SIGKILL"))

    def _begin(self) -> "_Printed":
        """Create, look at, attach to and start it; what it prints."""
        attributes = self._create()
        if why := seats.complaint(attributes, self._order.folder):
            raise _NotRunnable(126, why)
        printed = _Printed(self._api, self._name)
        try:
            self._start()
        except BaseException:
            printed.close()
            raise
        self._later(max(0.0, self._order.deadline - time.time()), self._expire)
        return printed

    def _start(self) -> None:
        with self._lock:
            if self._stopping:
                raise _Stopped
            try:
                self._api.start(self._name)
            except APIError as error:
                raise self._judged(error) from None
            self._running = True

    def _create(self) -> dict[str, Any]:
        with self._lock:
            if self._stopping:
                raise _Stopped
            self._created = True
        try:
            return self._client.containers.create(name=self._name, **self._arguments).attrs
        except APIError as error:
            raise self._judged(error) from None

    @staticmethod
    def _judged(error: APIError) -> Exception:
        """Whose fault it is that the engine refuses: an image that names no program, or one that
        is not in it, is its author's; all else is ours."""
        text = str(error.explanation or error)
        if error.status_code == 400:
            if "No command specified" in text:
                return _NotRunnable(127, "the image names no command: write CMD or ENTRYPOINT")
            if "OCI runtime create failed" in text and "exec" in text:
                return _NotRunnable(127, text)
        return error

    def _end(self) -> Exited:
        """Wait until it has ended; how it did."""
        self._api.wait(self._name)
        with self._lock:
            self._running = False
        state = self._api.inspect_container(self._name)["State"]
        code = int(state["ExitCode"])
        # An OOM that only killed a child leaves the flag as well.
        memory = code == _KILLED and bool(state["OOMKilled"])
        by = code - _SIGNALLED if _SIGNALLED < code <= _SIGNALLED + _SIGNALS else 0
        if code == _KILLED and self._stopped and self._ended_for:
            return self._by_us(by)  # whatever a child had too much of before
        return Exited(0 if by else code, by, memory, self._stopped and not memory)

    def _by_us(self, by: int = 0) -> Exited:
        """It was stopped: nobody's fault unless its worker has asked for it."""
        why = self._ended_for
        return Exited(0, by, stopped=True, infra=bool(why), why=why)

    def _expire(self) -> None:
        with self._lock:
            if self._running:
                if not self._stopping:
                    self._ended_for = OVERDUE
                self._stopping = True
                self._stopped = self._signal("SIGKILL")

    def _signal(self, name: str) -> bool:
        """Send it a signal; whether it was there to hear it."""
        try:
            self._api.kill(self._name, name)
        except ENGINE_FAULTS:
            return False  # it has ended, or the engine has: who waits for it finds out
        return True

    def _later(self, seconds: float, what: Any) -> None:
        timer = threading.Timer(seconds, what)
        timer.daemon = True
        self._timers.append(timer)
        timer.start()

    def _clear(self) -> None:
        """Remove it with its files. What the engine cannot remove now, the reaper does."""
        for timer in self._timers:
            timer.cancel()
        with self._lock:
            self._stopping, self._running = True, False
            if self._created:
                with suppress(NotFound, *ENGINE_FAULTS):
                    self._api.remove_container(self._name, v=True, force=True)
