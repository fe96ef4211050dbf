"""Builds a bot's image from its folder: without network, within limits, and leaving nothing but it.

The engine's classic builder runs each command in a container of its own and tells its number, which
`watch` is told.
"""

import io
import re
import tarfile
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import suppress
from json import dumps
from typing import Any

from workers.sandbox.capture import Capture, printable
from workers.sandbox.images import dockerfile
from workers.sandbox.images.dockerfile import DOCKERFILE, Dockerfile
from workers.sandbox.images.engine import FAULTS, LABEL, LABEL_VERSION, Engine, tag_of
from workers.sandbox.images.limits import Limits
from workers.sandbox.images.refusal import ImageError
from workers.sandbox.images.watch import Watch
from workers.sandbox.manifest import File

LAST_LINES = 30
_IS_TAR = {"Content-Type": "application/x-tar"}
_STEP = re.compile(r"Step (\d+)/\d+ : ")
_RUNS = re.compile(r" ---> Running in ([0-9a-f]{12,64})\s*")
_MADE = re.compile(r" ---> ([0-9a-f]{12,64})\s*")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_NOISE = re.compile(r" ---> |Removing intermediate container |Successfully ")


def build(
    engine: Engine,
    files: Iterable[File],
    version: str,
    command: tuple[str, ...],
    wanted: Callable[[], bool] = lambda: True,
) -> Generator[str, None, str]:
    """Yields what happens, a line each; returns the image's digest.

    `version` is the digest of the folder; what was built from the same folder before and is still
    here is taken. `command` is run where the Dockerfile does not say what. The build is ended when
    it is not `wanted` any more. Raises ImageError; docker's errors where no engine answers.
    """
    by_path = {file.path: file for file in files}
    if DOCKERFILE not in by_path:
        raise ImageError("E_NO_DOCKERFILE", DOCKERFILE, "the folder has none, so nothing is built")
    content = by_path[DOCKERFILE].content
    parsed = dockerfile.check(content, engine.limits.bases)
    if found := engine.built(version):
        yield "the image is there already"
        return found
    _bases_are_here(engine, parsed)
    if not parsed.runs and command:
        content = content.rstrip() + b"\nCMD " + dumps(command).encode() + b"\n"
    context = _context(by_path, content)
    run = _Run(engine, parsed, wanted)
    try:
        wish = _wish(engine.limits, version)
        wait = engine.limits.build_time + 60
        with engine.told("/build", wait, params=wish, data=context, headers=_IS_TAR) as told:
            yield from run.follow(told)
        image = engine.image(tag_of(version))
        if image is None:
            raise ImageError("E_BUILD", DOCKERFILE, "the engine made no image", output=run.words())
        try:
            engine.check(image["Id"], "the image")
        except ImageError:
            engine.client.api.remove_image(tag_of(version))
            raise
        return str(image["Id"])
    finally:
        run.end()


def _bases_are_here(engine: Engine, parsed: Dockerfile) -> None:
    for base, line in parsed.bases.items():
        if engine.image(base) is None:
            raise ImageError(
                "E_BASE", DOCKERFILE, f"{base} is not on this machine: make images", line=line
            )


def _context(files: Mapping[str, File], content: bytes) -> io.BytesIO:
    """The folder as the engine takes it: the same bytes for the same files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(files):
            file = files[path]
            data = content if path == DOCKERFILE else file.content
            info = tarfile.TarInfo(path)
            info.size = len(data)
            info.mode = 0o755 if file.executable else 0o644
            tar.addfile(info, io.BytesIO(data))
    packed.seek(0)
    return packed


def _wish(limits: Limits, version: str) -> dict[str, Any]:
    """How the engine is to build."""
    return {
        "t": tag_of(version),
        "rm": 1,
        "forcerm": 1,
        "networkmode": "none",
        "memory": limits.build_memory,
        "memswap": limits.build_memory,
        "cpuperiod": 100_000,
        "cpuquota": 100_000,
        "labels": dumps({LABEL_VERSION: version, LABEL: "bot"}),
    }


def _shown(text: str) -> str:
    """What a command prints, without the colours that the engine gives to its errors."""
    return printable(_COLOUR.sub("", text)).rstrip()[:2000]


class _Run:
    """One build while it runs, and what it leaves besides its image."""

    def __init__(self, engine: Engine, parsed: Dockerfile, wanted: Callable[[], bool]) -> None:
        self._engine = engine
        self._lines = [each.line for each in parsed.instructions]
        self._begins = {n for n, each in enumerate(parsed.instructions) if each.word == "FROM"}
        self._step = -1
        self._made = ""
        self._stages: list[str] = []
        self._output = Capture(64 * 1024)
        self._printed = 0
        self._watch = Watch(engine, wanted)

    def follow(self, told: Iterable[Mapping[str, Any]]) -> Generator[str, None, None]:
        """Yields the lines of commands and instructions. Raises ImageError where one fails."""
        self._watch.start()
        for message in told:
            text = message.get("stream")
            if error := message.get("error"):
                raise self._failed(str(error))
            if isinstance(text, str) and (line := self._heard(text)):
                yield line

    def _heard(self, text: str) -> str:
        """Take note; what is to be shown."""
        if begins := _STEP.match(text):
            self._step = int(begins[1]) - 1
            if self._step in self._begins and self._made:
                self._stages.append(self._made)
            self._output = Capture(64 * 1024)
        elif runs := _RUNS.fullmatch(text):
            self._watch.runs(runs[1])
        elif made := _MADE.fullmatch(text):
            self._made = made[1]
            self._watch.runs("")
        elif not _NOISE.match(text):
            self._printed += len(text)
            self._output.feed(_COLOUR.sub("", text).encode("utf-8", "surrogatepass"))
            if self._printed > self._engine.limits.build_output:
                self._watch.kill(f"it prints more than {self._engine.limits.build_output:,} bytes")
                return ""
        return "" if _NOISE.match(text) else _shown(text)

    def words(self) -> str:
        """What the command that runs has printed last."""
        return "\n".join(self._output.log().last_lines(LAST_LINES))

    def _failed(self, error: str) -> ImageError:
        line = self._lines[self._step] if 0 <= self._step < len(self._lines) else 0
        if self._watch.killed:
            why = f"{self._watch.killed}; it was ended"
            return ImageError("E_BUILD_LIMIT", DOCKERFILE, why, line=line, output=self.words())
        return ImageError("E_BUILD", DOCKERFILE, error, line=line, output=self.words())

    def end(self) -> None:
        """End what still runs, and remove what nobody will use."""
        self._watch.end()
        with suppress(*FAULTS):
            for image in [*self._stages, self._made]:
                if image:
                    self._engine.drop(image)
