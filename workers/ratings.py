"""What a bot's version is rated now, or where it will begin."""

from collections.abc import Iterable

from workers import elo
from workers.store import Store


def elo_now(store: Store, versions: Iterable[tuple[str, str]]) -> list[int]:
    """The ratings of (name, version) pairs in thousandths, in their order."""
    pairs = list(versions)
    return [
        first_elo(store, *pair) if rating is None else rating.elo
        for pair, rating in zip(pairs, store.ratings.of(pairs), strict=True)
    ]


def first_elo(store: Store, name: str, version: str) -> int:
    """Where a version without a rating will begin, in thousandths: at its parent's rating."""
    parents = store.bots.parents(name)
    for _ in parents:
        version = parents.get(version, "")
        if not version:
            break
        (rating,) = store.ratings.of([(name, version)])
        if rating is not None:
            return rating.elo
    return elo.START
