"""`knockbox bot`: add, list, show."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from arena.cli import output
from arena.cli.errors import CommandError
from arena.cli.options import Data, Json

if TYPE_CHECKING:
    from knockbox.v1 import arena_pb2 as pb
    from workers.sandbox.manifest import BotFolder

app = App(name="bot")


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
    """
    from arena.cli import shapes
    from arena.cli.client import arena
    from arena.cli.folders import read

    request = request_of(read(folder))
    with arena(data) as stub:
        answer = stub.AddBot(request)
    if json:
        output.as_json({**shapes.bot(answer.bot), "added": answer.added})
    else:
        version = answer.bot.version
        output.data(f"{answer.bot.name} {version}")
        if not answer.added:
            output.note("this very version was there before; nothing has changed")
        elif answer.bot.versions > 1:
            output.note(f"version {answer.bot.versions}; running matches end on the old one")
    output.next_step("knockbox tournament create --watch", "plays all bots against each other")


@app.command(name="list")
def list_(*, data: Data = None, json: Json = False) -> None:
    """All bots, by name."""
    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        bots = stub.ListBots(pb.ListBotsRequest()).bots
    if json:
        output.as_json([shapes.bot(bot) for bot in bots])
        return
    if bots:
        output.table(
            ("bot", "version", "Elo", "units", "won", "lost", "drawn", "faults"),
            [
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
            ],
            left=2,
        )
        output.next_step("knockbox tournament create --watch", "plays them against each other")
    else:
        output.note("no bots yet")
        output.next_step("knockbox bot add FOLDER", "registers one")


@app.command
def show(name: str, /, *, data: Data = None, json: Json = False) -> None:
    """One bot: versions, rating, games, faults."""
    import time

    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        bot = stub.GetBot(pb.GetBotRequest(name=name)).bot
    if json:
        output.as_json(shapes.bot(bot))
        return
    faults = ", ".join(f"{fault.reason} {fault.games}" for fault in bot.faults) or "none"
    added = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(bot.added_ms / 1000))
    for key, value in (
        ("bot", bot.name),
        ("owner", bot.owner),
        ("version", f"{bot.version} ({bot.versions} so far)"),
        ("added", added),
        ("Elo", f"{bot.milli_elo / 1000:.1f} after {bot.units} units"),
        ("games", f"{bot.won} won, {bot.lost} lost, {bot.drawn} drawn"),
        ("forfeits", faults),
    ):
        output.data(f"{key:9} {output.printable(value)}")
    output.next_step("knockbox replay list", "its matches, among all")


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
