"""A deal in progress: what is where, who decides, and what everybody has seen.

State only. It starts from dealt cards and is changed by `fold` alone; what a seat may do is in
`decide`, what a seat may see in `view`.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from referee.rules.cards import FULL, PACK
from referee.rules.fields import Ruleset
from referee.rules.scoring import Outcome, limit_of, multiplier_of
from referee.rules.tables import book

Piles = tuple[tuple[int, ...], ...]
Shuffle = Callable[[int, tuple[int, ...]], Piles]


class Phase(IntEnum):
    """What the seat to decide is asked for."""

    OFFER = 1
    DRAW = 2
    DISCARD = 3
    LAYOFF = 4
    OVER = 5


class Dealing(NamedTuple):
    """Dealt cards: hands as masks by seat, the upcard, hidden piles in draw order, seat -> pile."""

    hands: tuple[int, ...]
    upcard: int
    piles: Piles
    pile_of: tuple[int, ...]


class Spread(NamedTuple):
    """A hand shown: melds with all that was laid on them, the other cards, and their points."""

    seat: int
    melds: tuple[int, ...]
    unmatched: int
    deadwood: int


class DealError(ValueError):
    """Cards that cannot be dealt; `field` names the part of the dealing."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


class Deal:
    """One deal. Read anything; nothing but `fold.apply` writes.

    hands: masks by seat; cards laid off stay in the hand that held them. discards: bottom to top.
    turn: the seat to decide, -1 when over. limit: 0 where only gin may knock. turns: completed.
    public: what everybody has seen happen, two bytes an event, as Turn.events in play.proto says.
    spreads: hands shown after a knock, in the order shown. taken: the card taken from the pile in
    this turn, or -1. hidden: cards at the end of `discards` that nobody else may see yet, 0 or 1.
    piles: hidden, each reversed (drawn from its end). asked: seats still to answer the knock.
    """

    __slots__ = (
        "asked",
        "book",
        "dealer",
        "discards",
        "hands",
        "hidden",
        "knocker",
        "limit",
        "must_draw",
        "number",
        "outcome",
        "phase",
        "pile_of",
        "piles",
        "public",
        "rules",
        "shuffle",
        "shuffles",
        "spreads",
        "stock_count",
        "taken",
        "turn",
        "turns",
        "upcard",
    )

    def __init__(
        self, rules: Ruleset, number: int, dealer: int, dealing: Dealing, shuffle: Shuffle | None
    ) -> None:
        self.rules = rules
        self.book = book(rules.ace_high_runs)
        self.number = number
        self.dealer = dealer
        self.hands = list(dealing.hands)
        self.upcard = dealing.upcard
        self.discards = [dealing.upcard]
        self.piles = [list(reversed(pile)) for pile in dealing.piles]
        self.pile_of = dealing.pile_of
        self.stock_count = sum(map(len, dealing.piles))
        self.limit = limit_of(rules, dealing.upcard)
        self.shuffle = shuffle
        self.shuffles = 0
        self.phase = Phase.OFFER if rules.first_turn == "offer" else Phase.DRAW
        self.turn = (dealer + 1) % rules.players
        self.must_draw = False
        self.taken = -1
        self.turns = 0
        self.knocker = -1
        self.hidden = 0
        self.asked: list[int] = []
        self.spreads: list[Spread] = []
        self.public = b""
        self.outcome: Outcome | None = None

    @property
    def multiplier(self) -> int:
        """The factor on this deal's points."""
        return multiplier_of(self.rules, self.upcard)

    @property
    def top(self) -> int:
        """The top of the discard pile as everybody sees it; -1 when there is none."""
        at = len(self.discards) - self.hidden
        return self.discards[at - 1] if at else -1

    @property
    def pile(self) -> tuple[int, ...]:
        """The discard pile as everybody sees it, bottom to top."""
        return tuple(self.discards[: len(self.discards) - self.hidden])

    def open_spreads(self, seat: int) -> tuple[int, ...]:
        """Indices of the spreads that `seat` may lay off on, in the order of meld numbers."""
        rules = self.rules
        side = rules.side_of[seat]
        if side == rules.side_of[self.knocker]:
            if rules.layoff not in ("knockers_partner", "all"):
                return ()
            return tuple(
                at for at, shown in enumerate(self.spreads) if rules.side_of[shown.seat] != side
            )
        return (0,) if rules.layoff in ("defenders", "all") else ()


def start(
    rules: Ruleset, number: int, dealer: int, dealing: Dealing, shuffle: Shuffle | None = None
) -> Deal:
    """A new deal, number `number` of its game; DealError when the cards cannot be dealt so.

    `shuffle(k, cards)` makes the piles of the k-th reshuffle, from 0; a ruleset that reshuffles
    needs it.
    """
    if not 0 <= dealer < rules.players:
        raise DealError("dealer", f"a seat from 0 to {rules.players - 1}")
    _check(rules, dealing)
    return Deal(rules, number, dealer, dealing, shuffle)


def _check(rules: Ruleset, dealing: Dealing) -> None:
    hands, upcard, piles, pile_of = dealing
    if len(hands) != rules.players:
        raise DealError("hands", f"{rules.players} players need {rules.players} hands")
    seen = 0
    for hand in hands:
        if hand < 0 or hand & ~FULL or hand.bit_count() != rules.hand_size:
            raise DealError("hands", f"a hand is {rules.hand_size} cards")
        if seen & hand:
            raise DealError("hands", "a card is dealt twice")
        seen |= hand
    if not 0 <= upcard < PACK or seen >> upcard & 1:
        raise DealError("upcard", "a card that no hand holds")
    seen |= 1 << upcard
    if len(pile_of) != rules.players or not all(0 <= pile < len(piles) for pile in pile_of):
        raise DealError("piles", "every seat draws from a pile that there is")
    count = 0
    for pile in piles:
        count += len(pile)
        for card in pile:
            if not 0 <= card < PACK or seen >> card & 1:
                raise DealError("piles", "a card is dealt twice")
            seen |= 1 << card
    least = 3 if rules.stock_end == "void_at_two" else 1
    if count < least:
        raise DealError("piles", f"the stock needs {least} cards or more")
