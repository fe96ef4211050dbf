"""What the SDK keeps of one board between two questions: the deal's facts and its public history.

The history is only collected here; what follows from it (the pile, the known cards) is worked out
when a bot asks for it, so that a bot that does not ask does not pay.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .cards import CARDS, names
from .stubs import cards_pb2, play_pb2

DECLINED, TOOK, DREW, DISCARDED, SHUFFLED = 1, 2, 3, 4, 5
_ENDS = {
    number: name.removeprefix("DEAL_END_").lower() for name, number in cards_pb2.DealEnd.items()
}


class Spread(NamedTuple):
    """Cards that a seat has shown: its melds with what was laid off on them, and the rest."""

    seat: int
    melds: list[list[str]]
    unmatched: list[str]
    deadwood: int


class DealResult(NamedTuple):
    """How a deal ended, for a bot's `deal_over`. `winner` is a side, or None when it was void.

    `board` is the game's number, as in the state. `end`: knock, gin, big_gin, undercut, void_stock,
    void_turn_cap or broken_off. `points` by side, `deadwood` by seat, `hands` as they were shown
    (none after a void).
    """

    board: int
    deal: int
    end: str
    winner: int | None
    points: list[int]
    deadwood: list[int]
    hands: list[Spread]


def spread_of(message: cards_pb2.Spread) -> Spread:
    """A spread with the cards as people write them."""
    melds = [names(meld) for meld in message.melds]
    return Spread(message.seat, melds, names(message.unmatched), message.deadwood)


def result_of(message: play_pb2.DealOver) -> DealResult:
    """A deal's result with names for people."""
    return DealResult(
        board=message.board,
        deal=message.deal,
        end=_ENDS.get(message.end, "unknown"),
        winner=message.winner if message.HasField("winner") else None,
        points=list(message.points),
        deadwood=list(message.deadwood),
        hands=[spread_of(spread) for spread in message.spreads],
    )


class Board:
    """One game in flight as one seat sees it, and the bot that plays it."""

    __slots__ = ("answered", "bot", "deal", "history")

    def __init__(self, bot: Callable[[Any], Any]) -> None:
        self.bot = bot
        self.deal = play_pb2.DealStarted()
        self.history = b""
        self.answered = -1  # the decision whose events were added last; -1: none since the deal's

    def begin(self, deal: play_pb2.DealStarted) -> None:
        """A deal starts, or is told again after a reconnection with all that was public."""
        self.deal = deal
        self.history = deal.events
        self.answered = -1

    def hear(self, turn: play_pb2.Turn) -> None:
        """Add what has happened since the last question; a repeated question adds nothing."""
        if turn.decision != self.answered:
            self.answered = turn.decision
            self.history += turn.events

    def pile(self) -> list[int]:
        """The discard pile, bottom to top."""
        pile = [self.deal.upcard]
        history = self.history
        for at in range(0, len(history), 2):
            kind = history[at] >> 4
            if kind == DISCARDED:
                pile.append(history[at + 1])
            elif kind == TOOK:
                pile.pop()
            elif kind == SHUFFLED:
                del pile[:-1]
        return pile

    def known(self, seat: int) -> int:
        """Cards, as a mask, that a seat has taken from the pile and not discarded since."""
        mask = 0
        history = self.history
        for at in range(0, len(history), 2):
            if history[at] & 15 == seat:
                kind = history[at] >> 4
                if kind == TOOK:
                    mask |= 1 << history[at + 1]
                elif kind == DISCARDED:
                    mask &= ~(1 << history[at + 1])
        return mask

    def story(self) -> list[str]:
        """The history in words, for people and for messages."""
        verbs = {DECLINED: "declined", TOOK: "took", DREW: "drew", DISCARDED: "discarded"}
        lines = []
        for at in range(0, len(self.history), 2):
            code, card = self.history[at], self.history[at + 1]
            what = verbs.get(code >> 4, "shuffled")
            lines.append(f"seat {code & 15} {what}" + (f" {CARDS[card]}" if card < 52 else ""))
        return lines
