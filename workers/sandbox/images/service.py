"""ImageService: images for bots, one at a time, for whoever may call the launcher.

Which call does what is told in images.proto; how it is done, in `build` and `bring`.
"""

import threading
from collections.abc import Callable, Generator, Iterator
from typing import TypeVar

import grpc
from docker import DockerClient
from structlog.typing import FilteringBoundLogger

from knockbox.v1 import images_pb2 as pb
from knockbox.v1 import images_pb2_grpc
from workers.names import DIGEST
from workers.sandbox import manifest
from workers.sandbox.images import bring
from workers.sandbox.images.build import build
from workers.sandbox.images.engine import FAULTS, Engine
from workers.sandbox.images.limits import Limits
from workers.sandbox.images.refusal import ImageError, refused
from workers.sandbox.images.unpacking import checked
from workers.sandbox.manifest import File

MESSAGE_MOST = 20 << 20
"""Bytes in one message: a bot's folder of 16 MiB with its names."""

Response = TypeVar("Response", pb.BuildImageResponse, pb.LoadImageResponse, pb.PullImageResponse)


class Images(images_pb2_grpc.ImageServiceServicer):
    """Serves ImageService with one engine."""

    def __init__(self, client: DockerClient, limits: Limits, log: FilteringBoundLogger) -> None:
        self._engine = Engine(client, limits)
        self._making = threading.Lock()
        self._log = log

    def BuildImage(  # noqa: N802
        self, request: pb.BuildImageRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.BuildImageResponse]:
        """See images.proto."""

        def making() -> Generator[str, None, str]:
            files = _files(request)
            version = manifest.digest(files)
            command = tuple(request.command)
            return (yield from build(self._engine, files, version, command, context.is_active))

        yield from self._answers(context, making, pb.BuildImageResponse)

    def LoadImage(  # noqa: N802
        self, request_iterator: Iterator[pb.LoadImageRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.LoadImageResponse]:
        """See images.proto."""

        def making() -> Generator[str, None, str]:
            first = next(request_iterator, pb.LoadImageRequest())
            parts = _parts(first, request_iterator)
            return (yield from bring.load(self._engine, parts, first.name[:100] or "the archive"))

        yield from self._answers(context, making, pb.LoadImageResponse)

    def PullImage(  # noqa: N802
        self, request: pb.PullImageRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.PullImageResponse]:
        """See images.proto."""
        yield from self._answers(
            context, lambda: bring.pull(self._engine, request.reference), pb.PullImageResponse
        )

    def FindImage(  # noqa: N802
        self, request: pb.FindImageRequest, context: grpc.ServicerContext
    ) -> pb.FindImageResponse:
        """See images.proto."""
        if not DIGEST.fullmatch(request.version):
            return pb.FindImageResponse()
        try:
            image = self._engine.built(request.version)
            if not image and self._engine.image(request.version) is not None:
                image = request.version
            return pb.FindImageResponse(image=image)
        except FAULTS as error:
            context.abort(grpc.StatusCode.UNAVAILABLE, f"the engine: {error}")

    def DropImage(  # noqa: N802
        self, request: pb.DropImageRequest, context: grpc.ServicerContext
    ) -> pb.DropImageResponse:
        """See images.proto."""
        try:
            if DIGEST.fullmatch(request.image):
                self._engine.forget(request.image)
        except FAULTS as error:
            context.abort(grpc.StatusCode.UNAVAILABLE, f"the engine: {error}")
        return pb.DropImageResponse()

    def _answers(
        self,
        context: grpc.ServicerContext,
        making: Callable[[], Generator[str, None, str]],
        response: type[Response],
    ) -> Iterator[Response]:
        """Make one image, alone, and tell of it."""
        if not self._making.acquire(blocking=False):
            yield response(event=pb.ImageEvent(line="another image is made first"))
            self._making.acquire()
        steps = making()
        try:
            image = yield from _told(steps, response)
            yield response(event=pb.ImageEvent(ready=self._ready(image)))
        except ImageError as error:
            self._log.info("image refused", code=error.code, where=error.place)
            yield response(event=pb.ImageEvent(refused=refused(error)))
        except FAULTS as error:
            self._log.warning("the engine fails", error=str(error))
            context.abort(grpc.StatusCode.UNAVAILABLE, f"the engine: {error}")
        finally:
            steps.close()
            self._making.release()

    def _ready(self, image: str) -> pb.ImageReady:
        told = self._engine.image(image) or {}
        self._log.info("image ready", image=image)
        return pb.ImageReady(image=image, size=told.get("Size", 0))


def _told(
    steps: Generator[str, None, str], response: type[Response]
) -> Generator[Response, None, str]:
    """Each step as a message; returns what the steps return."""
    while True:
        try:
            line = next(steps)
        except StopIteration as end:
            return end.value
        if line:
            yield response(event=pb.ImageEvent(line=line))


def _files(request: pb.BuildImageRequest) -> list[File]:
    """The folder's files. Raises ImageError (E_PATH, E_TOO_BIG)."""
    names: dict[str, str] = {}
    size = 0
    found: list[File] = []
    for file in request.files:
        size += len(file.content)
        if size > manifest.MAX_BYTES:
            raise ImageError("E_TOO_BIG", file.path, "with it the folder has more than 16 MiB")
        found.append(File(checked(file.path, names), file.content, file.executable))
    return sorted(found)


def _parts(first: pb.LoadImageRequest, rest: Iterator[pb.LoadImageRequest]) -> Iterator[bytes]:
    yield first.data
    for request in rest:
        yield request.data
