"""What a check says: one row for each thing that was looked at. Values only."""

from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """What became of one row. NOTE: worth knowing, and no fault. SKIP: it was not tried."""

    PASS = "PASS"  # noqa: S105 - a verdict
    NOTE = "NOTE"
    WARN = "WARN"
    FAIL = "FAIL"
    SKIP = "SKIP"


class Row(NamedTuple):
    """One row. `reason` is what was seen, `fix` what to do about it ("" where there is nothing to
    do), `lines` the last lines that the bot printed, where they may tell more.

    The texts may hold a bot's words: what could act on a terminal is escaped in them.
    """

    name: str
    verdict: Verdict
    reason: str
    fix: str = ""
    lines: tuple[str, ...] = ()


FOLDER = "folder"
"""Its folder and manifest. Said by whoever reads them, before anything is played."""
IMAGE = "image"
"""Its image, where it plays in a container. Said by whoever has it made."""
BUILD = "build"
"""What the `build` of its manifest makes; said where it fails, on its author's machine."""
START = "start"
HANDSHAKE = "handshake"
ONE = "one board"
MANY = "many boards"
RULES = "other rules"
ITSELF = "itself"
RECONNECT = "reconnect"
ANSWERS = "answers"
TIME = "time"
MEMORY = "memory"
OUTPUT = "output"
ENDING = "ending"
RANDOM = "random"
REPEATABLE = "repeatable"

NAMES = (
    START,
    HANDSHAKE,
    ONE,
    MANY,
    TIME,
    RECONNECT,
    RANDOM,
    RULES,
    ITSELF,
    REPEATABLE,
    ANSWERS,
    MEMORY,
    OUTPUT,
    ENDING,
)
"""The rows of a check that is played, about as they are known; each is said once."""


def failed(rows: list[Row]) -> bool:
    """The bot is at fault."""
    return any(row.verdict is Verdict.FAIL for row in rows)
