"""Ratings out of all units, against another implementation; and what no table may depend on."""

import itertools
import random
from collections.abc import Sequence

import choix
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.standings import bootstrap, fit

Results = dict[tuple[int, int], list[int]]
"""By two bots: how many units the first one has won by 0, 1/4, 1/2, 3/4 and 1."""

few = settings(max_examples=25)
"""For what fits a thousand times in each example."""


def drawn(least: int) -> st.SearchStrategy[Results]:
    """Results of two to six bots, each score of each two occurring `least` times or more."""
    counts = st.lists(st.integers(least, 20), min_size=5, max_size=5)
    return st.integers(2, 6).flatmap(
        lambda bots: st.fixed_dictionaries(
            dict.fromkeys(itertools.combinations(range(bots), 2), counts)
        )
    )


results = drawn(0)


def known(found: Results, scale: int = 1) -> fit.Data:
    """The units of results, each `scale` times."""
    bots = 1 + max(max(pair) for pair in found)
    units: dict[fit.Match, dict[tuple[float, ...], int]] = {}
    for (one, other), counts in found.items():
        cells = {(v / 4, 1 - v / 4): scale * count for v, count in enumerate(counts) if count}
        if cells:
            units[(one,), (other,)] = cells
    return fit.data(bots, units)


def likeliest(data: fit.Data) -> npt.NDArray[np.float64]:
    """The strengths, by bot."""
    return fit.strengths(data, fit.plain(data))[0]


def by_choix(found: Results) -> npt.NDArray[np.float64]:
    """The same by choix; the units on top are played against one more bot, the last."""
    bots = 1 + max(max(pair) for pair in found)
    won = np.zeros((bots + 1, bots + 1))
    won[:bots, bots] = won[bots, :bots] = fit.PRIOR
    for (one, other), counts in found.items():
        won[one, other] += sum(v / 4 * count for v, count in enumerate(counts))
        won[other, one] += sum((1 - v / 4) * count for v, count in enumerate(counts))
    strengths = choix.ilsr_pairwise_dense(won, max_iter=10_000, tol=1e-12)
    return strengths[:bots] - strengths[bots]


@given(results)
def test_ratings_are_those_of_choix(found: Results) -> None:
    """Fractional scores, bots that won everything, groups that never met: the same strengths."""
    assert likeliest(known(found)) == pytest.approx(by_choix(found), abs=1e-5)


def test_many_units_leave_nothing_of_what_is_put_on_top() -> None:
    """Where much was played the ratings are those of choix without any help, to an Elo point."""
    chance = random.Random(1)
    found = {
        pair: [chance.randint(200, 900) for _ in range(5)]
        for pair in itertools.combinations(range(8), 2)
    }
    pairs = [
        pair
        for (one, other), counts in found.items()
        for pair, won in (((one, other), counts[4]), ((other, one), counts[0]))
        for _ in range(won)
    ]
    only_whole = {pair: [counts[0], 0, 0, 0, counts[4]] for pair, counts in found.items()}
    mine = likeliest(known(only_whole))
    assert fit.ELO * (mine - mine.mean()) == pytest.approx(
        fit.ELO * choix.ilsr_pairwise(8, pairs), abs=1
    )


@given(results, st.randoms(use_true_random=False))
def test_names_do_not_matter(found: Results, chance: random.Random) -> None:
    """Bots under other numbers get the same strengths."""
    bots = 1 + max(max(pair) for pair in found)
    number = list(range(bots))
    chance.shuffle(number)
    renamed: Results = {}
    for (one, other), counts in found.items():
        a, b = number[one], number[other]
        renamed[(a, b) if a < b else (b, a)] = counts if a < b else counts[::-1]
    assert likeliest(known(renamed))[number] == pytest.approx(likeliest(known(found)), abs=1e-6)


@few
@given(results, st.randoms(use_true_random=False))
def test_nothing_depends_on_the_order_of_arrival(found: Results, chance: random.Random) -> None:
    """Strengths and all that they might be are the same, bit for bit."""
    shuffled = list(found.items())
    chance.shuffle(shuffled)
    one, other = known(found), known(dict(shuffled))
    strengths = likeliest(one)
    assert np.array_equal(strengths, likeliest(other))
    assert np.array_equal(bootstrap.draws(one, strengths), bootstrap.draws(other, strengths))


@few
@given(results)
def test_everything_is_finite_and_between_its_ends(found: Results) -> None:
    """Whatever was played, each bot gets a strength and an interval that is open to both sides."""
    data = known(found)
    strengths = likeliest(data)
    low, high = ends(data)
    assert np.isfinite(strengths).all() and np.abs(strengths).max() < 15
    assert np.isfinite(low).all() and np.isfinite(high).all()
    assert (high - low > 0.01).all()


def ends(data: fit.Data) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The ends of the 95 % intervals, by bot."""
    low, high = np.quantile(bootstrap.draws(data, likeliest(data)), (0.025, 0.975), axis=0)
    return low, high


@few
@given(drawn(1))
def test_more_units_narrow_every_interval(found: Results) -> None:
    """Sixteen times the units leave about a quarter of the interval, less than half in any case."""
    low, high = ends(known(found))
    narrow_low, narrow_high = ends(known(found, scale=16))
    assert (narrow_high - narrow_low < (high - low) * 0.5).all()


def simulated(strengths: Sequence[float], units: int, chance: random.Random) -> Results:
    """Results of bots of such strengths: two games a unit."""
    found: Results = {}
    for one, other in itertools.combinations(range(len(strengths)), 2):
        counts = found[one, other] = [0] * 5
        p = 1 / (1 + np.exp(strengths[other] - strengths[one]))
        for _ in range(units):
            counts[2 * sum(chance.random() < p for _ in range(2))] += 1
    return found


@pytest.mark.parametrize("units", [4, 30])
def test_intervals_hold_what_they_promise(units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many tournaments with known strengths 95 % of the intervals hold the truth."""
    monkeypatch.setattr(bootstrap, "FITS", 400)
    truth = np.array([-0.8, -0.2, 0.1, 0.9])
    chance, held, tried = random.Random(5), 0, 100
    for _ in range(tried):
        data = known(simulated(truth.tolist(), units, chance))
        strengths = likeliest(data)
        information = np.diagonal(fit.information(data, fit.plain(data), strengths[None])[0])
        aligned = truth - (truth - strengths) @ (information / information.sum())
        low, high = ends(data)
        held += int(((low <= aligned) & (aligned <= high)).sum())
    # 400 intervals, not independent: 95 % give or take 3.
    assert 0.92 <= held / (4 * tried) <= 0.98


def test_huge_tables_have_the_same_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is drawn without fitting again agrees with what is fitted, as far as chance lets it."""
    strengths = [at / 5 for at in range(12)]
    data = known(simulated(strengths, 40, random.Random(2)))
    fitted = ends(data)
    monkeypatch.setattr(bootstrap, "EFFORT", 0)
    drawn = ends(data)
    width = fitted[1] - fitted[0]
    assert np.abs(drawn[0] - fitted[0]).max() < 0.2 * width.max()
    assert drawn[1] - drawn[0] == pytest.approx(width, rel=0.2)


def test_a_bot_that_cannot_be_gauged_widens_its_own_interval_alone() -> None:
    """One more bot that loses everything leaves the intervals of the others as they were."""
    among = {pair: [5, 0, 30, 0, 5] for pair in itertools.combinations(range(3), 2)}
    beaten = {(bot, 3): [0, 0, 0, 0, 40] for bot in range(3)}
    low, high = ends(known(among))
    with_low, with_high = ends(known({**among, **beaten}))
    assert (with_high - with_low)[:3] == pytest.approx(high - low, rel=0.25)
    assert (with_high - with_low)[3] > 5 * (high - low).max()


def test_three_sides_are_rated_pair_by_pair() -> None:
    """A unit of three is its three pairs: the same strengths as if each had been played alone."""
    order = {(1.0, 0.5, 0.0): 8, (0.5, 1.0, 0.0): 4, (0.0, 0.5, 1.0): 3}
    three = fit.data(3, {((0,), (1,), (2,)): order})
    pairs = {
        (0, 1): [4 + 3, 0, 0, 0, 8],
        (0, 2): [3, 0, 0, 0, 8 + 4],
        (1, 2): [3, 0, 0, 0, 8 + 4],
    }
    assert likeliest(three) == pytest.approx(likeliest(known(pairs)), abs=1e-6)
    low, high = ends(three)
    assert (low < likeliest(three)).all() and (likeliest(three) < high).all()


def test_partners_are_rated_by_the_mean_of_their_strengths() -> None:
    """Who wins with every partner is strongest; without the units on top all would fit exactly."""
    chance, truth = random.Random(3), [0.6, 0.2, -0.2, -0.6]
    units: dict[fit.Match, dict[tuple[float, ...], int]] = {}
    for one, other in (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))):
        above = sum(truth[b] for b in one) / 2 - sum(truth[b] for b in other) / 2
        won = sum(chance.random() < 1 / (1 + np.exp(-above)) for _ in range(4000))
        units[one, other] = {(1.0, 0.0): won, (0.0, 1.0): 4000 - won}
    data = fit.data(4, units)
    assert likeliest(data) == pytest.approx(truth, abs=0.15)
    low, high = ends(data)
    assert (high - low < 0.4).all()
