"""A sealed replay as the recorder believes it: opened, verified, counted. Nothing is written here.

Seats and sides of the referee's records become bots here, and nowhere else in this package.
"""

from pathlib import Path
from typing import NamedTuple

from referee.replay import Replay, ReplayError
from referee.results import GameFact, halves, seat_of
from referee.rules.ruleset import Ruleset
from referee.verify import check
from referee.wire import rules as wire_rules
from referee.wire.replay import reason_word
from workers.score import Game

FORFEIT_MARGIN = 100
"""Points that a forfeited game is lost by where a game is one deal, and so has no target."""


class Sealed(NamedTuple):
    """What a sealed replay says: who played what, and each game's result.

    `digest` is that of the sealed part, hexadecimal; `commitment` that of the match's secret;
    `bots` are (name, version), `dial_in` the names of those that dial in; `commitments` as in the
    header.
    """

    digest: str
    match_id: str
    tournament_id: str
    rules: Ruleset
    units: int
    bots: tuple[tuple[str, str], ...]
    commitment: bytes
    seeded: bool
    games: tuple[Game, ...]
    dial_in: tuple[str, ...] = ()
    commitments: tuple[bytes, ...] = ()


class SealedError(Exception):
    """A replay that cannot be believed; the message says why."""


def read(path: Path) -> Sealed:
    """Open a replay and check all of it: every event goes through the rules, every deck is dealt
    again. Raises SealedError."""
    try:
        replay = Replay.open(path)
        facts = check(replay)
        header = replay.header
        rules = wire_rules.from_proto(header.rules)
        return Sealed(
            digest=replay.digest.hex(),
            match_id=header.match_id,
            tournament_id=header.tournament_id,
            rules=rules,
            units=header.plan.units,
            bots=tuple((bot.name, bot.version) for bot in header.bots),
            commitment=header.commitment,
            seeded=header.seeded,
            games=tuple(game_of(fact, rules) for fact in facts),
            dial_in=tuple(dict.fromkeys(bot.name for bot in header.bots if bot.dial_in)),
            commitments=tuple(header.commitments),
        )
    except ReplayError as error:
        raise SealedError(str(error)) from error


def game_of(fact: GameFact, rules: Ruleset) -> Game:
    """One game by bot instead of by seat and side."""
    players = rules.players
    seats = [seat_of(bot, fact.leg, players) for bot in range(players)]
    sides = [rules.side_of[seat] for seat in seats]
    faulty = tuple(bot for bot, seat in enumerate(seats) if fact.counts and seat in fact.faulty)
    margins = [_margin(fact.points, side) for side in sides]
    if faulty and rules.target is None:
        lost = {sides[bot] for bot in faulty}
        others = len(rules.sides) - 1
        margins = [-FORFEIT_MARGIN * others if side in lost else FORFEIT_MARGIN for side in sides]
    return Game(
        unit=fact.unit,
        leg=fact.leg,
        counts=fact.counts,
        reason=reason_word(fact.reason),
        results=tuple(halves(fact.places, side) if fact.counts else 0 for side in sides),
        faulty=faulty,
        margins=tuple(margins),
        deals=fact.deals,
    )


def _margin(points: tuple[int, ...], own: int) -> int:
    if not points:
        return 0
    return points[own] * (len(points) - 1) - (sum(points) - points[own])
