"""What is sent to an arena for a bot: its folder packed, its image, an archive as it is; or no more
than a reference.

The same bot is the same bytes each time, so that sending it can go on where it stopped.
"""

import gzip
import hashlib
import io
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple

from arena.cli import errors, options, output
from arena.cli.errors import CommandError, at_fault, usage

if TYPE_CHECKING:
    from workers.sandbox.images.refusal import ImageError
    from workers.sandbox.manifest import BotFolder

Build = Literal["auto", "here", "arena"]

ARCHIVES = (".zip", ".tar", ".gz", ".tgz")


class Parcel(NamedTuple):
    """What is sent for a bot. `called` is what people call it; `file` None: it is the `reference`.

    `digest` is that of the file's bytes, "sha256:…"; `size` how many there are.
    """

    bot: str
    called: str
    file: BinaryIO | None = None
    reference: str = ""
    digest: str = ""
    size: int = 0


def of_reference(bot: str) -> bool:
    """What somebody named is neither folder nor archive, but an image in a registry."""
    path = Path(bot)
    if path.exists() or path.suffix in ARCHIVES or bot[:1] in "./~":
        return False
    return bool(set(bot) & set("/:@"))


def nameless(bot: str) -> CommandError:
    """Why that is no bot which is a reference by its looks, and came without a name: it is the path
    of a folder that is not there, or an image."""
    wanted = "say which, like --name my-bot"
    if set(bot) & set(":@"):
        return usage(f"an image has no name of its own: {wanted}")
    return usage(f"there is no folder {bot}; an image in a registry has a bot's name too: {wanted}")


@contextmanager
def packed(bot: str, name: str, build: Build, images: bool) -> Iterator[Parcel]:
    """What somebody named, ready to be sent. `images`: the arena takes images.

    Raises CommandError for what cannot be a bot.
    """
    from workers.sandbox.images.refusal import ImageError

    if of_reference(bot):
        if not name:
            raise nameless(bot)
        yield Parcel(name, bot, reference=bot)
        return
    path = Path(bot)
    try:
        with tempfile.TemporaryFile() as file:
            if path.is_file():
                with path.open("rb") as archive:
                    found = name or _named(archive, path.name)
                    yield _parcel(found, path.name, archive)
                return
            folder = _folder(path, name)
            called = _filled(folder, file, build, images)
            yield _parcel(folder.name, called, file)
    except ImageError as error:
        raise _refused(error) from None


def _refused(error: "ImageError") -> CommandError:
    """Why there can be no such image, for people."""
    lines = [str(error), *(f"  | {line}" for line in error.output.splitlines())]
    return errors.refused(error.code, "\n".join(lines))


def _folder(path: Path, name: str) -> "BotFolder":
    from arena.cli.folders import read

    found = read(path)
    if name not in ("", found.name):
        raise usage(f"--name {name}: the bot's knockbox.toml says {found.name}")
    return found


def _filled(folder: "BotFolder", file: BinaryIO, build: Build, images: bool) -> str:
    """Put the bot into a file: its image, where that is made here, else its folder; its name."""
    from workers.sandbox.images.dockerfile import DOCKERFILE
    from workers.sandbox.images.refusal import ImageError

    has = any(one.path == DOCKERFILE for one in folder.files)
    if build == "here" and not has:
        raise usage(f"--build here: {folder.name} has no Dockerfile")
    if build == "here" and not images:
        raise usage("--build here: this arena takes no images, for it has no container engine")
    if build == "here" or (build == "auto" and has and images and options.remote() is not None):
        try:
            if _image(folder, file, must=build == "here"):
                return f"{folder.name}.image.tar.gz"
        except ImageError as error:
            if build == "here" or error.code != "E_BASE":
                raise
            output.note(f"built by the arena: {error.message}")
    _pack(folder, file)
    return f"{folder.name}.tar.gz"


def _image(folder: "BotFolder", file: BinaryIO, *, must: bool) -> bool:
    """Build it here; False where no engine answers and none must."""
    from workers.sandbox import probe
    from workers.sandbox.images import here

    engine = options.settings(None).engine
    if not probe.version(engine):
        if must:
            raise CommandError(f"no container engine answers at {engine}: --build arena")
        return False
    try:
        steps = here.built(engine, folder.files, folder.command)
        while True:
            try:
                output.note(output.printable(next(steps)))
            except StopIteration as end:
                here.pack(engine, end.value, file)
                return True
    except here.EngineError as error:
        raise CommandError(f"the container engine at {engine}: {error}") from None


def _pack(folder: "BotFolder", file: BinaryIO) -> None:
    with (
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar,
    ):
        for one in folder.files:
            info = tarfile.TarInfo(one.path)
            info.size = len(one.content)
            info.mode = 0o755 if one.executable else 0o644
            tar.addfile(info, io.BytesIO(one.content))


def _named(archive: BinaryIO, called: str) -> str:
    """The name that the files of an archive say. Raises ImageError, CommandError."""
    from workers.sandbox import manifest
    from workers.sandbox.images import archive as archives

    if archives.holds_image(archive, called):
        raise usage("an image has no name of its own: say which, like --name my-bot")
    size = archive.seek(0, io.SEEK_END)
    archive.seek(0)
    members = archives.read(archive, size, called, (manifest.MANIFEST,))
    try:
        return manifest.from_files(members).name
    except manifest.BotError as error:
        raise at_fault(f"{called}: {error}") from None


def _parcel(bot: str, called: str, file: BinaryIO) -> Parcel:
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()  # pyright: ignore[reportArgumentType]
    return Parcel(bot, called, file, digest=f"sha256:{digest}", size=file.tell())
