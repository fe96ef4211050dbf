"""What a leg holds for one seat: decisions that wait, news to tell, and sins counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from knockbox.v1 import match_pb2, play_pb2
from referee import mishaps
from referee.rules.state import Phase
from referee.wire.play import LEG_NOTE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    `answered` counts decisions by phase, `left_out` those that an answer did not name; `note_room`
    is how many bytes of notes are still kept.
    """

    __slots__ = (
        "answered",
        "decisions",
        "fresh",
        "left_out",
        "messages",
        "mishaps",
        "note_room",
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
        self.answered = [0] * len(Phase)
        self.left_out = 0
        self.mishaps: list[match_pb2.Mishap] = []
        self.note_room = LEG_NOTE_BYTES
        self.reason: Reason = play_pb2.REASON_PLAYED

    def strike(self, mishap: match_pb2.Mishap) -> None:
        """A message counts against the seat."""
        self.strikes += 1
        self.keep((mishap,))

    def keep(self, found: Iterable[match_pb2.Mishap]) -> None:
        """Remember mishaps, as long as there are few."""
        self.mishaps += list(found)[: mishaps.MOST - len(self.mishaps)]
