"""What has happened in a deal: the state of a deal is a fold over these, and nothing else.

Every event names its seat first. Melds are masks, in the order of their numbers.
"""

from typing import NamedTuple


class Declined(NamedTuple):
    """The offered upcard was left."""

    seat: int


class Took(NamedTuple):
    """The top of the discard pile was taken."""

    seat: int
    card: int


class Drew(NamedTuple):
    """A card was drawn from the stock."""

    seat: int
    card: int


class Discarded(NamedTuple):
    """A card was discarded, and play goes on (or the deal is void by it)."""

    seat: int
    card: int


class Knocked(NamedTuple):
    """A card was discarded with a knock; gin when `melds` leave no deadwood."""

    seat: int
    card: int
    melds: tuple[int, ...]


class DeclaredBigGin(NamedTuple):
    """Eleven melded cards were declared."""

    seat: int
    melds: tuple[int, ...]


class LaidOff(NamedTuple):
    """A hand was arranged after a knock; `layoffs` are pairs (card, meld number)."""

    seat: int
    melds: tuple[int, ...]
    layoffs: tuple[tuple[int, int], ...]


class Reshuffled(NamedTuple):
    """The discard pile without its top became the stock; `piles` in draw order.

    `seat` is the one whose turn had drawn the last card.
    """

    seat: int
    piles: tuple[tuple[int, ...], ...]


Event = Declined | Took | Drew | Discarded | Knocked | DeclaredBigGin | LaidOff | Reshuffled
