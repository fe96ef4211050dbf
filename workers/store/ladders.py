"""Ladders: what each of their days plays, who has met whom, and who is benched.

A ladder's day is a tournament whose matches are drawn while it runs (`workers.ladder` does it).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from workers.bench import Benched, Streak
from workers.names import complaint, fold
from workers.store import keys
from workers.store.client import Client
from workers.store.errors import BadName, LadderRuns, NameTaken, NotFound
from workers.store.scripts import Scripts
from workers.store.tournaments import Entrant, Plan, plan_fields

NAME_MOST = 20
"""Characters of a ladder's name: its days are called after it."""


class Terms(NamedTuple):
    """What a ladder plays, as in `Plan`. Where it is `sandboxed` its bots play in containers, and
    those without an image do not."""

    rules: Mapping[str, Any]
    units: int
    boards: int
    clock: Mapping[str, Any]
    rate_same_owner: bool = True
    sandboxed: bool = False


class Ladder(NamedTuple):
    """A ladder as it stands. `day` is the tournament that is played, '' for none, and `before` the
    one before it; `day_number` counts from whatever the days' length makes the first, `made` all
    matches of all days."""

    name: str
    terms: Terms
    state: str
    created_ms: int
    day: str
    before: str
    day_number: int
    made: int

    @property
    def running(self) -> bool:
        """Matches are being made."""
        return self.state == "running"


class Ladders:
    """The ladders of one store."""

    def __init__(self, client: Client, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def start(self, name: str, terms: Terms | None) -> None:
        """Start a ladder, or one that was stopped again; without terms it goes on under its own.

        Raises BadName, NameTaken, LadderRuns, and NotFound for a new one without terms.
        """
        if wrong := complaint(name):
            raise BadName(str(name), wrong)
        if len(name) > NAME_MOST:
            raise BadName(name, f"a ladder's has {NAME_MOST} characters at most")
        fields = {} if terms is None else _fields(terms)
        word = self._scripts.run(
            "ladder_start",
            [keys.ladder(name), keys.LADDERS, keys.LADDERS_FOLDED],
            [name, fold(name), *(part for pair in fields.items() for part in pair)],
        )
        if word.startswith("taken "):
            raise NameTaken(name, by=word.removeprefix("taken "))
        if word == "running":
            raise LadderRuns(name)
        if word == "unknown":
            raise NotFound("ladder", name)

    def get(self, name: str) -> Ladder:
        """One ladder. Raises NotFound, for names that break the rule too."""
        if complaint(name):
            raise NotFound("ladder", str(name))
        found = self._client.hgetall(keys.ladder(name))
        if not found:
            raise NotFound("ladder", name)
        return Ladder(
            name=name,
            terms=_terms(found),
            state=found["state"],
            created_ms=int(found["created_ms"]),
            day=found["day"],
            before=found["before"],
            day_number=int(found["day_number"]),
            made=int(found["made"]),
        )

    def all(self) -> list[Ladder]:
        """Every ladder, newest first."""
        return [self.get(name) for name in self._client.zrange(keys.LADDERS, 0, -1, desc=True)]

    def running(self) -> list[str]:
        """The names of those that run."""
        return sorted(ladder.name for ladder in self.all() if ladder.running)

    def days(self, name: str) -> list[str]:
        """The ids of its tournaments, newest first."""
        return self._client.lrange(keys.ladder(name, "days"), 0, -1)[::-1]

    def turn(self, ladder: Ladder, state: str, begins: str, number: int, plan: Plan | None) -> str:
        """End the ladder's day, and begin the day `begins` with a plan, or none.

        Answers "turned"; "moved", somebody else did; or "taken", a tournament has that name.
        """
        fields = {} if plan is None else plan_fields(plan)
        return self._scripts.run(
            "ladder_turn",
            [
                *(keys.ladder(ladder.name), keys.ladder(ladder.name, "days")),
                *(keys.tournament(ladder.day), keys.tournament(begins)),
                *(keys.TOURNAMENTS, keys.TOURNAMENTS_FOLDED, keys.TOPUP),
            ],
            [
                *(ladder.day, state, begins, fold(begins), number),
                *(part for pair in fields.items() for part in pair),
            ],
        )

    def played(self, name: str) -> dict[str, int]:
        """Matches that each bot was given, the head start of newcomers included."""
        found = self._client.hgetall(keys.ladder(name, "played"))
        return {bot: int(matches) for bot, matches in found.items()}

    def met(self, name: str, bot: str) -> dict[str, int]:
        """A bot's opponents, and the number of the last match against each."""
        found = self._client.hgetall(keys.ladder(name, f"met:{bot}"))
        return {other: int(number) for other, number in found.items()}

    def pair(
        self,
        ladder: Ladder,
        made_today: int,
        matches: Sequence[Sequence[Entrant]],
        played: Mapping[str, int],
    ) -> list[str]:
        """Make the next matches of a ladder's day; the ids to send to the queue, in order.

        None where `made_today` is no longer how many there are: somebody else was first.
        """
        return self._scripts.run(
            "ladder_pair",
            [
                *(keys.ladder(ladder.name), keys.tournament(ladder.day)),
                *(keys.ladder(ladder.name, "played"), keys.SENT),
            ],
            [
                *(ladder.day, made_today, keys.match(""), keys.ladder(ladder.name, "met:")),
                *(json.dumps(matches), json.dumps(dict(played))),
            ],
        )

    def noted(self, day: str) -> int:
        """How many entries of a day's log were read for benching."""
        return int(self._client.hget(keys.tournament(day), "noted") or 0)

    def note(
        self,
        name: str,
        day: str,
        noted: int,
        now_noted: int,
        streaks: Mapping[str, Streak],
        benched: Sequence[Benched],
    ) -> bool:
        """Keep what entries `noted` to `now_noted` of a day's log said; False: others have."""
        answer = self._scripts.run(
            "ladder_note",
            [keys.tournament(day), keys.ladder(name, "streaks"), keys.ladder(name, "benched")],
            [
                *(noted, now_noted),
                json.dumps({bot: json.dumps(streak) for bot, streak in streaks.items()}),
                json.dumps({one.name: json.dumps(one) for one in benched}),
            ],
        )
        return answer == 1

    def streaks(self, name: str) -> dict[str, Streak]:
        """The matches in a row that each bot has forfeited."""
        found = self._client.hgetall(keys.ladder(name, "streaks"))
        return {bot: Streak(*json.loads(text)) for bot, text in found.items()}

    def benched(self, name: str) -> dict[str, Benched]:
        """Who was benched last, in which version; another version of it plays."""
        found = self._client.hgetall(keys.ladder(name, "benched"))
        return {bot: Benched(*json.loads(text)) for bot, text in found.items()}

    def unbench(self, name: str, bot: str) -> bool:
        """Let a benched bot play again, its matches so far forgiven; False: it is not benched."""
        self._client.hdel(keys.ladder(name, "streaks"), bot)
        return self._client.hdel(keys.ladder(name, "benched"), bot) == 1


def _fields(terms: Terms) -> dict[str, str | int]:
    return {
        "rules": json.dumps(dict(terms.rules), sort_keys=True),
        "units": terms.units,
        "boards": terms.boards,
        "clock": json.dumps(dict(terms.clock), sort_keys=True),
        "rate_same_owner": int(terms.rate_same_owner),
        "sandboxed": int(terms.sandboxed),
    }


def _terms(found: Mapping[str, str]) -> Terms:
    return Terms(
        rules=json.loads(found["rules"]),
        units=int(found["units"]),
        boards=int(found["boards"]),
        clock=json.loads(found["clock"]),
        rate_same_owner=found["rate_same_owner"] == "1",
        sandboxed=found["sandboxed"] == "1",
    )
