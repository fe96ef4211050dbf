"""The rule of names, and ids made from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.names import complaint, fold, match_id, split_match_id

GOOD = ["ab", "a1", "7up", "gin_hunter", "x-y-z", "a" * 32, "00", "a__b"]
BAD = [
    "",
    "a",
    "a" * 33,
    "Greedy",
    "-ab",
    "ab-",
    "_ab",
    "a b",
    "a.b",
    "a/b",
    "../etc",
    "a\nb",
    "ab\n",
    "é1",
    "\u0440\u0430ypal",
    "a\u202eb",
    "<b>bold</b>",
    "🂡🂢",
    "a*",
    "x" * 10_000,
    None,
    7,
]


@pytest.mark.parametrize("name", GOOD)
def test_plain_names_are_allowed(name: str) -> None:
    """Two to 32 characters of a-z, 0-9, - and _ make a name."""
    assert complaint(name) == ""


@pytest.mark.parametrize("name", BAD)
def test_other_names_are_refused_with_a_reason(name: object) -> None:
    """Anything else is refused, and the refusal says why."""
    assert complaint(name)


@pytest.mark.parametrize(
    ("one", "other"), [("gin-hunter", "gin_hunter"), ("foo", "f00"), ("al", "a1")]
)
def test_look_alikes_fold_to_the_same(one: str, other: str) -> None:
    """Names that people could mistake for each other have one fold."""
    assert fold(one) == fold(other)


@given(
    st.from_regex(r"[a-z0-9][a-z0-9_-]{0,30}[a-z0-9]", fullmatch=True), st.integers(1, 10**9 - 1)
)
def test_match_ids_can_be_taken_apart(name: str, number: int) -> None:
    """A match id gives back its tournament and number."""
    assert split_match_id(match_id(name, number)) == (name, number)


@pytest.mark.parametrize(
    "text",
    ["", "t1", "t1.", "t1.0", "t1.01", "t1.-1", "t1.1\n", "../x.1", "t1.*", "T1.1", 3, "t1.1.1"],
)
def test_what_is_no_match_id_is_none(text: object) -> None:
    """Nothing else passes for a match id, no pattern and no path above all."""
    assert split_match_id(text) is None
