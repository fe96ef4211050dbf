"""Rulesets on the wire."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knockbox.v1 import rules_pb2
from referee.rules.ruleset import PRESETS, Ruleset, RulesetError
from referee.wire.rules import from_proto, to_proto


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_come_back(name: str) -> None:
    """Every preset survives the way there and back, through bytes."""
    data = to_proto(PRESETS[name]).SerializeToString()
    assert PRESETS[name] == from_proto(rules_pb2.Ruleset.FromString(data))


@given(
    gin_bonus=st.integers(0, 10_000),
    target=st.none() | st.integers(1, 1_000_000),
    limit=st.none() | st.integers(1, 10),
    switch=st.booleans(),
    turn_cap=st.integers(1, 10_000),
)
def test_values_come_back(
    gin_bonus: int, target: int | None, limit: int | None, switch: bool, turn_cap: int
) -> None:
    """Numbers, switches and fields taken away survive."""
    rules = replace(
        PRESETS["german"],
        gin_bonus=gin_bonus,
        target=target,
        knock_limit="upcard" if limit is None else "fixed",
        fixed_limit=limit,
        ace_upcard="gin_only" if limit is None else None,
        may_return_taken_card=switch,
        turn_cap=turn_cap,
    )
    assert rules == from_proto(to_proto(rules))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("knock_limit", 0),
        ("knock_limit", 99),
        ("ace_upcard", 7),
        ("ace_upcard", 0),
        ("first_turn", 0),
        ("stock_end", 5),
        ("next_dealer", 0),
        ("void_dealer", 9),
        ("layoff", 0),
        ("shutout", 0),
        ("players", 0),
        ("players", 9),
        ("hand_size", 52),
        ("fixed_limit", 3),
        ("spade_multiplier", 0),
        ("target", 0),
        ("columns", 4),
        ("turn_cap", 0),
        ("deal_cap", 0),
        ("gin_bonus", 4_000_000_000),
    ],
)
def test_senseless_values_name_their_field(field: str, value: Any) -> None:
    """A value that nobody may send is refused, and the refusal names its field."""
    message = to_proto(PRESETS["spanish"])
    setattr(message, field, value)
    with pytest.raises(RulesetError) as caught:
        from_proto(message)
    assert field == caught.value.field


def test_empty_message_is_refused() -> None:
    """A ruleset with nothing set is refused and not filled up with defaults."""
    with pytest.raises(RulesetError):
        from_proto(rules_pb2.Ruleset())


def test_rulesets_are_values() -> None:
    """A ruleset that came over the wire equals the one it was made from, field for field."""
    rules: Ruleset = replace(PRESETS["danish"], preset="")
    assert rules == from_proto(to_proto(rules))
