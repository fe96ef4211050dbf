"""What a seat may ask for: one action is one decision. What comes of it is an event."""

from typing import NamedTuple


class Decline(NamedTuple):
    """Leave the offered upcard."""


class Take(NamedTuple):
    """Take the top of the discard pile (in the offer: the upcard)."""


class Draw(NamedTuple):
    """Draw from the stock."""


class Discard(NamedTuple):
    """Discard `card` and play on."""

    card: int


class Knock(NamedTuple):
    """Discard `card` and knock, or go gin when the melds leave nothing.

    `melds` are masks; None asks the referee to arrange for least deadwood.
    """

    card: int
    melds: tuple[int, ...] | None = None


class BigGin(NamedTuple):
    """Declare eleven melded cards. `melds` as in Knock."""

    melds: tuple[int, ...] | None = None


class LayOff(NamedTuple):
    """Arrange a hand after another seat's knock.

    `melds` are own melds as masks, `layoffs` pairs (card, number of the meld laid on). `melds` None
    asks the referee for the joint choice of least deadwood, and `layoffs` is then empty.
    """

    melds: tuple[int, ...] | None = None
    layoffs: tuple[tuple[int, int], ...] = ()


Action = Decline | Take | Draw | Discard | Knock | BigGin | LayOff
