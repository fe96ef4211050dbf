"""Cards as numbers, hands as bit masks, and their names.

A card is an int 0-51: suit * 13 + rank, suits C D H S, ranks A 2 3 4 5 6 7 8 9 T J Q K. A set of
cards is an int with bit `card` set. Which cards belong together is not known here.
"""

from collections.abc import Iterable
from typing import Final

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
PACK: Final = 52
FULL: Final = (1 << PACK) - 1
# All four cards of rank 0; shifted left by a rank, all four of that rank.
COLUMN: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39

RANK_VALUE: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
VALUE: Final = RANK_VALUE * 4
NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
_NUMBERS: Final = {name: card for card, name in enumerate(NAMES)}


def parse(text: str) -> int:
    """The card called `text`, such as "KC"; ValueError for anything else."""
    card = _NUMBERS.get(text)
    if card is None:
        raise ValueError(f"{text[:12]!r} is no card")
    return card


def name(card: int) -> str:
    """The name of a card 0-51, such as "KC"."""
    return NAMES[card]


def mask(cards: Iterable[int]) -> int:
    """The set that holds `cards`."""
    result = 0
    for card in cards:
        result |= 1 << card
    return result


def members(cards: int) -> tuple[int, ...]:
    """The cards of a set, ascending (the order of the pack)."""
    result: list[int] = []
    while cards:
        low = cards & -cards
        result.append(low.bit_length() - 1)
        cards ^= low
    return tuple(result)


def show(cards: int) -> str:
    """The names of a set's cards in the order of the pack, such as "2C KC AS"."""
    return " ".join(NAMES[card] for card in members(cards))
