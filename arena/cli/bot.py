"""`knockbox bot`: add, list, show, logs."""

import re
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from arena.cli import output
from arena.cli.errors import CommandError, usage
from arena.cli.options import Data, Json
from arena.cli.words import fit, many, room

if TYPE_CHECKING:
    from collections.abc import Iterable

    from knockbox.v1 import arena_pb2 as pb
    from workers.sandbox.manifest import BotFolder

app = App(name="bot")

HEADERS = ("bot", "version", "Elo", "units", "won", "lost", "drawn", "forfeits")

LAST_LINES = 20
LOG_NAME = re.compile(r"[0-9]+-leg[0-9]+")
"""What stands before the bot's name in the name of a log: attempt and leg."""


@app.command
def add(
    folder: Annotated[Path, Parameter(help="The folder that holds knockbox.toml.")],
    /,
    *,
    data: Data = None,
    json: Json = False,
) -> None:
    """Register the bot in FOLDER, or a new version of it.

    A snapshot of the folder is kept: what was added is what plays, whatever becomes of the folder.

    Example: knockbox bot add ./my-bot
    """
    from arena.cli import shapes
    from arena.cli.client import arena
    from arena.cli.folders import read

    request = request_of(read(folder))
    with arena(data) as stub:
        answer = stub.AddBot(request)
    if json:
        output.as_json({**shapes.bot(answer.bot), "added": answer.added})
        return
    output.data(f"{answer.bot.name} {answer.bot.version}")
    if not answer.added:
        output.note("this very version was there before; nothing has changed")
    elif answer.bot.versions > 1:
        output.note(f"version {answer.bot.versions}; running matches end on the old one")
    output.next_step("knockbox tournament create --watch", "plays all bots against each other")


@app.command(name="list")
def list_(*, data: Data = None, json: Json = False) -> None:
    """All bots, by name.

    Example: knockbox bot list
    """
    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        bots = stub.ListBots(pb.ListBotsRequest()).bots
    if json:
        output.as_json([shapes.bot(bot) for bot in bots])
        return
    if bots:
        rows = [
            (
                bot.name,
                short(bot.version),
                f"{bot.milli_elo / 1000:.0f}",
                str(bot.units),
                str(bot.won),
                str(bot.lost),
                str(bot.drawn),
                str(sum(fault.games for fault in bot.faults)),
            )
            for bot in bots
        ]
        spare = ("version", "drawn", "lost", "won", "units")
        output.table(*fit(HEADERS, rows, spare, room(), left=2))
        output.next_step("knockbox tournament create --watch", "plays them against each other")
    else:
        output.note("no bots yet")
        output.next_step("knockbox bot add FOLDER", "registers one")


@app.command
def show(name: str, /, *, data: Data = None, json: Json = False) -> None:
    """One bot: its record over all versions, each version, and its last fault.

    Example: knockbox bot show greedy
    """
    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        bot = stub.GetBot(pb.GetBotRequest(name=name)).bot
    if json:
        output.as_json(shapes.whole_bot(bot))
        return
    versions = bot.all_versions
    won, lost, drawn = (
        sum(getattr(v, word) for v in versions) for word in ("won", "lost", "drawn")
    )
    for key, value in (
        ("bot", bot.name),
        ("owner", bot.owner),
        ("Elo", f"{bot.milli_elo / 1000:.1f}"),
        ("record", f"{won} won, {lost} lost, {drawn} drawn in {_units(versions)}"),
        ("forfeits", _faults(versions) or "none"),
    ):
        output.data(f"{key:9} {output.printable(value)}")
    output.data()
    output.table(
        ("version", "added", "Elo", "units", "won", "lost", "drawn", "forfeits"),
        [
            (
                short(one.version) + (" *" if one.version == bot.version else ""),
                _when(one.added_ms) if one.added_ms else "-",
                f"{one.milli_elo / 1000:.0f}",
                str(one.units),
                str(one.won),
                str(one.lost),
                str(one.drawn),
                _faults([one]) or "0",
            )
            for one in versions
        ],
        left=2,
    )
    if bot.HasField("last_fault"):
        _show_fault(bot.last_fault)
        output.next_step(f"knockbox bot logs {bot.name}", "all that it printed there")
    output.next_step("knockbox replay list", "its matches, among all")


def _show_fault(fault: "pb.BotFault") -> None:
    output.data()
    output.data(
        f"last fault: {output.printable(fault.reason)} in leg {fault.leg} of match "
        f"{fault.match_id}, {_when(fault.recorded_ms)}"
    )
    if not fault.log:
        output.data("it printed nothing there")
        return
    output.data(f"log: {fault.log}")
    for line in _kept(Path(fault.log))[-LAST_LINES:]:
        output.data(f"  | {line}")


@app.command
def logs(
    name: str,
    /,
    *,
    match: Annotated[str, Parameter(help="Of this match; else of the newest with a log.")] = "",
    data: Data = None,
) -> None:
    """What a bot printed in a match, leg by leg: the first and the last 256 kB are kept.

    Nothing that it printed can act on the terminal. Reads the data folder; needs no service.

    Example: knockbox bot logs greedy --match t1.6
    """
    from arena.cli import options
    from workers.names import complaint, split_match_id

    folder = options.settings(data).logs
    if wrong := complaint(name):
        raise usage(f"{output.printable(name)[:40]!r} is no bot's name: {wrong}")
    if match and split_match_id(match) is None:
        raise usage(f"--match {output.printable(match)[:40]!r} is no match: like t1.6")
    found = list(folder.glob(f"{match or '*'}/*-leg*-{name}.log"))
    found = [path for path in found if LOG_NAME.fullmatch(path.name.removesuffix(f"-{name}.log"))]
    if not found:
        where = f"in match {match}" if match else f"in any match of {folder.parent}"
        raise CommandError(f"no log of {name} {where}: nothing was printed there")
    newest = max(found, key=lambda path: path.stat().st_mtime_ns)
    shown = sorted(path for path in found if path.parent == newest.parent)
    for path in shown:
        output.note(f"{path}:")
        for line in _kept(path):
            output.data(line)


def _kept(path: Path) -> list[str]:
    """The lines of a log, made harmless once more: the file may be anybody's."""
    from workers.sandbox.capture import printable

    try:
        return printable(path.read_bytes()).expandtabs().splitlines()
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None


def _units(versions: "Iterable[pb.BotVersion]") -> str:
    return many(sum(one.units for one in versions), "unit")


def _faults(versions: "Iterable[pb.BotVersion]") -> str:
    """Games forfeited by reason: "12 (crash 4, time 8)"; "" where there are none."""
    games: Counter[str] = Counter()
    for version in versions:
        for fault in version.faults:
            games[fault.reason] += fault.games
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(games.items()))
    return f"{games.total()} ({reasons})" if games else ""


def _when(ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ms / 1000))


def request_of(found: "BotFolder") -> "pb.AddBotRequest":
    """What registers a bot."""
    from knockbox.v1 import arena_pb2 as pb

    return pb.AddBotRequest(
        name=found.name,
        files=[
            pb.BotFile(path=path, content=content, executable=executable)
            for path, content, executable in found.files
        ],
    )


def short(version: str) -> str:
    """A digest as people can compare it."""
    digest = version.partition(":")[2]
    if not digest:
        raise CommandError(f"{version!r} is no version")
    return digest[:12]
