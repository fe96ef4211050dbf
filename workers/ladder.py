"""Keeps a ladder going: its days turn, its matches are made, bots that only forfeit are benched.

Everything is read from the store and may be done again, by several at once. Who meets whom is
`opponents`, who is benched `bench`; from its matches on a ladder's day is a tournament like others.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import count
from typing import NamedTuple

import structlog

from referee import deck
from workers import bench, ledger, opponents
from workers.ratings import elo_now
from workers.store import Store
from workers.store.dial import Agent
from workers.store.ladders import Ladder
from workers.store.tournaments import OPEN, Entrant, Plan

FORMAT = "ladder"
"""The format of the tournaments that are a ladder's days."""


class Policy(NamedTuple):
    """A day's length in milliseconds; how many forfeited matches in a row bench a bot."""

    day_ms: int = 86_400_000
    bench_after: int = 3


def keep(store: Store, name: str, policy: Policy) -> str:
    """Bench who has earned it, and turn the day if it is time; the tournament that is played."""
    note(store, name, policy.bench_after)
    return turn(store, name, policy.day_ms, store.queue.now_ms())


def turn(store: Store, name: str, day_ms: int, now_ms: int) -> str:
    """The tournament that a ladder plays at a time; "" where it is stopped or waits for bots.

    A day that is past is closed, and the next one begun when there are bots enough for a match.
    """
    ladder = store.ladders.get(name)
    number = now_ms // day_ms
    if not ladder.running or (ladder.day and ladder.day_number == number):
        return ladder.day
    enough = len(playing(store, ladder)) >= ladder.terms.rules["players"]
    if not enough and not ladder.day:
        return ""
    plan = _plan(ladder) if enough else None
    for begins in _names(name, now_ms) if plan else [""]:
        if store.ladders.turn(ladder, "running", begins, number, plan) != "taken":
            break
    return store.ladders.get(name).day


def stop(store: Store, name: str) -> bool:
    """Stop a ladder: no more matches are made, those on their way are played. False: it does not
    run. Raises NotFound."""
    while (ladder := store.ladders.get(name)).running:
        if store.ladders.turn(ladder, "stopped", "", ladder.day_number, None) == "turned":
            return True
    return False


def fill(store: Store, name: str, window: int) -> list[str]:
    """Make matches until `window` of the ladder's are open; the ids to send to the queue."""
    ladder = store.ladders.get(name)
    if not ladder.day:
        return []
    made_today, today = store.tournaments.counts(ladder.day)
    _, before = store.tournaments.counts(ladder.before)
    room = window - today - before
    if room <= 0:
        return []
    versions, rules = playing(store, ladder), ladder.terms.rules
    drawn = opponents.draw(
        _climbers(store, ladder, versions),
        lambda bot: store.ladders.met(name, bot),
        ladder.made,
        room,
        rules["players"],
        rules["partnership"],
    )
    if not drawn.matches:
        return []
    matches = [[Entrant(bot, versions[bot]) for bot in match] for match in drawn.matches]
    return store.ladders.pair(ladder, made_today, matches, drawn.played)


def playing(store: Store, ladder: Ladder) -> dict[str, str]:
    """The bots that get matches now, by name, each with the version that plays now."""
    versions = store.bots.versions()
    out = {
        *benched_now(store, ladder, versions),
        *left_out(store, ladder, versions),
        *absent(store, versions),
    }
    return {bot: version for bot, version in versions.items() if bot not in out}


def left_out(store: Store, ladder: Ladder, versions: Mapping[str, str]) -> set[str]:
    """The bots that get none because they cannot be played as this ladder plays; `versions` are
    those that play now, by bot.

    In containers those are the ones without an image, as processes those that are nothing but one.
    """
    images = store.images.all()
    if ladder.terms.sandboxed:
        afar = store.dial.known(versions.values())
        return {bot for bot, own in versions.items() if own not in images and own not in afar}
    return {bot for bot, version in versions.items() if images.get(version) == version}


def absent(store: Store, versions: Mapping[str, str]) -> set[str]:
    """Of bots that dial in, those that are away, and those that have matches enough already."""
    return {bot for bot, one in _agents(store, versions).items() if not one.room}


def away(store: Store, versions: Mapping[str, str]) -> set[str]:
    """Of bots that dial in, those that no match can be begun with now, however few they have."""
    return {bot for bot, one in _agents(store, versions).items() if one.away}


def _agents(store: Store, versions: Mapping[str, str]) -> dict[str, Agent]:
    known = store.dial.known(versions.values())
    return store.dial.agents(bot for bot, now in versions.items() if now in known)


def benched_now(
    store: Store, ladder: Ladder, versions: Mapping[str, str]
) -> dict[str, bench.Benched]:
    """The bots that get none: those benched in the version that would play."""
    found = store.ladders.benched(ladder.name)
    return {bot: one for bot, one in found.items() if versions.get(bot) == one.version}


def note(store: Store, name: str, bench_after: int) -> list[bench.Benched]:
    """Read what was recorded since the last time, today and of the day before; who is benched."""
    ladder = store.ladders.get(name)
    versions, fresh = store.bots.versions(), list[bench.Benched]()
    for day in filter(None, (ladder.before, ladder.day)):
        noted = store.ladders.noted(day)
        entries = [json.loads(text) for text in store.log.of_tournament(day, noted)]
        if not entries:
            continue
        before, seen = store.ladders.streaks(name), benched_now(store, ladder, versions)
        counting = ledger.counting(entries)
        after, found = bench.follow(before, counting, versions, bench_after)
        changed = {bot: streak for bot, streak in after.items() if before.get(bot) != streak}
        benched = [one for one in found if one.name not in seen]
        if store.ladders.note(name, day, noted, noted + len(entries), changed, benched):
            fresh += benched
    for one in fresh:
        words = f"{one.name} gets no matches on the ladder {name}: it {one.reason}"
        store.log.alarm("benched", one.match_id, words)
        structlog.get_logger("ladder").warning("benched", ladder=name, **one._asdict())
    return fresh


def _climbers(store: Store, ladder: Ladder, versions: dict[str, str]) -> list[opponents.Climber]:
    played = store.ladders.played(ladder.name)
    elos = elo_now(store, versions.items())
    return [
        opponents.Climber(bot, elo, played.get(bot, 0))
        for bot, elo in zip(versions, elos, strict=True)
    ]


def _plan(ladder: Ladder) -> Plan:
    """A day's plan, with a secret of its own."""
    secret = deck.fresh_secret()
    return Plan(
        **ladder.terms._asdict(),
        entrants=(),
        total=OPEN,
        secret=secret,
        commitment=deck.commitment(secret),
        format=FORMAT,
        ladder=ladder.name,
    )


def _names(ladder: str, now_ms: int) -> Iterator[str]:
    """What a day may be called: the ladder and the date, and a number where that is taken."""
    date = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y%m%d")
    first = f"{ladder}-{date}"
    return (first if n == 1 else f"{first}-{n}" for n in count(1))
