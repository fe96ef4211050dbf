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
from functools import lru_cache
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


def round_robin(count: int, seats: int = 2, partnership: bool = False) -> Iterator[Round]:
    """Rounds in which each set of `seats` out of `count` bots meets; nobody plays twice in one.

    Being bot 0 of a match is shared out: with two seats no bot is it more than once oftener than it
    is not, with more seats all are it equally often but for the cycles of symmetrical sets. Raises
    ValueError where there are fewer bots than seats.
    """
    if count < seats:
        raise ValueError(f"a round robin takes {_WORDS[seats]} bots or more, not {count}")
    if seats == 2:
        return (_circle(count, number) for number in range(_circle_size(count)))
    return (
        one
        for steps, order in _cycles(count, seats, partnership)
        for one in _packed(count, steps, order)
    )


def matches(count: int, seats: int = 2, partnership: bool = False) -> Iterator[Match]:
    """All matches in the order of their rounds; match n is the n-th, from 1."""
    return (match for one in round_robin(count, seats, partnership) for match in one)


def match(number: int, count: int, seats: int = 2, partnership: bool = False) -> Match:
    """Match `number`, from 1, of `matches`, without making those before it.

    Raises IndexError where there is none.
    """
    left = number - 1
    if not 0 <= left < total(count, seats, partnership):
        raise IndexError(f"{count} bots play no match {number}")
    if seats == 2:
        turn, at = divmod(left, count // 2)
        return _circle(count, turn)[at]
    for steps, order in _cycles(count, seats, partnership):
        if left < (size := _cycle_size(steps)):
            return _in_a_row(count, steps, order)[left]
        left -= size
    raise AssertionError("the cycles hold all matches")


def matches_of(bot: int, count: int, seats: int = 2, partnership: bool = False) -> Iterator[int]:
    """The numbers of the matches in which a bot plays, in order."""
    for number, players in enumerate(matches(count, seats, partnership), 1):
        if bot in players:
            yield number


_WORDS = {2: "two", 3: "three", 4: "four"}


def _circle_size(count: int) -> int:
    """Rounds with two seats: an even number of bots has one in the middle of the circle."""
    return count - 1 if count % 2 == 0 else count


def _circle(count: int, number: int) -> Round:
    """Round `number`, from 0, by the circle method."""
    circle = _circle_size(count)
    pairs = [
        ((number + step) % circle, (number - step) % circle) for step in range(1, (circle + 1) // 2)
    ]
    if count % 2 == 0:
        # the last bot stands in the middle of the circle and meets who would sit out
        pairs.insert(0, (number, circle) if number % 2 == 0 else (circle, number))
    return tuple(pairs)


def _cycles(
    count: int, seats: int, partnership: bool
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...] | None]]:
    """The cycles in their order: the steps of its sets, and which places are bots 0 to 3."""
    for steps in _shapes(count, seats):
        for order in PARTNERS if partnership else _ALONE:
            yield steps, order


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


def _cycle_size(steps: tuple[int, ...]) -> int:
    """How many sets have one shape. A symmetrical one is back early."""
    turns = next(at for at in range(1, len(steps) + 1) if steps == steps[at:] + steps[:at])
    return sum(steps[:turns])


@lru_cache(maxsize=8)
def _in_a_row(
    count: int, steps: tuple[int, ...], order: tuple[int, ...] | None
) -> tuple[Match, ...]:
    """The matches of one cycle by number: those asked for next are mostly in it too."""
    return tuple(match for one in _packed(count, steps, order) for match in one)


def _packed(count: int, steps: tuple[int, ...], order: tuple[int, ...] | None) -> list[Round]:
    """The rounds of one cycle."""
    rounds: list[list[Match]] = []
    playing: list[set[int]] = []
    for first in range(_cycle_size(steps)):
        bots = tuple((first + sum(steps[:at])) % count for at in range(len(steps)))
        at = next((at for at, busy in enumerate(playing) if busy.isdisjoint(bots)), len(rounds))
        if at == len(rounds):
            rounds.append([])
            playing.append(set())
        rounds[at].append(bots if order is None else tuple(bots[place] for place in order))
        playing[at].update(bots)
    return [tuple(one) for one in rounds]
