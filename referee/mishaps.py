"""What went wrong between the referee and one bot, kept for its author: a few of each leg.

Made of what the seat may see, and of what its bot has sent; only when something has gone wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from knockbox.v1 import match_pb2, play_pb2
from referee.wire.turns import turn

if TYPE_CHECKING:
    from referee.board import Board

MOST = 8
"""Mishaps that are kept of a seat in a leg."""
NO_ACTION = "it is no action that could ever be: none is set, or a card, meld or note is impossible"
TWICE = "the decision is answered twice in one message"
NOTHING = "it answers no decision at all"
NO_ACTIONS = "it is not a PlayRequest with actions"
NO_READY = "it is not a PlayRequest with ready, a nonce of at most 32 bytes in it"
TOO_LARGE = "it is larger than the decisions that it answers allow"
_ACTION_BYTES = 1024
_BEGIN_BYTES = 64


def refused(board: Board, seat: int, answer: play_pb2.Action, why: str) -> match_pb2.Mishap:
    """An answer that the rules do not allow; the board is as it was when it was asked."""
    made = owed(board, seat)
    made.code, made.why = play_pb2.REFUSAL_CODE_ILLEGAL, why
    if answer.ByteSize() <= _ACTION_BYTES:
        made.action.CopyFrom(answer)
    return made


def owed(board: Board, seat: int) -> match_pb2.Mishap:
    """A question that a seat has not answered."""
    question = play_pb2.Turn.FromString(turn(board, seat, want_deadwood=True))
    return match_pb2.Mishap(unit=board.unit, deal=board.deal.number, turn=question)


def malformed(data: bytes, why: str) -> match_pb2.Mishap:
    """A message that was refused as a whole, for it is not what is due."""
    return _whole(data, play_pb2.REFUSAL_CODE_MALFORMED, why)


def too_large(data: bytes) -> match_pb2.Mishap:
    """A message that was refused for its size."""
    return _whole(data, play_pb2.REFUSAL_CODE_TOO_LARGE, TOO_LARGE)


def _whole(data: bytes, code: play_pb2.RefusalCode.ValueType, why: str) -> match_pb2.Mishap:
    return match_pb2.Mishap(code=code, why=why, begins=data[:_BEGIN_BYTES], size=len(data))


def owed_by_phase(boards: Iterable[Board], seat: int) -> list[match_pb2.Mishap]:
    """Of the questions that a seat owes, the first of each phase."""
    first: dict[int, Board] = {}
    for board in boards:
        if board.seat == seat and board.asked:
            first.setdefault(board.deal.phase, board)
    return [owed(board, seat) for board in first.values()]
