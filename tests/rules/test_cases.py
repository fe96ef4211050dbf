"""Every scenario of `cases/` against the rules."""

import pytest
from case_file import Scenario, all_scenarios
from case_runner import wrongs


@pytest.mark.parametrize("scenario", all_scenarios().values(), ids=lambda scenario: scenario.id)
def test_scenario(scenario: Scenario) -> None:
    """Every run of the scenario ends as its file says."""
    assert scenario.checks, f"{scenario.id} expects nothing"
    assert [wrong for check in scenario.checks for wrong in wrongs(check)] == []
