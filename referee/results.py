"""What a match came to: games, units and bots, derived from the records of its replay.

Pure sums over records that are taken to be right; whether they are is `referee.verify`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from knockbox.v1 import play_pb2, replay_pb2
from referee.frames import game_name
from referee.replay import Replay, ReplayError
from referee.rules.ruleset import Ruleset, RulesetError
from referee.wire.replay import FORFEITS
from referee.wire.rules import from_proto

_MILLION = 1_000_000


class GameFact(NamedTuple):
    """One game. Lists are by side, seats are of the leg; `deals` ended, void ones included."""

    unit: int
    leg: int
    winner: int | None  # side; None: a draw, or it does not count
    counts: bool
    reason: play_pb2.Reason.ValueType
    faulty: tuple[int, ...]  # seats
    places: tuple[int, ...]  # from 1, equal ones shared; () where it does not count
    points: tuple[int, ...]  # over all scored deals, before bonuses
    deals: int


class UnitFact(NamedTuple):
    """One unit. It is rated where every leg's game is there and counts."""

    unit: int
    rated: bool
    forfeited: bool  # some game of it was lost by a fault
    halves: tuple[int, ...]  # by bot, over its legs: 2 for each other side behind it, 1 for each
    # that shares its place; so 2 a game won against one other side. () if not rated
    places: tuple[tuple[int, ...], ...]  # by leg, then by bot; () if not rated


class BotScore(NamedTuple):
    """One bot's part in a match.

    `score` is the mean over the rated units of the mean over their legs; a game scores the share of
    the other sides that were left behind, equal places half (1 won, 1/2 drawn, 0 lost); `points`
    the mean a deal of its side's points less the mean of the other sides', over the deals,
    void ones included, of the `points_units`, rated ones without forfeits. Both are 0 where there
    is none.
    `points_half` is half of the 95 % interval of `points`, a ratio of sums over units (linearised;
    Cochran, Sampling Techniques, 6.4); infinite for fewer than two units, or where all are alike.
    """

    name: str
    version: str
    units: int  # rated
    score: float
    score_millionths: int  # the same, rounded
    points_units: int
    points: float
    points_half: float
    won: int
    lost: int
    drawn: int
    not_counted: int
    forfeits: int  # games lost by this bot's own fault


def seat_of(bot: int, leg: int, players: int) -> int:
    """Where a bot sits in a leg."""
    return (bot + leg) % players


def game_fact(game: replay_pb2.GameRecord) -> GameFact:
    """The facts of one record."""
    result = game.result
    return GameFact(
        unit=game.unit,
        leg=game.leg,
        winner=result.winner if result.HasField("winner") else None,
        counts=result.counts,
        reason=result.reason,
        faulty=tuple(result.faulty_seats),
        places=tuple(result.places),
        points=tuple(result.points),
        deals=sum(deal.HasField("result") for deal in game.deals),
    )


def rules_of(header: replay_pb2.ReplayHeader) -> Ruleset:
    """The rules of a match. ReplayError where they, or the number of bots, make no sense."""
    try:
        rules = from_proto(header.rules)
    except RulesetError as error:
        raise ReplayError("the header", f"rules.{error}") from None
    if len(header.bots) != rules.players:
        message = f"bots: {len(header.bots)} of them for {rules.players} seats"
        raise ReplayError("the header", message)
    return rules


def results(replay: Replay) -> list[GameFact]:
    """Every game of a replay, by leg and unit. ReplayError where a result cannot be counted."""
    sides = len(rules_of(replay.header).sides)
    facts: list[GameFact] = []
    for unit, leg in replay.games:
        fact = game_fact(replay.game(unit, leg))
        if len(fact.points) != sides or (fact.counts and len(fact.places) != sides):
            raise ReplayError(game_name(leg, unit), f"result: is not one of {sides} sides")
        facts.append(fact)
    return facts


def unit_facts(facts: Iterable[GameFact], rules: Ruleset) -> list[UnitFact]:
    """The units in order. A unit of which a leg is missing or does not count is not rated."""
    players = rules.players
    by_unit: dict[int, list[GameFact]] = {}
    for fact in facts:
        by_unit.setdefault(fact.unit, []).append(fact)
    found: list[UnitFact] = []
    for unit, games in sorted(by_unit.items()):
        games.sort(key=lambda game: game.leg)
        forfeited = any(game.reason in FORFEITS for game in games)
        if [game.leg for game in games if game.counts] != list(range(players)):
            found.append(UnitFact(unit, False, forfeited, (), ()))
            continue
        sides = [[_side(rules, bot, game) for bot in range(players)] for game in games]
        rows = list(zip(games, sides, strict=True))
        totals = [
            sum(halves(game.places, row[bot]) for game, row in rows) for bot in range(players)
        ]
        places = tuple(tuple(game.places[side] for side in row) for game, row in rows)
        found.append(UnitFact(unit, True, forfeited, tuple(totals), places))
    return found


def bot_scores(replay: Replay) -> list[BotScore]:
    """Every bot of a replay, in the order of their numbers."""
    return scores(results(replay), rules_of(replay.header), replay.header.bots)


def scores(
    facts: list[GameFact], rules: Ruleset, bots: Iterable[replay_pb2.BotIdentity]
) -> list[BotScore]:
    """`bot_scores` for games that were read before."""
    units = unit_facts(facts, rules)
    rated = [unit for unit in units if unit.rated]
    clean = {unit.unit for unit in rated if not unit.forfeited}
    played = [fact for fact in facts if fact.unit in clean]
    found: list[BotScore] = []
    for bot, identity in enumerate(bots):
        ends = Counter(
            outcome(fact.places, _side(rules, bot, fact)) for fact in facts if fact.counts
        )
        whole = 2 * (len(rules.sides) - 1) * rules.players * len(rated) or 1
        total = sum(unit.halves[bot] for unit in rated)
        points, points_half = _mean_margin(played, [_side(rules, bot, fact) for fact in played])
        found.append(
            BotScore(
                name=identity.name,
                version=identity.version,
                units=len(rated),
                score=total / whole,
                score_millionths=round(Fraction(total * _MILLION, whole)),
                points_units=len(clean),
                points=points,
                points_half=points_half,
                won=ends["won"],
                lost=ends["lost"],
                drawn=ends["drawn"],
                not_counted=len(facts) - ends.total(),
                forfeits=sum(_at_fault(rules, bot, fact) for fact in facts),
            )
        )
    return found


def _side(rules: Ruleset, bot: int, fact: GameFact) -> int:
    return rules.side_of[seat_of(bot, fact.leg, rules.players)]


def halves(places: Sequence[int], side: int) -> int:
    """A side's result of a game: 2 for each side behind it, 1 for each that shares its place."""
    own = places[side]
    others = (*places[:side], *places[side + 1 :])
    return sum(2 if own < place else own == place for place in others)


def outcome(places: Sequence[int], side: int) -> str:
    """ "won": the first place, shared or not; "drawn": all share it; else "lost"."""
    if max(places) == 1:
        return "drawn"
    return "won" if places[side] == 1 else "lost"


def _at_fault(rules: Ruleset, bot: int, fact: GameFact) -> bool:
    return fact.reason in FORFEITS and seat_of(bot, fact.leg, rules.players) in fact.faulty


def _mean_margin(facts: list[GameFact], sides: list[int]) -> tuple[float, float]:
    """The margin a deal, and half of its 95 % interval."""
    units: dict[int, tuple[int, int]] = {}
    others = 1
    for fact, side in zip(facts, sides, strict=True):
        own, others = fact.points[side], len(fact.points) - 1
        margin, deals = units.get(fact.unit, (0, 0))
        margin += others * own - (sum(fact.points) - own)
        units[fact.unit] = margin, deals + fact.deals
    whole, n = sum(deals for _, deals in units.values()), len(units)
    if not whole:
        return 0.0, math.inf
    total = sum(margin for margin, _ in units.values())
    mean = total / (others * whole)
    # Whole numbers, so that units that are all alike are known for such.
    off = sum((margin * whole - total * deals) ** 2 for margin, deals in units.values())
    if n < 2 or not off:
        return mean, math.inf
    return mean, 1.96 * math.sqrt(off * n / (n - 1)) / (others * whole**2)
