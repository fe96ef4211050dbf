"""How a match is ended from outside, in order: its programs first, then its files.

SIGTERM and SIGHUP end it at once. Ctrl-C does so the second time; the first time it is only told.
"""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Ended(BaseException):
    """A signal has ended the work; everything of it is gone. `number` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class End:
    """Whether a signal has come, and what it is to cancel.

    `asked` hears, in the loop, of the first Ctrl-C; without it that ends the work too.
    """

    def __init__(self, asked: Callable[[], None] | None) -> None:
        self._came = 0
        self._asked = asked
        self._task: asyncio.Task[Any] | None = None

    def take(self, number: int, _: FrameType | None) -> None:
        """A signal: cancels the work in its loop; without one, raises Ended right here."""
        if self._came:
            return  # it ends already
        if number == signal.SIGINT and self._asked and self._task:
            self._task.get_loop().call_soon_threadsafe(self._asked)
            self._asked = None
            return
        self._came = number
        if self._task is None:
            raise Ended(number)
        self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    async def cancels(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work; raises Ended, when it has cleared up, where a signal has come."""
        self._task = asyncio.current_task()
        try:
            return await work
        except asyncio.CancelledError:
            if self._came:
                raise Ended(self._came) from None
            raise
        finally:
            self._task = None


@contextmanager
def ends(asked: Callable[[], None] | None = None) -> Iterator[End]:
    """Listen for the block's time; `asked` as in `End`.

    Signals that are ignored (nohup) stay so; outside the main thread nothing can be listened to.
    """
    end = End(asked)
    former: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    former[number] = signal.signal(number, end.take)
        yield end
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
