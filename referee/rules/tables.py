"""One suit's facts for every set of its thirteen cards, and the melds that there are.

A hand is four suits of 13 bits. Everything that runs can do is looked up here; sets go across the
suits and are searched for in `melds`. There are two books: with the ace low only, and with the ace
high as well (`ace_high_runs`).
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from referee.rules.cards import COLUMN, RANK_VALUE

SUIT: Final = 0x1FFF
_ACE: Final = 1
# A fall may be a rise, so falls are counted from here; 0 where there is no card to discard.
NO_DROP: Final = 100
_ACE_ABOVE_KING: Final = 1 << 13
_UP: Final = bytes(range(256))
# PLUS[n] translates a row of counts to counts that are n higher; n may be below 0.
PLUS: Final = (
    *(_UP[n:] + b"\xff" * n for n in range(128)),
    *(bytes(n) + _UP[:-n] for n in range(128, 0, -1)),
)


@dataclass(frozen=True, slots=True)
class Book:
    """Look-ups for one reading of the ace. The index of a table is a suit's 13-bit mask.

    Tuples and slots, since bytes and the fields of a named tuple are slower to look up in.
    """

    ace_high: bool
    loose: tuple[int, ...]  # points of all its cards
    net: tuple[int, ...]  # points left when its best runs are melded
    cut: tuple[tuple[int, ...], ...]  # by rank: `net` without that card
    after: tuple[bytes, ...]  # `net` without each of its cards in turn, ascending
    drop: tuple[int, ...]  # NO_DROP plus the largest fall of `net` by discarding one of its cards
    dropped: tuple[int, ...]  # the rank of that card
    next_drop: tuple[int, ...]  # as `drop`, discarding another card than that
    in_run: tuple[int, ...]  # mask of the cards that could stand in a run
    melds: dict[int, int]  # every set and run, and the cards of which any one may be laid on it


@cache
def book(ace_high: bool) -> Book:
    """The book for rulesets with this value of `ace_high_runs`; made once, in about 10 ms."""
    loose = _loose()
    suits = _Suits(loose)
    for first in range(13):
        for last in range(first, 13):
            suits.add_row(first, last)
    if ace_high:
        suits.raise_aces()
    cut = tuple(tuple(_without(suits.net, rank)) for rank in range(13))
    melds = _fitting(_all_melds(ace_high))
    return Book(
        ace_high,
        tuple(loose),
        tuple(suits.net),
        cut,
        tuple(suits.after),
        tuple(suits.drop),
        tuple(suits.dropped),
        tuple(suits.next_drop),
        tuple(suits.in_run),
        melds,
    )


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
        loose += loose.translate(PLUS[value])
    return bytes(loose)


def _without(net: bytearray, rank: int) -> bytes:
    size = 1 << rank
    return b"".join(net[at : at + size] * 2 for at in range(0, SUIT + 1, 2 * size))


class _Suits:
    """The tables while they grow, for suits whose highest card is lower than the next to be added.

    A suit is its highest unbroken row, and what lies below the gap under that. The two have nothing
    to do with each other, so that every table of the whole follows from those of the parts.
    """

    def __init__(self, loose: bytes) -> None:
        self._loose = loose
        size = SUIT + 1
        self.net = bytearray(size)
        self.drop = bytearray(size)
        self.dropped = bytearray(size)
        self.next_drop = bytearray(size)
        self.in_run = [0] * size
        self.after = [b""] * size

    def add_row(self, first: int, last: int) -> None:
        """Fill in the suits that end in this row of ranks; what may lie below it is there."""
        row = (2 << last) - (1 << first)
        tails = 1 << max(0, first - 1)
        count, standing, left = self._row(row)
        whole = slice(row, row + tails)
        nets = self.net[:tails]
        self._add_drops(whole, [count - points for points in left], first)
        self.net[whole] = nets.translate(PLUS[count])
        self.in_run[whole] = [standing | tail for tail in self.in_run[:tails]]
        self.after[whole] = [
            tail.translate(PLUS[count]) + left.translate(PLUS[points])
            for tail, points in zip(self.after[:tails], nets, strict=True)
        ]

    def _add_drops(self, whole: slice, falls: list[int], first: int) -> None:
        """The best drop is the tail's or the row's; of equal ones the tail's comes first."""
        tails = whole.stop - whole.start
        best = NO_DROP + max(falls)
        at = falls.index(best - NO_DROP)
        others = falls[:at] + falls[at + 1 :]
        second = NO_DROP + max(others) if others else 0
        rank = first + at
        drops, ranks, nexts = self.drop[:tails], self.dropped[:tails], self.next_drop[:tails]
        self.drop[whole] = bytes([max(drop, best) for drop in drops])
        self.dropped[whole] = bytes(
            [known if drop >= best else rank for known, drop in zip(ranks, drops, strict=True)]
        )
        self.next_drop[whole] = bytes(
            [
                max(follow, best) if drop >= best else max(drop, second)
                for follow, drop in zip(nexts, drops, strict=True)
            ]
        )

    def raise_aces(self) -> None:
        """Let the ace stand above the king in the suits that hold ace, queen and king."""
        high = [suit for suit in range(SUIT + 1) if suit & _ACE and suit >> 11 == 3]
        for suit in high:
            row = stretches(suit ^ (_ACE_ABOVE_KING | _ACE))[-1]
            self.net[suit] = min(self.net[suit], self.net[suit & ~row & ~_ACE])
            self.in_run[suit] |= _ACE | 3 << 11
        for suit in high:
            cards = [1 << rank for rank in range(13) if suit >> rank & 1]
            counts = bytes([self.net[suit ^ card] for card in cards])
            self.after[suit] = counts
            least = min(counts)
            at = counts.index(least)
            others = counts[:at] + counts[at + 1 :]
            self.drop[suit] = NO_DROP + self.net[suit] - least
            self.dropped[suit] = cards[at].bit_length() - 1
            self.next_drop[suit] = NO_DROP + self.net[suit] - min(others)

    def _row(self, row: int) -> tuple[int, int, bytes]:
        """One row alone: its count, the cards of it in a run, the counts without each card."""
        loose, size = self._loose, row.bit_count()
        low = row & -row
        left = bytearray()
        for at in range(size):
            below = low * ((1 << at) - 1)
            above = row & ~below & ~(low << at)
            left.append(sum(loose[part] for part in (below, above) if part.bit_count() < 3))
        return (0, row, bytes(left)) if size >= 3 else (loose[row], 0, bytes(left))


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
