"""How bots come in: as folders, archives and images; and how each gets the image it is played from.

The launcher makes images (ImageService); here it is decided what comes of it. A folder without an
image is a bot all the same: it is played as a process, where the organiser allows that.
"""

import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Protocol

import grpc

from arena.api.bots import BotDesk, checked, keep_snapshot
from arena.api.refusals import RefusalError, invalid
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import images_pb2, images_pb2_grpc
from workers.folders import Folders
from workers.names import complaint
from workers.sandbox import manifest
from workers.sandbox.images import archive, saved
from workers.sandbox.images.dockerfile import DOCKERFILE
from workers.sandbox.images.limits import Limits
from workers.sandbox.images.refusal import ImageError, refused
from workers.sandbox.manifest import BotError, BotFolder
from workers.store import Store

PART = 1 << 20
NO_DOCKERFILE = "it has no Dockerfile"
NO_ENGINE = "no container engine answers"
NAMELESS = "an image has no name of its own: say which, like --name my-bot"

Steps = Generator[str, None, str]


class Events(Protocol):
    """What ImageService answers with, whichever call it was."""

    @property
    def event(self) -> images_pb2.ImageEvent:
        """One thing that happens."""
        ...


class RefusedError(Exception):
    """There can be no such image."""

    def __init__(self, why: images_pb2.ImageRefused) -> None:
        place = f"{why.where} line {why.line}" if why.line else why.where
        super().__init__(f"{why.code}: {place}: {why.message}")
        self.why = why


class _NoEngineError(Exception):
    """Nobody is there to make images."""


class SubmitDesk:
    """Takes bots in. `launcher` is where ImageService answers, unix:///ABS/PATH."""

    def __init__(
        self, store: Store, folders: Folders, bots: BotDesk, owner: str, launcher: str
    ) -> None:
        self._store = store
        self._folders = folders
        self._bots = bots
        self._owner = owner
        self._launcher = launcher

    def add(self, request: pb.AddBotRequest) -> pb.AddBotResponse:
        """A folder, without a word in between. Raises RefusalError, StoreError."""
        steps = self._folder(checked(request))
        try:
            while True:
                next(steps)
        except StopIteration as end:
            return end.value
        except RefusedError as error:
            raise invalid("files", str(error)) from None

    def submit(self, requests: Iterator[pb.SubmitBotRequest]) -> Iterator[pb.SubmitBotResponse]:
        """A bot in any way, telling what happens. Raises RefusalError, StoreError."""
        first = next(requests, pb.SubmitBotRequest())
        try:
            steps = self._whichever(first, requests)
            while True:
                try:
                    yield pb.SubmitBotResponse(line=next(steps))
                except StopIteration as end:
                    yield pb.SubmitBotResponse(added=end.value)
                    return
        except RefusedError as error:
            yield pb.SubmitBotResponse(refused=error.why)
        except ImageError as error:
            yield pb.SubmitBotResponse(refused=refused(error))

    def _whichever(
        self, first: pb.SubmitBotRequest, rest: Iterator[pb.SubmitBotRequest]
    ) -> Generator[str, None, pb.AddBotResponse]:
        match first.WhichOneof("source"):
            case "folder":
                return (yield from self._folder(checked(first.folder)))
            case "archive":
                return (yield from self._archive(first, rest))
            case "reference":
                name = _named(first.name)
                return (yield from self._image(name, self._pulled(first.reference)))
            case _:
                raise invalid("source", "one of folder, archive and reference")

    # Folders.

    def _folder(self, folder: BotFolder) -> Generator[str, None, pb.AddBotResponse]:
        version = manifest.digest(folder.files)
        image, without = "", NO_DOCKERFILE
        if any(file.path == DOCKERFILE for file in folder.files):
            try:
                image, without = (yield from self._built(folder, version)), ""
            except _NoEngineError:
                without = NO_ENGINE
            except RefusedError as error:
                if error.why.code != "E_BASE":
                    raise
                without = error.why.message
        keep_snapshot(self._folders, version, folder.files)
        return self._added(folder.name, version, image, without)

    def _built(self, folder: BotFolder, version: str) -> Steps:
        """The image of a folder: the one that is pinned, while the engine has it."""
        with self._images() as stub:
            if pinned := self._store.images.of(version):
                with _no_engine():
                    asked = images_pb2.FindImageRequest(version=pinned)
                    if stub.FindImage(asked).image == pinned:
                        return pinned
            request = images_pb2.BuildImageRequest(
                files=[
                    images_pb2.ImageFile(
                        path=file.path, content=file.content, executable=file.executable
                    )
                    for file in folder.files
                ],
                command=folder.command,
            )
            return (yield from _followed(stub.BuildImage(request)))

    # Archives and images.

    def _archive(
        self, first: pb.SubmitBotRequest, rest: Iterator[pb.SubmitBotRequest]
    ) -> Generator[str, None, pb.AddBotResponse]:
        name = first.file[:100] or "the archive"
        with tempfile.TemporaryFile(dir=self._folders.incoming_folder) as file:
            size = saved.spool(_parts(first, rest), file, Limits().image, name)
            if archive.holds_image(file, name):
                return (yield from self._image(_named(first.name), self._loaded(file, name)))
            members = archive.read(file, size, name)
        try:
            folder = manifest.from_files(members)
        except BotError as error:
            raise invalid("archive", str(error)) from None
        if first.name not in ("", folder.name):
            raise invalid("name", f"{first.name[:40]!r} is not {folder.name!r}, as its files say")
        return (yield from self._folder(folder))

    def _image(self, name: str, steps: Steps) -> Generator[str, None, pb.AddBotResponse]:
        try:
            image = yield from steps
        except _NoEngineError:
            raise RefusalError(
                grpc.StatusCode.FAILED_PRECONDITION, f"{NO_ENGINE}: images cannot be taken in"
            ) from None
        return self._added(name, image, image, "")

    def _loaded(self, file: BinaryIO, name: str) -> Steps:
        def requests() -> Iterator[images_pb2.LoadImageRequest]:
            yield images_pb2.LoadImageRequest(name=name)
            while part := file.read(PART):
                yield images_pb2.LoadImageRequest(data=part)

        with self._images() as stub:
            return (yield from _followed(stub.LoadImage(requests())))

    def _pulled(self, reference: str) -> Steps:
        with self._images() as stub:
            request = images_pb2.PullImageRequest(reference=reference)
            return (yield from _followed(stub.PullImage(request)))

    @contextmanager
    def _images(self) -> Iterator[images_pb2_grpc.ImageServiceStub]:
        if not self._launcher:
            raise _NoEngineError
        with grpc.insecure_channel(self._launcher) as channel:
            yield images_pb2_grpc.ImageServiceStub(channel)

    def _added(self, name: str, version: str, image: str, without: str) -> pb.AddBotResponse:
        if image:
            self._store.images.pin(version, image)
        added = self._store.bots.add(name, version, self._owner)
        bot = self._bots.message(name)
        return pb.AddBotResponse(bot=bot, added=added, image=image, without_image=without)


def _parts(first: pb.SubmitBotRequest, rest: Iterator[pb.SubmitBotRequest]) -> Iterator[bytes]:
    yield first.archive
    for request in rest:
        yield request.archive


def _named(name: str) -> str:
    """The name of a bot that is an image. Raises RefusalError."""
    if not name:
        raise invalid("name", NAMELESS)
    if wrong := complaint(name):
        raise invalid("name", f"{name[:40]!r} is no bot's name: {wrong}")
    return name


@contextmanager
def _no_engine() -> Iterator[None]:
    """Raises _NoEngineError where the launcher or its engine does not answer."""
    try:
        yield
    except grpc.RpcError as error:
        assert isinstance(error, grpc.Call)
        if error.code() is not grpc.StatusCode.UNAVAILABLE:
            raise
        raise _NoEngineError from None


def _followed(told: Iterable[Events]) -> Steps:
    """Each line; returns the image. Raises RefusedError, _NoEngineError."""
    with _no_engine():
        for one in told:
            event = one.event
            if event.HasField("refused"):
                raise RefusedError(event.refused)
            if event.HasField("ready"):
                return event.ready.image
            yield event.line
    raise _NoEngineError
