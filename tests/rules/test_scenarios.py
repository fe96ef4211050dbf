"""The worked scenarios of the rules, each run with its exact result.

The file beside this one holds them; its format is that of `knockbox rules`.
"""

import json
from pathlib import Path

import pytest

from referee.scenario import answer

LINES = (Path(__file__).parent / "scenarios.jsonl").read_text(encoding="utf-8").splitlines()


def _all_runs():
    for text in LINES:
        scenario = json.loads(text)
        for number, run in enumerate(scenario.pop("runs", [])):
            line = {**scenario, **run}
            yield pytest.param(line, line.pop("expect"), id=f"{line['id']}-{number}")


def _all_judged():
    for text in LINES:
        scenario = json.loads(text)
        for number, (rules, field) in enumerate(scenario.get("rulesets", [])):
            yield pytest.param(rules, field, id=f"{scenario['id']}-{number}")


RUNS = list(_all_runs())
JUDGED = list(_all_judged())


@pytest.mark.parametrize(("line", "expected"), RUNS)
def test_scenario(line, expected):
    """The engine's answer holds every value of the scenario."""
    found = answer("score" if "deals" in line else "play", line)
    assert expected == {key: found.get(key) for key in expected}


@pytest.mark.parametrize(("rules", "field"), JUDGED)
def test_judged_ruleset(rules, field):
    """A ruleset that makes no sense is refused by its field, another is accepted."""
    found = answer("check", {"rules": rules})
    assert found.get("error", {}).get("field") == field
    if field is None:
        assert found == {"ok": True}
