"""One suit's facts for every set of its thirteen cards, and the melds that there are.

A hand is four suits of 13 bits. Everything that runs can do is looked up here; sets go across the
suits and are searched for in `melds`. There are two books: with the ace low only, and with the ace
high as well (`ace_high_runs`).
"""

from functools import cache
from typing import Final, NamedTuple

from referee.rules.cards import COLUMN, RANK_VALUE

SUIT: Final = 0x1FFF
_ACE: Final = 1
# A fall may be a rise, so falls are counted from here; 0 where there is no card to discard.
NO_DROP: Final = 100
_ACE_ABOVE_KING: Final = 1 << 13


class Book(NamedTuple):
    """Look-ups for one reading of the ace. The index of a table is a suit's 13-bit mask."""

    ace_high: bool
    loose: bytes  # points of all its cards
    net: bytes  # points left when its best runs are melded
    after: tuple[bytes, ...]  # `net` without each of its cards in turn, ascending
    drop: bytes  # NO_DROP plus the largest fall of `net` by discarding one of its cards
    dropped: bytes  # the rank of that card
    next_drop: bytes  # as `drop`, discarding another card than that
    in_run: tuple[int, ...]  # mask of the cards that could stand in a run
    melds: dict[int, int]  # every set and run, and the cards of which any one may be laid on it


@cache
def book(ace_high: bool) -> Book:
    """The book for rulesets with this value of `ace_high_runs`; made once, in about 15 ms."""
    loose = _loose()
    net = _net(loose)
    if ace_high:
        net = _net_with_high_ace(net)
    in_run = tuple(_standing_in_runs(suit, ace_high) for suit in range(SUIT + 1))
    after = _after(net)
    drop, dropped, next_drop = _drops(net, after)
    melds = _fitting(_all_melds(ace_high))
    return Book(ace_high, loose, net, after, drop, dropped, next_drop, in_run, melds)


def stretches(suit: int) -> list[int]:
    """The unbroken rows of three or more bits in `suit`, whole, ascending."""
    result: list[int] = []
    starts = suit & suit >> 1 & suit >> 2
    while starts:
        low = starts & -starts
        row = suit & ~(suit + low) & -low
        result.append(row)
        starts &= ~row
    return result


def suit_runs(suit: int, ace_high: bool) -> list[int]:
    """The runs of least deadwood in one suit, taken whole, by their first card.

    An ace that serves both ends equally is taken low.
    """
    low = stretches(suit)
    if not (ace_high and suit & _ACE and suit >> 11 == 3):
        return low
    high = [
        row ^ (_ACE_ABOVE_KING | _ACE) if row & _ACE_ABOVE_KING else row
        for row in stretches(suit ^ (_ACE_ABOVE_KING | _ACE))
    ]
    return high if _points(high) > _points(low) else low


def _points(rows: list[int]) -> int:
    return sum(RANK_VALUE[rank] for row in rows for rank in range(13) if row >> rank & 1)


def _loose() -> bytes:
    loose = bytearray(1)
    for value in RANK_VALUE:
        # Each further rank doubles the table: without it, then with it.
        loose += bytes(points + value for points in loose)
    return bytes(loose)


def _net(loose: bytes) -> bytes:
    net = bytearray(loose)
    for suit in range(7, SUIT + 1):
        for row in stretches(suit):
            net[suit] -= loose[row]
    return bytes(net)


def _net_with_high_ace(net: bytes) -> bytes:
    result = bytearray(net)
    for suit in range(SUIT + 1):
        if suit & _ACE and suit >> 11 == 3:
            row = stretches(suit ^ (_ACE_ABOVE_KING | _ACE))[-1]
            rest = suit & ~row & ~_ACE
            result[suit] = min(net[suit], net[rest])
    return bytes(result)


def _after(net: bytes) -> tuple[bytes, ...]:
    bits = [1 << rank for rank in range(13)]
    return tuple(bytes([net[suit ^ bit] for bit in bits if suit & bit]) for suit in range(SUIT + 1))


def _drops(net: bytes, after: tuple[bytes, ...]) -> tuple[bytes, bytes, bytes]:
    drop = bytearray(SUIT + 1)
    dropped = bytearray(SUIT + 1)
    next_drop = bytearray(SUIT + 1)
    for suit in range(1, SUIT + 1):
        counts = after[suit]
        least = min(counts)
        at = counts.index(least)
        others = counts[:at] + counts[at + 1 :]
        cards = suit
        for _ in range(at):
            cards &= cards - 1
        drop[suit] = NO_DROP + net[suit] - least
        dropped[suit] = (cards & -cards).bit_length() - 1
        if others:
            next_drop[suit] = NO_DROP + net[suit] - min(others)
    return bytes(drop), bytes(dropped), bytes(next_drop)


def _standing_in_runs(suit: int, ace_high: bool) -> int:
    starts = suit & suit >> 1 & suit >> 2
    standing = starts | starts << 1 | starts << 2
    if ace_high and suit & _ACE and suit >> 11 == 3:
        standing |= _ACE | 3 << 11
    return standing


def _fitting(melds: list[int]) -> dict[int, int]:
    fits = dict.fromkeys(melds, 0)
    for longer in melds:
        cards = longer
        while cards:
            card = cards & -cards
            cards ^= card
            if longer ^ card in fits:
                fits[longer ^ card] |= card
    return fits


def _all_melds(ace_high: bool) -> list[int]:
    melds: list[int] = []
    for rank in range(13):
        four = COLUMN << rank
        melds.append(four)
        melds += [four ^ 1 << suit * 13 + rank for suit in range(4)]
    for first in range(11):
        for last in range(first + 2, 13 + ace_high):
            # A high ace is bit 13 here and bit 0 in the suit. A row from ace to ace is none.
            row = (1 << last + 1) - (1 << first)
            if row & _ACE_ABOVE_KING:
                if row & _ACE:
                    continue
                row ^= _ACE_ABOVE_KING | _ACE
            melds += [row << suit * 13 for suit in range(4)]
    if ace_high:
        melds += [(3 << 11 | _ACE) << suit * 13 for suit in range(4)]
    return melds
