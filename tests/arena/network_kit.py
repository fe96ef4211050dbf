"""An arena's API on a port, as people of other machines meet it, and what examines submissions."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from structlog.testing import capture_logs

from arena.api.server import ApiSettings, Network, serve
from arena.api.submissions import Terms
from arena.local import tls
from arena.settings import load
from workers.check.rows import Row, Verdict
from workers.examine import Candidate, Examiner, NoVerdictError, Patience
from workers.folders import Folders
from workers.store import Store
from workers.store.submissions import Allowance

Ask = Callable[..., tuple[int, str, str]]
FAST = Patience(lease_s=5.0, beat_s=0.05, retry_s=0.05, attempts=2)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


class Door:
    """An arena's API on a port, its certificate, its store and its data folder.

    What is handed in is examined at once by a thread; `rows` is what its check says, as soon as it
    is `released`.
    """

    def __init__(
        self, address: str, certificate: tls.Certificate, store: Store, data: Path
    ) -> None:
        self.address = address
        self.certificate = certificate
        self.store = store
        self.data = data
        self.rows = [Row("start", Verdict.PASS, "it is there")]
        self.fails = ""
        self.launcher = ""
        self.released = threading.Event()
        self.released.set()
        self.done: list[Future[str]] = []
        self._pool = ThreadPoolExecutor(2)

    def handed_in(self, submission_id: str) -> None:
        """Examine it, as often as it is put back."""
        self.done.append(self._pool.submit(self._examine, submission_id))

    def _examine(self, submission_id: str) -> str:
        folders = Folders(self.data)
        strict = bool(self.launcher)
        examiner = Examiner(self.store, folders, self.launcher, self.check, FAST, strict=strict)
        while (word := asyncio.run(examiner.examine(submission_id))) in ("again", "held"):
            pass
        return word

    async def check(self, _: Candidate) -> AsyncIterator[Row]:
        """What a check says."""
        await asyncio.to_thread(self.released.wait, 20)
        if self.fails:
            raise NoVerdictError(self.fails)
        for row in self.rows:
            yield row

    @contextmanager
    def channel(self, token: str) -> Iterator[grpc.Channel]:
        """A connection of its own, with a token."""
        both = grpc.composite_channel_credentials(
            grpc.ssl_channel_credentials(self.certificate.certificate.read_bytes()),
            grpc.access_token_call_credentials(token),
        )
        own = [("grpc.use_local_subchannel_pool", 1)]
        with grpc.secure_channel(self.address, both, options=own) as channel:
            yield channel

    def close(self) -> None:
        """When everything is examined."""
        self.released.set()
        self._pool.shutdown()


@contextmanager
def opened(store: Store, data: Path, short: Path, **more: Any) -> Iterator[Door]:
    """An API that listens on 127.0.0.1, its certificate made for it, with `more` settings."""
    address = f"127.0.0.1:{free_port()}"
    settings = load({"HOME": "/h", "KNOCKBOX_LISTEN": address}, 0, 2, data)
    certificate = tls.ready(settings)
    door = Door(address, certificate, store, data)
    door.launcher = more.get("launcher", "")
    stop, ready = threading.Event(), threading.Event()
    api = ApiSettings(
        listen=f"unix://{short}/a.sock",
        data=data,
        store="",
        owner="me",
        watch_every=0.01,
        network=Network(address, certificate.certificate, certificate.key),
        **{"terms": Terms(1 << 20, Allowance(2, 8)), **more},
    )
    args = (api, store, lambda _: None, stop, ready.set, door.handed_in)
    thread = threading.Thread(target=serve, args=args)
    with capture_logs():  # else they would be among what commands print
        thread.start()
        assert ready.wait(10)
        try:
            yield door
        finally:
            door.close()
            stop.set()
            thread.join()


def refused(call: Callable[[], object]) -> tuple[grpc.StatusCode, str]:
    """How a call is refused: its code, and in words."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    error = caught.value
    assert isinstance(error, grpc.Call)
    return error.code(), error.details() or ""


def until(reached: Callable[[], bool]) -> None:
    """Ask until it is so."""
    end = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < end
