"""Who meets whom, and when. Pure: the list follows from the number of bots alone."""

from typing import TypeAlias

Pair: TypeAlias = tuple[int, int]
"""Two bots by their place in the list of entrants; the first one is bot 0 of the match."""


def round_robin(count: int) -> tuple[tuple[Pair, ...], ...]:
    """Rounds in which each of `count` bots meets each other one once, by the circle method.

    Nobody plays twice in a round. With an odd number bot r sits out round r (both from 0), once
    each, and no match stands for it. Being bot 0 of a match is shared out so that no bot is it more
    than once oftener than it is not. Raises ValueError below two bots.
    """
    if count < 2:
        raise ValueError(f"a round robin takes two bots or more, not {count}")
    circle = count - 1 if count % 2 == 0 else count
    rounds: list[tuple[Pair, ...]] = []
    for number in range(circle):
        pairs = [
            ((number + step) % circle, (number - step) % circle)
            for step in range(1, (circle + 1) // 2)
        ]
        if count % 2 == 0:
            # the last bot stands in the middle of the circle and meets who would sit out
            pairs.insert(0, (number, circle) if number % 2 == 0 else (circle, number))
        rounds.append(tuple(pairs))
    return tuple(rounds)


def matches(count: int) -> tuple[Pair, ...]:
    """All pairs of a round robin in the order of its rounds; match n is the n-th, from 1."""
    return tuple(pair for pairs in round_robin(count) for pair in pairs)
