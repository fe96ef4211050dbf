"""docs/rules.md against the rules: its tables, its worked scores, its pictures."""

import json
import re
import runpy
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from case_file import Scenario, read, ruleset
from case_runner import wrongs

from referee.rules.fields import FIELDS, Ruleset, to_json
from referee.rules.ruleset import PRESETS, resolve
from referee.scenario import answer

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "rules.md").read_text(encoding="utf-8")
WORKED = [
    scenario
    for block in re.findall(r"^```case\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    for scenario in read(block, "docs/rules.md")
]
PICTURES = runpy.run_path(str(DOCS / "pictures" / "draw.py"))


def table(first: str) -> list[list[str]]:
    """The rows of the table whose head begins with `first`, code marks taken off."""
    after = PAGE[PAGE.index(f"| {first} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in after]


def value(text: str) -> Any:
    """A value as a table writes it."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


@pytest.mark.parametrize("scenario", WORKED, ids=lambda scenario: scenario.id)
def test_worked_scores(scenario: Scenario) -> None:
    """Every example of the page comes out as the page says."""
    assert [wrong for check in scenario.checks for wrong in wrongs(check)] == []


def test_every_preset_has_a_worked_score() -> None:
    """No preset is without an example."""
    checks = [check for scenario in WORKED for check in scenario.checks]
    assert set(PRESETS) - {check.line["rules"]["preset"] for check in checks} == set()


def test_the_preset_tables_are_the_presets() -> None:
    """The two tables of presets, together, are all presets with all their values."""
    head, _, *rows = table("field | `danish`")
    told = {
        preset: {"preset": preset} | {row[0]: value(row[at]) for row in rows}
        for at, preset in enumerate(head[1:], 1)
    }
    for preset, changes in table("preset | is")[2:]:
        told[preset] = to_json(resolve(ruleset(changes))) | {"preset": preset}
    assert told == {preset: to_json(rules) for preset, rules in PRESETS.items()}


def test_the_field_table_is_complete() -> None:
    """Every field has its row, with the default that it has where no preset says otherwise."""
    told = {row[0]: row[2] for row in table("field | values")[2:]}
    defaults = {
        field.name: "" if field.default is MISSING else json.dumps(field.default).strip('"')
        for field in fields(Ruleset)
        if field.name != "preset"
    }
    assert told == defaults
    assert set(told) == set(FIELDS) - {"preset"}


def test_the_console_example_is_true() -> None:
    """The question on the page gets the answer on the page."""
    found = re.search(r"echo '(.*)' \| knockbox rules (\w+)\n(.*)\n", PAGE)
    assert found
    assert answer(found[2], json.loads(found[1])) == json.loads(found[3])


def test_the_pictures_are_those_drawn() -> None:
    """Each picture is what the script draws, and the page shows it."""
    for name in PICTURES["PICTURES"]:
        drawn = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
        assert drawn == PICTURES["picture"](name)
        assert f"](pictures/{name}.svg)" in PAGE
