"""How the bots of one match of two folders run: as processes, or in containers of images of theirs.

For containers the match has a launcher of its own, a process that ends with this one, and takes its
containers with it.
"""

import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import grpc

from arena.local import builds, processes
from arena.local.sandbox import Chosen, SandboxError, choose
from arena.local.services import launcher_command
from knockbox.v1 import images_pb2, images_pb2_grpc
from workers.attempt import BotSpec
from workers.sandbox import probe
from workers.sandbox.containers import ContainerLauncher
from workers.sandbox.launcher import Launcher
from workers.sandbox.manifest import BotFolder
from workers.sandbox.processes import ProcessLauncher

_START_S = 30.0

Note = Callable[[str], None]


class Bots(NamedTuple):
    """The bots of a match: their folders as read, and as they lie ready to be played; the numbers
    of those that are started by hand."""

    folders: tuple[BotFolder, ...]
    specs: tuple[BotSpec, ...]
    by_hand: frozenset[int] = frozenset()


class ImageRefusedError(SandboxError):
    """An image cannot be made of a bot's folder; `version` is the bot's, `refused` says why."""

    def __init__(self, bot: BotSpec, refused: images_pb2.ImageRefused) -> None:
        super().__init__(f"{bot.name} has no image: {_refusal(refused)}")
        self.version = bot.version
        self.refused = refused


class Places(NamedTuple):
    """Folders of one match: of sockets (short), and of files."""

    sockets: Path
    work: Path


@contextmanager
def launcher(
    chosen: Chosen, engine: str, bots: Bots, places: Places, note: Note
) -> Iterator[tuple[Launcher, tuple[BotSpec, ...]]]:
    """A launcher for the block's time, and the bots with their images where it has containers.

    What is missing is built: images, or what compiled bots run as processes. Raises SandboxError.
    """
    if not chosen.engine:
        for number, (folder, spec) in enumerate(zip(bots.folders, bots.specs, strict=True)):
            if number not in bots.by_hand:
                builds.add(folder, spec.folder, builds.base(), note)
        yield ProcessLauncher(places.work / "homes"), bots.specs
        return
    address = f"unix://{places.sockets / 'l' / 'l.sock'}"
    command = launcher_command(address, places.sockets / "r", engine)
    with _running(command, places.work / "launcher.log"), grpc.insecure_channel(address) as channel:
        _wait(channel, places.work / "launcher.log")
        stub = images_pb2_grpc.ImageServiceStub(channel)
        images = [_image(stub, *bot, note) for bot in zip(bots.folders, bots.specs, strict=True)]
        named = zip(bots.specs, images, strict=True)
        yield ContainerLauncher(address), tuple(spec._replace(image=one) for spec, one in named)


def choice(sandbox: str, engine: str, bots: Bots, *, as_in_arena: bool = False) -> Chosen:
    """What a match takes. Raises SandboxError.

    `auto` takes containers where all images are there, or where one of those that are not belongs
    to a bot that cannot be built or started outside of it. What is to be played `as_in_arena` takes
    them where all images can be built too.
    """
    if bots.by_hand and sandbox == "container":
        raise SandboxError("a bot that is started by hand is in no container: leave out --sandbox")
    chosen = choose("process" if bots.by_hand else sandbox, engine)
    if not chosen.engine or sandbox == "container":
        return chosen
    from workers.sandbox.images.engine import tag_of

    without = {
        spec.name: folder
        for folder, spec in zip(bots.folders, bots.specs, strict=True)
        if not probe.knows(engine, tag_of(spec.version))
    }
    if not without or any(map(builds.lacks, without.values())):
        return chosen
    if as_in_arena and all(can_be_built(engine, folder) for folder in without.values()):
        return chosen
    names = ", ".join(without)
    verb = "has" if len(without) == 1 else "have"
    why = f"{names} {verb} no image (--sandbox container builds it)"
    return Chosen("", f"bots run as processes of this machine, unsandboxed: {why}")


def can_be_built(engine: str, folder: BotFolder) -> bool:
    """It has a Dockerfile, and what that builds on is known to the engine at this address."""
    from workers.sandbox.images import dockerfile
    from workers.sandbox.images.limits import BASES
    from workers.sandbox.images.refusal import ImageError

    for file in folder.files:
        if file.path == dockerfile.DOCKERFILE:
            try:
                bases = dockerfile.check(file.content, BASES).bases
            except ImageError:
                return False
            return all(probe.knows(engine, base) for base in bases)
    return False


def _image(
    stub: images_pb2_grpc.ImageServiceStub, folder: BotFolder, spec: BotSpec, note: Note
) -> str:
    try:
        found = stub.FindImage(images_pb2.FindImageRequest(version=spec.version)).image
        if found:
            return found
        note(f"{spec.name}: building its image")
        files = [
            images_pb2.ImageFile(path=one.path, content=one.content, executable=one.executable)
            for one in folder.files
        ]
        request = images_pb2.BuildImageRequest(files=files, command=folder.command)
        for response in stub.BuildImage(request):
            event = response.event
            if event.WhichOneof("event") == "ready":
                return event.ready.image
            if event.WhichOneof("event") == "refused":
                raise ImageRefusedError(spec, event.refused)
    except grpc.RpcError as error:
        raise SandboxError(f"{spec.name} has no image: {error}") from None
    raise SandboxError(f"{spec.name} has no image: its build has ended without a word")


def _refusal(refused: images_pb2.ImageRefused) -> str:
    where = f"{refused.where}:{refused.line}" if refused.line else refused.where
    said = f"\n{refused.output}" if refused.output else ""
    return f"{where}: {refused.message} ({refused.code}){said}"


@contextmanager
def _running(command: Sequence[str], log: Path) -> Iterator[None]:
    with log.open("ab") as out:
        process = subprocess.Popen(  # noqa: S603 - our own module
            processes.leash(command, signal.SIGTERM),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd="/",
            start_new_session=True,
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _wait(channel: grpc.Channel, log: Path) -> None:
    try:
        grpc.channel_ready_future(channel).result(timeout=_START_S)
    except grpc.FutureTimeoutError:
        raise SandboxError(f"the launcher does not start:\n{processes.tail(log)}") from None
