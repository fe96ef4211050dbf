"""Registered bots: owner, visibility, and the versions by the digest of their content."""

from typing import NamedTuple

from workers.names import DIGEST, complaint, fold
from workers.store import keys
from workers.store.client import Client
from workers.store.errors import BadName, NameTaken, NotFound
from workers.store.scripts import Scripts

VISIBILITIES = ("public", "private")


class Bot(NamedTuple):
    """A registered bot. `version` is the digest that plays now; `added_ms` Unix milliseconds."""

    name: str
    owner: str
    visibility: str
    version: str
    versions: tuple[str, ...]
    added_ms: int


class Bots:
    """The bots of one store."""

    def __init__(self, client: Client, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def add(self, name: str, digest: str, owner: str, visibility: str = "public") -> bool:
        """Register a bot, or make `digest` ("sha256:…") the version that plays from now on.

        True when the version is new. The same digest again changes nothing but which version
        plays. Raises BadName, NameTaken (also for a look-alike, or another owner's bot).
        """
        if wrong := complaint(name):
            raise BadName(str(name), wrong)
        if not DIGEST.fullmatch(digest):
            raise ValueError(f"not a digest: {digest[:80]!r}")
        if visibility not in VISIBILITIES:
            raise ValueError(f"visibility is one of {', '.join(VISIBILITIES)}")
        own = [keys.bot(name), keys.bot_versions(name), keys.bot_parents(name)]
        answer = self._scripts.run(
            "add_bot",
            [*own, keys.BOTS, keys.FOLDED],
            [name, fold(name), owner, visibility, digest],
        )
        if answer[0] == "taken":
            raise NameTaken(name, by=answer[1])
        return answer[0] == "added"

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
            visibility=found["visibility"],
            version=found["version"],
            versions=tuple(versions),
            added_ms=int(found["added_ms"]),
        )

    def all(self) -> list[Bot]:
        """Every bot, by name."""
        return [self.get(name) for name in sorted(self._client.zrange(keys.BOTS, 0, -1))]

    def versions(self) -> dict[str, str]:
        """Every bot's name -> the digest that plays now."""
        names = sorted(self._client.zrange(keys.BOTS, 0, -1))
        pipe = self._client.pipeline(transaction=False)
        for name in names:
            pipe.hget(keys.bot(name), "version")
        return dict(zip(names, pipe.execute(), strict=True))

    def parents(self, name: str) -> dict[str, str]:
        """Each version's digest -> the digest it followed, '' for the first."""
        return self._client.hgetall(keys.bot_parents(name))
