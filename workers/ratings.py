"""What a bot's version is rated now, or where it will begin."""

from collections.abc import Iterable

from workers import elo
from workers.store import Store


def elo_now(store: Store, versions: Iterable[tuple[str, str]]) -> list[int]:
    """The ratings of (name, version) pairs in thousandths, in their order.

    A version without one is where it will begin: at the rating of the newest one that it followed.
    """
    pairs = list(versions)
    own = dict(zip(pairs, store.ratings.of(pairs), strict=True))
    fresh = [pair for pair, rating in own.items() if rating is None]
    parents = store.bots.parents_of({name for name, _ in fresh})
    lines = {pair: _line(parents[pair[0]], *pair) for pair in fresh}
    older = [pair for line in lines.values() for pair in line]
    found = {**own, **dict(zip(older, store.ratings.of(older), strict=True))}
    return [
        next(
            (rating.elo for one in (pair, *lines.get(pair, ())) if (rating := found[one])),
            elo.START,
        )
        for pair in pairs
    ]


def _line(parents: dict[str, str], name: str, version: str) -> list[tuple[str, str]]:
    """The versions that one has followed, the newest first."""
    line: list[tuple[str, str]] = []
    for _ in parents:
        if version := parents.get(version, ""):
            line.append((name, version))
    return line
