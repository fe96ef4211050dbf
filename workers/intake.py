"""How what is brought becomes something that can play: a folder, an archive, an image.

The launcher makes images (ImageService); here it is decided what comes of it. Nothing is registered
here, and nothing put in its place but by `keep`. Every way is a generator: it yields what happens,
a line each, and returns what was taken in.
"""

import shutil
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple, TypeVar

import grpc

from knockbox.v1 import images_pb2, images_pb2_grpc
from workers.folders import Folders
from workers.sandbox import manifest
from workers.sandbox.images import archive
from workers.sandbox.images.dockerfile import DOCKERFILE
from workers.sandbox.images.refusal import ImageError, place_of, refused, stated
from workers.sandbox.manifest import BotError, BotFolder, File
from workers.store.images import Images

PART = 1 << 20
NO_DOCKERFILE = "it has no Dockerfile"
NO_ENGINE = "no container engine answers"
NEEDS_DOCKERFILE = (
    "bots play in containers here: without one there is no image. The least for a bot in Python "
    "has two lines: FROM knockbox/python-bot, and COPY . /bot"
)

Steps = Generator[str, None, str]
Made = TypeVar("Made")


class Taken(NamedTuple):
    """What was taken in. `name` is what its files say, '' for an image; `files` are those of a
    folder, None for an image; `image` is the config digest, '' where `without_image` says why.
    """

    name: str
    version: str
    image: str
    without_image: str = ""
    command: tuple[str, ...] = ()
    files: tuple[File, ...] | None = None


class RefusedError(Exception):
    """It cannot be taken in."""

    def __init__(self, why: images_pb2.ImageRefused) -> None:
        super().__init__(f"{why.code}: {place_of(why)}: {why.message}")
        self.why = why


class NoEngineError(Exception):
    """Nobody is there to make images."""


class Intake:
    """Takes bots in. `images` are the pins, `launcher` is where ImageService answers,
    unix:///ABS/PATH, '' for nowhere.

    A `strict` one takes no folder without its image. `stop` ends what another thread waits for.
    """

    def __init__(
        self, folders: Folders, images: Images, launcher: str, *, strict: bool = False
    ) -> None:
        self._folders = folders
        self._pins = images
        self._launcher = launcher
        self._strict = strict
        self._call: Any = None

    def stop(self) -> None:
        """End what is being made; whoever waits for it gets grpc.RpcError."""
        if self._call is not None:
            self._call.cancel()

    def folder(self, folder: BotFolder) -> Generator[str, None, Taken]:
        """A bot's folder. Raises RefusedError, a strict one NoEngineError."""
        version = manifest.digest(folder.files)
        image, without = "", NO_DOCKERFILE
        if any(file.path == DOCKERFILE for file in folder.files):
            try:
                image, without = (yield from self._built(folder, version)), ""
            except NoEngineError:
                if self._strict:
                    raise
                without = NO_ENGINE
            except RefusedError as error:
                if self._strict or error.why.code != "E_BASE":
                    raise
                without = error.why.message
        elif self._strict:
            raise RefusedError(refused(ImageError("E_NO_DOCKERFILE", DOCKERFILE, NEEDS_DOCKERFILE)))
        return Taken(folder.name, version, image, without, folder.command, folder.files)

    def archive(
        self, file: BinaryIO, size: int, name: str, judge: Callable[[str], None]
    ) -> Generator[str, None, Taken]:
        """An archive of `size` bytes that people call `name`: of a folder, or of an image.

        `judge` is told the bot's name as its files say it, '' for an image, before anything is
        built. Raises RefusedError, ImageError, BotError, what `judge` raises; for an image
        NoEngineError.
        """
        if archive.holds_image(file, name):
            judge("")
            return _of_image((yield from self._loaded(file, name)))
        needs = (manifest.MANIFEST, DOCKERFILE) if self._launcher else (manifest.MANIFEST,)
        folder = manifest.from_files(archive.read(file, size, name, needs))
        judge(folder.name)
        return (yield from self.folder(folder))

    def reference(self, reference: str) -> Generator[str, None, Taken]:
        """An image in a registry. Raises RefusedError, NoEngineError."""
        with self._images() as stub:
            request = images_pb2.PullImageRequest(reference=reference)
            return _of_image((yield from self._followed(stub.PullImage(request))))

    def has(self, image: str) -> bool:
        """The engine has this image still. Raises NoEngineError."""
        with self._images() as stub, _no_engine():
            return stub.FindImage(images_pb2.FindImageRequest(version=image)).image == image

    def drop(self, image: str) -> None:
        """Have the engine forget an image that nothing is played from. Raises NoEngineError."""
        with self._images() as stub, _no_engine():
            stub.DropImage(images_pb2.DropImageRequest(image=image))

    def keep(self, taken: Taken) -> None:
        """Put what was taken in where it is played from; again changes nothing."""
        if taken.files is not None:
            _keep_snapshot(self._folders, taken.version, taken.files)
        if taken.image:
            self._pins.pin(taken.version, taken.image)

    def _built(self, folder: BotFolder, version: str) -> Steps:
        """The image of a folder: the one that is pinned, while the engine has it."""
        pinned = self._pins.of(version)
        if pinned and self.has(pinned):
            return pinned
        with self._images() as stub:
            request = images_pb2.BuildImageRequest(
                files=[
                    images_pb2.ImageFile(
                        path=file.path, content=file.content, executable=file.executable
                    )
                    for file in folder.files
                ],
                command=folder.command,
            )
            return (yield from self._followed(stub.BuildImage(request)))

    def _loaded(self, file: BinaryIO, name: str) -> Steps:
        def requests() -> Iterator[images_pb2.LoadImageRequest]:
            yield images_pb2.LoadImageRequest(name=name)
            while part := file.read(PART):
                yield images_pb2.LoadImageRequest(data=part)

        with self._images() as stub:
            return (yield from self._followed(stub.LoadImage(requests())))

    @contextmanager
    def _images(self) -> Iterator[images_pb2_grpc.ImageServiceStub]:
        if not self._launcher:
            raise NoEngineError
        with grpc.insecure_channel(self._launcher) as channel:
            yield images_pb2_grpc.ImageServiceStub(channel)

    def _followed(self, told: Iterable[Any]) -> Steps:
        """Each line; returns the image. Raises RefusedError, NoEngineError."""
        self._call = told
        with _no_engine():
            for one in told:
                event: images_pb2.ImageEvent = one.event
                if event.HasField("refused"):
                    raise RefusedError(event.refused)
                if event.HasField("ready"):
                    return event.ready.image
                yield event.line
        raise NoEngineError


def made(steps: Generator[str, None, Made]) -> Made:
    """What the steps come to, where nobody is told what happens."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def _of_image(image: str) -> Taken:
    return Taken("", image, image)


@contextmanager
def _no_engine() -> Iterator[None]:
    """Raises NoEngineError where the launcher or its engine does not answer."""
    try:
        yield
    except grpc.RpcError as error:
        assert isinstance(error, grpc.Call)
        if error.code() is not grpc.StatusCode.UNAVAILABLE:
            raise
        raise NoEngineError from None


def refusal(error: Exception) -> images_pb2.ImageRefused:
    """A refusal of any kind as a message: RefusedError, ImageError, BotError."""
    match error:
        case RefusedError():
            return error.why
        case ImageError():
            return refused(error)
        case BotError():
            return stated("E_FOLDER", error.where, error.message)
        case _:
            raise error


def _keep_snapshot(folders: Folders, version: str, files: Iterable[File]) -> None:
    """Put a version's files in their place, whole or not at all; again changes nothing."""
    place = folders.snapshot(version)
    if place.is_dir():
        return
    temporary = folders.unfinished_snapshot()
    try:
        manifest.unpack(files, temporary)
        temporary.replace(place)
    except OSError:
        if not place.is_dir():  # else another call has put the same there
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
