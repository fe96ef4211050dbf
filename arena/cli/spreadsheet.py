"""Tables as CSV (RFC 4180), safe to open in a spreadsheet."""

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.cli.errors import usage
from arena.cli.options import flag
from arena.cli.output import printable

CSV = flag("CSV on stdout, for spreadsheets.")

FORMULAS = ("=", "+", "-", "@")
"""What a spreadsheet takes a cell for a formula by. Control characters are gone before."""


def show(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Print rows with a line of headers; numbers as they are, nothing for None."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    sys.stdout.flush()


def one_of(*, json: bool, csv: bool) -> None:
    """Only one form can be printed. Raises CommandError."""
    if json and csv:
        raise usage("--json and --csv: one of them")


def _cell(value: Any) -> Any:
    """Text that begins like a formula gets an apostrophe in front, which makes it text again."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.lstrip().startswith(FORMULAS) else text
