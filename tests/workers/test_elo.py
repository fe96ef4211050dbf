"""Elo in integers."""

import math

from hypothesis import given
from hypothesis import strategies as st

from workers.elo import ONE, START, Player, changes, expected, k_factor

elos = st.integers(-1_000_000, 5_000_000)
players = st.builds(Player, elos, st.integers(0, 200))


def scored(units: list[int], scale: int) -> tuple[list[int], list[int]]:
    """One bot's units, and what they leave for the other."""
    return units, [scale - unit for unit in units]


@given(elos, elos)
def test_expectations_of_a_pair_add_up_to_one(one: int, other: int) -> None:
    """What one bot is expected to score is exactly what the other one is not."""
    assert expected(one - other) + expected(other - one) == ONE


@given(st.integers(-3_000_000, 3_000_000))
def test_expectation_is_the_logistic_curve(difference: int) -> None:
    """The decimals agree with the formula as floats have it, to within their precision."""
    exact = 1 / (1 + math.pow(10, -difference / 400_000))
    assert abs(expected(difference) / ONE - exact) < 1e-9


def test_known_expectations() -> None:
    """Numbers that must never change, for old logs are checked with them."""
    assert [expected(d) for d in (0, 1, 100_000, 400_000, 5_000_000)] == [
        500_000_000,
        500_001_439,
        640_065_000,
        909_090_909,
        1_000_000_000,
    ]


@given(players, elos, st.lists(st.integers(0, 4), max_size=64))
def test_equal_k_is_zero_sum(one: Player, elo: int, units: list[int]) -> None:
    """Two bots with the same K move by exact opposites, whatever is rounded."""
    moves = changes([one, Player(elo, one.units)], scored(units, 4), 4)
    assert sum(moves) == 0


@given(
    st.lists(
        st.tuples(elos, st.lists(st.integers(0, 8), min_size=5, max_size=5)), min_size=3, max_size=4
    )
)
def test_many_bots_lose_only_what_is_rounded(bots: list[tuple[int, list[int]]]) -> None:
    """With more than two bots the sum moves by less than half a thousandth for each."""
    count, legs = len(bots), 2
    scale = 2 * (count - 1) * legs
    rows = [scores for _, scores in bots[:-1]]
    total = scale * count // 2
    rows.append([total - sum(column) for column in zip(*rows, strict=True)])
    moves = changes([Player(elo, 0) for elo, _ in bots], rows, scale)
    assert abs(sum(moves)) <= count / 2


@given(players, players, st.lists(st.integers(0, 4), min_size=1, max_size=64))
def test_a_better_result_never_rates_worse(one: Player, other: Player, units: list[int]) -> None:
    """One more point for a bot never lowers its change."""
    better = [min(4, units[0] + 1), *units[1:]]
    usual = changes([one, other], scored(units, 4), 4)
    assert changes([one, other], scored(better, 4), 4)[0] >= usual[0]


@given(st.lists(players, min_size=4, max_size=4), st.lists(st.integers(0, 8), max_size=40))
def test_partners_get_the_same_change(bots: list[Player], units: list[int]) -> None:
    """Partners move alike, and as one player with the mean of their ratings and units would."""
    won, lost = scored(units, 8)
    moves = changes(bots, [won, lost, won, lost], 8, ((0, 2), (1, 3)))
    assert moves[0] == moves[2] and moves[1] == moves[3]
    if all((bots[bot].elo + bots[bot + 2].elo) % 2 == 0 for bot in (0, 1)):
        means = [
            Player((one.elo + two.elo) // 2, (one.units + two.units) // 2)
            for one, two in zip(bots[:2], bots[2:], strict=True)
        ]
        assert moves[:2] == changes(means, [won, lost], 8)


def test_three_bots_are_rated_pair_by_pair() -> None:
    """First of three gains two wins, each at half of K; the second breaks even."""
    fresh = Player(START, 0)
    moves = changes([fresh] * 3, [[12], [6], [0]], 12)
    assert moves == (16_000, 0, -16_000)


def test_long_matches_are_damped() -> None:
    """A match of 64 units won by everything moves a new bot by 273 points, not by 64 times 16."""
    fresh = Player(START, 0)
    assert changes([fresh, fresh], scored([4], 4), 4) == (16_000, -16_000)
    won = changes([fresh, fresh], scored([4] * 64, 4), 4)
    assert won == (round(32_000 / (1 + 0.00144 * 32 * 63) * 32), -won[0])


def test_no_units_no_change() -> None:
    """A match of which nothing counts moves nobody."""
    fresh = Player(START, 0)
    assert changes([fresh, fresh], [[], []], 4) == (0, 0)


def test_k_falls_with_experience() -> None:
    """32 below 20 units, 16 below 100, then 8."""
    assert [k_factor(units) for units in (0, 19, 20, 99, 100)] == [32, 32, 16, 16, 8]
