"""Whole matches of sample bots in containers: the same as with processes; and who is to blame."""

import asyncio
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from docker import DockerClient

from arena.local import single
from referee.replay import Replay
from referee.rules.ruleset import resolve
from referee.verify import verify
from tests.sandbox import containers_kit as kit
from tests.sandbox.attempts import SAMPLES
from workers.sandbox import manifest, probe
from workers.sandbox.launcher import Exited, Started
from workers.sandbox.service import engine as engines
from workers.sandbox.service.template import LABEL

HANGS = "import time; print('here', flush=True); time.sleep(600)"


@pytest.fixture(scope="module")
def base(engine: DockerClient) -> None:
    """The image that Python's bots are built on."""
    if not engine.images.list(kit.BASE):
        pytest.skip(f"the image {kit.BASE} is not here: make images")


def play(tmp_path: Path, sandbox: str, names: tuple[str, str]) -> tuple[Path, list[str]]:
    """The replay of a seeded match of two samples, and what was told about how they run."""
    folders = tuple(manifest.read(SAMPLES / name) for name in names)
    wish = single.Wish(folders, resolve("danish"), 3, 64, "same", False, sandbox=sandbox)
    told: list[str] = []
    hear = single.Hear(lambda _: None, lambda _: None, told.append)
    out = tmp_path / f"{sandbox}.kbr"
    with tempfile.TemporaryDirectory(prefix="kb-", dir="/tmp") as short:
        single.play(wish, out, Path(short) / "k", hear)
    return out, told


@pytest.mark.usefixtures("base")
def test_containers_play_as_processes_do(engine: DockerClient, tmp_path: Path):
    """With one seed each decision of each game is the same in containers as it is as processes;
    the replay says which it was, is proved, and nothing is left on the engine."""
    names = ("gin_hunter", "builder")
    inside, told = play(tmp_path, "container", names)
    outside, silence = play(tmp_path, "process", names)
    first, second = Replay.open(inside), Replay.open(outside)
    assert first.games == second.games
    for game in first.games:
        assert first.game(*game) == second.game(*game)
    assert (first.header.sandboxed, second.header.sandboxed) == (True, False)
    assert verify(inside).ok
    assert told[0].startswith("bots run in containers (engine ")
    assert silence == []
    mine = f"{LABEL}.match={first.header.match_id}"
    assert engine.api.containers(all=True, filters={"label": mine}) == []


def test_without_an_engine_auto_takes_processes_and_says_so(tmp_path: Path):
    """Where nothing answers `auto` says why bots run as processes; `container` is refused."""
    folders = tuple(manifest.read(SAMPLES / name) for name in ("greedy", "random"))
    nowhere = f"unix://{tmp_path}/none.sock"
    wish = single.Wish(
        folders, resolve("danish"), 1, 64, "same", False, sandbox="auto", engine=nowhere
    )
    told: list[str] = []
    hear = single.Hear(lambda _: None, lambda _: None, told.append)
    with tempfile.TemporaryDirectory(prefix="kb-", dir="/tmp") as short:
        single.play(wish, tmp_path / "a.kbr", Path(short) / "k", hear)
        assert told == [
            "bots run as processes of this machine, unsandboxed: "
            f"no container engine answers at {nowhere}"
        ]
        with pytest.raises(single.SingleError, match="no container engine answers"):
            single.play(
                wish._replace(sandbox="container"), tmp_path / "b.kbr", Path(short) / "k", hear
            )


class Line:
    """A line to the engine that can be cut."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "engine.sock"
        self._open: list[socket.socket] = []
        self._listener = self._listening()

    @property
    def url(self) -> str:
        return f"unix://{self.path}"

    def mend(self) -> None:
        self._listener = self._listening()

    def _listening(self) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.path))
        listener.listen()
        threading.Thread(target=self._serve, args=(listener,), daemon=True).start()
        return listener

    def cut(self) -> None:
        self.path.unlink()
        for each in (self._listener, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                return
            answerer = socket.socket(socket.AF_UNIX)
            answerer.connect(probe.ENGINE.removeprefix("unix://"))
            self._open += [caller, answerer]
            for pair in ((caller, answerer), (answerer, caller)):
                threading.Thread(target=_pass_on, args=pair, daemon=True).start()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def line() -> Iterator[Line]:
    """A line for the block's time."""
    folder = Path(tempfile.mkdtemp(prefix="kl-", dir="/tmp"))
    made = Line(folder)
    try:
        yield made
    finally:
        made.cut()
        shutil.rmtree(folder)


@pytest.mark.anyio
@pytest.mark.usefixtures("base")
async def test_an_engine_that_goes_away_is_nobodys_fault(engine: DockerClient):
    """When the engine is gone in the middle of a leg the bot is not to blame; what it ran is
    removed as soon as the engine is there again."""
    with (
        kit.image(engine, kit.command(kit.PUPPET)) as image,
        line() as wire,
        closing(engines.connect(wire.url, 20)) as client,
        kit.stage(client, image, reap=600) as stage,
        stage.seat(HANGS) as seat,
    ):
        running = await stage.launcher.start(stage.spec(seat))
        assert await anext(running.events()) == Started()
        await asyncio.to_thread(wire.cut)
        *_, exited = [event async for event in running.events()]
        assert isinstance(exited, Exited)
        assert exited.infra
        await running.stop()
        seen = stage._replace(engine=engine)
        assert len(seen.ours()) == 1
        wire.mend()
        await kit.reap(stage)
        assert seen.ours() == []
