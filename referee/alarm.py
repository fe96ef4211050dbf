"""When a table steps: at the earliest moment that was asked for, or soon.

Soon is when the answers that have arrived together are played. Each of them hands decisions to
other seats: asked at once, a seat would get half of what is about to be its turn, and a message
costs as much as twenty decisions.
"""

import asyncio
from collections.abc import Callable
from math import inf

# What arrives while an answer is played takes three turns of the event loop from the socket to its
# reader; one more lets the reader play it first.
_TURNS = 4


class Alarm:
    """Calls `ring` from the event loop. `time` tells the seconds that moments are given in."""

    __slots__ = ("_due", "_left", "_loop", "_ring", "_time", "_timer")

    def __init__(self, time: Callable[[], float], ring: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._time = time
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None
        self._due = inf
        self._left = 0

    def at(self, due: float) -> None:
        """Ring at this moment, if not before; then the alarm is to be set anew."""
        if due >= self._due:
            return
        self.stop()
        self._due = due
        self._timer = self._loop.call_later(max(0.0, due - self._time()), self._tick)

    def soon(self) -> None:
        """Ring once when what has arrived by now is played, however often this is asked for."""
        if not self._left:
            self._left = _TURNS
            self._loop.call_soon(self._turn)

    def stop(self) -> None:
        """Do not ring at any moment that was asked for."""
        if self._timer is not None:
            self._timer.cancel()

    def _tick(self) -> None:
        self._timer = None
        self._due = inf
        self._ring()

    def _turn(self) -> None:
        self._left -= 1
        if self._left:
            self._loop.call_soon(self._turn)
        else:
            self._ring()
