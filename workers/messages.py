"""What is sent through Celery: the names of the tasks, their queues, and the sending.

A message is an id and nothing else. What is done with it is in `workers.tasks`, the application
that carries it in `workers.app`.
"""

from typing import TYPE_CHECKING

from kombu.exceptions import OperationalError

if TYPE_CHECKING:
    from celery import Celery

PLAY, CHECK, RECORD = "play", "check", "record"
"""The queues: `play` and `check` for workers, `record` for the recorder."""

QUEUES = {
    "knockbox.play_match": PLAY,
    "knockbox.examine": CHECK,
    "knockbox.record": RECORD,
    "knockbox.top_up": RECORD,
}
"""The queue of each task."""


class Messages:
    """Sends tasks to the queues. Each method raises one of `down` when the broker is away."""

    down: tuple[type[Exception], ...] = (OperationalError,)

    def __init__(self, app: "Celery") -> None:
        self._app = app

    def play(self, match_id: str) -> None:
        """To a worker: play this match."""
        self._send("knockbox.play_match", match_id)

    def examine(self, submission_id: str) -> None:
        """To a worker: build and check this submission."""
        self._send("knockbox.examine", submission_id)

    def record(self, match_id: str, fence: int) -> None:
        """To the recorder: the replay of this attempt lies sealed."""
        self._send("knockbox.record", match_id, fence)

    def top_up(self, tournament_id: str) -> None:
        """To the recorder: see that enough matches of this tournament are on their way."""
        self._send("knockbox.top_up", tournament_id)

    def _send(self, task: str, *args: str | int) -> None:
        self._app.send_task(task, args=args, queue=QUEUES[task], ignore_result=True)
