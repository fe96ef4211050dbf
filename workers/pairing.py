"""Who meets whom, and when. Pure: the list follows from the number of bots and seats alone.

Two seats: each two bots meet once, by the circle method. With an odd number of bots bot r has the
bye of round r, both from 0: one each.

Three and four seats: each three, or four, bots meet once. The sets come in cycles: bots stand in a
circle, a set is moved round it one place at a time until it comes back, and everybody has played
equally often when it does. Within a cycle a match joins the first round in which none of its bots
plays yet; whoever is in no match of a round has its bye. So byes too are equal after every cycle.

Partnerships: each four bots meet three times, so that each has each other one for partner once; the
three ways are three cycles. Bots 0 and 2 of a match are partners, and bots 1 and 3.
"""

from collections.abc import Iterator
from math import comb
from typing import TypeAlias

Match: TypeAlias = tuple[int, ...]
"""Bots by their place in the list of entrants; the first one is bot 0 of the match."""

Round: TypeAlias = tuple[Match, ...]

# The places in a set, ascending round the circle, that become the bots 0 to 3 of a match.
_ALONE = (None,)
PARTNERS = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2))


def total(count: int, seats: int = 2, partnership: bool = False) -> int:
    """How many matches `count` bots play, without a list of them."""
    return comb(count, seats) * (len(PARTNERS) if partnership else 1)


def round_robin(count: int, seats: int = 2, partnership: bool = False) -> tuple[Round, ...]:
    """Rounds in which each set of `seats` out of `count` bots meets; nobody plays twice in one.

    Being bot 0 of a match is shared out: with two seats no bot is it more than once oftener than it
    is not, with more seats all are it equally often but for the cycles of symmetrical sets. Raises
    ValueError where there are fewer bots than seats.
    """
    if count < seats:
        raise ValueError(f"a round robin takes {_WORDS[seats]} bots or more, not {count}")
    if seats == 2:
        return tuple(_circle(count))
    orders = PARTNERS if partnership else _ALONE
    return tuple(
        one
        for steps in _shapes(count, seats)
        for order in orders
        for one in _packed(_cycle(count, steps), order)
    )


def matches(count: int, seats: int = 2, partnership: bool = False) -> tuple[Match, ...]:
    """All matches in the order of their rounds; match n is the n-th, from 1."""
    rounds = round_robin(count, seats, partnership)
    return tuple(match for one in rounds for match in one)


_WORDS = {2: "two", 3: "three", 4: "four"}


def _circle(count: int) -> Iterator[Round]:
    circle = count - 1 if count % 2 == 0 else count
    for number in range(circle):
        pairs = [
            ((number + step) % circle, (number - step) % circle)
            for step in range(1, (circle + 1) // 2)
        ]
        if count % 2 == 0:
            # the last bot stands in the middle of the circle and meets who would sit out
            pairs.insert(0, (number, circle) if number % 2 == 0 else (circle, number))
        yield tuple(pairs)


def _shapes(count: int, seats: int) -> Iterator[tuple[int, ...]]:
    """The steps from bot to bot round the circle, once for all sets that are moved copies."""

    def grow(steps: tuple[int, ...], left: int) -> Iterator[tuple[int, ...]]:
        if len(steps) == seats - 1:
            whole = (*steps, left)
            if all(whole <= whole[at:] + whole[:at] for at in range(1, seats)):
                yield whole
            return
        # Of all turns of a set the smallest stands for it, so it begins with its smallest step.
        least = steps[0] if steps else 1
        for step in range(least, left - least * (seats - 2 - len(steps)) + 1):
            yield from grow((*steps, step), left - step)

    yield from grow((), count)


def _cycle(count: int, steps: tuple[int, ...]) -> Iterator[Match]:
    """The sets of one shape, each once. A symmetrical one is back early."""
    turns = next(at for at in range(1, len(steps) + 1) if steps == steps[at:] + steps[:at])
    for first in range(sum(steps[:turns])):
        yield tuple((first + sum(steps[:at])) % count for at in range(len(steps)))


def _packed(cycle: Iterator[Match], order: tuple[int, ...] | None) -> list[Round]:
    rounds: list[list[Match]] = []
    playing: list[set[int]] = []
    for match in cycle:
        at = next((at for at, busy in enumerate(playing) if busy.isdisjoint(match)), len(rounds))
        if at == len(rounds):
            rounds.append([])
            playing.append(set())
        rounds[at].append(match if order is None else tuple(match[place] for place in order))
        playing[at].update(match)
    return [tuple(one) for one in rounds]
