"""Images made on an author's own machine, by the rules of the arena, and packed to be sent.

What is packed is the same bytes for the same image, so that sending it can go on where it stopped.
"""

import gzip
import tempfile
from collections.abc import Generator, Iterable
from typing import BinaryIO

from docker import DockerClient

from workers.sandbox import manifest
from workers.sandbox.images import saved
from workers.sandbox.images.build import build
from workers.sandbox.images.engine import FAULTS, Engine
from workers.sandbox.images.limits import Limits
from workers.sandbox.manifest import File

_TIMEOUT_S = 60
_QUICK = 1
"""How hard it is packed: layers are programs, and lines are not that slow."""


class EngineError(Exception):
    """The engine of this machine does not do what is asked."""


def built(url: str, files: Iterable[File], command: tuple[str, ...]) -> Generator[str, None, str]:
    """Build a folder with the engine at `url`: yields what happens, returns the image's digest.

    Raises ImageError as the arena's own builds do, EngineError.
    """
    found = list(files)
    try:
        client = DockerClient(base_url=url, timeout=_TIMEOUT_S)
        try:
            engine = Engine(client, Limits())
            return (yield from build(engine, found, manifest.digest(found), command))
        finally:
            client.close()
    except FAULTS as error:
        raise EngineError(str(error)) from None


def pack(url: str, image: str, target: BinaryIO) -> None:
    """Write an image of the engine at `url` as an archive packed by gzip.

    Raises ImageError (E_TOO_BIG), EngineError.
    """
    limits = Limits()
    try:
        client = DockerClient(base_url=url, timeout=_TIMEOUT_S)
        try:
            with tempfile.TemporaryFile() as file:
                engine = Engine(client, limits)
                path = f"/images/{image}/get"
                with engine.stream("GET", path, limits.pull_time) as parts:
                    saved.spool(parts, file, limits.image + limits.image // 8, image)
                found = saved.read(file, image, limits.image)
                with gzip.GzipFile("", "wb", _QUICK, target, mtime=0) as packed:
                    for part in saved.anew(file, found):
                        packed.write(part)
        finally:
            client.close()
    except FAULTS as error:
        raise EngineError(str(error)) from None
