"""Round robins."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.pairing import match, matches, matches_of, round_robin, total


@given(st.integers(2, 60))
def test_everybody_meets_everybody_once(count: int) -> None:
    """Each two bots meet exactly once, and nobody meets itself."""
    pairs = [frozenset(pair) for pair in matches(count)]
    assert len(pairs) == len(set(pairs)) == count * (count - 1) // 2
    assert all(len(pair) == 2 and max(pair) < count for pair in pairs)


@given(st.integers(2, 60))
def test_nobody_plays_twice_in_a_round(count: int) -> None:
    """A round has each bot once; with an odd number bot r sits out round r, once each."""
    rounds = round_robin(count)
    for number, pairs in enumerate(rounds):
        playing = [bot for pair in pairs for bot in pair]
        missing = set(range(count)) - set(playing)
        assert len(playing) == len(set(playing))
        assert missing == ({number} if count % 2 else set())


@given(st.integers(2, 60))
def test_the_first_place_is_shared_out(count: int) -> None:
    """No bot is bot 0 of its matches more than once oftener than it is not, or less often."""
    first = Counter(pair[0] for pair in matches(count))
    second = Counter(pair[1] for pair in matches(count))
    assert all(abs(first[bot] - second[bot]) <= 1 for bot in range(count))


def test_the_list_never_changes() -> None:
    """Match numbers stand for pairs: the list is part of what a running tournament relies on."""
    assert [*matches(4)] == [(0, 3), (1, 2), (3, 1), (2, 0), (2, 3), (0, 1)]
    assert [*matches(3)] == [(1, 2), (2, 0), (0, 1)]


MANY = st.sampled_from([(3, False), (4, False), (4, True)])


@given(st.integers(3, 12), MANY)
def test_every_set_of_bots_meets(count: int, rules: tuple[int, bool]) -> None:
    """Each three or four bots meet once, as partners three times: once with each other one."""
    seats, partnership = rules
    count = max(count, seats)
    found = list(matches(count, seats, partnership))
    assert len(found) == len(set(found)) == total(count, seats, partnership)
    sets = Counter(frozenset(match) for match in found)
    assert len(sets) == total(count, seats)
    assert {*sets.values()} == {3 if partnership else 1}
    assert all(len(members) == seats and max(members) < count for members in sets)
    if partnership:
        pairs = Counter(frozenset(pair) for m in found for pair in (m[::2], m[1::2]))
        assert len(set(pairs.values())) == 1
        assert len(pairs) == total(count)


@given(st.integers(4, 13), MANY)
def test_byes_of_many_seats_are_equal(count: int, rules: tuple[int, bool]) -> None:
    """Nobody plays twice in a round, and in the end everybody has had equally many byes."""
    rounds = list(round_robin(count, *rules))
    byes: Counter[int] = Counter()
    for one in rounds:
        playing = [bot for match in one for bot in match]
        assert len(playing) == len(set(playing))
        byes.update(set(range(count)) - set(playing))
    assert len({byes[bot] for bot in range(count)}) == 1


@given(st.integers(4, 9), st.sampled_from([(2, False), (3, False), (4, False), (4, True)]))
def test_a_match_is_found_by_its_number(count: int, rules: tuple[int, bool]) -> None:
    """A number stands for the same match, whether those before it are made or not."""
    whole = list(matches(count, *rules))
    assert [match(number, count, *rules) for number in range(1, len(whole) + 1)] == whole
    own = [number for number, bots in enumerate(whole, 1) if 1 in bots]
    assert list(matches_of(1, count, *rules)) == own


@pytest.mark.parametrize("number", [0, 7, -1])
def test_a_number_of_no_match(number: int) -> None:
    """There is no match before the first, and none after the last."""
    with pytest.raises(IndexError):
        match(number, 4)


def test_fewer_bots_than_seats_are_refused() -> None:
    """Three bots cannot fill four seats."""
    with pytest.raises(ValueError, match="four bots or more"):
        matches(3, 4)


def test_fewer_than_two_bots_are_refused() -> None:
    """A round robin of one is a mistake, not an empty tournament."""
    with pytest.raises(ValueError, match="two bots or more"):
        round_robin(1)
