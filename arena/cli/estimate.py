"""What `knockbox tournament create --dry-run` says: what a tournament would take."""

from collections.abc import Sequence
from typing import Any

from arena.cli import output, progress
from arena.cli.rulesets import named_message
from arena.cli.words import many
from arena.telling import some
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub


def dry_run(stub: ArenaServiceStub, request: pb.CreateTournamentRequest, *, json: bool) -> None:
    """Ask what it would take, and say it; nothing is created."""
    answer = stub.EstimateTournament(pb.EstimateTournamentRequest(tournament=request))
    if json:
        output.as_json(shape(answer))
        return
    output.data(
        f"{many(answer.matches, 'match')} of {many(answer.units, 'unit')}: "
        f"{many(answer.games, 'game')} between {many(len(answer.bots), 'bot')}, "
        f"rules: {named_message(request.rules)}"
    )
    at_once = f"{many(answer.slots, 'match')} at a time"
    output.data(f"time: {progress.spans(answer.low_ms, answer.high_ms)}, {at_once}")
    if answer.match_most_ms:
        output.data(f"one match: {progress.span(answer.match_most_ms)} at most, by its clocks")
    output.data(f"disk: about {progress.size(answer.bytes)} of replays")
    output.note(
        f"measured on {many(answer.measured, 'recorded match')} of the same rules"
        if answer.measured
        else "no match of these rules is recorded yet: this is what the sample bots take"
    )
    tell_left_out(answer.left_out)
    output.note("nothing was created; without --dry-run it is played")


def tell_left_out(bots: Sequence[str]) -> None:
    """Say whom a tournament of all bots leaves out, and how they are taken in."""
    if bots:
        output.note(f"left out, for they dial in and are away now: {some(bots)}; --bots takes them")


def shape(answer: pb.EstimateTournamentResponse) -> dict[str, Any]:
    """The same for programs."""
    return {
        "matches": answer.matches,
        "units": answer.units,
        "games": answer.games,
        "slots": answer.slots,
        "low_ms": answer.low_ms,
        "high_ms": answer.high_ms,
        "match_most_ms": answer.match_most_ms or None,
        "bytes": answer.bytes,
        "measured": answer.measured,
        "bots": list(answer.bots),
        "left_out": list(answer.left_out),
    }
