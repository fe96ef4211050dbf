"""Words for people and machines: data on stdout, everything else on stderr.

On a terminal the headers of a table are set off; in a pipe it is plain aligned text, whose lines
depend on no width. NO_COLOR and FORCE_COLOR say it otherwise, as no-color.org and force-color.org
have it.
"""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text


TAB = "    "
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def styled(stream: IO[str]) -> bool:
    """Whether what goes to `stream` may have colours and other styles."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return live(stream)


def live(stream: IO[str]) -> bool:
    """Whether lines of `stream` may be written over: a terminal that can do more than scroll."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def data(text: str = "") -> None:
    """A line of what was asked for; several, where there are line ends in it."""
    print(_lines(text), flush=True)


def as_json(value: Any) -> None:
    """One line of JSON."""
    data(json.dumps(value))  # in ASCII: nothing in it can hide on a terminal


def note(text: str = "") -> None:
    """A line about what goes on, or several."""
    print(_lines(text), file=sys.stderr, flush=True)


def next_step(command: str, why: str) -> None:
    """The next useful command."""
    note(f"next: {command}   {why}")


def printable(text: str) -> str:
    """`text` with everything replaced that could move a cursor, change its direction or hide; a tab
    by spaces."""
    spaced = text.replace("\t", TAB)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in spaced)


def _lines(text: str) -> str:
    """Whatever is told may hold the name of a file, an option, or a bot's words."""
    return "\n".join(map(printable, text.split("\n")))


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> None:
    """Rows under their headers; the first `left` columns to the left, numbers to the right.

    Lines that are wider than the terminal are left to it: nothing is cut.
    """
    head, *body = table_lines(headers, rows, left)
    print(f"{BOLD}{head}{PLAIN}" if styled(sys.stdout) else head, flush=True)
    for line in body:
        data(line)


def table_lines(headers: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """The lines of a table in plain text."""
    all_rows = [list(headers), *([printable(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in all_rows) for column in range(len(headers))]
    return [
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in all_rows
    ]


def drawn(lines: Sequence[str]) -> "Text":
    """The lines of a table for a live view on stderr, its headers set off."""
    from rich.text import Text

    style = "bold" if styled(sys.stderr) else ""
    return Text("\n").join([Text(lines[0], style=style), *map(Text, lines[1:])])
