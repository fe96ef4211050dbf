"""Words for people and machines: data on stdout, everything else on stderr.

On a terminal a table has colours (NO_COLOR takes them away); in a pipe it is plain aligned text.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any


def data(text: str = "") -> None:
    """A line of what was asked for."""
    print(text, flush=True)


def as_json(value: Any) -> None:
    """One line of JSON."""
    data(json.dumps(value, ensure_ascii=False))


def note(text: str = "") -> None:
    """A line about what goes on."""
    print(text, file=sys.stderr, flush=True)


def next_step(command: str, why: str) -> None:
    """The next useful command."""
    note(f"next: {command}   {why}")


def printable(text: str) -> str:
    """`text` with everything replaced that could move a cursor, change its direction or hide."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> None:
    """Rows under their headers; the first `left` columns to the left, numbers to the right."""
    listed = [[printable(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _rich_table(headers, listed, left)
    else:
        for line in plain_table(headers, listed, left):
            data(line)


def plain_table(headers: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The lines of a table in plain text."""
    all_rows = [headers, *rows]
    widths = [max(len(row[column]) for row in all_rows) for column in range(len(headers))]
    return [
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in all_rows
    ]


def _rich_table(headers: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> None:
    from rich.console import Console

    Console().print(rich_table(headers, rows, left))


def rich_table(headers: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Any:
    """The same as something that rich can draw (and draw again)."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column, header in enumerate(headers):
        drawn.add_column(header, justify="left" if column < left else "right", no_wrap=True)
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    return drawn
