"""The game as a seat sees it when it is asked, with names for people.

Everything comes from the referee (which cards may go, what deadwood they leave); nothing here
knows the rules. Lists and dicts are made when they are first read, and then kept.
"""

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

from .board import TOOK, Board, Spread, spread_of
from .cards import CARDS, names, number
from .stubs import play_pb2, rules_pb2

_PHASES = ("unspecified", "offer", "draw", "discard", "layoff")


class Seat(NamedTuple):
    """What holds for a whole leg: the seat, the rules and the clock."""

    seat: int
    rules: rules_pb2.Ruleset
    untimed: bool


class Lazy:
    """A property that is worked out once; later reads find it in the instance."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self.make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, state: Any, owner: type | None = None) -> Any:
        if state is None:
            return self
        value = state.__dict__[self.name] = self.make(state)
        return value


class View:
    """What a seat sees at one question. Cards are strings like "KC"."""

    def __init__(self, me: Seat, board: Board, turn: play_pb2.Turn, clock_left_ms: int = 0) -> None:
        self.me = me
        self._board = board
        self.turn = turn
        self.clock_left_ms = clock_left_ms

    def __repr__(self) -> str:
        return f"<deal {self.deal}, {self.phase}: hand {' '.join(self.hand)}, top {self.top}>"

    # The table.

    @Lazy
    def options(self) -> play_pb2.Options:
        """The legal answers as the referee sent them."""
        return self.turn.options

    @Lazy
    def phase(self) -> str:
        """What is asked: "offer", "draw", "discard" or "layoff"."""
        return _PHASES[self.turn.phase]

    @Lazy
    def hand(self) -> list[str]:
        """Your cards now, clubs to spades: eleven when a discard is asked, else ten."""
        return names(self.turn.hand)

    @Lazy
    def top(self) -> str | None:
        """The top of the discard pile."""
        return CARDS[self.turn.top] if self.turn.HasField("top") else None

    @Lazy
    def pile(self) -> list[str]:
        """The whole discard pile, bottom to top."""
        return [CARDS[card] for card in self._board.pile()]

    @Lazy
    def stock(self) -> int:
        """How many cards are left in the stock."""
        return self.turn.stock

    @Lazy
    def opponents(self) -> list[int]:
        """The seats you play against."""
        rules = self.me.rules
        step = 2 if rules.partnership else rules.players or 2
        mine = self.me.seat % step
        return [seat for seat in range(rules.players or 2) if seat % step != mine]

    @Lazy
    def partner(self) -> int | None:
        """Your partner's seat; None where everybody plays alone."""
        return (self.me.seat + 2) % 4 if self.me.rules.partnership else None

    @Lazy
    def opponent_known(self) -> list[str]:
        """Cards that opponents hold for certain: taken from the pile and not discarded since."""
        mask = 0
        for seat in self.opponents:
            mask |= self._board.known(seat)
        return names(mask)

    def known(self, seat: int) -> list[str]:
        """Cards that this seat holds for certain."""
        return names(self._board.known(seat))

    @Lazy
    def history(self) -> list[str]:
        """What everybody has seen in this deal, in words: ["seat 0 declined", …]."""
        return self._board.story()

    @Lazy
    def taken(self) -> str | None:
        """The card that you have just taken from the pile, when a discard is asked."""
        history = self._board.history
        if self.phase == "discard" and history and history[-2] == TOOK * 16 + self.me.seat:
            return CARDS[history[-1]]
        return None

    @Lazy
    def spreads(self) -> list[Spread]:
        """In a layoff: the hands shown so far, each with seat, melds, unmatched, deadwood."""
        return [spread_of(spread) for spread in self.turn.spreads]

    @Lazy
    def table(self) -> list[list[str]]:
        """In a layoff: the melds that you may lay off on; the place here is a meld's number.

        They are the knocker's, or, where your partner has knocked, those of both opponents.
        """
        if not self.may_lay_off:
            return []
        # The hands that are open come first. A partner is asked when both opponents have answered.
        partners = self.me.rules.partnership and len(self.spreads) == 3
        return [meld for spread in self.spreads[: 1 + partners] for meld in spread.melds]

    # The deal and the game.

    seat = property(lambda self: self.me.seat, doc="Your seat, 0-3.")
    board = property(lambda self: self.turn.board, doc="The game's number in its leg.")
    rules = property(lambda self: self.me.rules, doc="The ruleset: rules.gin_bonus, rules.target…")
    dealer = property(lambda self: self._board.deal.dealer, doc="The dealer's seat.")
    deal = property(lambda self: self._board.deal.deal, doc="The deal's number in its game.")
    limit = property(
        lambda self: self._board.deal.knock_limit, doc="Most deadwood to knock; 0: gin."
    )
    multiplier = property(lambda self: self._board.deal.multiplier, doc="Factor on the points.")
    upcard = property(lambda self: CARDS[self._board.deal.upcard], doc="The first upcard.")
    scores = property(lambda self: list(self._board.deal.scores), doc="Points of the game by side.")
    boxes = property(lambda self: list(self._board.deal.boxes), doc="Deals won by side.")

    @property
    def side(self) -> int:
        """Your side: the place in `scores` that is yours."""
        return self.me.seat % 2 if self.me.rules.partnership else self.me.seat

    @property
    def clock_left(self) -> float:
        """Seconds left in the bank when the message was written; infinite when untimed."""
        return float("inf") if self.me.untimed else self.clock_left_ms / 1000

    @Lazy
    def chance(self) -> int:
        """A number 0 to 4,294,967,295 from all that you see: chance that can be repeated.

        It is the same in every language: CRC-32 of the facts below, in ASCII, spaces between them.
        """
        deal, turn = self._board.deal, self.turn
        melds = [meld for spread in turn.spreads for meld in spread.melds]
        facts = (
            self.me.seat, deal.dealer, deal.upcard, turn.phase, turn.hand,
            self._board.history.hex() or "-", ",".join(map(str, deal.scores)),
            ",".join(map(str, deal.boxes)), ",".join(map(str, melds)) or "-",
        )  # fmt: skip
        return zlib.crc32(" ".join(map(str, facts)).encode())

    # What is legal, and what it leaves.

    may_take = property(lambda self: self.options.may_take, doc="You may take the pile's top.")
    may_draw = property(lambda self: self.options.may_draw, doc="You may draw from the stock.")
    may_decline = property(lambda self: self.options.may_decline, doc="You may leave the upcard.")
    may_big_gin = property(lambda self: self.options.may_big_gin, doc="All eleven are melded.")
    may_lay_off = property(lambda self: self.options.may_lay_off, doc="Laying off is allowed.")

    @Lazy
    def discards(self) -> list[str]:
        """The cards that you may discard."""
        return names(self.options.discards)

    @Lazy
    def deadwood_after(self) -> dict[str, int]:
        """Least deadwood after each discard: {"KC": 23, …}."""
        return dict(zip(self.discards, self.options.discard_deadwood, strict=False))

    @Lazy
    def knocks(self) -> dict[str, int]:
        """The cards that you may knock with, each with the deadwood it leaves; 0 is gin."""
        options = self.options
        if not options.knocks:
            return {}
        return dict(zip(names(options.knocks), options.knock_deadwood, strict=False))

    @Lazy
    def best_discard(self) -> str:
        """Of the discards that leave the least deadwood the one of the highest rank."""
        after = self.deadwood_after or dict.fromkeys(self.discards, 0)
        return min(after, key=lambda card: (after[card], -(number(card) % 13)))

    @Lazy
    def best_knock(self) -> str:
        """Of the knocks that leave the least deadwood the one of the highest rank."""
        after = self.knocks
        return min(after, key=lambda card: (after[card], -(number(card) % 13)))

    @Lazy
    def deadwood(self) -> int:
        """Least deadwood of your hand; when a discard is asked, after the best one."""
        if self.options.discard_deadwood:
            return min(self.options.discard_deadwood)
        return self.options.deadwood

    @Lazy
    def deadwood_if_taken(self) -> int:
        """Least deadwood after taking the pile's top and the best discard; may_take must hold."""
        return self.options.deadwood_if_taken
