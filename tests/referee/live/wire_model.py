"""What a seat's line must have come to, told by the messages alone: time, strikes, stale answers.

Written without looking at the referee's own clock: a seat that is asked owes an answer; each
decision brings its cap once, what is left of a cap stays with a decision that comes again.
"""

from dataclasses import dataclass, field

from knockbox.v1 import play_pb2

BANK, CAP, INCREMENT = 8.0, 4.0, 0.125
STRIKES, STALE = 3, 20


@dataclass
class SeatModel:
    """One seat of one leg. Seconds; `reason` is the fault it has committed, if any."""

    games: int
    reconnects: int
    left: float = 0.0
    used: float = 0.0
    asked: float | None = None
    late: bool = False
    strikes: int = 0
    stale: int = 0
    connections: int = 0
    reason: int = play_pb2.REASON_PLAYED
    whole_leg: bool = False
    known: set[int] = field(default_factory=set)
    owed: int = 0
    allowance: float = 0.0
    carry: float = 0.0

    def __post_init__(self) -> None:
        self.left = BANK * self.games

    @property
    def limit(self) -> float:
        """Seconds that the message which is out may take."""
        in_all = 2 * BANK * self.games - self.used
        return min(self.allowance, in_all) if self.late else min(self.allowance, self.left, in_all)

    def ask(self, now: float, decisions: set[int]) -> None:
        """Turns have been written."""
        if self.asked is not None:
            self.answer(now, 0)
        again = len(decisions & self.known)
        self.owed = len(decisions)
        self.allowance = CAP * (self.owed - again) + min(self.carry if again else 0.0, CAP * again)
        self.known |= decisions
        self.asked = now

    def answer(self, now: float, accepted: int) -> None:
        """The question is answered, well or badly."""
        if self.asked is None:
            return
        spent = now - self.asked
        self._charge(spent)
        self.asked = None
        self.carry = 0.0 if self.late else max(0.0, self.allowance - spent)
        if not self.late:
            self.left = min(BANK * self.games, self.left + INCREMENT * accepted)
        self.late = False

    def lapse(self, now: float) -> None:
        """The time of the question is over and was found so at `now`."""
        assert self.asked is not None
        spent = now - self.asked
        leg = self.late or self.used + spent >= 2 * BANK * self.games
        self._charge(spent)
        self.fail(play_pb2.REASON_TIME, whole_leg=leg)
        self.late = not leg
        self.asked = None if leg else now
        self.allowance = CAP * self.owed

    def strike(self) -> None:
        """A message was refused."""
        self.strikes += 1
        if self.strikes > STRIKES:
            self.fail(play_pb2.REASON_ILLEGAL, whole_leg=True)

    def strange(self) -> None:
        """A message answered what was not asked."""
        self.stale += 1
        if self.stale > STALE:
            self.fail(play_pb2.REASON_FLOOD, whole_leg=True)

    def connect(self) -> None:
        """One connection more."""
        self.connections += 1
        if self.connections > 1 + self.reconnects:
            self.fail(play_pb2.REASON_FLOOD, whole_leg=True)

    def fail(self, reason: int, *, whole_leg: bool) -> None:
        """A fault; the first one that takes the leg stays."""
        if not self.whole_leg:
            self.reason, self.whole_leg = reason, whole_leg

    def _charge(self, spent: float) -> None:
        self.used += spent
        self.left = max(0.0, self.left - spent)
