"""What a Dockerfile of a bot may say. Pure: reads bytes, asks nobody.

Builders differ in how they read odd lines; whatever two of them could read differently is refused,
so that what is judged here is what is built. Nothing may reach out of the build: no ADD (it fetches
and unpacks), no image but the bases, no front end, no mount.
"""

import re
import unicodedata
from collections.abc import Collection
from typing import NamedTuple, NoReturn

from workers.sandbox.images.refusal import ImageError

DOCKERFILE = "Dockerfile"
MAX_BYTES = 64 * 1024
MAX_INSTRUCTIONS = 200
SCRATCH = "scratch"

PLAIN = frozenset(
    """ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER RUN SHELL STOPSIGNAL
    USER WORKDIR""".split()  # noqa: SIM905 - read more easily
)
REFUSED = {
    "ADD": "ADD fetches addresses and unpacks archives; write COPY",
    "VOLUME": "VOLUME writes to the host's disk; a bot has 16 MB at /tmp instead: leave it out",
    "ONBUILD": "ONBUILD acts in other builds; write the instruction itself",
}
FLAGS = {"COPY": ("--from=", "--chown="), "HEALTHCHECK": ("--",)}
"""The flags that every builder knows; no other instruction has any."""

_DIRECTIVE = re.compile(r"#[ \t]*(syntax|escape|check)[ \t]*=", re.IGNORECASE)
_HEREDOC = re.compile(r"(?:^|\s)\d*<<-?[^<\s]")
_STAGE = re.compile(r"[a-z][a-z0-9_.-]*")
_CONTINUES = re.compile(r"\\[ \t]*$")


class Instruction(NamedTuple):
    """One instruction: the line it begins in, its word in capitals, the rest as one line."""

    line: int
    word: str
    rest: str


class Dockerfile(NamedTuple):
    """A Dockerfile that may be built. `bases` are the images it wants, with the line that first
    names each; `runs`: its last stage says itself what to run.
    """

    instructions: tuple[Instruction, ...]
    bases: dict[str, int]
    runs: bool


def check(content: bytes, allowed: Collection[str]) -> Dockerfile:
    """Read a Dockerfile. `allowed` are the images that it may build on, `scratch` apart.

    Raises ImageError (E_DOCKERFILE) with the line.
    """
    instructions = tuple(_instructions(_text(content)))
    if not instructions:
        _refuse(1, "it has no instruction; the least is FROM and COPY")
    stages = _Stages(allowed)
    for each in instructions:
        _known(each)
        if each.word == "FROM":
            stages.begin(each)
        elif not stages.count and each.word != "ARG":
            _refuse(each.line, f"{each.word} before the first FROM")
        elif each.word == "COPY":
            stages.copy(each)
        elif each.word in ("CMD", "ENTRYPOINT"):
            stages.runs = True
    if not stages.count:
        _refuse(instructions[-1].line, f"FROM is missing; {stages.choice}")
    return Dockerfile(instructions, stages.bases, stages.runs)


def _refuse(line: int, message: str) -> NoReturn:
    raise ImageError("E_DOCKERFILE", DOCKERFILE, message, line=line)


# Lines.


def _text(content: bytes) -> list[str]:
    if len(content) > MAX_BYTES:
        _refuse(1, f"it has {len(content):,} bytes; at most {MAX_BYTES:,} are read")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        _refuse(line, "it is not UTF-8")
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        for letter in line:
            if letter not in " \t" and unicodedata.category(letter)[0] in "CZ":
                _refuse(number, f"it holds the character U+{ord(letter):04X}, which cannot be seen")
    return lines


def _instructions(lines: list[str]) -> list[Instruction]:
    found: list[Instruction] = []
    at = 0
    while at < len(lines):
        first, line = at + 1, lines[at].strip()
        at += 1
        if not line or line.startswith("#"):
            if not found and (directive := _DIRECTIVE.match(line)):
                _refuse(first, f"`# {directive[1]}=` chooses how it is read; leave the line out")
            continue
        whole, at = _joined(lines, at, line)
        found.append(_instruction(first, whole))
        if len(found) > MAX_INSTRUCTIONS:
            _refuse(first, f"it has more than {MAX_INSTRUCTIONS} instructions")
    return found


def _instruction(line: int, whole: str) -> Instruction:
    parts = whole.split(None, 1)
    if not parts:
        _refuse(line, "an instruction without a word")
    return Instruction(line, parts[0].upper(), parts[1] if len(parts) > 1 else "")


def _joined(lines: list[str], at: int, first: str) -> tuple[str, int]:
    """An instruction with the lines that continue it, and the line after."""
    whole = ""
    part = first
    while _CONTINUES.search(part):
        part = _CONTINUES.sub("", part)
        if part.endswith("\\"):
            _refuse(at, "it ends with two backslashes, which builders read differently")
        whole += part
        while at < len(lines) and lines[at].startswith("#"):
            at += 1
        if at == len(lines):
            return whole, at
        part = lines[at]
        at += 1
        if not part.strip():
            _refuse(at, "an empty line within an instruction; take it out")
        if part.lstrip().startswith("#"):
            _refuse(at, "a comment within an instruction begins in column 1, or is left out")
    return whole + part, at


# Instructions.


def _known(each: Instruction) -> None:
    if why := REFUSED.get(each.word):
        _refuse(each.line, why)
    if each.word not in PLAIN:
        _refuse(each.line, f"{each.word[:40]} is no instruction that is known here")
    if not each.rest:
        _refuse(each.line, f"{each.word} says nothing")
    if each.word in ("RUN", "COPY") and _HEREDOC.search(each.rest):
        _refuse(each.line, "documents in place (<<) are not read alike by all builders")
    allowed = FLAGS.get(each.word, ())
    for flag in _flags(each.rest):
        name = flag.partition("=")[0]
        if not flag.startswith(allowed) or not allowed:
            _refuse(each.line, f"{each.word} {name[:40]} is not known to every builder")
        if re.search(r"[\"'\\$]", flag):
            _refuse(
                each.line, f"{name[:40]} is to be written plainly, without quotes and variables"
            )


def _flags(rest: str) -> list[str]:
    """The words at the beginning that start with --."""
    found: list[str] = []
    for word in rest.split():
        if not word.startswith("--"):
            break
        found.append(word)
    return found


class _Stages:
    """The stages so far, and the images they want."""

    def __init__(self, allowed: Collection[str]) -> None:
        self._allowed = {_plain(name) for name in allowed}
        self._names: set[str] = set()
        self.count = 0
        self.runs = False
        self.bases: dict[str, int] = {}
        self.choice = "build on " + " or ".join([*sorted(self._allowed), SCRATCH])

    def begin(self, each: Instruction) -> None:
        words = each.rest.split()
        if len(words) == 3 and words[1].upper() == "AS":
            name = words[2].lower()
            if not _STAGE.fullmatch(name) or name in self._names or name == SCRATCH:
                _refuse(each.line, f"{words[2][:40]!r} cannot be the name of a stage")
        elif len(words) == 1:
            name = ""
        else:
            _refuse(each.line, "FROM says IMAGE, or IMAGE AS NAME")
        self._want(words[0], each.line, f"FROM {words[0][:80]}")
        if name:
            self._names.add(name)
        self.count += 1
        self.runs = False

    def copy(self, each: Instruction) -> None:
        for flag in _flags(each.rest):
            name, _, value = flag.partition("=")
            if name != "--from":
                continue
            if value.isdecimal() and value.isascii():
                if int(value) >= self.count - 1:
                    _refuse(each.line, f"there is no stage {value[:9]} before this one")
            else:
                self._want(value, each.line, f"COPY --from={value[:80]}")

    def _want(self, image: str, line: int, said: str) -> None:
        if image.lower() in self._names:
            return
        if image == SCRATCH and said.startswith("FROM"):
            return
        if _plain(image) not in self._allowed:
            _refuse(line, f"{said}: only images that are made here; {self.choice}")
        self.bases.setdefault(_plain(image), line)


def _plain(image: str) -> str:
    return image.removesuffix(":latest")
