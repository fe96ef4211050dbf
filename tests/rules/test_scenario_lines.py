"""What `knockbox rules` answers: each verb, and every bad line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.cards import NAMES
from referee.scenario import VERBS, answer

SET_UP = {
    "rules": "german",
    "dealer": 1,
    "hands": ["2H 3H 4H 9C 9D 9S KC KD QS 5C", "AC 3D 5D 6C 8D 8H TH QC QD KS"],
    "upcard": "7S",
    "stock": "KH",
}
OPPONENT = SET_UP["hands"][1].split()


def wrong(verb, line, view=None):
    """The field that a bad line is answered with."""
    found = answer(verb, line, view)
    assert set(found) == {"error"} and set(found["error"]) == {"field", "message"}
    return found["error"]["field"]


def test_deadwood_of_ten():
    """Ten cards are arranged as they are."""
    hand = ["2S", "3S", "4S", "5S", "6S", "7C", "7D", "7H", "6H", "8H"]
    assert answer("deadwood", {"cards": hand}) == {
        "deadwood": 14,
        "melds": [["6H", "7H", "8H"], ["2S", "3S", "4S", "5S", "6S"]],
        "discard": None,
    }


def test_deadwood_of_eleven():
    """Eleven cards are counted after the best discard, the first in the pack of equal ones."""
    hand = "2C 2D 2H 2S 3H 4C 4D 4S AC AH AS"
    assert answer("deadwood", {"cards": hand}) == {
        "deadwood": 0,
        "melds": [["AC", "AH", "AS"], ["2C", "2D", "2H", "2S"], ["4C", "4D", "4S"]],
        "discard": "3H",
    }
    assert answer("deadwood", {"cards": "KC KD TC TD JS JH QC QD AS AD 2C"})["discard"] == "TC"


def test_layoff():
    """A layoff names own melds, and each card with the number of the meld it goes to."""
    line = {
        "knocker_melds": [["9C", "9D", "9S"], ["KC", "KD", "KH"], ["2H", "3H", "4H"]],
        "cards": "AC 3D 5H 6H 8D 8H 8S QC QD KS",
    }
    assert answer("layoff", line) == {
        "deadwood": 1 + 3 + 10 + 10,
        "melds": [["8D", "8H", "8S"]],
        "layoffs": [["5H", 2], ["6H", 2], ["KS", 1]],
    }
    assert answer("layoff", {**line, "gin": True}) == {
        "deadwood": 1 + 3 + 5 + 6 + 10 + 10 + 10,
        "melds": [["8D", "8H", "8S"]],
        "layoffs": [],
    }


def test_presets():
    """Every preset is shown with all its fields."""
    found = answer("presets", {})
    assert found["presets"]["german"]["target"] == 200
    assert found["presets"]["hollywood"]["columns"] == 3
    json.dumps(found)


def test_refusal_ends_the_script():
    """The first refused action is named by its number, and the rest is not even read."""
    found = answer("play", {**SET_UP, "actions": ["draw", "discard 2C", "and so on"]})
    assert found["refused"] == 1
    assert found["code"] == "not_held"


def test_throwing_to_the_end_is_refused_there():
    """Turns thrown beyond the end of the deal are refused as the one action that they are."""
    assert answer("play", {**SET_UP, "actions": ["draw", "discard KH", "x99 throw"]}) == {
        "refused": 2,
        "code": "over",
        "message": "the deal is over",
    }


def test_after_the_end_nothing_is_done():
    """An action after the end of the deal is refused."""
    actions = ["draw", "knock QS", "layoff", "draw"]
    assert answer("play", {**SET_UP, "actions": actions})["refused"] == 3


def test_named_stocks_of_later_shuffles():
    """A reshuffle deals the named cards first; one that is not there to be shuffled is refused."""
    line = {**SET_UP, "rules": "standard", "actions": ["pass", "pass", "x31 throw"]}
    thrown = answer("play", line)
    assert (thrown["stock"], thrown["pile"]) == (31, 1)
    line["actions"] = [*line["actions"], "draw"]
    seat = thrown["turn"]
    assert "TS" in answer("play", {**line, "reshuffles": ["TS"]}, seat)["view"]["hand"]
    assert wrong("play", {**line, "reshuffles": ["AC"]}) == "reshuffles"


@pytest.mark.parametrize("actions", [[], ["draw"], ["draw", "knock QS"]])
def test_view_shows_no_hidden_card(actions):
    """A seat's view names none of the cards that it may not know."""
    found = answer("play", {**SET_UP, "actions": actions}, 0)["view"]
    shown = set(_strings(found))
    assert not shown & set(OPPONENT)
    assert {"2H", "3H", "4H"} <= shown

    theirs = set(_strings(answer("play", {**SET_UP, "actions": actions}, 1)["view"]))
    assert ("KH" in theirs) == (actions[-1:] == ["knock QS"])
    assert "QS" not in theirs
    assert set(OPPONENT) <= theirs


def test_view_after_a_void_deal():
    """After a void deal no other hand is shown."""
    line = {**SET_UP, "rules": {"preset": "german", "turn_cap": 1}, "actions": ["x1 throw"]}
    found = answer("play", line, 1)
    assert found["end"] == "void"
    assert set(_strings(found["view"])) & set(NAMES) == {*OPPONENT, "7S", "KH"}


def test_view_comes_with_a_refusal():
    """The view of a script that was refused is what the seat sees at that point."""
    found = answer("play", {**SET_UP, "actions": ["pass"]}, 0)
    assert found["refused"] == 0
    assert found["view"]["may_draw"] is True


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


TEN = "2S 3S 4S 5S 6S 7C 7D 7H 6H 8H"
BAD = [
    ("deadwood", "line", []),
    ("deadwood", "line", None),
    ("deadwood", "cards", {}),
    ("deadwood", "cards", {"cards": None}),
    ("deadwood", "cards", {"cards": 7}),
    ("deadwood", "cards", {"cards": "2S 3S"}),
    ("deadwood", "cards", {"cards": [2, 3]}),
    ("deadwood", "cards", {"cards": TEN + " 8H"}),
    ("deadwood", "cards", {"cards": TEN + " 10H"}),
    ("deadwood", "cards", {"cards": TEN + " AC 2C"}),
    ("deadwood", "preset", {"cards": TEN, "rules": "no such"}),
    (
        "deadwood",
        "ace_high_runs",
        {"cards": TEN, "rules": {"preset": "german", "ace_high_runs": 1}},
    ),
    ("layoff", "knocker_melds", {"cards": TEN}),
    ("layoff", "knocker_melds", {"cards": TEN, "knocker_melds": ["KC KD"]}),
    ("layoff", "knocker_melds", {"cards": TEN, "knocker_melds": ["KC KD KH", "KC QC JC"]}),
    ("layoff", "cards", {"cards": TEN, "knocker_melds": ["7C 7D 7S"]}),
    ("layoff", "cards", {"cards": TEN + " AC", "knocker_melds": []}),
    ("layoff", "gin", {"cards": TEN, "knocker_melds": [], "gin": 1}),
    ("play", "rules", {}),
    ("play", "hands", {**SET_UP, "rules": "three_handed"}),
    ("play", "dealer", {**SET_UP, "dealer": 2}),
    ("play", "dealer", {**SET_UP, "dealer": True}),
    ("play", "hands", {**SET_UP, "hands": "2H"}),
    ("play", "hands", {**SET_UP, "hands": SET_UP["hands"][:1]}),
    ("play", "hands", {**SET_UP, "hands": [TEN, TEN]}),
    ("play", "upcard", {**SET_UP, "upcard": "2H"}),
    ("play", "upcard", {**SET_UP, "upcard": ["7S"]}),
    ("play", "stock", {**SET_UP, "stock": "2H"}),
    ("play", "stock", {**SET_UP, "stock": "7S"}),
    ("play", "piles", {**SET_UP, "piles": ["KH", "KH"]}),
    (
        "play",
        "piles",
        {key: value for key, value in SET_UP.items() if key != "stock"} | {"piles": ["KH", "2C"]},
    ),
    (
        "play",
        "piles",
        {key: value for key, value in SET_UP.items() if key != "stock"} | {"piles": []},
    ),
    ("play", "reshuffles", {**SET_UP, "reshuffles": "KH"}),
    ("play", "actions", {**SET_UP, "actions": "draw"}),
    ("play", "actions", {**SET_UP, "actions": [None]}),
    ("play", "actions", {**SET_UP, "actions": ["draw", "discrad KH"]}),
    ("play", "actions", {**SET_UP, "actions": ["x0 throw"]}),
    ("play", "actions", {**SET_UP, "actions": ["x" + "9" * 30 + " throw"]}),
    ("score", "rules", {"deals": []}),
    ("score", "first_dealer", {"rules": "german", "deals": []}),
    ("score", "deals", {"rules": "german", "first_dealer": 0}),
    ("score", "deals", {"rules": "german", "first_dealer": 0, "deals": [7]}),
    ("score", "up", {"rules": "german", "first_dealer": 0, "deals": [{}]}),
    ("score", "by", {"rules": "german", "first_dealer": 0, "deals": [{"up": "7S", "by": 2}]}),
    (
        "score",
        "dw",
        {"rules": "german", "first_dealer": 0, "deals": [{"up": "7S", "by": 1, "dw": [1]}]},
    ),
    (
        "score",
        "dw",
        {"rules": "german", "first_dealer": 0, "deals": [{"up": "7S", "by": 1, "dw": [1, -1]}]},
    ),
    ("score", "void", {"rules": "german", "first_dealer": 0, "deals": [{"void": "yes"}]}),
    ("score", "x", {"rules": "german", "first_dealer": 0, "deals": [{"void": True, "x": 0}]}),
    (
        "score",
        "big",
        {
            "rules": "german",
            "first_dealer": 0,
            "deals": [{"up": "7S", "by": 0, "dw": [0, 5], "big": True}],
        },
    ),
    ("check", "rules", {}),
    ("check", "rules", {"rules": None}),
    ("check", "target", {"rules": {"preset": "german", "target": "100"}}),
]


@pytest.mark.parametrize(("verb", "field", "line"), BAD)
def test_bad_line(verb, field, line):
    """A bad line is answered with the field that is wrong, and a message."""
    assert wrong(verb, line) == field


@pytest.mark.parametrize("seat", [-1, 2, True, "0"])
def test_view_of_a_seat_that_there_is_not(seat):
    """A view is asked for by a seat of the game."""
    assert wrong("play", SET_UP, seat) == "view"


@given(
    verb=st.sampled_from(sorted(VERBS)),
    line=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ("rules", "cards", "hands", "deals", "actions", "dealer", "preset")
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=8,
    ),
)
def test_no_line_is_an_exception(verb, line):
    """Whatever a line holds, it is answered with JSON."""
    json.dumps(answer(verb, line))


@given(
    field=st.sampled_from(sorted(SET_UP)),
    value=st.recursive(
        st.none() | st.integers() | st.text(max_size=4) | st.sampled_from(NAMES),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=6,
    ),
)
def test_no_set_up_is_an_exception(field, value):
    """A set-up with any one field spoilt is answered, dealt or not."""
    json.dumps(answer("play", {**SET_UP, field: value, "actions": ["draw"]}))
