"""What the reconciler looks at: leases that ran out, messages that got lost, results unrecorded."""

from typing import NamedTuple

from workers.store import keys
from workers.store.client import Client
from workers.store.scripts import Scripts


class Counts(NamedTuple):
    """Matches by where they are: a message is out, an attempt is due later, running, sealed."""

    sent: int
    due: int
    running: int
    sealed: int


class Queue:
    """Matches on their way, over all tournaments of one store."""

    def __init__(self, client: Client, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def counts(self) -> Counts:
        """How many matches are where."""
        sets = (keys.SENT, keys.DUE, keys.LEASES, keys.SEALED)
        return Counts(*(self._client.zcard(key) for key in sets))

    def expired(self, most: int = 1000) -> list[str]:
        """Matches whose lease is over, the longest first."""
        return self._client.zrangebyscore(keys.LEASES, "-inf", self.now_ms(), start=0, num=most)

    def running(self) -> list[str]:
        """Matches that are being played."""
        return self._client.zrange(keys.LEASES, 0, -1)

    def take_due(self, most: int = 1000) -> list[str]:
        """Matches whose back-off is over; they count as sent from now on, so send them."""
        return self._scripts.run("due", [keys.DUE, keys.SENT], [most])

    def take_lost(self, alive: int, backoff_ms: int, most: int = 1000) -> list[str]:
        """Matches whose message must have got lost; they count as sent from now on.

        `alive` messages of unclaimed matches may still be on their way: so many matches are left
        alone, the newest. Of the others, oldest first, those are taken whose own back-off is over;
        it begins at `backoff_ms` and doubles with each time, up to 64 times.
        """
        waiting = self._client.zrangebyscore(keys.SENT, "-inf", "+inf", withscores=True)
        suspects = waiting[: max(0, len(waiting) - alive)][:most]
        if not suspects:
            return []
        pipe = self._client.pipeline(transaction=False)
        for match_id, _ in suspects:
            pipe.hget(keys.match(match_id), "resends")
        now = self.now_ms()
        lost = [
            match_id
            for (match_id, sent), resends in zip(suspects, pipe.execute(), strict=True)
            if now - sent >= backoff_ms * 2 ** min(int(resends or 0), 6)
        ]
        self._mark(keys.SENT, lost, now)
        pipe = self._client.pipeline(transaction=False)
        for match_id in lost:
            pipe.hincrby(keys.match(match_id), "resends", 1)
        pipe.execute()
        return lost

    def take_unrecorded(self, older_ms: int, most: int = 1000) -> list[str]:
        """Sealed matches whose `record` was last sent `older_ms` ago or before; sent again now."""
        now = self.now_ms()
        late = self._client.zrangebyscore(keys.SEALED, "-inf", now - older_ms, start=0, num=most)
        self._mark(keys.SEALED, late, now)
        return late

    def now_ms(self) -> int:
        """The store's clock, Unix milliseconds."""
        seconds, micros = self._client.time()
        return int(seconds) * 1000 + int(micros) // 1000

    def _mark(self, key: str, ids: list[str], now: int) -> None:
        if ids:
            self._client.zadd(key, dict.fromkeys(ids, float(now)), xx=True)


class Broker:
    """How many messages Celery's broker holds. The names of its keys are kombu's, not ours."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._queue = queue

    def waiting(self) -> int:
        """Messages of the queue that no worker has taken yet."""
        return self._client.llen(self._queue)

    def taken_between(self, seconds: float, until: float) -> int:
        """Messages of any queue taken then (Unix seconds), not acknowledged yet.

        Older ones belong to running matches, or to workers that are gone; neither kind will
        claim anything any more. Those taken in the future are by a worker whose clock is wrong,
        and say nothing.
        """
        return self._client.zcount("unacked_index", seconds, until)
