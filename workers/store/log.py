"""The log of results: numbered without gaps, chained by SHA-256, never rewritten; and the alarms.

What stands in an entry is `workers.ledger`; here it is a text with a number.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from workers.store import keys
from workers.store.client import Client
from workers.store.matches import match_keys
from workers.store.scripts import Scripts

_PAGE = 500
_ALARMS = 1000


class Head(NamedTuple):
    """The last entry: its number (0: none yet) and the SHA-256 of its text, hexadecimal."""

    seq: int
    hash: str


class Change(NamedTuple):
    """What an entry does to one rating: start it at `base` if it is new, then add."""

    name: str
    version: str
    base: int
    add: Mapping[str, int]


class Alarm(NamedTuple):
    """What a person should look at: when (Unix milliseconds), what of (one word), in which match,
    and what has happened."""

    ms: int
    kind: str
    match: str
    words: str


class Log:
    """The log of one store; `now_ms` is the store's clock."""

    def __init__(self, client: Client, scripts: Scripts, now_ms: Callable[[], int]) -> None:
        self._client = client
        self._scripts = scripts
        self._now_ms = now_ms

    def head(self) -> Head:
        """The entry that the next one follows."""
        found = self._client.hgetall(keys.HEAD)
        return Head(int(found["seq"]), found["hash"]) if found else Head(0, "")

    def record(
        self,
        match_id: str,
        fence: int,
        digest: str,
        head: Head,
        text: str,
        text_hash: str,
        changes: Sequence[Change],
    ) -> str:
        """Write a match's result with all its effects in one step, or nothing at all.

        `text` is the entry after `head`. Answers "recorded"; "dup", this digest was recorded
        before; "conflict", another one was; "stale", the fence is old; "moved", the log has
        another head by now: compute again; "unknown", no such match.
        """
        own, told = _told(changes)
        tournament_id = match_id.rpartition(".")[0]
        return self._scripts.run(
            "record",
            [
                *match_keys(match_id),
                *(keys.LOG, keys.HEAD, keys.tournament_log(tournament_id), keys.RATED),
                *own,
            ],
            [match_id, fence, digest, head.hash, head.seq + 1, text, text_hash, told],
        )

    def correct(
        self, match_id: str, head: Head, text: str, text_hash: str, changes: Sequence[Change]
    ) -> str:
        """Make a recorded match void with all that follows in one step, or nothing at all.

        `text` is the entry after `head`. Answers "corrected"; "moved", the log has another head by
        now: compute again; "unrecorded", the match is not recorded, or void by now.
        """
        own, told = _told(changes)
        tournament_id = match_id.rpartition(".")[0]
        return self._scripts.run(
            "correct",
            [
                *match_keys(match_id),
                *(keys.LOG, keys.HEAD, keys.tournament_log(tournament_id)),
                *(keys.tournament_corrections(tournament_id), keys.RATED),
                *own,
            ],
            [head.hash, head.seq + 1, text, text_hash, told],
        )

    def corrections(self, tournament_id: str, count: int) -> list[str]:
        """The texts of the last entries that made a tournament's matches void, newest first."""
        numbers = self._client.lrange(keys.tournament_corrections(tournament_id), -count, -1)
        return [self.text(int(number)) for number in numbers[::-1]]

    def text(self, seq: int) -> str:
        """The text of one entry; "" where there is none of this number."""
        found = self._client.xrange(keys.LOG, f"{seq}-0", f"{seq}-0")
        return _numbered(found[0])[1] if found else ""

    def matches(self) -> int:
        """How many matches are recorded and not void."""
        found = self._client.hgetall(keys.HEAD)
        return int(found.get("seq", 0)) - int(found.get("notes", 0))

    def texts(self, first: int = 1) -> Iterator[tuple[int, str]]:
        """Number and text of every entry from `first` on, in order."""
        while True:
            page = self._client.xrange(keys.LOG, f"{first}-0", "+", _PAGE)
            yield from map(_numbered, page)
            if len(page) < _PAGE:
                return
            first = _numbered(page[-1])[0] + 1

    def newest(self, count: int) -> list[str]:
        """The texts of the last entries, newest first."""
        return [fields["entry"] for _, fields in self._client.xrevrange(keys.LOG, count=count)]

    def of_tournament(self, tournament_id: str, after: int = 0) -> list[str]:
        """The texts of a tournament's entries but the first `after`, in the order of the log."""
        return list(self.each_of_tournament(tournament_id, after))

    def last_of_tournament(self, tournament_id: str, count: int) -> list[str]:
        """The texts of a tournament's last entries, in the order of the log."""
        pipe = self._client.pipeline(transaction=False)
        for seq in self._client.lrange(keys.tournament_log(tournament_id), -count, -1):
            pipe.xrange(keys.LOG, f"{seq}-0", f"{seq}-0")
        return [found[0][1]["entry"] for found in pipe.execute()]

    def each_of_tournament(self, tournament_id: str, after: int = 0) -> Iterator[str]:
        """The same one by one, so that a long log needs little memory."""
        while seqs := self._client.lrange(
            keys.tournament_log(tournament_id), after, after + _PAGE - 1
        ):
            pipe = self._client.pipeline(transaction=False)
            for seq in seqs:
                pipe.xrange(keys.LOG, f"{seq}-0", f"{seq}-0")
            yield from (found[0][1]["entry"] for found in pipe.execute())
            after += len(seqs)

    def of_bot(self, name: str, count: int) -> list[str]:
        """The texts of the last entries of a bot's matches, newest first."""
        numbers = self._client.lrange(keys.bot_log(name), -count, -1)[::-1]
        pipe = self._client.pipeline(transaction=False)
        for seq in dict.fromkeys(numbers):  # a bot against itself is there twice
            pipe.xrange(keys.LOG, f"{seq}-0", f"{seq}-0")
        return [found[0][1]["entry"] for found in pipe.execute()]

    def alarm(self, kind: str, match_id: str, words: str) -> None:
        """Keep something that a person should look at."""
        note = Alarm(self._now_ms(), kind, match_id, words)
        self._client.lpush(keys.ALARMS, json.dumps(note._asdict(), sort_keys=True))
        self._client.ltrim(keys.ALARMS, 0, _ALARMS - 1)

    def alarms(self, count: int) -> list[Alarm]:
        """The last so many, newest first."""
        return [
            Alarm(**json.loads(text)) for text in self._client.lrange(keys.ALARMS, 0, count - 1)
        ]

    def alarms_kept(self) -> int:
        """How many there are; of more than a thousand the oldest are forgotten."""
        return self._client.llen(keys.ALARMS)

    def alarm_dead(self, match_id: str, cause: str) -> None:
        """Keep that a match was given up; `cause` is what its last attempt ended by, a word."""
        self.alarm("dead", match_id, f"given up: its last attempt ended by {cause}")


def _told(changes: Sequence[Change]) -> tuple[list[str], str]:
    """Changes as lua/common.lua has them: their keys, and the JSON."""
    members = [keys.rated(change.name, change.version) for change in changes]
    logs = [keys.bot_log(change.name) for change in changes]
    done = [
        {"member": member, "base": change.base, "add": dict(change.add)}
        for member, change in zip(members, changes, strict=True)
    ]
    return [*map(keys.rating, members), *logs], json.dumps(done)


def _numbered(item: tuple[str, dict[str, str]]) -> tuple[int, str]:
    return int(item[0].partition("-")[0]), item[1]["entry"]
