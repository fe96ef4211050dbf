"""Named rulesets, overrides, and what is refused by field."""

import pytest

from referee.rules.ruleset import FIELDS, PRESETS, RulesetError, resolve, to_json

# Columns as in the table of the rules; COLUMNS names them.
TABLE = {
    "knock_limit": ("upcard", "upcard", "upcard", "upcard", "fixed", "gin_only"),
    "fixed_limit": (None, None, None, None, 10, None),
    "ace_upcard": ("limit_one", "gin_only", "gin_only", "gin_only", None, None),
    "first_turn": ("offer", "offer", "normal", "normal", "offer", "offer"),
    "gin_bonus": (25, 25, 25, 25, 25, 25),
    "undercut_bonus": (10, 25, 25, 25, 25, 0),
    "spade_multiplier": (1, 2, 2, 3, 1, 1),
    "stock_end": ("void_at_two",) * 4 + ("reshuffle",) * 2,
    "next_dealer": ("winner_deals",) + ("rotate",) * 5,
    "void_dealer": ("same", "same", "next", "next", "same", "same"),
    "target": (100, 100, 200, 200, 100, 100),
    "game_bonus": (0, 0, 100, 100, 0, 0),
    "box_bonus": (0, 0, 25, 25, 0, 0),
    "shutout": ("none", "none", "double_total", "double_total", "none", "none"),
    "knock_discard_face_down": (False, False, True, True, False, False),
    "players": (2,) * 6,
    "partnership": (False,) * 6,
    "hand_size": (10,) * 6,
    "layoff": ("defenders",) * 6,
    "columns": (1,) * 6,
    "ace_high_runs": (False,) * 6,
    "may_return_taken_card": (False,) * 6,
    "big_gin_bonus": (None,) * 6,
    "turn_cap": (200,) * 6,
    "deal_cap": (100,) * 6,
}
COLUMNS = ("danish", "spanish", "german", "double_oklahoma", "standard", "straight")


def refusal(**changes):
    with pytest.raises(RulesetError) as refused:
        resolve(changes)
    return refused.value


@pytest.mark.parametrize("column", range(6), ids=COLUMNS)
def test_presets_hold_the_values_of_the_rules(column):
    """Each preset has the value that the table of the rules gives for every field."""
    expected = {field: values[column] for field, values in TABLE.items()}
    assert to_json(PRESETS[COLUMNS[column]]) == {"preset": COLUMNS[column], **expected}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_makes_sense(preset):
    """Every preset is a sound ruleset, and carries its own name."""
    assert resolve(preset) == PRESETS[preset]
    assert PRESETS[preset].preset == preset


@pytest.mark.parametrize("preset", PRESETS)
def test_json_round_trip(preset):
    """The JSON of a ruleset names the same ruleset."""
    assert resolve(to_json(PRESETS[preset])) == PRESETS[preset] == resolve(preset)


NONSENSE = [
    ("players", {"preset": "german", "players": 1}),
    ("players", {"preset": "german", "players": 5}),
    ("partnership", {"preset": "german", "partnership": True}),
    ("partnership", {"preset": "three_handed", "partnership": True}),
    ("hand_size", {"preset": "german", "hand_size": 6}),
    ("hand_size", {"preset": "german", "hand_size": 11}),
    ("fixed_limit", {"preset": "german", "fixed_limit": 5}),
    ("fixed_limit", {"preset": "standard", "fixed_limit": None}),
    ("fixed_limit", {"preset": "standard", "fixed_limit": 0}),
    ("fixed_limit", {"preset": "german", "knock_limit": "fixed", "ace_upcard": None}),
    ("ace_upcard", {"preset": "german", "ace_upcard": None}),
    ("ace_upcard", {"preset": "german", "knock_limit": "fixed", "fixed_limit": 5}),
    ("ace_upcard", {"preset": "standard", "ace_upcard": "limit_one"}),
    ("ace_upcard", {"preset": "german", "ace_upcard": "high"}),
    ("undercut_bonus", {"preset": "german", "knock_limit": "gin_only", "ace_upcard": None}),
    ("undercut_bonus", {"preset": "danish", "undercut_bonus": -10}),
    ("gin_bonus", {"preset": "german", "gin_bonus": -1}),
    ("box_bonus", {"preset": "german", "box_bonus": -1}),
    ("game_bonus", {"preset": "german", "game_bonus": -1}),
    ("big_gin_bonus", {"preset": "german", "big_gin_bonus": -1}),
    ("spade_multiplier", {"preset": "german", "spade_multiplier": 0}),
    ("target", {"preset": "german", "target": 0}),
    ("target", {"preset": "german", "target": -100}),
    ("columns", {"preset": "german", "columns": 2}),
    ("columns", {"preset": "german", "columns": 0}),
    ("columns", {"preset": "spanish_single", "columns": 3}),
    ("columns", {"preset": "hollywood", "target": None}),
    ("layoff", {"preset": "german", "layoff": "knockers_partner"}),
    ("layoff", {"preset": "four_handed", "layoff": "all"}),
    ("turn_cap", {"preset": "german", "turn_cap": 0}),
    ("deal_cap", {"preset": "german", "deal_cap": 0}),
    ("sort", {"preset": "german", "sort": "none"}),
    ("preset", {"preset": "swedish"}),
    ("preset", {"target": 100}),
]


@pytest.mark.parametrize(("field", "named"), NONSENSE)
def test_nonsense_is_refused_by_field(field, named):
    """What makes no sense is refused, and the refusal names the field."""
    assert refusal(**named).field == field


@pytest.mark.parametrize("field", [field for field in FIELDS if field != "preset"])
@pytest.mark.parametrize(
    "value", ["", "7", 1.0, 2.5, -1, 10**30, -(10**30), [], {}, [1], {"a": 1}, float("nan")]
)
def test_values_of_wrong_types_are_refused_by_field(field, value):
    """A value of a type or size that the field cannot have is refused by that field."""
    assert refusal(preset="german", **{field: value}).field == field


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("field", ["players", "target", "gin_bonus", "columns", "turn_cap"])
def test_switches_are_no_numbers(field, value):
    """true is not 1."""
    assert refusal(preset="german", **{field: value}).field == field


@pytest.mark.parametrize("value", [0, 1, None, "on"])
@pytest.mark.parametrize("field", ["partnership", "knock_discard_face_down", "ace_high_runs"])
def test_numbers_are_no_switches(field, value):
    """1 is not true, and a switch cannot be taken away."""
    assert refusal(preset="german", **{field: value}).field == field


@pytest.mark.parametrize("named", [None, 5, True, [], ["german"], 2.0])
def test_what_is_no_ruleset_at_all(named):
    """What is neither a name nor an object is refused in plain words."""
    with pytest.raises(RulesetError) as refused:
        resolve(named)
    assert refused.value.field == "rules"


def test_null_takes_a_field_away():
    """null takes an inherited value away, so that another field's value makes sense."""
    rules = resolve(
        {"preset": "german", "knock_limit": "fixed", "fixed_limit": 5, "ace_upcard": None}
    )
    assert (rules.knock_limit, rules.fixed_limit, rules.ace_upcard) == ("fixed", 5, None)
    assert resolve({"preset": "german", "target": None}).target is None


def test_house_rules_of_the_german_text():
    """The German text's house rules are overrides that are accepted together."""
    rules = resolve(
        {
            "preset": "german",
            "first_turn": "offer",
            "knock_discard_face_down": False,
            "ace_upcard": "limit_one",
            "ace_high_runs": True,
            "target": 175,
        }
    )
    assert (rules.first_turn, rules.ace_upcard, rules.target) == ("offer", "limit_one", 175)
    assert rules.ace_high_runs


def test_sides():
    """Everybody is a side alone; partners sit opposite each other."""
    assert PRESETS["german"].sides == ((0,), (1,))
    assert PRESETS["three_handed"].sides == ((0,), (1,), (2,))
    assert PRESETS["partnership"].sides == ((0, 2), (1, 3))
    assert PRESETS["partnership"].side_of == (0, 1, 0, 1)
