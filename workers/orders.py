"""What is to be played in one attempt, out of a match of a tournament and its claim."""

from knockbox.v1 import play_pb2
from referee.rules.ruleset import resolve
from workers.attempt import BotSpec, MatchOrder
from workers.folders import Folders
from workers.schedule import Fixture
from workers.store import Store
from workers.store.matches import Claim


def order_of(
    store: Store, folders: Folders, planned: Fixture, claim: Claim, longest_s: float
) -> MatchOrder:
    """The order of an attempt that may take `longest_s` seconds."""
    plan = planned.tournament.plan
    return MatchOrder(
        match_id=claim.match_id,
        fence=claim.fence,
        tournament_id=planned.tournament.id,
        rules=resolve(plan.rules),
        units=plan.units,
        boards=plan.boards,
        bots=tuple(
            BotSpec(
                bot.name,
                bot.version,
                folders.snapshot(bot.version),
                store.images.of(bot.version) if plan.sandboxed else "",
                bot.name in planned.dial_in,
            )
            for bot in planned.bots
        ),
        secret=planned.secret(claim.fence),
        # Nonces come back with the same decks, and with no others.
        nonces=() if plan.seed is not None or planned.dial_in else claim.nonces,
        seeded=plan.seed is not None,
        clock=play_pb2.ClockSettings(**plan.clock),
        longest_s=longest_s,
        commitments=planned.commitments(claim.fence),
    )
