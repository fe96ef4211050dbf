"""What `knockbox doctor` makes of a machine's numbers."""

import pytest

from arena.local.doctor import processors


@pytest.mark.parametrize(("load", "level"), [(0.0, "PASS"), (4.0, "PASS"), (4.1, "WARN")])
def test_a_machine_without_time_for_bots_is_told(load: float, level: str) -> None:
    """A load of more than twice the processors is a warning, which says what it costs."""
    found = processors(2, load)
    assert found.level == level
    assert ("bots may lose by time" in found.found) == (level == "WARN")
