"""What containers do not share: a number as their user, and a processor where there are enough.

Pure book-keeping. The kernel counts much by user (inotify instances, pending signals, buffers of
pipes) and not by container: two bots under one number could starve each other, or talk by it.
"""

import secrets
import threading

USERS = range(40_000, 60_000)
"""Numbers below 65,536, since an engine with user namespaces has no more; few systems give them
to anybody."""


class Users:
    """A number of its own for each container; each launcher begins somewhere else."""

    def __init__(self) -> None:
        self._next = secrets.randbelow(len(USERS))
        self._taken: set[int] = set()
        self._lock = threading.Lock()

    def take(self) -> int:
        """One that no other container of this launcher has; give it back afterwards."""
        with self._lock:
            while True:
                user = USERS[self._next % len(USERS)]
                self._next += 1
                if user not in self._taken:
                    self._taken.add(user)
                    return user

    def give(self, user: int) -> None:
        """The container has ended."""
        with self._lock:
            self._taken.discard(user)


class Cores:
    """Processors 1 to `count` - 1, each given to one container at a time: all seats of a match have
    one, or none has. The first is left to the platform: to referee, worker and engine."""

    def __init__(self, count: int) -> None:
        self._free = list(range(1, count))
        self._kept: dict[str, list[int]] = {}
        self._users: dict[str, int] = {}
        self._lock = threading.Lock()

    def take(self, match: str, seats: int) -> int | None:
        """A processor for one of the `seats` of a match, or None; give it back afterwards."""
        with self._lock:
            if match not in self._kept:
                enough = len(self._free) >= seats
                self._kept[match] = self._free[:seats] if enough else []
                self._free = self._free[seats:] if enough else self._free
                self._users[match] = 0
            self._users[match] += 1
            kept = self._kept[match]
            return kept.pop() if kept else None

    def give(self, match: str, core: int | None) -> None:
        """A container of the match has ended; its processors are free again with the last one."""
        with self._lock:
            if core is not None:
                self._kept[match].append(core)
            self._users[match] -= 1
            if not self._users[match]:
                self._free += self._kept.pop(match)
                del self._users[match]
