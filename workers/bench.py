"""When a bot is taken out of a ladder: it has only forfeited, several matches in a row. Pure.

A match counts where the bot forfeited every game of it by its own fault, and the first other one
ends the row. Void matches and those of an older version say nothing: a new version begins anew.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Streak(NamedTuple):
    """Matches in a row in which a version forfeited every game, and what by, in games."""

    version: str
    matches: int
    faults: Mapping[str, int]


class Benched(NamedTuple):
    """A bot that gets no matches. `reason` is for people; `match_id` the last one it forfeited."""

    name: str
    version: str
    since_ms: int
    matches: int
    reason: str
    match_id: str


def follow(
    streaks: Mapping[str, Streak],
    entries: Iterable[Mapping[str, Any]],
    versions: Mapping[str, str],
    most: int,
) -> tuple[dict[str, Streak], list[Benched]]:
    """The streaks after log entries, in order, and who has come to `most` matches in a row or more,
    each bot once.

    `versions` are those that play now, by bot.
    """
    after = dict(streaks)
    benched: dict[str, Benched] = {}
    for entry in entries:
        for bot in entry["bots"] if entry["kind"] == "result" else ():
            name, version = bot["name"], bot["version"]
            if versions.get(name) != version:
                continue
            own = _longer(after.get(name), bot)
            if own is None:
                continue
            after[name] = own
            if own.matches >= most:
                benched[name] = _bench(name, own, entry)
    return after, list(benched.values())


def _longer(streak: Streak | None, bot: Mapping[str, Any]) -> Streak | None:
    """A bot's streak after a match; None where the match says nothing."""
    add = bot["add"]
    games = sum(add.get(word, 0) for word in ("won", "lost", "drawn"))
    if not games:
        return None
    if add.get("forfeits", 0) < games:
        return Streak(bot["version"], 0, {})
    if streak is None or streak.version != bot["version"]:
        streak = Streak(bot["version"], 0, {})
    faults = Counter(streak.faults)
    faults.update({key[6:]: count for key, count in add.items() if key.startswith("fault.")})
    return Streak(streak.version, streak.matches + 1, dict(faults))


def _bench(name: str, streak: Streak, entry: Mapping[str, Any]) -> Benched:
    faults = ", ".join(f"{count} {why}" for why, count in sorted(streak.faults.items()))
    times = f"{streak.matches} matches in a row" if streak.matches > 1 else "a whole match"
    return Benched(
        name=name,
        version=streak.version,
        since_ms=entry["recorded_ms"],
        matches=streak.matches,
        reason=f"forfeited every game of {times} (games: {faults})",
        match_id=entry["match"],
    )
