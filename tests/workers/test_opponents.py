"""Who meets whom on a ladder, whatever bots there are and however strong."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from workers.opponents import CATCH_UP, Climber, draw

SEATS = st.sampled_from([(2, False), (3, False), (4, False), (4, True)])


class Ladder:
    """A ladder without a store: it remembers what was drawn, and ratings stay as they are."""

    def __init__(self, elos: Mapping[str, int], seats: int = 2, partnership: bool = False) -> None:
        self.elos = dict(elos)
        self.rules = (seats, partnership)
        self.played: dict[str, int] = {}
        self.met: dict[str, dict[str, int]] = {}
        self.matches: list[tuple[str, ...]] = []

    def go(self, count: int, away: Sequence[str] = (), batch: int = 3) -> list[tuple[str, ...]]:
        """Draw so many matches; some bots may be away."""
        drawn: list[tuple[str, ...]] = []
        while len(drawn) < count:
            bots = [
                Climber(name, elo, self.played.get(name, 0))
                for name, elo in self.elos.items()
                if name not in away
            ]
            size = min(batch, count - len(drawn))
            found = draw(
                bots, lambda bot: self.met.get(bot, {}), len(self.matches), size, *self.rules
            )
            for match in found.matches:
                self.matches.append(match)
                for one in match:
                    others = {other: len(self.matches) for other in match if other != one}
                    self.met.setdefault(one, {}).update(others)
            self.played.update(found.played)
            drawn += found.matches
        return drawn


def ladder(elos: Sequence[int], rules: tuple[int, bool] = (2, False)) -> Ladder:
    return Ladder({f"b{number:02}": elo for number, elo in enumerate(elos)}, *rules)


def shares(matches: Sequence[tuple[str, ...]]) -> Counter[str]:
    return Counter(bot for match in matches for bot in match)


elos = st.lists(st.integers(500_000, 2_500_000), min_size=4, max_size=9)


@settings(max_examples=30)
@given(elos, SEATS, st.integers(1, 9), st.integers(20, 150))
def test_shares_are_near_equal(
    elos: list[int], rules: tuple[int, bool], batch: int, length: int
) -> None:
    """Nobody starves and nobody has it all, however the ratings lie; nobody meets itself."""
    made = ladder(elos, rules).go(length, batch=batch)
    played = shares(made)
    assert all(len(set(match)) == rules[0] for match in made)
    assert max(played.values()) - min(played[f"b{n:02}"] for n in range(len(elos))) <= 8


@settings(max_examples=30)
@given(st.lists(st.integers(500_000, 2_500_000), min_size=2, max_size=9), st.integers(1, 9))
def test_all_meet_now_and_then(elos: list[int], batch: int) -> None:
    """No two bots wait for each other for more than some rounds of all against all."""
    pairs = [tuple(sorted(match)) for match in ladder(elos).go(400, batch=batch)]
    for pair in combinations((f"b{n:02}" for n in range(len(elos))), 2):
        met = [0, *(number for number, one in enumerate(pairs, 1) if one == pair), 400]
        everybody = len(elos) * (len(elos) - 1) // 2
        assert max(b - a for a, b in pairwise(met)) <= 8 * everybody + 40


@settings(max_examples=30)
@given(elos, SEATS)
def test_the_same_ladder_draws_the_same(elos: list[int], rules: tuple[int, bool]) -> None:
    """What is drawn follows from what there was, and not from the order of the bots."""
    backwards = ladder(elos, rules)
    backwards.elos = dict(reversed(backwards.elos.items()))
    assert ladder(elos, rules).go(20) == backwards.go(20)


def test_neighbours_meet_oftener() -> None:
    """Of ten bots in a line, most matches are between neighbours, and yet the ends meet too."""
    made = ladder([1_000_000 + 100_000 * n for n in range(10)]).go(1000)
    apart = Counter(abs(int(a[1:]) - int(b[1:])) for a, b in made)
    near = sum(apart[distance] for distance in (1, 2, 3))
    assert near > 0.6 * 1000
    assert min(apart.values()) > 5


@settings(max_examples=30)
@given(elos, st.integers(150, 160))
def test_a_newcomer_catches_up(elos: list[int], before: int) -> None:
    """A newcomer meets others of all sorts, soon has its share, and never all the matches."""
    one = ladder(elos)
    one.go(before)
    one.elos["new"] = 1_500_000
    made = one.go(12 * len(one.elos))
    played = shares(made)
    mean = 2 * len(made) / len(one.elos)
    assert mean - 6 <= played["new"] <= mean + CATCH_UP + 6
    assert {bot for match in made if "new" in match for bot in match} == set(one.elos)


@settings(max_examples=30)
@given(elos, st.integers(0, 3))
def test_who_comes_back_does_not_take_all(elos: list[int], who: int) -> None:
    """A bot that was away gets no matches, and not those that it has missed."""
    one, name = ladder(elos), f"b{who:02}"
    one.go(20)
    assert name not in shares(one.go(100, away=[name]))
    back = shares(one.go(12 * len(elos)))[name]
    assert 24 - 6 <= back <= 24 + CATCH_UP + 6


def test_too_few_bots_wait() -> None:
    """One bot alone, or none, plays nothing; two play each other; three seats want three."""
    draws = [
        draw([Climber(name, 0, 0) for name in names], lambda _: {}, 0, 4, seats).matches
        for names, seats in (("", 2), ("a", 2), ("ab", 3), ("ab", 2))
    ]
    assert draws == [(), (), (), (("a", "b"),) * 2 + (("a", "b"),) * 2]


def test_partners_change() -> None:
    """In a partnership each two bots are partners about equally often."""
    made = ladder([1_500_000] * 4, (4, True)).go(60)
    partners = Counter(tuple(sorted((match[0], match[2]))) for match in made)
    partners.update(tuple(sorted((match[1], match[3]))) for match in made)
    assert len(partners) == 6
    assert max(partners.values()) - min(partners.values()) <= 12
