"""The coverage page against the scenarios: nothing missing, nothing left over."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from case_file import all_scenarios
from case_runner import wrongs

from referee.rules.fields import FIELDS

PAGE = Path(__file__).parents[2] / "docs" / "rules-coverage.md"
# Sentences of each text.
SENTENCES = {"DA": 41, "ES": 30, "DE": 88}
SCENARIOS = all_scenarios()


class Row(NamedTuple):
    """One row of a table: a sentence's number, or "" where the rule is ours."""

    number: str
    says: str
    field: str
    scenarios: tuple[str, ...]


def rows() -> list[Row]:
    """Every row of the page's tables."""
    found: list[Row] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| ") or cells[0] in ("no.", "what"):
            continue
        named = () if cells[-1] == "-" else tuple(cells[-1].split(", "))
        found.append(Row(cells[0] if len(cells) == 4 else "", cells[-3], cells[-2], named))
    return found


@cache
def wrongs_of(name: str) -> list[str]:
    """What is wrong with a scenario; each is run once."""
    return [wrong for check in SCENARIOS[name].checks for wrong in wrongs(check)]


ROWS = rows()
NUMBERED = [row for row in ROWS if row.number]


def test_no_number_is_missing() -> None:
    """Every sentence of the three texts has its row, in order and once."""
    wanted = [f"{text}-{n}" for text, last in SENTENCES.items() for n in range(1, last + 1)]
    assert [row.number for row in NUMBERED] == wanted


@pytest.mark.parametrize("row", NUMBERED, ids=lambda row: row.number)
def test_a_sentence_is_carried(row: Row) -> None:
    """A sentence has a scenario, or one line that says why it is no rule."""
    assert row.says.endswith((".", "]"))
    assert bool(row.scenarios) != row.field.startswith("no rule: ")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number or row.says)
def test_its_scenarios_pass(row: Row) -> None:
    """Every scenario that a row names exists and passes, and every field it names is one."""
    assert [name for name in row.scenarios if name not in SCENARIOS] == []
    assert set(re.findall(r"`(\w+)`", row.field)) <= set(FIELDS)
    assert [wrong for name in row.scenarios for wrong in wrongs_of(name)] == []


def test_every_scenario_is_used() -> None:
    """No scenario lies about that no row names."""
    assert set(SCENARIOS) - {name for row in ROWS for name in row.scenarios} == set()


def test_every_note_is_explained() -> None:
    """Each note of a row is a reading below, and each reading belongs to a row."""
    text = PAGE.read_text(encoding="utf-8")
    readings = re.findall(r"^- \*\*(A\d+),", text, re.MULTILINE)
    assert set(re.findall(r"\[(A\d+)\]", text)) == set(readings)
