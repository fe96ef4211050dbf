"""Between the rules' values and the messages that bots send and read.

Turns are made out of views alone, so that nothing hidden has a way in. On this path fields are
assigned one by one and zeros left out: it runs for every decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from google.protobuf.message import DecodeError

from knockbox.v1 import cards_pb2, play_pb2
from referee.rules.actions import Action, BigGin, Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.view import Options, view
from referee.wire.replay import ENDS

if TYPE_CHECKING:
    from referee.rules.deal import Deal, Dealing, Spread
    from referee.rules.game import Game

PROTOCOL = 1
NOTE_BYTES = 200
_CARDS = 52
_FULL = (1 << _CARDS) - 1
_MOST_MELDS = 4
_MOST_LAYOFFS = 11
_DECLINE, _TAKE, _DRAW = Decline(), Take(), Draw()
_DISCARDS = tuple(Discard(card) for card in range(_CARDS))


class Board(Protocol):
    """A game in flight, as far as messages need it."""

    number: int
    decision: int
    game: Game
    dealing: Dealing
    deal: Deal
    told: list[int]
    """By seat: how many bytes of the deal's public events it knows."""


def actions_of(data: bytes) -> play_pb2.Actions | None:
    """The Actions in a bot's message, or None where it is something else."""
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return None
    return request.actions if request.WhichOneof("message") == "actions" else None


def action_of(message: play_pb2.Action) -> Action | None:
    """What a bot asks for, or None where the message can be no legal action in any deal."""
    choice = message.WhichOneof("choice")
    if message.note and len(message.note.encode()) > NOTE_BYTES:
        return None
    if choice == "discard":
        card = message.discard.card
        return _DISCARDS[card] if card < _CARDS else None
    if choice == "draw":
        return _DRAW
    if choice == "take":
        return _TAKE
    if choice == "decline":
        return _DECLINE
    return _showdown_of(message, choice)


def _showdown_of(message: play_pb2.Action, choice: str | None) -> Action | None:
    if choice == "knock":
        card, melds = message.knock.card, _melds(message.knock.melds)
        return None if melds is None or card >= _CARDS else Knock(card, melds or None)
    if choice == "big_gin":
        melds = _melds(message.big_gin.melds)
        return None if melds is None else BigGin(melds or None)
    if choice == "lay_off":
        return _lay_off(message.lay_off)
    return None


def _lay_off(message: play_pb2.LayOff) -> LayOff | None:
    melds = _melds(message.melds)
    if melds is None or len(message.layoffs) > _MOST_LAYOFFS:
        return None
    layoffs = tuple((layoff.card, layoff.meld) for layoff in message.layoffs)
    if any(card >= _CARDS for card, _ in layoffs):
        return None
    declared = message.as_declared or bool(melds) or bool(layoffs)
    return LayOff(melds, layoffs) if declared else LayOff()


def _melds(masks: Sequence[int]) -> tuple[int, ...] | None:
    if len(masks) > _MOST_MELDS or any(mask > _FULL for mask in masks):
        return None
    return tuple(masks)


def put_turn(turn: play_pb2.Turn, board: Board, seat: int, want_deadwood: bool) -> None:
    """Fill `turn` with the question that `board` has for `seat`."""
    seen = view(board.deal, seat, board.told[seat], want_deadwood)
    turn.decision = board.decision
    turn.board = board.number
    turn.phase = seen.phase  # pyright: ignore[reportAttributeAccessIssue]  # the same numbers
    turn.hand = seen.hand
    if seen.top >= 0:
        turn.top = seen.top
    turn.stock = seen.stock
    if seen.events:
        turn.events = seen.events
    _put_options(turn.options, seen.options)
    if seen.spreads:
        turn.spreads.extend(map(_spread, seen.spreads))


def _put_options(asked: play_pb2.Options, may: Options) -> None:
    if may.discards:
        asked.discards = may.discards
        if may.discard_deadwood:
            asked.discard_deadwood = may.discard_deadwood
        if may.knocks:
            asked.knocks = may.knocks
            asked.knock_deadwood = may.knock_deadwood
        if may.may_big_gin:
            asked.may_big_gin = True
        return
    if may.may_draw:
        asked.may_draw = True
    if may.may_take:
        asked.may_take = True
        asked.deadwood_if_taken = may.deadwood_if_taken
    if may.may_decline:
        asked.may_decline = True
    if may.deadwood:
        asked.deadwood = may.deadwood
    if may.may_lay_off:
        asked.may_lay_off = True


def deal_started(board: Board, seat: int) -> play_pb2.DealStarted:
    """The facts of a board's deal for `seat`, with the public events that it has been told."""
    deal, game = board.deal, board.game
    return play_pb2.DealStarted(
        board=board.number,
        deal=deal.number,
        hand=board.dealing.hands[seat],
        upcard=deal.upcard,
        knock_limit=deal.limit,
        multiplier=deal.multiplier,
        dealer=deal.dealer,
        scores=game.scores,
        boxes=game.boxes,
        events=bytes(deal.public[: board.told[seat]]),
    )


def deal_over(board: Board, seat: int) -> play_pb2.DealOver:
    """How a board's deal ended, for `seat`; a deal that is not over was broken off."""
    deal = board.deal
    message = play_pb2.DealOver(
        board=board.number,
        deal=deal.number,
        events=bytes(deal.public[board.told[seat] :]),
    )
    outcome = deal.outcome
    if outcome is None:
        message.end = cards_pb2.DEAL_END_BROKEN_OFF
        message.points.extend([0] * len(deal.rules.sides))
        return message
    message.end = ENDS[outcome.end, outcome.reason]
    message.deadwood = bytes(outcome.deadwood)
    message.points.extend(outcome.points)
    if outcome.winner is not None:
        message.winner = outcome.winner
        message.spreads.extend(map(_spread, deal.spreads))
    return message


def _spread(spread: Spread) -> cards_pb2.Spread:
    return cards_pb2.Spread(
        seat=spread.seat,
        melds=spread.melds,
        unmatched=spread.unmatched,
        deadwood=spread.deadwood,
    )
