"""Least deadwood of a hand.

Exact for every hand of up to eleven cards. A hand without three of a rank is four look-ups. Sets of
which no card stands in a run are taken out whole; only those that compete with runs are tried.
"""

from typing import Final

from referee.rules.cards import COLUMN, members
from referee.rules.tables import SUIT, Book

# Two suits. Halves fit into one digit of a Python int, whole hands do not: this is much faster.
HALF: Final = (1 << 26) - 1
NEVER: Final = 255


def points(cards: int, book: Book) -> int:
    """Points of all cards of a set, melded or not."""
    loose = book.loose
    return (
        loose[cards & SUIT]
        + loose[cards >> 13 & SUIT]
        + loose[cards >> 26 & SUIT]
        + loose[cards >> 39]
    )


def deadwood(hand: int, book: Book) -> int:
    """Points left in the best arrangement of all cards of `hand`."""
    net = book.net
    low = hand & HALF
    high = hand >> 26
    a = low & SUIT
    b = low >> 13
    c = high & SUIT
    d = high >> 13
    ranks = a & b & (c | d) | c & d & (a | b)
    if not ranks:
        return net[a] + net[b] + net[c] + net[d]
    in_run = book.in_run
    tied = ranks & (in_run[a] | in_run[b] | in_run[c] | in_run[d])
    free = ranks ^ tied
    if free:
        # A set of which no card stands in a run is taken whole: nothing else can use its cards.
        if not tied:
            loose = book.loose
            saved = 3 * loose[free] + loose[free & a & b & c & d]
            return net[a] + net[b] + net[c] + net[d] - saved
        a &= ~free
        b &= ~free
        c &= ~free
        d &= ~free
    four = tied & a & b & c & d
    last = four & -four or tied & -tied
    cut = book.cut[last.bit_length() - 1]
    ways = [(a, b, c, d)] if last == tied else without_sets(a, b, c, d, tied ^ last, in_run)
    if not four:
        return min(
            [net[a] + net[b] + net[c] + net[d] for a, b, c, d in ways]
            + [cut[a] + cut[b] + cut[c] + cut[d] for a, b, c, d in ways]
        )
    least = NEVER
    for a, b, c, d in ways:
        ca, cb, cc, cd = cut[a], cut[b], cut[c], cut[d]
        na, nb, nc, nd = net[a], net[b], net[c], net[d]
        # The four as a set, or three of them, the one left where it helps most; or no set at all.
        left = min(
            na + nb + nc + nd, ca + cb + cc + cd - max(0, ca - na, cb - nb, cc - nc, cd - nd)
        )
        if left < least:
            least = left
    return least


def without_sets(
    a: int, b: int, c: int, d: int, ranks: int, in_run: tuple[int, ...]
) -> list[tuple[int, int, int, int]]:
    """What is left of four suits under every choice of sets of `ranks`.

    Of four of a rank one is left out only where it stands in a run: else four are better.
    """
    ways = [(a, b, c, d)]
    fours = a & b & c & d
    runs = (in_run[a], in_run[b], in_run[c], in_run[d])
    while ranks:
        bit = ranks & -ranks
        ranks ^= bit
        keep = ~bit
        taken = [(a & keep, b & keep, c & keep, d & keep) for a, b, c, d in ways]
        ways += taken
        if fours & bit:
            if runs[0] & bit:
                ways += [(a | bit, b, c, d) for a, b, c, d in taken]
            if runs[1] & bit:
                ways += [(a, b | bit, c, d) for a, b, c, d in taken]
            if runs[2] & bit:
                ways += [(a, b, c | bit, d) for a, b, c, d in taken]
            if runs[3] & bit:
                ways += [(a, b, c, d | bit) for a, b, c, d in taken]
    return ways


def choices_of_sets(hand: int, ranks: int) -> list[int]:
    """What is left of `hand` under every choice of sets of `ranks`."""
    rests = [hand]
    while ranks:
        held = hand & COLUMN * (ranks & -ranks)
        ranks &= ranks - 1
        ways = [0, held]
        if held.bit_count() == 4:
            ways += [held ^ 1 << card for card in members(held)]
        rests = [rest ^ cards for rest in rests for cards in ways]
    return rests
