"""What tests with real containers are made of: a launcher, a seat, and an image that does as told.

The image's program asks at its seat's socket what to run, so that one image serves every test.
"""

import asyncio
import io
import json
import secrets
import shutil
import socket
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import grpc.aio
import structlog
from docker import DockerClient

from knockbox.v1 import launch_pb2, launch_pb2_grpc
from workers.sandbox.containers import ContainerLauncher, RunningContainer
from workers.sandbox.launcher import Exited, Output, Spec, Started
from workers.sandbox.service import server
from workers.sandbox.service.settings import Settings
from workers.sandbox.service.template import LABEL

BASE = "knockbox/python-bot"
TEST = "knockbox.test"
PUPPET = """
import socket
told = socket.socket(socket.AF_UNIX)
told.connect("/seat/s.sock")
exec(told.makefile().read())
"""


def built(engine: DockerClient, lines: str) -> str:
    """An image on the base of Python bots; remove it afterwards."""
    text = f"FROM {BASE}\nLABEL {TEST}=1\nLABEL {TEST}.run={secrets.token_hex(8)}\n{lines}\n"
    image, _ = engine.images.build(fileobj=io.BytesIO(text.encode()), rm=True, forcerm=True)
    return str(image.id)


@contextmanager
def image(engine: DockerClient, lines: str) -> Iterator[str]:
    """An image for the block's time."""
    found = built(engine, lines)
    try:
        yield found
    finally:
        engine.images.remove(found, force=True)


def command(source: str) -> str:
    """A Dockerfile's line that runs Python."""
    return f"CMD {json.dumps(['python3', '-c', source])}"


class Seat:
    """A seat's folder whose socket tells whoever comes what to run."""

    def __init__(self, root: Path, number: int = 0) -> None:
        self.folder = root / secrets.token_hex(4) / str(number)
        self.folder.mkdir(parents=True)
        self.address = f"unix://{self.folder}/s.sock"
        self.ticket = secrets.token_urlsafe(32)
        self.program = ""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.folder / "s.sock"))
        (self.folder / "s.sock").chmod(0o666)
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            with caller, suppress(BrokenPipeError):  # it was ended meanwhile
                caller.sendall(textwrap.dedent(self.program).encode())

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        shutil.rmtree(self.folder.parent, ignore_errors=True)


class Ended(NamedTuple):
    """What came of a program."""

    started: bool
    printed: str
    exited: Exited
    output: Output


class Stage(NamedTuple):
    """A launcher that serves, with an engine and the image that does as told."""

    engine: DockerClient
    address: str
    seats: Path
    image: str

    @property
    def launcher(self) -> ContainerLauncher:
        return ContainerLauncher(self.address)

    @contextmanager
    def seat(self, program: str = "") -> Iterator[Seat]:
        seat = Seat(self.seats)
        seat.program = program
        try:
            yield seat
        finally:
            seat.close()

    def spec(self, seat: Seat, **changes: Any) -> Spec:
        variables = {"KNOCKBOX_REFEREE": seat.address, "KNOCKBOX_TICKET": seat.ticket}
        plain = Spec("bot", Path("/"), (), variables, 128 << 20, self.image, "test-1", 1, 1, 60.0)
        return plain._replace(**changes)

    async def run(self, program: str, **changes: Any) -> Ended:
        """Run a program to its end."""
        with self.seat(program) as seat:
            return await ended(await self.launcher.start(self.spec(seat, **changes)))

    def ours(self) -> list[str]:
        """Containers of this launcher's seats that the engine still knows."""
        found = self.engine.api.containers(all=True, filters={"label": LABEL})
        return [one["Id"] for one in found if str(self.seats) in json.dumps(one["Mounts"])]


async def ended(running: RunningContainer) -> Ended:
    """Read it to its end."""
    events = [event async for event in running.events()]
    *before, output, exited = events
    assert before in ([], [Started()])
    assert isinstance(output, Output)
    assert isinstance(exited, Exited)
    await running.stop()  # nothing is left of the call either
    return Ended(bool(before), output.log.text(), exited, output)


def quiet() -> Any:
    """A log that nobody reads."""
    return structlog.wrap_logger(
        structlog.ReturnLogger(), wrapper_class=structlog.make_filtering_bound_logger(50)
    )


@contextmanager
def stage(engine: DockerClient, image: str, **changes: Any) -> Iterator[Stage]:
    """A launcher in this process."""
    base = Path(tempfile.mkdtemp(prefix="kl-", dir="/tmp"))
    stop, ready = threading.Event(), threading.Event()
    address = f"unix://{base}/c/launch.sock"
    settings = Settings(listen=address, **{"seats": base / "r", **changes})
    serving = threading.Thread(
        target=server.serve, args=(settings, engine, stop, ready.set, quiet())
    )
    serving.start()
    try:
        assert ready.wait(20)
        yield Stage(engine, address, settings.seats, image)
    finally:
        stop.set()
        serving.join()
        shutil.rmtree(base)


async def until(so: Any) -> None:
    """Wait until something is so; the test's own time-out is the limit."""
    while not await asyncio.to_thread(so):
        await asyncio.sleep(0.02)


async def reap(stage: Stage) -> None:
    """Have leftovers removed now."""
    async with grpc.aio.insecure_channel(stage.address) as channel:
        await launch_pb2_grpc.LaunchServiceStub(channel).Reap(launch_pb2.ReapRequest())
