"""`knockbox replay`: list recorded matches, and read one as a person would write it down."""

import shlex
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from cyclopts import App, Parameter

from arena.cli import output, reach
from arena.cli.errors import CommandError, Exit, usage
from arena.cli.notation import export, import_
from arena.cli.options import Data, Json, flag, number
from arena.cli.words import fit, room

if TYPE_CHECKING:
    from knockbox.v1 import arena_pb2 as pb
    from referee.replay import Replay

app = App(name="replay")
app.command(export)
app.command(import_, name="import")


@app.command(name="list")
def list_(
    *,
    tournament: Annotated[str, Parameter(help="Only matches of this tournament.")] = "",
    limit: Annotated[int, number("At most so many.")] = 100,
    data: Data = None,
    json: Json = False,
) -> None:
    """Recorded matches, newest first.

    Example: knockbox replay list --tournament t1 --limit 20
    """
    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    if not 1 <= limit <= 10_000:
        raise usage(f"--limit is {limit}: 1 to 10,000")
    with arena(data) as stub:
        request = pb.ListReplaysRequest(tournament_id=tournament, limit=limit)
        found = stub.ListReplays(request).replays
    if json:
        output.as_json([shapes.replay(one) for one in found])
        return
    if not found:
        output.note("nothing is recorded yet")
        reach.organisers_step("knockbox tournament create --watch", "plays all bots")
        return
    headers = ("match", "bots", "recorded", "score %", "kB")
    rows = [
        (
            one.match_id,
            " - ".join(bot.name for bot in one.bots),
            time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.recorded_ms / 1000)),
            _scores(one),
            f"{one.size / 1000:.0f}",
        )
        for one in found
    ]
    spare = ("kB", "recorded")
    output.table(*fit(headers, rows, spare, room(), left=3))
    for one in found:
        if one.void:
            output.note(_void(one.match_id, one.void))
    output.next_step(f"knockbox replay show {found[0].match_id}", "reads the newest")


def _scores(one: "pb.ReplayEntry") -> str:
    if one.void:
        return "void"
    return " : ".join(f"{score / 10_000:.1f}" for score in one.score_millionths)


def _void(match_id: str, why: str) -> str:
    return f"{match_id} is void: {output.printable(why)}"


@app.command
def show(
    *replays: Annotated[
        str,
        Parameter(
            help="A replay file, or the id of a recorded match; else the newest in ./replays."
        ),
    ],
    leg: Annotated[int, number("Which leg, from 0.")] = 0,
    unit: Annotated[int, number("Which set of decks, from 0.")] = 0,
    deal: Annotated[int, number("Which deal of the game, from 1.")] = 1,
    games: Annotated[bool, flag("All games with their results, and no cards.")] = False,
    data: Data = None,
    json: Json = False,
) -> None:
    """One deal of a replay, written down; or all games in short.

    Example: knockbox replay show t1.6 --leg 1 --unit 3 --deal 2
    """
    from referee.replay import Replay, ReplayError

    replay = _the_one(replays)
    with file_of(replay, data) as file:
        try:
            found = Replay.open(file.path)
            if json:
                _show_json(found, leg, unit, deal, games=games)
            else:
                _show_text(found, leg, unit, deal, games=games)
        except ReplayError as error:
            raise CommandError(f"{replay}: {error}") from None
    if json:
        return
    replay = shlex.quote(replay)
    if games:
        output.next_step(f"knockbox replay show {replay} --leg 0 --unit 0", "a game's first deal")
    else:
        output.next_step(f"knockbox replay show {replay} --games", "all its games")
    output.next_step(f"knockbox verify {replay}", "proves all of it")


def _show_text(found: "Replay", leg: int, unit: int, deal: int, *, games: bool) -> None:
    from referee import transcript

    if not games and deal == 1 and not found.game(unit, leg).deals:
        output.data(f"no card was dealt: {_why_none(found, leg, unit)}")
        return
    text = transcript.match_text(found) if games else transcript.deal_text(found, leg, unit, deal)
    output.data(text.rstrip("\n"))


def _why_none(found: "Replay", leg: int, unit: int) -> str:
    """Why a game ended before its first deal."""
    from referee.results import seat_of
    from referee.wire.replay import reason_word

    result = found.game(unit, leg).result
    bots = [bot.name for bot in found.header.bots]
    faulty = [
        output.printable(name)
        for bot, name in enumerate(bots)
        if seat_of(bot, leg, len(bots)) in result.faulty_seats
    ]
    try:
        word = reason_word(result.reason)
    except ValueError:
        word = "an unknown reason"
    by = f" of {' and '.join(faulty)}" if faulty else ""
    return f"leg {leg} unit {unit} ended by {word}{by}"


def _the_one(replays: tuple[str, ...]) -> str:
    """The replay that is meant. Raises CommandError for several, or none to be found."""
    if len(replays) > 1:
        raise usage(f"one replay at a time, here are {len(replays)}; without one, the newest")
    if replays:
        return replays[0]
    here = [path for path in Path("replays").glob("*.kbr") if path.is_file()]
    if not here:
        raise usage("name a replay file or the id of a recorded match: ./replays has none")
    newest = max(here, key=lambda path: path.stat().st_mtime_ns)
    output.note(f"the newest: {newest}")
    return str(newest)


def _show_json(found: "Replay", leg: int, unit: int, deal: int, *, games: bool) -> None:
    from referee import replay_json

    view = replay_json.match_json(found) if games else replay_json.deal_json(found, leg, unit, deal)
    output.as_json(view)


class Found(NamedTuple):
    """A replay as a file of this machine; with its tournament's secret, once that is known."""

    path: Path
    tournament_secret: bytes | None = None


@contextmanager
def file_of(replay: str, data: Path | None) -> Iterator[Found]:
    """The replay file that is named, or a recorded match's, fetched; says where that is void."""
    path = Path(replay)
    try:
        there = path.is_file()
    except OSError as error:
        raise usage(f"{replay[:80]}: {error.strerror}") from None
    if there:
        yield Found(path)
        return
    if "/" in replay or replay.endswith(".kbr"):
        raise CommandError(f"there is no file {replay}")
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    void = ""
    with tempfile.NamedTemporaryFile(suffix=".kbr") as file:
        try:
            with arena(data) as stub:
                for part in stub.GetReplay(pb.GetReplayRequest(match_id=replay)):
                    file.write(part.data)
                    void = part.void
                named = pb.GetTournamentRequest(tournament_id=replay.rpartition(".")[0])
                tournament = stub.GetTournament(named).tournament
        except CommandError as error:
            if error.code is Exit.USAGE:
                raise
            raise CommandError(f"there is no file {replay} here; {error}", error.code) from None
        secret = _checked(tournament)
        file.flush()
        if void:
            output.note(_void(replay, void))
        yield Found(Path(file.name), secret)


def _checked(tournament: "pb.Tournament") -> bytes | None:
    """A tournament's secret once it is opened. Raises CommandError for one it did not commit to."""
    from referee.deck import commitment

    if not tournament.secret:
        return None
    if commitment(tournament.secret) != tournament.commitment:
        raise CommandError(
            f"tournament {tournament.tournament_id} opened another secret than it committed to"
        )
    return tournament.secret
