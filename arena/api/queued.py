"""What the API has the workers do at once. A queue that does not answer loses nothing: the
reconciler finds what was to be sent, a little later."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from workers.messages import Messages
from workers.schedule import top_up
from workers.store import Store


class Queued:
    """Sends messages; `window` matches of a tournament are on their way at a time."""

    def __init__(self, store: Store, messages: Messages, window: int) -> None:
        self._store = store
        self._messages = messages
        self._window = window

    def began(self, tournament_id: str) -> None:
        """A tournament has begun, or goes on: its first matches."""
        with self._sending(tournament=tournament_id):
            for match_id in self._store.queue.take_due():  # what was set aside by a pause
                self._messages.play(match_id)
            top_up(self._store, tournament_id, self._window, self._messages.play)

    def handed_in(self, submission_id: str) -> None:
        """A bot was handed in: it is to be built and checked."""
        with self._sending(submission=submission_id):
            self._messages.examine(submission_id)

    def woken(self, bot: str, most: int) -> None:
        """A bot that dials in is there: so many of the matches that wait for it."""
        with self._sending(bot=bot):
            for match_id in self._store.dial.wake(bot, most):
                self._messages.play(match_id)

    @contextmanager
    def _sending(self, **what: str) -> Iterator[None]:
        try:
            yield
        except self._messages.down as error:
            log = structlog.get_logger("api")
            log.warning("the queue does not answer", **what, error=str(error))
