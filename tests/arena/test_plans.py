"""What becomes of a request for a tournament: matches, units, and refusals by field."""

import pytest

from arena.api import plans
from arena.api.refusals import RefusalError
from knockbox.v1 import arena_pb2 as pb
from referee.rules.ruleset import PRESETS
from referee.wire.rules import to_proto
from workers.store.tournaments import Entrant, Plan


def planned(preset: str, bots: int, units: int = 0, away: tuple[str, ...] = ()) -> Plan:
    """The plan of a round robin between so many bots."""
    request = pb.CreateTournamentRequest(rules=to_proto(PRESETS[preset]), units=units)
    return plans.make(request, tuple(Entrant(f"bot{n}", f"v{n}") for n in range(bots)), away)


@pytest.mark.parametrize(
    ("preset", "units", "total"),
    [
        ("danish", 64, 15),
        ("three_handed", 24, 20),
        ("four_handed", 16, 15),
        ("partnership", 16, 45),
    ],
)
def test_matches_and_units_follow_from_the_seats(preset: str, units: int, total: int) -> None:
    """Six bots make as many matches as there are pairs, triples, quadruples or partnerships."""
    plan = planned(preset, 6)
    assert (plan.units, plan.total) == (units, total)
    assert planned(preset, 6, units=3).units == 3


@pytest.mark.parametrize(
    ("preset", "bots", "units", "field"),
    [
        ("partnership", 3, 0, "bots"),
        ("three_handed", 2, 0, "bots"),
        ("four_handed", 100, 0, "bots"),
        ("partnership", 4, 64, "units"),
    ],
)
def test_what_cannot_be_planned_is_refused(preset: str, bots: int, units: int, field: str) -> None:
    """Too few bots for the seats, too many matches, or too long ones are refused by field."""
    with pytest.raises(RefusalError) as refused:
        planned(preset, bots, units)
    assert refused.value.message.startswith(f"{field}: ")


@pytest.mark.parametrize("preset", ["danish", "three_handed"])
def test_too_few_bots_are_told_with_those_that_were_left_out(preset: str) -> None:
    """Where bots that are away are missing, the refusal names them, whatever the seats."""
    with pytest.raises(RefusalError) as refused:
        planned(preset, 1, away=("ada", "bob"))
    seats = PRESETS[preset].players
    assert f"needs {seats} bots or more, here are 1; ada, bob: away now" in refused.value.message
