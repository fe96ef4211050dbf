"""One leg while it is played: lines to the bots, their clocks, and the steps of the leg.

A step takes every fault that is known at one moment and judges them together, so that nobody wins
because another's failure happened to be read first. What an answer or a fault does to the
games is in `referee.leg`, what time is worth in `referee.clock`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from knockbox.v1 import match_pb2, play_pb2
from referee import mishaps
from referee.account import STALE, STRIKES, Fault
from referee.alarm import Alarm
from referee.bots import Line
from referee.clock import SeatClock, Verdict
from referee.leg import Leg
from referee.protocol import PROTOCOL
from referee.wire.play import actions_of

if TYPE_CHECKING:
    from referee.account import Reason
    from referee.deck import Decks
    from referee.doors import Door
    from referee.opening import Order
    from referee.settings import Settings

Time = Callable[[], float]


class Table:
    """Leg number `leg` of a match. `time` is the match's time in seconds, the referee's own delays
    taken out.
    """

    def __init__(
        self, order: Order, leg: int, doors: list[Door], settings: Settings, time: Time
    ) -> None:
        self.leg = Leg(order.rules, leg, order.units)
        self.lines = [
            Line(seat, door, order.welcome(seat, PROTOCOL), self, settings, order.cut(seat, leg))
            for seat, door in enumerate(doors)
        ]
        self.clocks = [SeatClock(order.clock, order.units) for _ in doors]
        loop = asyncio.get_running_loop()
        self.seated: asyncio.Future[None] = loop.create_future()
        """Done when every seat has said Ready or failed."""
        self.over: asyncio.Future[None] = loop.create_future()
        """Done when no game is left."""
        self.ready_s: dict[int, float] = {}
        """By seat: seconds from its program's start, if that is known, to its first Ready."""
        self._began: dict[int, float] = {}
        self._settings = settings
        self._time = time
        self._dealt = False
        self._faults: dict[int, Fault] = {}
        self._budgets: dict[int, float] = {}
        self._failed_at = 0.0
        self._judge_at = inf
        self._alarm = Alarm(time, self._ring)

    async def open(self, boards: int) -> None:
        """Open the doors; at most `boards` games will be in flight."""
        most = 2 * self._most_bytes(boards)
        for line in self.lines:
            await line.door.open(line.play, most, self._settings)

    def deal(self, decks: Decks, boards: int) -> None:
        """Begin to play, at most `boards` games at once, fewer where a bot asked for fewer."""
        wishes = [line.wishes.max_boards or boards for line in self.lines]
        self.leg.deal(decks, min(boards, *wishes))
        self._dealt = True
        self._budgets.clear()
        self._judge_at = self._failed_at + self._settings.step
        if not self._faults:
            self.leg.open()
        self.step()

    def started(self, seat: int) -> None:
        """A bot's process runs: its start budget begins."""
        self._began[seat] = self._time()
        if not self._dealt and not self.lines[seat].met:
            self._budgets[seat] = self._time() + self._settings.connect
            self._alarm.at(self._budgets[seat])

    def exited(self, seat: int, reason: Reason) -> None:
        """A bot's process has ended."""
        self._fail(seat, Fault(reason, whole_leg=True))

    def throttled(self, seat: int, total: float) -> None:
        """The machine has held a bot back for so many seconds since the leg began."""
        self.clocks[seat].excuse(total)

    def connected(self, seat: int) -> None:
        """See `bots.Seat`."""
        if self.over.done():
            return
        self._budgets.pop(seat, None)
        now = self._time()
        self.ready_s.setdefault(seat, now - self._began.get(seat, now))
        self.leg.reconnected(seat)
        if self._dealt:
            clock = self.clocks[seat]
            self._heed(seat, clock.due, clock.come_again(self._time()))
            self._ask(seat)
        else:
            self._look_round()

    def hung_up(self, seat: int) -> None:
        """See `bots.Seat`."""
        self._fail(seat, Fault(play_pb2.REASON_CRASH, whole_leg=True))

    def too_often(self, seat: int) -> None:
        """See `bots.Seat`."""
        self._fail(seat, Fault(play_pb2.REASON_FLOOD, whole_leg=True))

    def broken(self, error: Exception) -> None:
        """See `bots.Seat`. Whoever waits for the table gets the error."""
        for waited in (self.seated, self.over):
            if not waited.done():
                waited.set_exception(error)

    def muddled(self, seat: int, data: bytes) -> bool:
        """See `bots.Seat`."""
        account = self.leg.accounts[seat]
        account.strike(mishaps.malformed(data, mishaps.NO_READY))
        self._count_sins(seat)
        return account.strikes <= STRIKES

    def heard(self, seat: int, data: bytes) -> None:
        """See `bots.Seat`."""
        if self.over.done():
            return
        clock = self.clocks[seat]
        now = self._time()
        if now >= clock.due and seat not in self._faults:
            self._look_at_clock(seat, now)
        if clock.late:
            # The answer that is too late already: nothing in it counts, for or against.
            clock.answer(now, 0)
            self._ask(seat)
            return
        if seat in self._faults:
            return
        self._judge(seat, data, now)
        if self.leg.over:
            self._end()
        elif self._dealt:
            if any(clock.asked is not None for clock in self.clocks):
                self._alarm.soon()
            else:
                # Nobody else is thinking: there is nothing to wait for.
                self._ask_all()

    def step(self) -> None:
        """Judge what has failed by now, and ask whoever can be asked."""
        if self.over.done():
            return
        now = self._time()
        for seat in range(len(self.lines)):
            self._look_at_clock(seat, now)
        if not self._dealt:
            self._look_at_budgets(now)
        elif now >= self._judge_at:
            faults, self._faults = self._faults, {}
            self._judge_at = inf
            self.leg.fail(faults)
        if self.leg.over:
            self._end()
            return
        if self._dealt:
            self._ask_all()
        self._arm_all()

    async def close(self) -> None:
        """Give the bots their grace to read MatchOver and go, then let nobody in any more."""
        try:
            async with asyncio.timeout(self._settings.grace):
                for line in self.lines:
                    await line.quiet()
        except TimeoutError:
            pass

    def stop(self) -> None:
        """Nothing happens any more, whatever comes."""
        self._alarm.stop()
        for waited in (self.seated, self.over):
            if not waited.cancel() and not waited.cancelled():
                waited.exception()  # it has been said already, or nobody asks any more

    def _blame(self, seat: int, fault: Fault, at: float) -> None:
        """A seat has failed. It is judged with whoever fails close to it; till then it is mute."""
        known = self._faults.get(seat)
        if known is None or (fault.whole_leg and not known.whole_leg):
            self._faults[seat] = fault
        if self._dealt:
            self._judge_at = min(self._judge_at, at + self._settings.step)
            self._alarm.at(self._judge_at)
        else:
            self._failed_at = at
            self._look_round()

    def _fail(self, seat: int, fault: Fault) -> None:
        if not self.over.done():
            self._blame(seat, fault, self._time())

    def _look_round(self) -> None:
        """See whether every seat is taken, or will not be."""
        settled = all(line.met or line.seat in self._faults for line in self.lines)
        if settled and not self.seated.done():
            self.seated.set_result(None)

    def _look_at_clock(self, seat: int, now: float) -> None:
        clock = self.clocks[seat]
        self._heed(seat, clock.due, clock.lapse(now))

    def _heed(self, seat: int, due: float, verdict: Verdict) -> None:
        """Blame a seat whose clock says so; it failed when its message was due."""
        if verdict is not Verdict.FINE:
            self._blame(seat, Fault(play_pb2.REASON_TIME, verdict is Verdict.LEG), due)

    def _look_at_budgets(self, now: float) -> None:
        for seat, due in list(self._budgets.items()):
            if now >= due:
                del self._budgets[seat]
                self._blame(seat, Fault(play_pb2.REASON_NO_SHOW, whole_leg=True), due)

    def _judge(self, seat: int, data: bytes, now: float) -> None:
        """Play what a message answers, and count what is wrong with it."""
        clock = self.clocks[seat]
        read = self._read(seat, data)
        if isinstance(read, match_pb2.Mishap):
            self.leg.refuse_all(seat, read)
            if clock.asked is not None:
                clock.answer(now, 0)
        else:
            answered = self.leg.answer(seat, read)
            if answered.is_answer and clock.asked is not None:
                clock.answer(now, answered.accepted)
        self._count_sins(seat)

    def _read(self, seat: int, data: bytes) -> play_pb2.Actions | match_pb2.Mishap:
        account = self.leg.accounts[seat]
        if len(data) > self._most_bytes(len(account.pending) - account.fresh):
            return mishaps.too_large(data)
        return actions_of(data) or mishaps.malformed(data, mishaps.NO_ACTIONS)

    def _most_bytes(self, decisions: int) -> int:
        return self._settings.message_base + self._settings.message_decision * decisions

    def _count_sins(self, seat: int) -> None:
        account = self.leg.accounts[seat]
        if account.strikes > STRIKES:
            self._fail(seat, Fault(play_pb2.REASON_ILLEGAL, whole_leg=True))
        elif account.stale > STALE:
            self._fail(seat, Fault(play_pb2.REASON_FLOOD, whole_leg=True))

    def _ask_all(self) -> None:
        for seat in range(len(self.lines)):
            self._ask(seat)

    def _ask(self, seat: int) -> None:
        """Ask a seat what waits for it, if it can be asked now, and start its clock."""
        clock, account = self.clocks[seat], self.leg.accounts[seat]
        if not account.pending or clock.asked is not None or seat in self._faults:
            return
        line = self.lines[seat]
        again = len(account.pending) - account.fresh
        if line.ready:
            message, new = self.leg.compose(seat, clock.left_ms, line.wishes.want_deadwood)
            line.send(message)
        else:
            # Nobody is there, and the clock runs all the same.
            new = self.leg.ask_unheard(seat)
        first = next(iter(account.pending.values()))
        clock.ask(self._time(), new, again, (first.unit, first.deal.number))
        self._alarm.at(clock.due + self._settings.step)

    def _arm_all(self) -> None:
        dues = [clock.due + self._settings.step for clock in self.clocks]
        self._alarm.at(min([*dues, *self._budgets.values(), self._judge_at]))

    def _ring(self) -> None:
        try:
            self.step()
        except Exception as error:  # noqa: BLE001 - nobody above the loop would hear of it
            self.broken(error)

    def _end(self) -> None:
        self.over.set_result(None)
        for seat, line in enumerate(self.lines):
            line.part(self.leg.farewell(seat))
