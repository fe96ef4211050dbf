"""A store that is away, or whose answer gets lost, at the worst moment: nothing is done by half."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from select import select
from typing import Any
from urllib.parse import urlsplit

import pytest

from workers import rebuild
from workers.recorder import Recorder
from workers.store import DOWN, Store, connect

WRITES_A_RESULT = b'"kind":"result"'


class Wire:
    """The connection between a client and the store's server; it may lose a message once."""

    def __init__(self, server: str, path: Path) -> None:
        self._server = server
        self.lose: tuple[bytes, str] = (b"", "")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()
        self.url = f"unix://{path}?db=0"

    def end(self) -> None:
        """Stop, and wait until all has stopped."""
        self._ended.set()
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while not self._ended.is_set():
            if select([self._listener], [], [], 0.02)[0]:
                client, _ = self._listener.accept()
                self._threads.append(threading.Thread(target=self._carry, args=(client,)))
                self._threads[-1].start()

    def _carry(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        server.connect(self._server)
        with client, server:
            while not self._ended.is_set():
                for end in select([client, server], [], [], 0.02)[0]:
                    data = end.recv(1 << 16)
                    if not data or (end is client and self._lost(data, server)):
                        return
                    (server if end is client else client).sendall(data)

    def _lost(self, data: bytes, server: socket.socket) -> bool:
        """Lose the request, or only its answer; either way the connection breaks."""
        words, what = self.lose
        if not words or words not in data:
            return False
        self.lose = (b"", "")
        if what == "answer":
            server.sendall(data)
            server.recv(1 << 16)
        return True


@pytest.fixture
def wire(store_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A wire to the tests' server."""
    path = Path("/tmp") / f"kbw-{tmp_path_factory.getbasetemp().name[-12:]}.sock"
    path.unlink(missing_ok=True)
    wire = Wire(urlsplit(store_url).path, path)
    yield wire
    wire.end()
    path.unlink()


@pytest.fixture
def match(world: Any) -> str:
    """A match whose replay lies sealed."""
    world.add("ab")
    world.add("cd")
    match = f"{world.filled('ab', 'cd')}.1"
    world.seal(match)
    return match


@pytest.mark.parametrize("patient", [True, False])
@pytest.mark.parametrize("what", ["request", "answer"])
def test_a_record_whose_answer_is_lost(
    world: Any, wire: Wire, match: str, what: str, patient: bool
) -> None:
    """Whether the request or its answer got lost, and whoever repeats it: it counts once."""
    client = connect(wire.url, patient)
    recorder = Recorder(Store(client), world.folders, world.limits)
    wire.lose = (WRITES_A_RESULT, what)
    if not patient:
        with pytest.raises(DOWN):
            recorder.record(match, 1)
        written = 1 if what == "answer" else 0
        assert world.store.log.head().seq == written
        assert world.store.tournaments.get("t1").recorded == written
    words = [recorder.record(match, 1).word for _ in range(2)]
    assert words[1] == "dup"
    assert wire.lose == (b"", "")
    assert world.store.log.head().seq == world.store.tournaments.get("t1").recorded == 1
    assert sum(row.units for row in world.store.ratings.all()) == 4
    assert rebuild.check(world.store).difference == ""
    client.close()


def test_a_differing_body_is_a_conflict(world: Any, wire: Wire, match: str) -> None:
    """An answer is lost, and what comes again is another result: the first stays, with an alarm."""
    client = connect(wire.url, False)
    recorder = Recorder(Store(client), world.folders, world.limits)
    wire.lose = (WRITES_A_RESULT, "answer")
    with pytest.raises(DOWN):
        recorder.record(match, 1)
    world.replay(match, [0]).write(world.folders.incoming(match, 1))
    assert recorder.record(match, 1).word == "conflict"
    assert world.store.log.head().seq == 1
    assert [one.kind for one in world.store.log.alarms(9)] == ["conflict"]
    client.close()


def test_a_store_that_is_away(world: Any, match: str, tmp_path: Path) -> None:
    """Nobody answers: the recorder says so and has changed nothing; later it records."""
    client = connect(f"unix://{tmp_path}/nobody.sock?db=0", False)
    away = Recorder(Store(client), world.folders, world.limits)
    with pytest.raises(DOWN):
        away.record(match, 1)
    client.close()
    assert world.folders.incoming(match, 1).exists()
    assert world.store.matches.get(match).state == "sealed"
    assert Recorder(world.store, world.folders, world.limits).record(match, 1).word == "recorded"
