"""Who meets whom on a ladder, one match after another. Pure.

Whoever has played least asks next, and meets the bot nearest in rating, but none that is ahead of
the others in matches, and none that it has just met. In every fourth match a bot drawn from all
asks, and meets the one that it has not met for longest. So the shares of games stay near equal
whatever the ratings are, neighbours meet often, and every two meet now and then. Newcomers, and
who comes back, are a few matches behind the leader at most: they catch up soon, and not all matches
are theirs.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from workers import pairing

CATCH_UP = 10
"""Matches that a bot may be behind the one that has played most."""
AHEAD = 2
"""Matches above the mean up to which a bot may be asked."""
JUST_MET = 2
"""Matches of a bot's last ones whose opponents it does not ask again, where there are others."""
FAR = 4
"""One match in so many is between bots that have not met for long."""


class Climber(NamedTuple):
    """A bot on the ladder: its rating in thousandths, and the matches that it was given."""

    name: str
    elo: int
    played: int


class Drawn(NamedTuple):
    """The next matches, bots by name in the order of their places, and how many each bot that is
    named in `played` has been given then. Numbers of matches go on from those before."""

    matches: tuple[tuple[str, ...], ...]
    played: dict[str, int]


def draw(
    climbers: Sequence[Climber],
    met: Callable[[str], Mapping[str, int]],
    made: int,
    count: int,
    seats: int = 2,
    partnership: bool = False,
) -> Drawn:
    """The next `count` matches; none while there are fewer bots than seats.

    `met` tells a bot's opponents so far, each with the number of the last match against it; `made`
    is how many matches there have been. The same arguments have the same answer.
    """
    if len(climbers) < seats:
        return Drawn((), {})
    top = max(bot.played for bot in climbers)
    standing = {bot.name: bot._replace(played=max(bot.played, top - CATCH_UP)) for bot in climbers}
    meetings: dict[str, dict[str, int]] = {}
    matches: list[tuple[str, ...]] = []
    for number in range(made + 1, made + count + 1):
        far = number % FAR == 0
        seeker = _seeker(list(standing.values()), number, far)
        own = meetings.setdefault(seeker.name, dict(met(seeker.name)))
        rest = [bot for bot in standing.values() if bot.name != seeker.name]
        match = [seeker.name]
        while len(match) < seats:
            found = _opponent(seeker, rest, own, far)
            match.append(found.name)
            rest.remove(found)
        for name in match:
            standing[name] = standing[name]._replace(played=standing[name].played + 1)
            known = meetings.setdefault(name, dict(met(name)))
            known.update((other, number) for other in match if other != name)
        matches.append(_seated(match, number, partnership))
    touched = {name for match in matches for name in match}
    return Drawn(tuple(matches), {name: standing[name].played for name in sorted(touched)})


def _seeker(bots: Sequence[Climber], number: int, far: bool) -> Climber:
    """Who asks. Among equals it is as by chance, or some would always ask and others be asked."""

    def turn(bot: Climber) -> bytes:
        return sha256(f"{number} {bot.name}".encode()).digest()

    if far:
        return min(_not_ahead(bots, bots), key=turn)
    least = min(bot.played for bot in bots)
    return min((bot for bot in bots if bot.played == least), key=turn)


def _opponent(
    seeker: Climber, rest: Sequence[Climber], own: Mapping[str, int], far: bool
) -> Climber:
    asked = _not_ahead(rest, [seeker, *rest])
    if far:
        return min(asked, key=lambda b: (own.get(b.name, 0), _apart(seeker, b), b.name))
    just_now = sorted(set(own.values()))[-JUST_MET:]
    others = [bot for bot in asked if own.get(bot.name, 0) not in just_now]
    return min(others or asked, key=lambda b: (_apart(seeker, b), own.get(b.name, 0), b.name))


def _not_ahead(some: Sequence[Climber], bots: Sequence[Climber]) -> list[Climber]:
    """Those of `some` that are not too far above the mean of all, or the least of them."""
    mean = sum(bot.played for bot in bots) // len(bots)
    limit = max(mean, min(bot.played for bot in some)) + AHEAD
    return [bot for bot in some if bot.played <= limit]


def _apart(one: Climber, other: Climber) -> int:
    return abs(one.elo - other.elo)


def _seated(match: Sequence[str], number: int, partnership: bool) -> tuple[str, ...]:
    """Partners change: the one that asks has each of the others for partner in turn."""
    if not partnership:
        return tuple(match)
    order = pairing.PARTNERS[number % len(pairing.PARTNERS)]
    return tuple(match[place] for place in order)
