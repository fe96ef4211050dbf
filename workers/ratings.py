"""How a bot's version is rated now, or where it will begin."""

from collections.abc import Iterable, Mapping

from workers import elo
from workers.ledger import Before
from workers.store import Store

Version = tuple[str, str]
"""A bot's name, and the digest of one version of it."""


def before(store: Store, versions: Iterable[Version]) -> list[Before]:
    """How versions stand before their next match, in their order.

    One without a rating begins at that of the newest one that it followed and that has one.
    """
    pairs = list(versions)
    found = dict(zip(pairs, store.ratings.of(pairs), strict=True))
    fresh = [pair for pair, rating in found.items() if rating is None]
    parents = store.bots.parents_of({name for name, _ in fresh})
    lines = {(name, version): _line(parents[name], name, version) for name, version in fresh}
    older = [pair for line in lines.values() for pair in line]
    found |= zip(older, store.ratings.of(older), strict=True)
    told: list[Before] = []
    for name, version in pairs:
        if own := found[name, version]:
            told.append(Before(name, version, "", own.base, own.elo, own.units))
            continue
        line = lines[name, version]
        parent = next((rating for pair in line if (rating := found[pair])), None)
        begins = parent.elo if parent else elo.START
        told.append(Before(name, version, parent.version if parent else "", begins, begins, 0))
    return told


def elo_now(store: Store, versions: Iterable[Version]) -> list[int]:
    """The ratings of versions in thousandths, in their order; or where they will begin."""
    return [one.elo for one in before(store, versions)]


def _line(parents: Mapping[str, str], name: str, version: str) -> list[Version]:
    """The versions that one has followed, the newest first; no more of them than there are."""
    line: list[Version] = []
    for _ in parents:
        if version := parents.get(version, ""):
            line.append((name, version))
    return line
