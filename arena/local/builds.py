"""What a manifest's `build` makes: compiled bots that play as processes of their author's machine.

    <cache>/<name>/folder   the bot's files as they are packed, and what building has left there
                   built    the digest of what was built last
                   packed   the files that were put there, so that those that are gone can go
                   lock     held by whoever builds

Kept from match to match, so that a build goes on where the last one ended and the author's folder
stays as it is. No arena builds anything: there a bot that is compiled has an image.
"""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.local.sandbox import SandboxError
from workers.sandbox import manifest
from workers.sandbox.capture import printable
from workers.sandbox.images.dockerfile import DOCKERFILE
from workers.sandbox.manifest import BotFolder

LAST_LINES = 30


class BuildFailedError(SandboxError):
    """A bot's build failed by itself: `reason` in short, `lines` the last that it printed."""

    def __init__(self, bot: BotFolder, what: str, lines: tuple[str, ...]) -> None:
        self.reason = f"its build failed {what}"
        self.lines = lines
        said = "\n  | ".join((f"{bot.name}: {self.reason}", *lines))
        if any(file.path == DOCKERFILE for file in bot.files):
            said += "\nif this machine lacks something: --sandbox container builds it in its image"
        super().__init__(said)


def base() -> Path:
    """This user's folder of builds; it may not be there. Raises SandboxError."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return Path(cache if cache.startswith("/") else Path.home() / ".cache") / "knockbox/builds"
    except RuntimeError:
        raise SandboxError("there is no home folder to build in: set XDG_CACHE_HOME") from None


def lacks(bot: BotFolder) -> str:
    """The program that it is built with, or else started with, and that this machine has not; ''
    where nothing lacks."""
    program = (bot.build or bot.command)[0]
    return "" if "/" in program or shutil.which(program) else program


def add(bot: BotFolder, snapshot: Path, cache: Path, note: Callable[[str], None]) -> None:
    """Put what the bot's build makes beside its files in `snapshot`, if it has a build.

    Builds where something has changed. Raises SandboxError with the end of what was printed.
    """
    if not bot.build:
        return
    if tool := lacks(bot):
        raise SandboxError(
            f"{bot.name} is built with {tool}, which is not on the PATH: install it, or start a "
            "container engine, which builds it in its image"
        )
    with _locked(cache / bot.name) as place:
        folder, mark = place / "folder", place / "built"
        version = manifest.digest(bot.files)
        if not mark.exists() or mark.read_text() != version:
            mark.unlink(missing_ok=True)
            _bring(bot, folder, place / "packed")
            note(f"{bot.name}: building ({' '.join(bot.build)})")
            _run(bot, folder)
            mark.write_text(version)
        for path in _made(bot, folder):
            (snapshot / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / path, snapshot / path)


@contextmanager
def _locked(place: Path) -> Iterator[Path]:
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield place


def _bring(bot: BotFolder, folder: Path, packed: Path) -> None:
    """Have the bot's files there; those that are the same keep their times, by which builds go."""
    before = set(json.loads(packed.read_text())) if packed.exists() else set()
    packed.write_text(json.dumps(sorted(before | {file.path for file in bot.files})))
    for path in before - {file.path for file in bot.files}:
        (folder / path).unlink(missing_ok=True)
    for path, content, executable in bot.files:
        place = folder / path
        if place.is_file() and place.read_bytes() == content:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(0o755 if executable else 0o644)


def _run(bot: BotFolder, folder: Path) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - what the author wrote, on the author's machine
            bot.build,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError as error:
        raise SandboxError(f"{bot.name}: {bot.build[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        said = printable(done.stdout.decode("utf-8", "replace")).splitlines()[-LAST_LINES:]
        raise BuildFailedError(bot, f"({' '.join(bot.build)}: {done.returncode})", tuple(said))


def _made(bot: BotFolder, folder: Path) -> Iterator[str]:
    """What the build has made, without what the manifest excludes unless `command` names it."""
    packed = {file.path for file in bot.files}
    named = {os.path.normpath(word) for word in bot.command}
    for place in folder.rglob("*"):
        path = place.relative_to(folder).as_posix()
        wanted = path not in packed and (path in named or not _excluded(bot, path))
        if wanted and place.is_file() and not place.is_symlink():
            yield path


def _excluded(bot: BotFolder, path: str) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in bot.exclude)
