"""One leg as a pure machine: the games in flight, what each seat owes, and what it may be told.

No I/O, no clock, no asyncio: answers and faults come in, messages for the seats come out. Who
is at fault and when is decided outside (`referee.clock`, `referee.table`); what a fault takes
with it is decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from knockbox.v1 import match_pb2, play_pb2, replay_pb2
from referee import mishaps
from referee.account import Account, Answered, Fault
from referee.board import Board, Illegal
from referee.wire.play import action_of
from referee.wire.turns import deals_over, deals_started, turn, turns_message

if TYPE_CHECKING:
    from referee.deck import Decks
    from referee.rules.ruleset import Ruleset

_NOTHING: frozenset[int] = frozenset()


class Leg:
    """All games of leg number `leg`, one a unit. `deal` comes once, before anything is played."""

    def __init__(self, rules: Ruleset, leg: int, units: int) -> None:
        self._rules = rules
        self._number = leg
        self._seats = range(rules.players)
        self._boards: list[Board] = []
        self._waiting: Iterator[Board] = iter(())
        self._flying: dict[int, Board] = {}
        self._width = 0
        self.games = units
        self.accounts = [Account() for _ in range(rules.players)]
        self.games_over = 0
        self.deals_over = 0
        self.decisions = 0

    @property
    def over(self) -> bool:
        """No game is left."""
        return self.games_over == self.games

    def deal(self, decks: Decks, boards: int) -> None:
        """Lay out the games, at most `boards` of them to be in flight; none is open yet."""
        order = decks.board_order(self._number, self.games)
        self._boards = [
            Board(self._rules, decks, number, unit, self._number, self.games)
            for number, unit in enumerate(order)
        ]
        self._waiting = iter(self._boards)
        self._width = boards

    def open(self) -> None:
        """Open games until as many are in flight as may be."""
        while len(self._flying) < self._width:
            board = next(self._waiting, None)
            if board is None:
                return
            if not board.over:
                self._flying[board.number] = board
                self._deal(board)

    def answer(self, seat: int, message: play_pb2.Actions) -> Answered:
        """Play a bot's answers. Refusals are kept for its next message, strikes counted.

        A decision that is answered twice is refused. A message that names decisions, but none that
        is owed, is no answer to what the seat was asked.
        """
        account = self.accounts[seat]
        actions = list(message.actions)
        doubled = _doubled(actions) if len(actions) > 1 else _NOTHING
        accepted, strange, refused = 0, False, list[int]()
        owed = len(account.pending) - account.fresh
        for entry in actions:
            decision = entry.decision
            board = account.pending.get(decision)
            if board is None or not board.asked:
                strange = True
            elif why := mishaps.TWICE if decision in doubled else self._play(account, board, entry):
                if not refused:
                    account.strike(mishaps.refused(board, seat, entry, why))
                refused.append(decision)
            else:
                accepted += 1
        account.stale += strange
        if strange and not accepted and not refused:
            return Answered(0, False)
        if not accepted and not refused:
            self.refuse_all(seat, mishaps.malformed(b"", mishaps.NOTHING))
        elif refused:
            refused = list(dict.fromkeys(refused))
            account.refused.extend(
                play_pb2.Refused(decision=decision, code=play_pb2.REFUSAL_CODE_ILLEGAL)
                for decision in refused
            )
        account.left_out += owed - accepted - len(refused)
        account.unread.clear()
        account.decisions += accepted
        self.decisions += accepted
        self.open()
        return Answered(accepted, True)

    def refuse_all(self, seat: int, mishap: match_pb2.Mishap) -> None:
        """A whole message of a seat is refused: one strike."""
        account = self.accounts[seat]
        account.strike(mishap)
        account.refused.append(play_pb2.Refused(code=mishap.code))

    def compose(self, seat: int, left_ms: int, want_deadwood: bool) -> tuple[bytes, int]:
        """The message with all that waits for a seat, its decisions now asked.

        Returns the bytes of the PlayResponse, and how many decisions are asked for the first time.
        """
        account = self.accounts[seat]
        questions: list[bytes] = []
        for board in account.pending.values():
            questions.append(turn(board, seat, want_deadwood))
            board.asked = True
        message = turns_message(left_ms, account.refused, account.started, account.over, questions)
        account.unread += account.over
        account.refused, account.started, account.over = [], [], []
        account.messages += 1
        new, account.fresh = account.fresh, 0
        return message, new

    def ask_unheard(self, seat: int) -> int:
        """Count what waits for a seat as asked, though nobody reads it; says how many are new."""
        account = self.accounts[seat]
        for board in account.pending.values():
            board.asked = True
        new, account.fresh = account.fresh, 0
        return new

    def reconnected(self, seat: int) -> None:
        """A seat begins anew: it is told each open deal as far as its next question does not."""
        account = self.accounts[seat]
        account.refused.clear()
        account.started = [deals_started(board, [seat])[0] for board in self._flying.values()]
        account.over = account.unread + account.over
        account.unread = []

    def fail(self, faults: Mapping[int, Fault]) -> None:
        """Let the faults of one step take what they take; all are judged together.

        A game that the faults of all sides take is void, any other lost by the sides at fault.
        """
        for seat, fault in faults.items():
            account = self.accounts[seat]
            if account.reason == play_pb2.REASON_PLAYED or fault.whole_leg:
                account.reason = fault.reason
            account.keep(mishaps.owed_by_phase(account.pending.values(), seat))
        for board in self._boards:
            if board.over:
                continue
            seats = tuple(s for s, f in faults.items() if f.whole_leg or _owes(board, s))
            if seats:
                self._break_off(board, seats, faults)
        self.open()

    def farewell(self, seat: int) -> play_pb2.MatchOver:
        """A seat's last message: its results, and what it has not been told yet."""
        account = self.accounts[seat]
        message = play_pb2.MatchOver(reason=account.reason)
        side = next(i for i, seats in enumerate(self._rules.sides) if seat in seats)
        for result in (board.result() for board in self._boards if board.over):
            if not result.counts:
                message.not_counted += 1
            elif not result.HasField("winner"):
                message.drawn += 1
            elif result.winner == side:
                message.won += 1
            else:
                message.lost += 1
        message.deals_started.extend(map(play_pb2.DealStarted.FromString, account.started))
        message.deals_over.extend(map(play_pb2.DealOver.FromString, account.over))
        return message

    def records(self) -> Iterator[replay_pb2.GameRecord]:
        """The games as they are kept; only when the leg is over."""
        return (board.record() for board in self._boards)

    def _play(self, account: Account, board: Board, entry: play_pb2.Action) -> str:
        """Play one answer. Says why it cannot be, and then changes nothing; "" where it can."""
        action = action_of(entry)
        if action is None:
            return mishaps.NO_ACTION
        phase = board.deal.phase
        note, size = entry.note, len(entry.note.encode())
        if size > account.note_room:
            note, size = "", 0
        try:
            board.play(action, note)
        except Illegal as illegal:
            return illegal.message
        account.note_room -= size
        account.answered[phase - 1] += 1
        del account.pending[board.decision]
        if board.deal.turn >= 0:
            self._due(board)
        else:
            self._end_deal(board)
        return ""

    def _due(self, board: Board) -> None:
        account = self.accounts[board.ask()]
        account.pending[board.decision] = board
        account.fresh += 1

    def _deal(self, board: Board) -> None:
        board.start_deal()
        for account, told in zip(self.accounts, deals_started(board, self._seats), strict=True):
            account.started.append(told)
        self._due(board)

    def _end_deal(self, board: Board) -> None:
        board.end_deal()
        self.deals_over += 1
        self._tell_over(board)
        if board.over:
            self._land(board)
        else:
            self._deal(board)

    def _tell_over(self, board: Board) -> None:
        for account, told in zip(self.accounts, deals_over(board, self._seats), strict=True):
            account.over.append(told)

    def _land(self, board: Board) -> None:
        self.games_over += 1
        self._flying.pop(board.number, None)

    def _break_off(self, board: Board, seats: tuple[int, ...], faults: Mapping[int, Fault]) -> None:
        sides = {i for i, side in enumerate(self._rules.sides) for seat in seats if seat in side}
        void = len(sides) == len(self._rules.sides)
        reason = play_pb2.REASON_DOUBLE_FAULT if void else faults[seats[0]].reason
        if board.number in self._flying:
            account = self.accounts[board.seat]
            del account.pending[board.decision]
            if board.asked:
                board.told[board.seat] = len(board.deal.public)
            else:
                account.fresh -= 1
            self._tell_over(board)
        board.break_off(reason, {seat: faults[seat].reason for seat in seats})
        self._land(board)


def _owes(board: Board, seat: int) -> bool:
    return board.seat == seat and board.asked


def _doubled(actions: Sequence[play_pb2.Action]) -> frozenset[int]:
    decisions = [entry.decision for entry in actions]
    if len(set(decisions)) == len(decisions):
        return _NOTHING
    return frozenset(decision for decision, times in Counter(decisions).items() if times > 1)
