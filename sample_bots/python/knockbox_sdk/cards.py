"""Cards as people write them ("KC": rank, then suit) and as the wire counts them (0-51).

Sets of cards travel as masks with bit `card` set. No rules here: not even what a card is worth.
"""

RANKS = "A23456789TJQK"
SUITS = "CDHS"
CARDS = tuple(rank + suit for suit in SUITS for rank in RANKS)
ALL = (1 << len(CARDS)) - 1
NUMBERS = {card: number for number, card in enumerate(CARDS)}


def names(mask: int) -> list[str]:
    """The cards of a mask, clubs to spades, ace to king."""
    cards = []
    while mask:
        lowest = mask & -mask
        cards.append(CARDS[lowest.bit_length() - 1])
        mask ^= lowest
    return cards


def number(card: str) -> int:
    """The number of a card such as "KC". Raises ValueError for anything else."""
    try:
        return NUMBERS[card]
    except (KeyError, TypeError):
        raise ValueError(
            f"{card!r} is not a card; write rank ({RANKS}) then suit ({SUITS}), like 'KC'"
        ) from None


def rank(card: str) -> int:
    """The place of a card in its suit: 1 for the ace, 13 for the king."""
    return number(card) % 13 + 1


def suit(card: str) -> str:
    """One of C D H S."""
    return SUITS[number(card) // 13]
