"""Ratings as they stand: one for each bot's version that has been in a recorded match.

They are the sum of what the log says, nothing else; `workers.rebuild` holds them to it.
"""

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from workers.store import keys
from workers.store.client import Client
from workers.store.log import Head
from workers.store.scripts import Scripts


class Rating(NamedTuple):
    """One rating. `elo` and `base` (where it began) are thousandths, `units` those rated.

    `games` counts won, lost, drawn, void and forfeits; `faults` counts forfeits by reason.
    """

    name: str
    version: str
    base: int
    elo: int
    units: int
    games: Mapping[str, int]
    faults: Mapping[str, int]


class Ratings:
    """The ratings of one store."""

    def __init__(self, client: Client, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def all(self) -> list[Rating]:
        """Every rating, best first."""
        found = self.fields()
        rows = [_rating(*keys.rated_pair(member), fields) for member, fields in found.items()]
        return sorted(rows, key=lambda row: (-row.elo, row.name, row.version))

    def of(self, versions: Iterable[tuple[str, str]]) -> list[Rating | None]:
        """The ratings of (name, version) pairs, in their order; None where there is none yet."""
        pairs = list(versions)
        pipe = self._client.pipeline(transaction=False)
        for name, version in pairs:
            pipe.hgetall(keys.rating(keys.rated(name, version)))
        return [
            _rating(name, version, _ints(found)) if found else None
            for (name, version), found in zip(pairs, pipe.execute(), strict=True)
        ]

    def fields(self) -> dict[str, dict[str, int]]:
        """Every rating as it is kept: "name version" -> field -> number."""
        members = sorted(self._client.smembers(keys.RATED))
        pipe = self._client.pipeline(transaction=False)
        for member in members:
            pipe.hgetall(keys.rating(member))
        return {member: _ints(found) for member, found in zip(members, pipe.execute(), strict=True)}

    def replace(self, head: Head, ratings: Mapping[str, Mapping[str, int]]) -> bool:
        """Write these in the place of all that are kept; False when the log has another head."""
        text = json.dumps({member: dict(fields) for member, fields in ratings.items()})
        args = [head.hash, keys.rating(""), text]
        return self._scripts.run("replace", [keys.HEAD, keys.RATED], args) == 1


def _ints(found: Mapping[str, str]) -> dict[str, int]:
    return {field: int(value) for field, value in found.items()}


def _rating(name: str, version: str, fields: Mapping[str, int]) -> Rating:
    games = ("won", "lost", "drawn", "void", "forfeits")
    return Rating(
        name=name,
        version=version,
        base=fields["base"],
        elo=fields["elo"],
        units=fields.get("units", 0),
        games={field: fields.get(field, 0) for field in games},
        faults={
            field.removeprefix("fault."): value
            for field, value in sorted(fields.items())
            if field.startswith("fault.") and value
        },
    )
