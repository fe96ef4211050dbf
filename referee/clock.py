"""The time that a seat has in a leg: a pure machine. Moments come in, verdicts go out.

No I/O, no asyncio, no reading of any clock: the caller hands in seconds of one monotonic clock,
the referee's own delays already taken out (`Lag`). What a verdict costs is decided by the caller.
"""

from enum import Enum
from math import inf
from typing import NamedTuple


class ClockRules(NamedTuple):
    """The time of one seat and leg, in seconds; see ClockSettings in play.proto.

    `cap` 0 is no cap. `untimed` keeps no bank, and the cap alone holds.
    """

    bank_per_game: float
    increment: float
    cap: float
    untimed: bool


class Slow(NamedTuple):
    """A message whose answer took `spent` seconds: its decisions, unit and deal of the first."""

    spent: float
    decisions: int
    unit: int
    deal: int


SLOW_KEPT = 3
"""Slow answers that a clock remembers."""


class Verdict(Enum):
    """What has become of the message that a seat was asked with."""

    FINE = "fine"
    GAMES = "games"
    """Too late: the games in which an answer was owed are lost. The answer is still waited for."""
    LEG = "leg"
    """Too late for good: all unfinished games of the leg are lost."""


class SeatClock:
    """The clock of one seat in one leg of `games` games.

    A message of n decisions may take n caps, and no more than the bank holds. Its time is charged
    once, when it is answered; each decision answered gives the increment back, never above what
    the bank held at the start. All thinking together may take twice the bank. A decision that
    comes again keeps what was left of its time. A message that lapsed is waited for as long again
    as its caps.

    `asked` is the moment at which the message that is out was written, None while none is; `due`
    the one from which `lapse` has something to say; `left` and `used` are seconds in the bank and
    of thinking in all; `slow` are the messages that took longest, the slowest first.
    """

    __slots__ = (
        "_about",
        "_allowance",
        "_cap",
        "_carry",
        "_excused",
        "_excused_before",
        "_increment",
        "_owed",
        "_start",
        "asked",
        "due",
        "late",
        "left",
        "slow",
        "used",
    )

    def __init__(self, rules: ClockRules, games: int) -> None:
        self._start = inf if rules.untimed else rules.bank_per_game * games
        self._increment = rules.increment
        self._cap = rules.cap or inf
        self._allowance = 0.0
        self.asked: float | None = None
        self._carry = 0.0
        self._excused = self._excused_before = 0.0
        self._owed = 0
        self.due = inf
        self.left = self._start
        self.late = False
        self.used = 0.0
        self.slow: list[Slow] = []
        self._about = (0, 0)

    @property
    def slowest(self) -> float:
        """Seconds of the message that took longest."""
        return self.slow[0].spent if self.slow else 0.0

    @property
    def left_ms(self) -> int:
        """Milliseconds in the bank; 0 where none is kept."""
        return 0 if self.left == inf else int(self.left * 1000)

    def excuse(self, total: float) -> None:
        """The machine has held the seat back for `total` seconds since the leg began."""
        self._excused = max(self._excused, total)

    def ask(self, now: float, new: int, again: int = 0, about: tuple[int, int] = (0, 0)) -> None:
        """A message goes out with `new` decisions and `again` ones that have been asked before.

        `about` are unit and deal of the first of them.
        """
        if self.asked is not None:
            self.answer(now, 0)
        self._allowance = new * self._cap if new else 0.0
        if again:
            self._allowance += min(self._carry, again * self._cap)
        self._owed = new + again
        self._about = about
        self._begin(now)

    def answer(self, now: float, accepted: int) -> Verdict:
        """The answer has been read; `accepted` decisions of it count."""
        spent = self._spent(now)
        verdict = Verdict.FINE if now < self.due else self._judge(spent)
        self.asked = None
        self.due = inf
        self._charge(spent)
        if self.late or verdict is not Verdict.FINE:
            self.late = False
            self._carry = 0.0
            return verdict
        self._carry = max(0.0, self._allowance - spent)
        self.left = min(self._start, self.left + self._increment * accepted)
        return Verdict.FINE

    def lapse(self, now: float) -> Verdict:
        """The message as it stands now. GAMES is said once; after it the clock is `late`."""
        if self.asked is None or now < self.due:
            return Verdict.FINE
        spent = self._spent(now)
        verdict = self._judge(spent)
        if verdict is Verdict.FINE:
            # The machine held the seat back meanwhile: it gets that time.
            self.due = now + self._limit() - spent
            return verdict
        self._charge(spent)
        if verdict is Verdict.LEG:
            self.asked = None
            self.due = inf
            self.late = False
            return verdict
        self.late = True
        self._allowance = self._owed * self._cap
        self._begin(now)
        return verdict

    def come_again(self, now: float) -> Verdict:
        """The bot has a new connection, and is to be asked anew: its message ends as it stands."""
        verdict = self.lapse(now)
        if self.asked is not None:
            self.answer(now, 0)
        return verdict

    def _begin(self, now: float) -> None:
        self.asked = now
        self._excused_before = self._excused
        self.due = now + self._limit()

    def _spent(self, now: float) -> float:
        if self.asked is None:
            return 0.0
        return max(0.0, now - self.asked - (self._excused - self._excused_before))

    def _limit(self) -> float:
        in_all = 2 * self._start - self.used
        if self.late:
            return min(self._allowance, in_all)
        return min(self._allowance, self.left, in_all)

    def _judge(self, spent: float) -> Verdict:
        if spent < self._limit():
            return Verdict.FINE
        if self.late or self.used + spent >= 2 * self._start:
            return Verdict.LEG
        return Verdict.GAMES

    def _charge(self, spent: float) -> None:
        self.used += spent
        if spent > 0 and (len(self.slow) < SLOW_KEPT or spent > self.slow[-1].spent):
            self.slow.append(Slow(spent, self._owed, *self._about))
            self.slow.sort(key=lambda one: -one.spent)
            del self.slow[SLOW_KEPT:]
        self.left = max(0.0, self.left - spent)


class Lag:
    """How long the event loop has kept everybody waiting, from a beat that ought to be regular.

    `interval` is the time between beats, `slack` what a beat may be late unnoticed; seconds.
    """

    __slots__ = ("_due", "_interval", "_slack", "_total")

    def __init__(self, interval: float, slack: float, now: float) -> None:
        self._interval = interval
        self._slack = slack
        self._due = now + interval
        self._total = 0.0

    def beat(self, now: float) -> None:
        """The beat has come, `interval` after the last one or later."""
        self._total = self.total(now)
        self._due = now + self._interval

    def total(self, now: float) -> float:
        """Seconds lost so far, a beat that is overdue now among them."""
        late = now - self._due
        return self._total + late if late > self._slack else self._total
