"""Counts with their noun, and tables that fit a terminal. No command here; nothing prints."""

import os
import re
import sys
import textwrap
import time
from collections.abc import Sequence

PLURALS = {"match": "matches", "recorded match": "recorded matches", "entry": "entries"}

BARS = "▁▂▃▄▅▆▇█"

UNBROKEN = "\N{NO-BREAK SPACE}"

USUAL = 80
"""Columns of a terminal that does not say how many it has."""


def many(count: int, noun: str) -> str:
    """A number with its noun: "1 unit", "2 units", "1,024 matches"."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """More than one of it."""
    return PLURALS.get(noun, f"{noun}s")


def short(version: str) -> str:
    """The digest of a version as people can compare it; the text itself where it is none."""
    return version.partition(":")[2][:12] or version


def sparkline(values: Sequence[int]) -> str:
    """A bar for each value, from the lowest to the highest of them; all equal are in the middle."""
    low, high = min(values), max(values)
    if low == high:
        return BARS[3] * len(values)
    return "".join(BARS[(value - low) * (len(BARS) - 1) // (high - low)] for value in values)


def fit(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    spare: Sequence[str],
    width: int,
    left: int = 1,
) -> tuple[list[str], list[list[str]], int]:
    """A table that is at most `width` wide, as far as leaving out columns helps.

    `spare` are the headers that may go, the first one first. The last of the answer is how many
    are left of the first `left` ones, whose text goes to the left.
    """
    kept = list(range(len(headers)))
    for header in spare:
        if wide(*_columns(headers, rows, kept)) <= width:
            break
        kept = [column for column in kept if headers[column] != header]
    head, body = _columns(headers, rows, kept)
    return head, body, sum(column < left for column in kept)


def _columns(
    headers: Sequence[str], rows: Sequence[Sequence[str]], kept: Sequence[int]
) -> tuple[list[str], list[list[str]]]:
    head, *body = ([row[column] for column in kept] for row in (headers, *rows))
    return head, body


def wide(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """How wide a table is. Columns are two spaces apart."""
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    return sum(widths) + 2 * (len(widths) - 1)


def wrapped(text: str, width: int, indent: int = 2) -> str:
    """A sentence in lines of at most `width`, all but the first indented.

    No word is broken, and no command between two backquotes, so that it can be copied.
    """
    whole = re.sub("`[^`]*`", lambda command: command[0].replace(" ", UNBROKEN), text)
    lines = textwrap.fill(
        whole,
        min(width, len(text) + 1),  # a line that fits is left as it is
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace(UNBROKEN, " ")


def room(*, live: bool = False) -> int:
    """How wide a table may be: as the terminal; without a limit where it goes to no terminal.

    `live`: on stderr, where what goes on is shown.
    """
    stream = sys.stderr if live else sys.stdout
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL
    except OSError:  # no terminal
        return 1 << 20


def when(ms: int) -> str:
    """A time as people here write it; `ms` are Unix milliseconds."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ms / 1000))
