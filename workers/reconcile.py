"""Finds what got lost on its way and sends it again. The only thing that a lost message needs.

One round looks at everything once; every step may be repeated, by two reconcilers too.
"""

import threading
import time
from typing import NamedTuple, Protocol

import structlog

from workers import ladder
from workers.clearing import Clearing, Keep
from workers.folders import Folders
from workers.schedule import top_up
from workers.store import DOWN, Broker, Store
from workers.store.matches import Limits


class Messages(Protocol):
    """Sends messages to the workers. Each raises one of `down` when the broker does not answer."""

    down: tuple[type[Exception], ...]

    def play(self, match_id: str) -> None:
        """To a worker: play this match."""
        ...

    def record(self, match_id: str, fence: int) -> None:
        """To the recorder: this attempt is sealed."""
        ...

    def examine(self, submission_id: str) -> None:
        """To a worker: build and check this submission."""
        ...


class Policy(NamedTuple):
    """When a message counts as lost, seconds; how many matches of a tournament are on their way;
    what ladders go by."""

    sweep_s: float
    resend_s: float
    window: int
    limits: Limits
    ladders: ladder.Policy = ladder.Policy()
    keep: Keep = Keep()


class Round(NamedTuple):
    """What one round has sent again, by reason."""

    expired: int
    due: int
    lost: int
    unrecorded: int
    topped_up: int
    unsettled: int


class Reconciler:
    """Reconciles one store with its broker."""

    def __init__(
        self, store: Store, broker: Broker, messages: Messages, folders: Folders, policy: Policy
    ) -> None:
        self._store = store
        self._broker = broker
        self._messages = messages
        self._policy = policy
        self._clearing = Clearing(store, folders, policy.keep)
        self._log = structlog.get_logger("reconciler")

    def run(self, stop: threading.Event) -> None:
        """A round every sweep until told to stop; a store, broker or disk that is away is waited
        for."""
        while not stop.is_set():
            try:
                done = self.round()
                if any(done):
                    self._log.info("sent again", **done._asdict())
            except (*DOWN, *self._messages.down, OSError) as error:
                self._log.warning("cannot reconcile", error=str(error))
            stop.wait(self._policy.sweep_s)

    def round(self) -> Round:
        """Look at everything once."""
        expired = self._expire()
        # Counted before anything is sent: later the new messages would hide the lost ones.
        lost = self._lost()
        due = self._store.queue.take_due()
        for match_id in (*lost, *due):
            self._messages.play(match_id)
        unrecorded = self._unrecorded()
        unsettled = self._store.submissions.due(round(self._policy.resend_s * 1000))
        for submission_id in unsettled:
            self._messages.examine(submission_id)
        wanting = {*self._keep_ladders(), *self._store.tournaments.wanting()}
        fresh = sum(
            top_up(self._store, tournament_id, self._policy.window, self._messages.play)
            for tournament_id in sorted(wanting)
        )
        self._clearing.round()
        return Round(expired, len(due), len(lost), unrecorded, fresh, len(unsettled))

    def _keep_ladders(self) -> list[str]:
        """The tournaments that the ladders play today: bots may have come, or been let in again."""
        days = [
            ladder.keep(self._store, name, self._policy.ladders)
            for name in self._store.ladders.running()
        ]
        return [day for day in days if day]

    def _expire(self) -> int:
        ended = 0
        for match_id in self._store.queue.expired():
            word = self._store.matches.expire(match_id, self._policy.limits)
            ended += word != "alive"
            if word == "dead":
                self._store.log.alarm_dead(match_id, "lease")
                self._log.error("dead", match=match_id, cause="lease")
            elif word == "queued":
                self._log.warning("lease over", match=match_id)
        return ended

    def _lost(self) -> list[str]:
        """Matches with no message left in the broker, as far as counting can tell."""
        grace = self._policy.resend_s
        now = time.time()
        alive = self._broker.waiting() + self._broker.taken_between(now - grace, now + grace)
        return self._store.queue.take_lost(alive, round(grace * 1000))

    def _unrecorded(self) -> int:
        late = self._store.queue.take_unrecorded(round(self._policy.resend_s * 1000))
        for match_id in late:
            self._messages.record(match_id, self._store.matches.get(match_id).fence)
        return len(late)
