"""Words for people and machines: data on stdout, everything else on stderr.

On a terminal a table has colours (NO_COLOR takes them away); in a pipe it is plain aligned text.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text


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
    """`text` with everything replaced that could move a cursor, change its direction or hide."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _lines(text: str) -> str:
    """Whatever is told may hold the name of a file, an option, or a bot's words."""
    return "\n".join(map(printable, text.split("\n")))


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> None:
    """Rows under their headers; the first `left` columns to the left, numbers to the right."""
    lines = table_lines(headers, rows, left)
    if sys.stdout.isatty():
        from rich.console import Console

        # Lines that are wider than the terminal are left to it: nothing is cut.
        Console(highlight=False).print(drawn(lines), soft_wrap=True)
        return
    for line in lines:
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
    """The lines of a table for a terminal, its headers set off."""
    from rich.text import Text

    return Text("\n").join([Text(lines[0], style="bold"), *map(Text, lines[1:])])
