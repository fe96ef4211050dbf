"""Arrangements: the referee's own, of least deadwood, and those that a seat declares."""

from typing import Final, NamedTuple

from referee.rules.cards import COLUMN, members
from referee.rules.counts import choices_of_sets, points
from referee.rules.tables import SUIT, Book, suit_runs

_NEVER: Final = 255


class Arrangement(NamedTuple):
    """A hand laid out: melds in the order of their numbers, the other cards, and their points."""

    melds: tuple[int, ...]
    unmatched: int
    deadwood: int


def arrange(hand: int, book: Book) -> Arrangement:
    """The referee's arrangement of least deadwood; it depends on `hand` alone.

    Of equal ones: fewest cards in sets, then the set cards that come first in the pack; runs are
    taken whole. Sets are numbered first, then runs, each by its first card.
    """
    return arrange_by_order(hand, book)[1]


def arrange_by_order(hand: int, book: Book) -> tuple[tuple[int, int, tuple[int, ...]], Arrangement]:
    """`arrange`, with the key by which arrangements are ordered: deadwood, then the ties."""
    net = book.net
    best = (_NEVER, 0, ())
    chosen = hand
    free, tied = _set_ranks(hand, book)
    for rest in choices_of_sets(hand & ~(COLUMN * free), tied):
        count = net[rest & SUIT] + net[rest >> 13 & SUIT] + net[rest >> 26 & SUIT] + net[rest >> 39]
        if count > best[0]:
            continue
        in_sets = members(hand ^ rest)
        key = (count, len(in_sets), in_sets)
        if key < best:
            best, chosen = key, rest
    melds = sorted(_sets_of(hand ^ chosen), key=lambda meld: meld & -meld)
    for shift in (0, 13, 26, 39):
        suit = chosen >> shift & SUIT
        if book.in_run[suit]:
            melds += [run << shift for run in suit_runs(suit, book.ace_high)]
    unmatched = hand
    for meld in melds:
        unmatched ^= meld
    return best, Arrangement(tuple(melds), unmatched, best[0])


def lay_out(hand: int, melds: tuple[int, ...], book: Book) -> Arrangement:
    """The arrangement that `melds` declare; they are taken to be disjoint melds out of `hand`."""
    unmatched = hand
    for meld in melds:
        unmatched ^= meld
    return Arrangement(melds, unmatched, points(unmatched, book))


def are_melds(hand: int, melds: tuple[int, ...], book: Book) -> bool:
    """Whether `melds` are sets and runs out of `hand` that share no card."""
    for meld in melds:
        if meld not in book.melds or meld & ~hand:
            return False
        hand ^= meld
    return True


def _set_ranks(hand: int, book: Book) -> tuple[int, int]:
    """The ranks of sets that are taken whole, no card of them standing in a run; the others."""
    a = hand & SUIT
    b = hand >> 13 & SUIT
    c = hand >> 26 & SUIT
    d = hand >> 39
    ranks = a & b & (c | d) | c & d & (a | b)
    in_run = book.in_run
    tied = ranks & (in_run[a] | in_run[b] | in_run[c] | in_run[d])
    return ranks ^ tied, tied


def _sets_of(cards: int) -> list[int]:
    """The sets that `cards` are made of, when they are nothing but whole sets."""
    sets: list[int] = []
    while cards:
        rank = ((cards & -cards).bit_length() - 1) % 13
        sets.append(cards & COLUMN << rank)
        cards &= ~(COLUMN << rank)
    return sets
