"""`knockbox bot logs`: what a bot printed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from cyclopts import Parameter

from arena.cli import output
from arena.cli.errors import CommandError, usage
from arena.cli.options import Data, Json, number

if TYPE_CHECKING:
    from arena.settings import Settings


class Printed(NamedTuple):
    """What a bot printed in one leg; nothing in `lines` acts on a terminal."""

    match_id: str
    attempt: int
    leg: int
    lines: list[str]


def logs(
    name: str,
    /,
    *,
    match: Annotated[str, Parameter(help="Of this match; else of the newest with a log.")] = "",
    leg: Annotated[int | None, number("Of this leg, from 0; else of all.")] = None,
    tail: Annotated[
        int | None, number("The last so many lines of each leg; else all that was kept.")
    ] = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """What a bot printed in a match, leg by leg.

    The first and the last 256 kB are kept. Nothing that it printed can act on the terminal. A match
    is shown when it has ended. Where no arena runs the data folder is read.

    Example: knockbox bot logs greedy --match t1.6 --tail 20
    """
    if leg is not None and not 0 <= leg < 1 << 31:
        raise usage(f"--leg is {leg}: 0 or more")
    if tail is not None and not 1 <= tail < 1 << 31:
        raise usage(f"--tail is {tail}: 1 or more")
    found = printed(name, match, leg, tail or 0, data)
    if not found:
        legs = f"leg {leg} of " if leg is not None else ""
        where = f"match {match}" if match else "any match"
        why = f"it printed nothing there{', or did not play in it' if match else ''}"
        raise CommandError(
            f"no log of {name} in {legs}{where}: {why}; `knockbox replay list` says who played"
        )
    if json:
        output.as_json([one._asdict() for one in found])
        return
    for one in found:
        attempt = f", attempt {one.attempt}" if one.attempt > 1 else ""
        output.note(f"{one.match_id} leg {one.leg}{attempt}:")
        for line in one.lines:
            output.data(line)
    output.next_step(f"knockbox bot show {name}", "how it has done")


def printed(
    name: str, match: str, leg: int | None, tail: int, data: "Path | None"
) -> list[Printed]:
    """What a bot printed, as the arena tells it, or the data folder where none runs.

    `tail` 0 is all of it. Raises CommandError.
    """
    from arena.cli import options
    from arena.cli.client import arena
    from arena.local import state
    from knockbox.v1 import arena_pb2 as pb

    settings = options.settings(data)
    if options.remote() is None and state.read(settings.data) is None:
        return _in_folder(settings, name, match, leg, tail)
    request = pb.GetBotLogsRequest(name=name, match_id=match, leg=leg, tail=tail)
    with arena(data) as stub:
        found = stub.GetBotLogs(request).logs
    return [
        Printed(one.match_id, one.attempt, one.leg, one.text.split("\n") if one.text else [])
        for one in found
    ]


def _in_folder(
    settings: "Settings", name: str, match: str, leg: int | None, tail: int
) -> list[Printed]:
    from workers import botlogs
    from workers.folders import Folders

    try:
        found = botlogs.find(Folders(settings.data), name, match, leg)
        return [Printed(one.match_id, one.attempt, one.leg, one.lines(tail)) for one in found]
    except ValueError as error:
        raise usage(str(error)) from None
