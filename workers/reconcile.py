"""Finds what got lost on its way and sends it again. The only thing that a lost message needs.

One round looks at everything once; every step may be repeated, by two reconcilers too.
"""

import threading
import time
from typing import NamedTuple, Protocol

import structlog

from workers import ladder
from workers.folders import Folders, leftovers
from workers.names import split_match_id
from workers.schedule import top_up
from workers.store import DOWN, Broker, NotFound, Store
from workers.store.matches import Limits

OLD_FILES_S = 24 * 3600.0
"""Replays of attempts that nobody recorded are deleted after a day."""


class Messages(Protocol):
    """Sends messages to the workers. Each raises one of `down` when the broker does not answer."""

    down: tuple[type[Exception], ...]

    def play(self, match_id: str) -> None:
        """To a worker: play this match."""
        ...

    def record(self, match_id: str, fence: int) -> None:
        """To the recorder: this attempt is sealed."""
        ...


class Policy(NamedTuple):
    """When a message counts as lost, seconds; how many matches of a tournament are on their way;
    what ladders go by."""

    sweep_s: float
    resend_s: float
    window: int
    limits: Limits
    ladders: ladder.Policy = ladder.Policy()


class Round(NamedTuple):
    """What one round has sent again, by reason."""

    expired: int
    due: int
    lost: int
    unrecorded: int
    topped_up: int


class Reconciler:
    """Reconciles one store with its broker."""

    def __init__(
        self, store: Store, broker: Broker, messages: Messages, folders: Folders, policy: Policy
    ) -> None:
        self._store = store
        self._broker = broker
        self._messages = messages
        self._folders = folders
        self._policy = policy
        self._log = structlog.get_logger("reconciler")

    def run(self, stop: threading.Event) -> None:
        """A round every sweep until told to stop; a store or broker that is away is waited for."""
        while not stop.is_set():
            try:
                done = self.round()
                if any(done):
                    self._log.info("sent again", **done._asdict())
            except (*DOWN, *self._messages.down) as error:
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
        wanting = {*self._keep_ladders(), *self._store.tournaments.wanting()}
        fresh = sum(
            top_up(self._store, tournament_id, self._policy.window, self._messages.play)
            for tournament_id in sorted(wanting)
        )
        self._clear()
        return Round(expired, len(due), len(lost), unrecorded, fresh)

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
                self._store.log.alarm("dead", match=match_id, cause="lease")
                self._log.error("dead", match=match_id, cause="lease")
            elif word == "queued":
                self._log.warning("lease over", match=match_id)
        return ended

    def _lost(self) -> list[str]:
        """Matches with no message left in the broker, as far as counting can tell."""
        grace = self._policy.resend_s
        alive = self._broker.waiting() + self._broker.taken_since(time.time() - grace)
        return self._store.queue.take_lost(alive, round(grace * 1000))

    def _unrecorded(self) -> int:
        late = self._store.queue.take_unrecorded(round(self._policy.resend_s * 1000))
        for match_id in late:
            self._messages.record(match_id, self._store.matches.get(match_id).fence)
        return len(late)

    def _clear(self) -> None:
        for path in leftovers(self._folders.incoming_folder, OLD_FILES_S):
            if not self._awaited(path.name):
                path.unlink(missing_ok=True)
        for path in self._folders.incoming_folder.glob("*.kbr.part"):
            if self._abandoned(path.name):
                path.unlink(missing_ok=True)

    def _abandoned(self, name: str) -> bool:
        """Whether a replay was coming in for an attempt that has ended: <match>.<fence>.<any>…"""
        match_id, _, fence = name.removesuffix(".kbr.part").rpartition(".")[0].rpartition(".")
        try:
            match = self._store.matches.get(match_id)
        except NotFound:
            return False  # not one of ours: it has its day
        return match.state != "running" or str(match.fence) != fence

    def _awaited(self, name: str) -> bool:
        """Whether a file is one that somebody may still record or look at."""
        if not name.endswith(".kbr"):
            return not name.endswith(".part")
        match_id, _, fence = name.removesuffix(".kbr").rpartition(".")
        if split_match_id(match_id) is None:
            return True
        try:
            match = self._store.matches.get(match_id)
        except NotFound:
            return False
        return match.state == "sealed" and str(match.fence) == fence
