"""The conformance programs of all languages: their images, made as an arena makes a bot's, and
their containers, hardened as a bot's.
"""

import json
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from docker import DockerClient
from docker.errors import APIError
from docker.utils.socket import frames_iter

from tests.sdk.scripted import TICKET
from workers.attempt import MEMORY
from workers.sandbox import manifest
from workers.sandbox.images.build import build
from workers.sandbox.images.engine import Engine
from workers.sandbox.images.limits import Limits
from workers.sandbox.service import owner, seccomp, shares, template

PROGRAMS = Path(__file__).parent / "programs"
LANGUAGES = sorted(
    folder.name for folder in PROGRAMS.iterdir() if (folder / "knockbox.toml").exists()
)
PATIENCE_S = 60
_STDOUT, _STDERR = 1, 2


class Ended(NamedTuple):
    """What a program wrote, and how it ended."""

    code: int
    stdout: str
    stderr: str


@contextmanager
def image_of(engine: DockerClient, folder: Path) -> Iterator[str]:
    """The image of a bot's folder for the block's time, made as an arena does. Raises ImageError.

    One that was there before stays; so does one that somebody else has taken up meanwhile.
    """
    found, images = manifest.read(folder), Engine(engine, Limits())
    version = manifest.digest(found.files)
    image = images.built(version)
    made = not image
    if made:
        image = _last_word(build(images, found.files, version, found.command))
    try:
        yield image
    finally:
        if made:
            with suppress(APIError):
                engine.api.remove_image(image, force=True)


def _last_word(building: Generator[str, None, str]) -> str:
    try:
        while True:
            next(building)
    except StopIteration as done:
        return str(done.value)


@contextmanager
def seat_folder() -> Iterator[Path]:
    """A folder that containers of any user can enter."""
    base = Path(tempfile.mkdtemp(prefix="kc-", dir="/tmp"))
    base.chmod(0o755)
    try:
        yield base
    finally:
        shutil.rmtree(base)


def run(
    engine: DockerClient,
    image: str,
    folder: Path,
    started: Callable[[str, float], Any] = lambda *_: None,
) -> Ended:
    """Run a program on the socket of a folder to its end.

    When it runs, `started` is called with its container and when that was ordered to start.
    """
    sandbox = template.Sandbox(json.dumps(seccomp.profile()), "conformance", owner.process())
    order = template.Order(
        image,
        folder,
        TICKET,
        "conformance",
        1,
        int(time.time()) + PATIENCE_S,
        MEMORY,
        secrets.choice(shares.USERS),
    )
    container = engine.containers.create(**template.arguments(sandbox, order))
    patience = threading.Timer(PATIENCE_S, container.kill)
    wanted = {"stdout": 1, "stderr": 1, "stream": 1, "logs": 1}
    printed: dict[int, list[bytes]] = {_STDOUT: [], _STDERR: []}
    try:
        attached = engine.api.attach_socket(container.id, wanted)
        ordered = time.monotonic()
        container.start()
        patience.start()
        started(container.id, ordered)
        for stream, data in frames_iter(attached, tty=False):
            printed[stream].append(data)
        attached._response.close()  # closing the socket alone leaves the connection
        code = container.wait()["StatusCode"]
    finally:
        patience.cancel()
        container.remove(force=True)
    stdout, stderr = (b"".join(printed[stream]).decode() for stream in (_STDOUT, _STDERR))
    return Ended(code, stdout, stderr)


def run_by_hand(engine: DockerClient, image: str) -> Ended:
    """Run it as a person does who does not know what it is for."""
    container = engine.containers.run(image, network_mode="none", detach=True)
    try:
        code = container.wait()["StatusCode"]
        streams = (container.logs(stdout=out, stderr=not out).decode() for out in (True, False))
        return Ended(code, *streams)
    finally:
        container.remove(force=True)
