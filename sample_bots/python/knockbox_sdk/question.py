"""Questions made by hand, for a bot's own tests: no referee, no rules, only what the test says."""

from collections.abc import Mapping

from .board import Board
from .cards import number
from .state import State
from .stubs import cards_pb2, play_pb2, rules_pb2
from .view import Seat


def question(
    phase: str,
    hand: str,
    *,
    top: str | None = None,
    stock: int = 20,
    limit: int = 10,
    deadwood: int = 0,
    deadwood_if_taken: int | None = None,
    discards: Mapping[str, int] | None = None,
    knocks: Mapping[str, int] | None = None,
) -> State:
    """A state to call a bot with, for seat 0 of two.

    `phase` is "offer", "draw", "discard" or "layoff", `hand` is cards with spaces between them;
    `discards` and `knocks` have the deadwood after each card; with `deadwood_if_taken` the top of
    the pile may be taken.
    """
    deal = play_pb2.DealStarted(deal=1, knock_limit=limit, multiplier=1, dealer=1)
    deal.scores.extend((0, 0))
    deal.boxes.extend((0, 0))
    turn = play_pb2.Turn(
        phase=cards_pb2.Phase.Value(f"PHASE_{phase.upper()}"), hand=_mask(hand.split()), stock=stock
    )
    if top is not None:
        deal.upcard = turn.top = number(top)
    may = turn.options
    may.may_draw, may.may_decline = phase == "draw", phase == "offer"
    may.deadwood = deadwood
    if deadwood_if_taken is not None:
        may.may_take, may.deadwood_if_taken = True, deadwood_if_taken
    may.discards, may.discard_deadwood = _counted(discards or {})
    may.knocks, may.knock_deadwood = _counted(knocks or {})
    board = Board(lambda state: state.otherwise())
    board.begin(deal)
    return State(Seat(0, rules_pb2.Ruleset(players=2), False), board, turn, 5000)


def _mask(cards: list[str]) -> int:
    return sum(1 << number(card) for card in cards)


def _counted(cards: Mapping[str, int]) -> tuple[int, bytes]:
    """A mask, and the number beside each of its cards, cards ascending."""
    ascending = sorted(cards, key=number)
    return _mask(ascending), bytes(cards[card] for card in ascending)
