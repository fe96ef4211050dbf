"""The sample bots that `knockbox new` copies: one a language, part of what is installed."""

import json
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from workers.sandbox import manifest
from workers.sandbox.declaration import MANIFEST, Manifest, parse
from workers.sandbox.manifest import BotFolder, File

BOT, PAGE = "greedy", "README.md"
_NAME = re.compile(r"^name *=.*$", re.MULTILINE)
_INCLUDE = re.compile(r"^include *=.*\n", re.MULTILINE)
_ELSEWHERE = re.compile(r"\[([^]]+)\]\(\.\./([^)]+)\)")
_NEW = "my-bot"
"""What the pages call the bot that `knockbox new` makes."""


class Template(NamedTuple):
    """A language's bot. `title` is how people call the language; `page` explains the SDK."""

    title: str
    folder: Path
    page: str


def root() -> Path:
    """Where the sample bots are: a folder a language."""
    import arena

    assert arena.__file__
    return Path(arena.__file__).parents[1] / "sample_bots"


def languages() -> dict[str, Template]:
    """All there are, by the word that names each."""
    found: dict[str, Template] = {}
    for place in sorted(root().glob(f"*/{BOT}/{MANIFEST}")):
        language = place.parents[1]
        page = (language / PAGE).read_text()
        title = page.partition("\n")[0].removeprefix("# Bots in ")
        found[language.name] = Template(title, place.parent, page)
    return found


def named(template: Template, name: str) -> BotFolder:
    """A language's bot under this name."""
    files = manifest.read(template.folder).files
    return manifest.from_files(
        _renamed(file, name) if file.path == MANIFEST else file for file in files
    )


def copy(template: Template, name: str, folder: Path) -> None:
    """Make `folder`, which is not there, with a bot of this name and all that it needs.

    Raises OSError; then nothing is left.
    """
    files = list(named(template, name).files)
    if all(file.path != PAGE for file in files):
        files.append(File(PAGE, _page(template, name).encode(), False))
    folder.mkdir(parents=True)
    try:
        manifest.unpack(files, folder)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _page(template: Template, name: str) -> str:
    """The page as it reads in a bot's folder: its own name, and no link to what is not there."""
    page = template.page.replace(_NEW, name)
    return _ELSEWHERE.sub(r"\1 (`sample_bots/\2` in the clone of Knockbox)", page)


def _renamed(file: File, name: str) -> File:
    """The manifest under another name; what it includes lies in the folder now."""
    text = _INCLUDE.sub(
        "", _NAME.sub(lambda _: f"name = {json.dumps(name)}", file.content.decode())
    )
    content = text.encode()
    said = parse(file.content)
    assert parse(content) == Manifest(name, said.command, (), said.build, said.exclude)
    return file._replace(content=content)
