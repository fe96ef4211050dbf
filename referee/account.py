"""What a leg holds for one seat: decisions that wait, news to tell, and sins counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from knockbox.v1 import play_pb2

if TYPE_CHECKING:
    from referee.board import Board

# Messages with a refusal, and messages that answer what is not asked, that a leg puts up with.
STRIKES = 3
STALE = 20

Reason = play_pb2.Reason.ValueType


class Answered(NamedTuple):
    """What became of one message: decisions that count, and whether it was an answer at all."""

    accepted: int
    is_answer: bool


class Fault(NamedTuple):
    """A seat's failure: why, and whether it takes all unfinished games or those owed alone."""

    reason: Reason
    whole_leg: bool


class Account:
    """What the leg holds for one seat.

    `pending` are the decisions that wait for it by id, `fresh` how many of them it has not been
    asked yet; the lists are what rides with its next message, deals as the bytes of their messages;
    `unread` are ended deals of the last message, kept until an answer shows that it was read.
    """

    __slots__ = (
        "decisions",
        "fresh",
        "messages",
        "over",
        "pending",
        "reason",
        "refused",
        "stale",
        "started",
        "strikes",
        "unread",
    )

    def __init__(self) -> None:
        self.pending: dict[int, Board] = {}
        self.fresh = 0
        self.refused: list[play_pb2.Refused] = []
        self.started: list[bytes] = []
        self.over: list[bytes] = []
        self.unread: list[bytes] = []
        self.messages = 0
        self.decisions = 0
        self.strikes = 0
        self.stale = 0
        self.reason: Reason = play_pb2.REASON_PLAYED
