"""Least deadwood, the counts after each discard, and the referee's arrangement of a hand.

Exact for every hand of up to eleven cards. A hand without three of a rank is four look-ups; else
the sets that compete with runs are tried in and out. What may be laid off is not known here.
"""

from typing import Final, NamedTuple

from referee.rules.cards import COLUMN, RANK_VALUE, members
from referee.rules.tables import SUIT, Book, suit_runs

_UP: Final = bytes(range(256))
# _PLUS[n] translates a row of counts to counts that are n higher.
_PLUS: Final = tuple(_UP[n:] + b"\xff" * n for n in range(128))
_NEVER: Final = 255


class Arrangement(NamedTuple):
    """A hand laid out: melds in the order of their numbers, the other cards, and their points."""

    melds: tuple[int, ...]
    unmatched: int
    deadwood: int


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
    if not ranks:
        return net[a] + net[b] + net[c] + net[d]
    least = _NEVER
    for rest in _rests(hand, ranks, book)[1]:
        count = net[rest & SUIT] + net[rest >> 13 & SUIT] + net[rest >> 26 & SUIT] + net[rest >> 39]
        if count < least:
            least = count
    return least


def after_discards(hand: int, book: Book) -> bytes:
    """Least deadwood after the discard of each card of `hand`, cards ascending."""
    a = hand & SUIT
    b = hand >> 13 & SUIT
    c = hand >> 26 & SUIT
    d = hand >> 39
    ranks = a & b & (c | d) | c & d & (a | b)
    if ranks:
        return _after_with_sets(hand, ranks, book)
    net, after = book.net, book.after
    na, nb, nc, nd = net[a], net[b], net[c], net[d]
    return (
        after[a].translate(_PLUS[nb + nc + nd])
        + after[b].translate(_PLUS[na + nc + nd])
        + after[c].translate(_PLUS[na + nb + nd])
        + after[d].translate(_PLUS[na + nb + nc])
    )


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
    for rest in _rests(hand, _set_ranks(hand), book)[1]:
        count = net[rest & SUIT] + net[rest >> 13 & SUIT] + net[rest >> 26 & SUIT] + net[rest >> 39]
        if count > best[0]:
            continue
        in_sets = members(hand ^ rest)
        key = (count, len(in_sets), in_sets)
        if key < best:
            best, chosen = key, rest
    melds = sorted(_sets_of(hand ^ chosen), key=lambda meld: meld & -meld)
    for shift in (0, 13, 26, 39):
        melds += [run << shift for run in suit_runs(chosen >> shift & SUIT, book.ace_high)]
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


def _set_ranks(hand: int) -> int:
    a = hand & SUIT
    b = hand >> 13 & SUIT
    c = hand >> 26 & SUIT
    d = hand >> 39
    return a & b & (c | d) | c & d & (a | b)


def _rests(hand: int, ranks: int, book: Book) -> tuple[list[int], list[int]]:
    """What the sets of `ranks` may leave to the runs.

    The first list holds the sets whose cards stand in no run: taking them whole is always best.
    The second holds what is left of `hand` under every choice of the other sets.
    """
    in_run = book.in_run
    running = (
        in_run[hand & SUIT]
        | in_run[hand >> 13 & SUIT] << 13
        | in_run[hand >> 26 & SUIT] << 26
        | in_run[hand >> 39] << 39
    )
    sure: list[int] = []
    rests = [hand]
    while ranks:
        held = hand & COLUMN * (ranks & -ranks)
        ranks &= ranks - 1
        if not held & running:
            sure.append(held)
            rests = [rest ^ held for rest in rests]
            continue
        tried = [held]
        if held.bit_count() == 4:
            tried += [held ^ 1 << card for card in members(held)]
        rests += [rest ^ cards for rest in rests for cards in tried]
    return sure, rests


def _after_with_sets(hand: int, ranks: int, book: Book) -> bytes:
    net, after = book.net, book.after
    sure, rests = _rests(hand, ranks, book)
    least = _NEVER
    rows: list[bytes] = []
    for rest in rests:
        a = rest & SUIT
        b = rest >> 13 & SUIT
        c = rest >> 26 & SUIT
        d = rest >> 39
        na, nb, nc, nd = net[a], net[b], net[c], net[d]
        count = na + nb + nc + nd
        if count < least:
            least = count
        rows.append(
            _spaced(
                after[a].translate(_PLUS[count - na])
                + after[b].translate(_PLUS[count - nb])
                + after[c].translate(_PLUS[count - nc])
                + after[d].translate(_PLUS[count - nd]),
                hand,
                hand ^ rest,
            )
        )
    counts = bytearray(rows[0] if len(rows) == 1 else map(min, *rows))
    for cards in sure:
        # One card less leaves a set of three, or two loose cards that no run can use.
        rank = (cards.bit_length() - 1) % 13
        left = least if cards.bit_count() == 4 else least + 2 * RANK_VALUE[rank]
        while cards:
            low = cards & -cards
            counts[(hand & low - 1).bit_count()] = left
            cards ^= low
    return bytes(counts)


def _spaced(counts: bytes, hand: int, gone: int) -> bytes:
    """Counts of the cards of `hand` that are not `gone`, with a place held for those that are."""
    while gone:
        low = gone & -gone
        at = (hand & low - 1).bit_count()
        counts = counts[:at] + b"\xff" + counts[at:]
        gone ^= low
    return counts


def _sets_of(cards: int) -> list[int]:
    """The sets that `cards` are made of, when they are nothing but whole sets."""
    sets: list[int] = []
    while cards:
        rank = ((cards & -cards).bit_length() - 1) % 13
        sets.append(cards & COLUMN << rank)
        cards &= ~(COLUMN << rank)
    return sets
