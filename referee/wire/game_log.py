"""One game while it is played, kept as the bytes of its record.

A leg holds the logs of all its games to its end: as bytes they are small, and the garbage collector
has nothing to walk through.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from knockbox.v1 import play_pb2, replay_pb2
from referee.rules.cards import PACK
from referee.rules.events import Declined, Discarded, Drew, Event, Took
from referee.wire.packing import message, number
from referee.wire.replay import event_to_proto, game_result, outcome_to_proto

if TYPE_CHECKING:
    from referee.rules.deal import Dealing, Outcome
    from referee.rules.game import Game


def _entry(event: Event, note: str = "") -> bytes:
    """An event in DealRecord.events."""
    return message(6, event_to_proto(event, note).SerializeToString())


@cache
def _plain_entries() -> dict[tuple[type[Event], Event], bytes]:
    """The entries of nearly all events, by kind (they are equal across kinds) and event."""
    seats = range(4)
    plain: list[Event] = [Declined(seat) for seat in seats]
    for kind in (Took, Drew, Discarded):
        plain += [kind(seat, card) for seat in seats for card in range(PACK)]
    return {(type(event), event): _entry(event) for event in plain}


class GameLog:
    """Collects one game; cheap to add to.

    `deal_started`, then `event` or `decided` for what happens, then `deal_over`, and again; `over`
    makes the record. A deal without `deal_over` before `over` is one in which the game was broken
    off.
    """

    __slots__ = ("_events", "_plain", "_record")

    def __init__(self, unit: int, leg: int, first_dealer: int) -> None:
        self._record = number(1, unit) + number(2, leg) + number(3, first_dealer)
        self._plain = _plain_entries()
        self._events: list[bytes] = []
        """The running deal: its head, its events, its result."""

    def deal_started(self, deal: int, dealer: int, dealing: Dealing) -> None:
        """A deal begins: its number from 1, its dealer's seat, its cards."""
        head = replay_pb2.DealRecord(
            number=deal,
            dealer=dealer,
            hands=dealing.hands,
            upcard=dealing.upcard,
            piles=map(bytes, dealing.piles),
        )
        self._events = [head.SerializeToString()]

    def event(self, event: Event, note: str = "") -> None:
        """One event of the running deal, with the note on its decision."""
        self.decided([event], note)

    def decided(self, events: list[Event], note: str) -> None:
        """The events of one decision of the running deal; `note` stands with the first of them."""
        for event in events:
            plain = None if note else self._plain.get((type(event), event))
            self._events.append(plain or _entry(event, note))
            note = ""

    def deal_over(self, outcome: Outcome) -> None:
        """The running deal has ended."""
        self._events.append(message(7, outcome_to_proto(outcome).SerializeToString()))
        self._close()

    def over(
        self,
        game: Game,
        reason: play_pb2.Reason.ValueType = play_pb2.REASON_PLAYED,
        faulty: tuple[int, ...] = (),
        reasons: tuple[play_pb2.Reason.ValueType, ...] = (),
    ) -> replay_pb2.GameRecord:
        """The record of the whole game; see `game_result` for how it ended."""
        self._close()
        record = replay_pb2.GameRecord.FromString(self._record)
        record.result.CopyFrom(game_result(game, reason, faulty, reasons))
        return record

    def _close(self) -> None:
        if self._events:
            self._record += message(4, b"".join(self._events))
            self._events = []
