"""Holds the ratings to the log: follows it from its first entry, and compares or writes."""

from typing import NamedTuple

from workers import ledger
from workers.store import Store


class Report(NamedTuple):
    """What came of it. `difference` is '' where every number agrees, else the first that does not.

    `head` is the SHA-256 of the last entry, hexadecimal.
    """

    entries: int
    ratings: int
    head: str
    difference: str


def check(store: Store) -> Report:
    """Compare chain, formula, head and every field of every rating; nothing is written."""
    before = store.log.head()
    kept = store.ratings.fields()
    texts = ((seq, text) for seq, text in store.log.texts() if seq <= before.seq)
    ratings, seq, head, broken = ledger.replay(texts, store.log.text)
    if broken:
        difference = f"entry {broken.seq}: {broken.what}"
    elif (seq, head) != (before.seq, before.hash):
        difference = f"the log ends at entry {seq}, not {before.seq}, or its hash differs"
    elif store.log.head() != before:
        return check(store)  # a match was recorded meanwhile: this belongs to two moments
    else:
        difference = _difference(ratings, kept)
    return Report(seq, len(ratings), head, difference)


def rebuild(store: Store) -> Report:
    """Write the ratings that follow from the log. A broken log changes nothing."""
    before = store.log.head()
    ratings, seq, head, broken = ledger.replay(store.log.texts(), store.log.text)
    if broken:
        return Report(seq, len(ratings), head, f"entry {broken.seq}: {broken.what}")
    if (seq, head) != (before.seq, before.hash) or not store.ratings.replace(before, ratings):
        return rebuild(store) if store.log.head() != before else check(store)
    return Report(seq, len(ratings), head, "")


def _difference(expected: ledger.Fields, kept: ledger.Fields) -> str:
    for member in sorted(expected.keys() | kept.keys()):
        log, store = expected.get(member, {}), kept.get(member, {})
        for field in sorted(log.keys() | store.keys()):
            if log.get(field, 0) != store.get(field, 0):
                name = member.partition(" ")[0]
                return f"{name}: {field} is {store.get(field, 0)}, the log says {log.get(field, 0)}"
    return ""
