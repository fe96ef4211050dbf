"""knockbox.toml: what it may say, and what is told to an author where it says something else."""

import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from workers.names import complaint
from workers.sandbox.capture import printable

MANIFEST = "knockbox.toml"
MAX_MANIFEST = 64 * 1024
EXAMPLE = 'bot = { name = "my-bot", command = ["python3", "bot.py"] }'
"""A whole manifest in a line."""


class BotError(ValueError):
    """Something about a bot's folder is wrong. `where` is a path or a field; both are printable."""

    def __init__(self, where: str, message: str) -> None:
        self.where = printable(where).replace("\n", "\\n")[:200]
        self.message = message
        super().__init__(f"{self.where}: {message}")


class Manifest(NamedTuple):
    """What knockbox.toml says.

    `include` are folders copied beside the bot when it is packed, `exclude` are files and folders
    that stay behind then; `build` makes, on its author's machine, what `command` runs there.
    """

    name: str
    command: tuple[str, ...]
    include: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def parse(content: bytes) -> Manifest:
    """What a knockbox.toml says. Raises BotError for the first field that is wrong."""
    if len(content) > MAX_MANIFEST:
        raise BotError(MANIFEST, f"has {len(content):,} bytes; at most {MAX_MANIFEST:,} are read")
    try:
        data = tomllib.loads(content.decode("utf-8"))
    # ValueError: not UTF-8, not TOML, or a number of more digits than Python reads.
    except (ValueError, RecursionError) as error:
        why = printable(str(error))[:200]
        raise BotError(
            MANIFEST, f"is not TOML ({why}). A whole one is the line {EXAMPLE}"
        ) from None
    _only(data, "", {"bot"})
    bot = data.get("bot")
    if not isinstance(bot, dict):
        raise BotError(f"{MANIFEST} [bot]", f"is missing. A whole {MANIFEST} is the line {EXAMPLE}")
    bot = cast("dict[str, Any]", bot)
    _only(bot, "bot.", set(Manifest._fields))
    name = bot.get("name")
    if why := complaint(name):
        shown = printable(repr(name))[:60]
        raise BotError(f"{MANIFEST} bot.name", f"{shown} is no bot's name: {why}")
    command = _texts(bot, "command", 'write it like command = ["python3", "bot.py"]')
    if not command or not command[0].strip():
        raise BotError(f"{MANIFEST} bot.command", 'is empty; write command = ["python3", "bot.py"]')
    include = _texts(bot, "include", 'write it like include = ["../knockbox_sdk"]', ())
    for folder in include:
        if not base(folder) or "\\" in folder:
            raise BotError(f"{MANIFEST} bot.include", f"{folder[:60]!r} does not name a folder")
    build = _texts(bot, "build", 'write it like build = ["make", "bot"]', ())
    exclude = _texts(bot, "exclude", 'write it like exclude = ["target"]', ())
    for path in exclude:
        if any(part in ("", ".", "..") for part in path.rstrip("/").split("/")) or "\\" in path:
            why = f"{path[:60]!r} is no plain path in the bot's folder, like build/out"
            raise BotError(f"{MANIFEST} bot.exclude", why)
    exclude = tuple(path.rstrip("/") for path in exclude)
    return Manifest(cast("str", name), command, include, build, exclude)


def _only(table: Mapping[str, Any], prefix: str, known: set[str]) -> None:
    for key in table:
        if key not in known:
            fields = ", ".join(prefix + name for name in sorted(known))
            raise BotError(f"{MANIFEST} {prefix}{key}", f"is not a field; there are {fields}")


def _texts(
    table: Mapping[str, Any], key: str, right: str, default: tuple[str, ...] | None = None
) -> tuple[str, ...]:
    value = table.get(key, default)
    if value is None:
        raise BotError(f"{MANIFEST} bot.{key}", f"is missing; {right}")
    items = cast("list[Any]", value) if isinstance(value, list) else None
    if value is default:
        return default or ()
    if items is None or not all(isinstance(item, str) and "\0" not in item for item in items):
        raise BotError(f"{MANIFEST} bot.{key}", f"is not a list of texts; {right}")
    if len(items) > 64 or sum(map(len, items)) > 8_192:
        raise BotError(f"{MANIFEST} bot.{key}", "is too long: 64 texts, 8,192 characters in all")
    return tuple(items)


def base(folder: str) -> str:
    """The name under which an included folder lies beside the bot; empty where it has none."""
    name = folder.rstrip("/").rpartition("/")[2]
    return "" if name in ("", ".", "..") else name
