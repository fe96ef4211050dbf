"""Least deadwood of a hand, and what each discard would leave.

Exact for every hand of up to eleven cards. A hand without three of a rank is four look-ups. Sets of
which no card stands in a run are taken out whole; only those that compete with runs are tried.
"""

from typing import Final

from referee.rules.cards import COLUMN, RANK_VALUE, members
from referee.rules.tables import NO_DROP, SUIT, Book

_UP: Final = bytes(range(256))
# _PLUS[n] translates a row of counts to counts that are n higher.
_PLUS: Final = tuple(_UP[n:] + b"\xff" * n for n in range(128))
_NEVER: Final = 255
# For each card to keep: the shifts of the four suits, its own first, and its rank. The entry at the
# end, reached by -1, is for none.
_KEEPING: Final = (
    *(
        (13 * s, 13 * (s ^ 1), 13 * (s ^ 2), 13 * (s ^ 3), rank)
        for s in range(4)
        for rank in range(13)
    ),
    (0, 13, 26, 39, -1),
)


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
    a = hand & SUIT
    b = hand >> 13 & SUIT
    c = hand >> 26 & SUIT
    d = hand >> 39
    ranks = a & b & (c | d) | c & d & (a | b)
    if ranks:
        in_run = book.in_run
        tied = ranks & (in_run[a] | in_run[b] | in_run[c] | in_run[d])
        # A set of which no card stands in a run is taken whole: nothing else can use its cards.
        keep = ~(ranks ^ tied)
        a &= keep
        b &= keep
        c &= keep
        d &= keep
        if tied:
            ways = _ways(a, b, c, d, tied)
            return min([net[a] + net[b] + net[c] + net[d] for a, b, c, d in ways])
    return net[a] + net[b] + net[c] + net[d]


def least_after_discard(hand: int, book: Book, keep: int = -1) -> int:
    """Least deadwood after the best discard; the card `keep` of the hand is not discarded."""
    net, drop, dropped, next_drop, in_run = book[2], book[4], book[5], book[6], book[7]
    # Suits are alike here: the one of the card to keep comes first.
    one, two, three, four, rank = _KEEPING[keep]
    a = hand >> one & SUIT
    b = hand >> two & SUIT
    c = hand >> three & SUIT
    d = hand >> four & SUIT
    ranks = a & b & (c | d) | c & d & (a | b)
    cost = _NEVER
    if ranks:
        tied = ranks & (in_run[a] | in_run[b] | in_run[c] | in_run[d])
        free = ranks ^ tied
        if free:
            cost = min([_broken(hand, at) for at in range(13) if free >> at & 1])
            a &= ~free
            b &= ~free
            c &= ~free
            d &= ~free
        if tied:
            ways = _ways(a, b, c, d, tied)
            least = min([net[a] + net[b] + net[c] + net[d] for a, b, c, d in ways])
            return min(least + cost, *[_least_dropping(*way, rank, book) for way in ways])
    first = drop[a] if dropped[a] != rank else next_drop[a]
    fall = max(first, drop[b], drop[c], drop[d]) - NO_DROP
    return net[a] + net[b] + net[c] + net[d] + (cost if cost < -fall else -fall)


def after_discards(hand: int, book: Book) -> bytes:
    """Least deadwood after the discard of each card of `hand`, cards ascending."""
    net, after = book.net, book.after
    a = hand & SUIT
    b = hand >> 13 & SUIT
    c = hand >> 26 & SUIT
    d = hand >> 39
    ranks = a & b & (c | d) | c & d & (a | b)
    free = 0
    if ranks:
        in_run = book.in_run
        tied = ranks & (in_run[a] | in_run[b] | in_run[c] | in_run[d])
        free = hand & COLUMN * (ranks ^ tied)
        if tied:
            return _with_sets(hand, free, _after_tied(hand ^ free, tied, book), book)
        keep = ~ranks
        a &= keep
        b &= keep
        c &= keep
        d &= keep
    na, nb, nc, nd = net[a], net[b], net[c], net[d]
    counts = (
        after[a].translate(_PLUS[nb + nc + nd])
        + after[b].translate(_PLUS[na + nc + nd])
        + after[c].translate(_PLUS[na + nb + nd])
        + after[d].translate(_PLUS[na + nb + nc])
    )
    return _with_sets(hand, free, counts, book) if free else counts


def best_discard(hand: int, book: Book, keep: int = -1) -> tuple[int, int]:
    """(least deadwood, card) over every discard but the card `keep`; ties: first in the pack."""
    counts = after_discards(hand, book)
    cards = members(hand)
    if keep >= 0:
        at = (hand & (1 << keep) - 1).bit_count()
        counts = counts[:at] + counts[at + 1 :]
        cards = cards[:at] + cards[at + 1 :]
    least = min(counts)
    return least, cards[counts.index(least)]


def _ways(a: int, b: int, c: int, d: int, ranks: int) -> list[tuple[int, int, int, int]]:
    """What is left of four suits under every choice of sets of `ranks`."""
    ways = [(a, b, c, d)]
    while ranks:
        bit = ranks & -ranks
        ranks ^= bit
        keep = ~bit
        more = [(a & keep, b & keep, c & keep, d & keep) for a, b, c, d in ways]
        if a & b & c & d & bit:
            # Four of a rank: any three of them are a set as well.
            for a, b, c, d in tuple(more):
                more += [(a | bit, b, c, d), (a, b | bit, c, d), (a, b, c | bit, d)]
                more.append((a, b, c, d | bit))
        ways += more
    return ways


def _least_dropping(a: int, b: int, c: int, d: int, keep: int, book: Book) -> int:
    """Least deadwood by runs after a discard; of suit `a` the rank `keep` is not discarded."""
    net, drop = book.net, book.drop
    first = drop[a] if book.dropped[a] != keep else book.next_drop[a]
    fall = max(first, drop[b], drop[c], drop[d]) - NO_DROP
    return net[a] + net[b] + net[c] + net[d] - fall


def _with_sets(hand: int, free: int, counts: bytes, book: Book) -> bytes:
    """Counts of the cards of `hand` outside its free sets, and of those too."""
    least = deadwood(hand ^ free, book)
    row = bytearray(counts)
    while free:
        low = free & -free
        free ^= low
        at = (hand & low - 1).bit_count()
        row.insert(at, least + _broken(hand, (low.bit_length() - 1) % 13))
    return bytes(row)


def _after_tied(hand: int, ranks: int, book: Book) -> bytes:
    """`after_discards` of a hand whose sets of `ranks` compete with its runs."""
    net, after = book.net, book.after
    rows: list[bytes | bytearray] = []
    for rest in choices_of_sets(hand, ranks):
        a = rest & SUIT
        b = rest >> 13 & SUIT
        c = rest >> 26 & SUIT
        d = rest >> 39
        na, nb, nc, nd = net[a], net[b], net[c], net[d]
        row = (
            after[a].translate(_PLUS[nb + nc + nd])
            + after[b].translate(_PLUS[na + nc + nd])
            + after[c].translate(_PLUS[na + nb + nd])
            + after[d].translate(_PLUS[na + nb + nc])
        )
        gone = hand ^ rest
        if gone:
            row = bytearray(row)
            while gone:
                low = gone & -gone
                gone ^= low
                row.insert((hand & low - 1).bit_count(), _NEVER)
        rows.append(row)
    return bytes(map(min, *rows))


def _broken(hand: int, rank: int) -> int:
    """What it costs to take one card out of a set that no run competes with.

    A set of four becomes one of three; of a set of three two loose cards are left.
    """
    return 0 if (hand >> rank & COLUMN).bit_count() == 4 else 2 * RANK_VALUE[rank]


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
