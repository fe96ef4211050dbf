"""What an organiser does to a tournament: pause, resume, withdraw a bot, close it, void a match.

What follows for single matches is in the store's scripts, each of which is one step. No Celery, no
files; messages that become due are the reconciler's affair.
"""

import json
from collections.abc import Callable
from typing import Any

from workers import ledger, pairing
from workers.store import Store
from workers.store.log import Change, Head
from workers.store.matches import Match
from workers.store.tournaments import OPEN, Chained, Tournament

_MOVES = 1000


class NotNow(Exception):  # noqa: N818 - a refusal, not a failure
    """What was asked for makes no sense as the tournament stands; the message says why."""


def pause(store: Store, tournament_id: str) -> None:
    """Begin no match any more; what is in play is finished and counts. Raises NotFound, NotNow."""
    _bounded(store, tournament_id)
    state = store.tournaments.pause(tournament_id)
    if state in ("closing", "over"):
        raise NotNow(f"tournament {tournament_id!r} is over")


def resume(store: Store, tournament_id: str) -> tuple[bool, list[str]]:
    """Let it go on: whether it was paused, and the matches given up that are queued again.

    Its secret is not told while a match of it is dead, so the decks are still unknown.
    Raises NotFound, NotNow.
    """
    if store.tournaments.get(tournament_id).closed:
        raise NotNow(f"tournament {tournament_id!r} was closed for good")
    paused = store.tournaments.unpause(tournament_id) == "paused"
    dead = store.tournaments.dead(tournament_id)
    return paused, [match_id for match_id in dead if store.matches.resume(match_id)]


def withdraw(store: Store, tournament_id: str, bot: str) -> None:
    """Take a bot out: what it has not begun is void; what is in play or played counts.

    A match in play that fails is not tried again. Again changes nothing.
    Raises NotFound, NotNow.
    """
    found = store.tournaments.get(tournament_id)
    if found.plan.format != "round_robin":
        raise NotNow(f"{tournament_id!r} is no round robin: nobody can be withdrawn from it")
    numbers = _numbers(found, bot)

    def once(head: Head, entry: Chained) -> str:
        return store.tournaments.withdraw(tournament_id, bot, numbers, head, entry)

    if _noted(store, once, "withdrawn", tournament_id, bot=bot) == "over":
        raise NotNow(f"tournament {tournament_id!r} is over: all that {bot!r} played counts")


def close(store: Store, tournament_id: str) -> None:
    """End it for good: the rest is void, in play or not. Its secret is told when what was played
    is recorded. Raises NotFound, NotNow.
    """
    _bounded(store, tournament_id)

    def once(head: Head, entry: Chained) -> str:
        return store.tournaments.close(tournament_id, head, entry)

    if _noted(store, once, "closed", tournament_id) == "over":
        raise NotNow(f"tournament {tournament_id!r} is over")


def void(store: Store, match_id: str, why: str) -> None:
    """Make a recorded match count for nothing, in whatever tournament it is, over or not.

    What it has added to ratings and counts is taken off; its replay stays. `why` is for people.
    Raises NotFound, NotNow.
    """

    def once() -> str:
        head, match = store.log.head(), store.matches.get(match_id)
        taken = json.loads(store.log.text(_recorded(store, match)))
        ratings = store.ratings.of((bot["name"], bot["version"]) for bot in taken["bots"])
        elos = [rating.elo for rating in ratings if rating]
        entry = ledger.correction(taken, elos, why, store.queue.now_ms())
        changes = [
            Change(bot["name"], bot["version"], before["base"], bot["add"])
            for bot, before in zip(entry["bots"], taken["bots"], strict=True)
        ]
        text, text_hash = ledger.chained(entry, head.seq + 1, head.hash)
        return store.log.correct(match_id, head, text, text_hash, changes)

    # Where somebody else was first, the next look says so.
    _until(once, "moved", "unrecorded")


def _recorded(store: Store, match: Match) -> int:
    """The number of a match's entry in the log. Raises NotNow where none counts."""
    if match.correction:
        why = json.loads(store.log.text(match.correction))["why"]
        raise NotNow(f"match {match.id} is void already: {why}")
    if match.state != "done":
        raise NotNow(f"match {match.id} is not recorded: there is nothing of it that counts")
    return match.seq


def _bounded(store: Store, tournament_id: str) -> None:
    """Raises NotFound, and NotNow for the day of a ladder that still gets matches."""
    plan = store.tournaments.get(tournament_id).plan
    if plan.total == OPEN:
        raise NotNow(f"it is a day of ladder {plan.ladder!r}: `knockbox ladder stop` stops that")


def _numbers(found: Tournament, bot: str) -> list[int]:
    """The matches of one bot. Raises NotNow where it does not play."""
    names = [entrant.name for entrant in found.plan.entrants]
    if bot not in names:
        raise NotNow(f"{bot[:40]!r} does not play in tournament {found.id!r}")
    rules = found.plan.rules
    place = names.index(bot)
    return list(pairing.matches_of(place, len(names), rules["players"], rules["partnership"]))


def _noted(
    store: Store, once: Callable[[Head, Chained], str], kind: str, tournament_id: str, **facts: Any
) -> str:
    """Do something together with its entry in the log, whatever is recorded meanwhile."""
    entry = ledger.note(kind, tournament_id, store.queue.now_ms(), **facts)

    def on_head() -> str:
        head = store.log.head()
        return once(head, ledger.chained(entry, head.seq + 1, head.hash))

    return _until(on_head, "moved")


def _until(once: Callable[[], str], *again: str) -> str:
    """Do something once more while it answers one of these words; the word it answers then."""
    for _ in range(_MOVES):
        word = once()
        if word not in again:
            return word
    raise AssertionError("the log's head moved a thousand times")
