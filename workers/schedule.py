"""What a tournament plays next: its matches by number, and how many of them are in the queue."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from referee import deck
from workers import ladder, pairing
from workers.names import split_match_id
from workers.store import NotFound, Store
from workers.store.tournaments import Entrant, Tournament


class Fixture(NamedTuple):
    """One match of a tournament: who plays, and the names of those who dial in."""

    match_id: str
    number: int
    tournament: Tournament
    bots: tuple[Entrant, ...]
    dial_in: tuple[str, ...] = ()

    def secret(self, attempt: int) -> bytes:
        """What the decks of an attempt, from 1, come from; 32 bytes. All have the same, but for
        bots that dial in: they may remember."""
        of_tournament = self.tournament.plan.secret
        if self.dial_in:
            return deck.attempt_secret(of_tournament, self.match_id, attempt)
        return deck.match_secret(of_tournament, self.match_id)

    def commitments(self, attempt: int) -> tuple[bytes, ...]:
        """Those of all attempts up to this one, where each has a secret of its own; else none."""
        if not self.dial_in:
            return ()
        return deck.attempt_commitments(self.tournament.plan.secret, self.match_id, attempt)


def fixture(store: Store, match_id: str) -> Fixture:
    """The match that an id stands for. Raises NotFound."""
    parts = split_match_id(match_id)
    if parts is None:
        raise NotFound("match", str(match_id))
    tournament = store.tournaments.get(parts[0])
    if parts[1] > tournament.plan.total:
        raise NotFound("match", match_id)
    if tournament.plan.ladder:
        bots = tuple(Entrant(*bot) for bot in store.matches.bots(match_id))
    else:
        bots = _bots(tournament, parts[1])
    known = store.dial.known(bot.version for bot in bots)
    return Fixture(
        match_id=match_id,
        number=parts[1],
        tournament=tournament,
        bots=bots,
        dial_in=tuple(dict.fromkeys(bot.name for bot in bots if bot.version in known)),
    )


def _bots(tournament: Tournament, number: int) -> tuple[Entrant, ...]:
    """Who plays match `number`, from 1, of a tournament whose matches follow from its bots."""
    entrants, rules = tournament.plan.entrants, tournament.plan.rules
    bots = pairing.match(number, len(entrants), rules["players"], rules["partnership"])
    return tuple(entrants[bot] for bot in bots)


def longest_s(clock: Mapping[str, Any], units: int, seats: int) -> float:
    """Most seconds that a match may take: each leg's start, and twice each seat's bank."""
    if clock.get("untimed"):
        return math.inf
    bank = clock["bank_per_game_ms"] / 1000 * units
    return seats * (30 + seats * 2 * bank) + 60


def top_up(store: Store, tournament_id: str, window: int, send: Callable[[str], None]) -> int:
    """Keep `window` matches of a tournament on their way; how many were sent.

    Short, and harmless to repeat. What is never sent after all, the reconciler finds.
    """
    if name := store.tournaments.ladder_of(tournament_id):
        store.tournaments.seen_to(tournament_id)
        fresh = ladder.fill(store, name, window)
    else:
        fresh = store.tournaments.fill(tournament_id, window)
    for match_id in fresh:
        send(match_id)
    return len(fresh)
