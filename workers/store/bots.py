"""Registered bots: owner, and the versions by the digest of their content."""

from collections.abc import Iterable
from typing import NamedTuple

from workers.names import DIGEST, complaint, fold
from workers.store import keys
from workers.store.client import Client
from workers.store.errors import BadName, BotTaken, NotFound
from workers.store.scripts import Scripts


class Bot(NamedTuple):
    """A registered bot. `version` is the digest that plays now; `added_ms` Unix milliseconds.

    `retired_ms` is when it was taken out of new matches, 0 where it was not.
    """

    name: str
    owner: str
    version: str
    versions: tuple[str, ...]
    added_ms: int
    retired_ms: int


class Bots:
    """The bots of one store."""

    def __init__(self, client: Client, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def add(self, name: str, digest: str, owner: str) -> bool:
        """Register a bot, or make `digest` ("sha256:…") the version that plays from now on.

        True when the version is new. The same digest again changes nothing but which version
        plays. Raises BadName, BotTaken (also for a look-alike, or another owner's bot).
        """
        if wrong := complaint(name):
            raise BadName(str(name), wrong)
        if not DIGEST.fullmatch(digest):
            raise ValueError(f"not a digest: {digest[:80]!r}")
        own = [keys.bot(name), keys.bot_versions(name), keys.bot_parents(name)]
        answer = self._scripts.run(
            "add_bot",
            [*own, keys.BOTS, keys.FOLDED],
            [name, fold(name), owner, digest],
        )
        if answer[0] == "taken":
            raise BotTaken(name, by=answer[1])
        return answer[0] == "added"

    def free(self, name: str, owner: str) -> None:
        """Whether `owner` may bring a bot of this name. Raises BadName, BotTaken.

        What is free now may be taken when it is added, which looks again.
        """
        if wrong := complaint(name):
            raise BadName(str(name), wrong)
        holder = self._client.hget(keys.FOLDED, fold(name))
        if holder and (holder != name or self._client.hget(keys.bot(name), "owner") != owner):
            raise BotTaken(name, by=holder)

    def get(self, name: str) -> Bot:
        """One bot. Raises NotFound, for names that break the rule too."""
        if complaint(name):
            raise NotFound("bot", str(name))
        found = self._client.hgetall(keys.bot(name))
        if not found:
            raise NotFound("bot", name)
        versions = self._client.lrange(keys.bot_versions(name), 0, -1)
        return Bot(
            name=name,
            owner=found["owner"],
            version=found["version"],
            versions=tuple(versions),
            added_ms=int(found["added_ms"]),
            retired_ms=int(found.get("retired_ms", 0)),
        )

    def all(self) -> list[Bot]:
        """Every bot, by name."""
        return [self.get(name) for name in sorted(self._client.zrange(keys.BOTS, 0, -1))]

    def playing(self) -> list[Bot]:
        """Every bot that may be given new matches, by name."""
        return [bot for bot in self.all() if not bot.retired_ms]

    def retire(self, name: str, *, restore: bool = False) -> None:
        """Give a bot no new matches from now on, or `restore` it. Raises NotFound."""
        args = [int(restore)]
        if complaint(name) or self._scripts.run("retire", [keys.bot(name)], args) == 0:
            raise NotFound("bot", str(name))

    def versions(self) -> dict[str, str]:
        """Every bot's name -> the digest that plays now; the retired ones left out."""
        names = sorted(self._client.zrange(keys.BOTS, 0, -1))
        pipe = self._client.pipeline(transaction=False)
        for name in names:
            pipe.hmget(keys.bot(name), ["version", "retired_ms"])
        told = zip(names, pipe.execute(), strict=True)
        return {name: version for name, (version, retired_ms) in told if not retired_ms}

    def parents_of(self, names: Iterable[str]) -> dict[str, dict[str, str]]:
        """Of several bots, by name: each version -> the one it followed, "" for the first."""
        wanted = list(names)
        pipe = self._client.pipeline(transaction=False)
        for name in wanted:
            pipe.hgetall(keys.bot_parents(name))
        return dict(zip(wanted, pipe.execute(), strict=True))
