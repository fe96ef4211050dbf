"""`knockbox tournament resume`: plays again what was given up."""

from arena.cli import output
from arena.cli.options import Data, Json


def resume(tournament_id: str, /, *, data: Data = None, json: Json = False) -> None:
    """Queue the matches again that were given up, as after a failure of the machine is mended.

    Example: knockbox tournament resume t1
    """
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        request = pb.ResumeTournamentRequest(tournament_id=tournament_id)
        resumed = list(stub.ResumeTournament(request).match_ids)
    if json:
        output.as_json({"tournament_id": tournament_id, "resumed": resumed})
    for match_id in [] if json else resumed:
        output.data(match_id)
    output.note(f"{len(resumed)} matches are queued again" if resumed else "no match is given up")
    if resumed:
        output.next_step(f"knockbox tournament watch {tournament_id}", "shows it live")
