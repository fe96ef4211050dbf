"""The worked scenarios of the rules, each run with its exact result.

The file beside this one holds them; its format is that of `knockbox rules`.
"""

import json
from pathlib import Path

import pytest

from referee.rules.ruleset import compose, not_yet
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


def _not_yet(named) -> str | None:
    """The field that a sound ruleset is refused by for now."""
    return next(iter(not_yet(compose(named))), None)


@pytest.mark.parametrize(("line", "expected"), RUNS)
def test_scenario(line, expected):
    """The engine's answer holds every value of the scenario; what is not served yet says so."""
    found = answer("score" if "deals" in line else "play", line)
    field = _not_yet(line["rules"])
    if field is not None:
        assert found["error"]["field"] == field
        assert "not yet" in found["error"]["message"]
    else:
        assert expected == {key: found.get(key) for key in expected}


@pytest.mark.parametrize(("rules", "field"), JUDGED)
def test_judged_ruleset(rules, field):
    """A ruleset that makes no sense is refused by its field, another is accepted once served."""
    found = answer("check", {"rules": rules})
    if field is None:
        field = _not_yet(rules)
    assert found.get("error", {}).get("field") == field
    if field is None:
        assert found == {"ok": True}


def test_as_many_are_served_as_should_be():
    """The runs that wait for a field not served yet are exactly so many."""
    waiting = [run.id for run in RUNS if _not_yet(run.values[0]["rules"])]
    waiting += [run.id for run in JUDGED if run.values[1] is None and _not_yet(run.values[0])]
    assert len(waiting) == 24


@pytest.mark.parametrize(("line", "expected"), RUNS)
def test_scenario_behind_the_gate(line, expected, monkeypatch):
    """The engine knows every rule already: with the gate open each scenario comes out exactly."""
    monkeypatch.setattr("referee.scenario.resolve", compose)
    monkeypatch.setattr("referee.scenario_play.resolve", compose)
    found = answer("score" if "deals" in line else "play", line)
    assert expected == {key: found.get(key) for key in expected}
