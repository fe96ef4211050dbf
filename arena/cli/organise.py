"""`knockbox tournament pause`, `resume`, `withdraw`, `close`, `void`: what an organiser does."""

from typing import Annotated

from cyclopts import Parameter

from arena.cli import output
from arena.cli.options import Data, Json
from arena.cli.words import many


def pause(tournament_id: str, /, *, data: Data = None, json: Json = False) -> None:
    """Begin no more matches of a tournament, until it is resumed.

    What is in play is finished and counts; nothing is lost.

    Example: knockbox tournament pause t1
    """
    from arena.cli import progress, shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        request = pb.PauseTournamentRequest(tournament_id=tournament_id)
        found = stub.PauseTournament(request).tournament
    if json:
        output.as_json(shapes.tournament(found))
        return
    output.note(f"{tournament_id}: {progress.line(found)}")
    output.next_step(f"knockbox tournament resume {tournament_id}", "lets it go on")


def resume(tournament_id: str, /, *, data: Data = None, json: Json = False) -> None:
    """Let a paused tournament go on; retry what was given up.

    Example: knockbox tournament resume t1
    """
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        request = pb.ResumeTournamentRequest(tournament_id=tournament_id)
        answer = stub.ResumeTournament(request)
    resumed = list(answer.match_ids)
    if json:
        told = {"resumed": resumed, "unpaused": answer.unpaused}
        output.as_json({"tournament_id": tournament_id, **told})
        return
    for match_id in resumed:
        output.data(match_id)
    if answer.unpaused:
        output.note("it goes on")
    if resumed or not answer.unpaused:
        verb = "is" if len(resumed) == 1 else "are"
        given_up = "no match is given up"
        output.note(f"{many(len(resumed), 'match')} {verb} queued again" if resumed else given_up)
    if resumed or answer.unpaused:
        output.next_step(f"knockbox tournament watch {tournament_id}", "shows it live")


def withdraw(tournament_id: str, bot: str, /, *, data: Data = None, json: Json = False) -> None:
    """Take a bot out of a tournament.

    What it has played, or is playing, counts; the rest is void.

    Example: knockbox tournament withdraw t1 mybot
    """
    from arena.cli import progress, shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        request = pb.WithdrawBotRequest(tournament_id=tournament_id, bot=bot)
        found = stub.WithdrawBot(request).tournament
    if json:
        output.as_json(shapes.tournament(found))
        return
    output.note(f"{bot} is withdrawn; {tournament_id}: {progress.line(found)}")
    output.next_step(f"knockbox tournament show {tournament_id}", "the table as it is now")


def close(tournament_id: str, /, *, data: Data = None, json: Json = False) -> None:
    """End a tournament for good.

    What is not played is void, what is in play too. Its secret is told, so that nothing of it can
    be played any more.

    Example: knockbox tournament close t1
    """
    from arena.cli import progress, shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        request = pb.CloseTournamentRequest(tournament_id=tournament_id)
        found = stub.CloseTournament(request).tournament
    if json:
        output.as_json(shapes.tournament(found))
        return
    output.note(f"{tournament_id} is closed: {progress.line(found)}")
    if found.secret:
        output.note(f"its secret: {found.secret.hex()}")
    output.next_step(f"knockbox tournament show {tournament_id}", "its table")


def void(
    match_id: str,
    /,
    *,
    why: Annotated[str, Parameter(help="Why, for everybody to read: one line.")],
    data: Data = None,
    json: Json = False,
) -> None:
    """Make a recorded match count for nothing.

    Tables and counts are as if it had not been played, and what it has moved in ratings is taken
    off. Its replay stays. The log keeps both, and why; there is no way back.

    Example: knockbox tournament void t1.6 --why "an old build of greedy played"
    """
    from arena.cli import progress, shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        found = stub.VoidMatch(pb.VoidMatchRequest(match_id=match_id, why=why)).tournament
    if json:
        output.as_json(shapes.tournament(found))
        return
    output.note(f"{match_id} is void; {found.tournament_id}: {progress.line(found)}")
    output.next_step(f"knockbox tournament show {found.tournament_id}", "the table as it is now")
