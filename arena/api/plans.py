"""From a request to what a tournament plays: rules, units, clock, secret. Pure but for the secret.

Every field is judged here, and a refusal names it.
"""

from collections.abc import Sequence

from arena.api.refusals import invalid
from arena.telling import some
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import rules_pb2
from referee import deck
from referee.bounds import UNITS_MOST
from referee.rules.ruleset import Ruleset, RulesetError, to_json
from referee.wire import rules as wire
from workers import attempt, pairing
from workers.names import SEED_MOST, line_complaint
from workers.schedule import longest_s
from workers.store.tournaments import Entrant, Plan

UNITS = {2: 64, 3: 24, 4: 16}
"""Units of a match by seats, where nobody says how many."""
BOARDS = 64
BOTS_MOST = 1000
MATCHES_MOST = 500_000

CLOCK = {
    field.name: getattr(attempt.CLOCK, field.name) for field in attempt.CLOCK.DESCRIPTOR.fields
}
LONGEST_S = 3600
"""A match that could take longer is refused: a worker's death would cost too much of it."""


def make(
    request: pb.CreateTournamentRequest, entrants: tuple[Entrant, ...], away: Sequence[str] = ()
) -> Plan:
    """The plan of a round robin; bots that are `away` were left out. Raises RefusalError."""
    if request.format not in (
        pb.TOURNAMENT_FORMAT_UNSPECIFIED,
        pb.TOURNAMENT_FORMAT_ROUND_ROBIN,
    ):
        raise invalid("format", f"{request.format} is unknown; a round robin is what there is")
    if not request.HasField("rules"):
        raise invalid("rules", "are missing; `danish` is a good beginning")
    ruleset = rules(request.rules)
    total = _matches(len(entrants), ruleset, away)
    asked = request.units or UNITS[ruleset.players]
    seed = _seed(request)
    secret = deck.fresh_secret() if seed is None else deck.seed_secret(seed)
    return Plan(
        rules={"preset": ruleset.preset, **to_json(ruleset)},
        units=units(asked, ruleset),
        boards=BOARDS,
        clock=CLOCK,
        entrants=entrants,
        total=total,
        secret=secret,
        commitment=deck.commitment(secret),
        seed=seed,
        rate_same_owner=request.rate_same_owner or not request.HasField("rate_same_owner"),
    )


def _matches(bots: int, rules: Ruleset, away: Sequence[str]) -> int:
    if bots < rules.players:
        few = f"a tournament of these rules needs {rules.players} bots or more, here are {bots}"
        if away:
            few += f"; {some(away)}: away now, to be named if they are to play all the same"
        raise invalid("bots", few)
    if bots > BOTS_MOST:
        raise invalid("bots", f"{bots} are too many, {BOTS_MOST} at most")
    total = pairing.total(bots, rules.players, rules.partnership)
    if total > MATCHES_MOST:
        raise invalid("bots", f"{bots} make {total:,} matches, {MATCHES_MOST:,} at most")
    return total


def rules(message: rules_pb2.Ruleset) -> Ruleset:
    """The rules that a request asks for. Raises RefusalError that names the field."""
    try:
        return wire.from_proto(message)
    except RulesetError as error:
        raise invalid(f"rules.{error.field}", error.message) from None


def units(asked: int, rules: Ruleset) -> int:
    """So many units a match, if one of them does not take too long. Raises RefusalError."""
    most = units_most(rules.players)
    if asked > most:
        raise invalid(
            "units",
            f"{asked:,} are too many, {most:,} at most with {rules.players} seats: "
            f"a match may take {LONGEST_S // 60} minutes of thinking",
        )
    return asked


def units_most(seats: int) -> int:
    """Units that a match may have at most, its clock being what it is."""
    return max(n for n in range(1, UNITS_MOST + 1) if longest_s(CLOCK, n, seats) <= LONGEST_S)


def _seed(request: pb.CreateTournamentRequest) -> str | None:
    if not request.HasField("seed"):
        return None
    if wrong := line_complaint(request.seed, SEED_MOST):
        raise invalid("seed", wrong)
    return request.seed
