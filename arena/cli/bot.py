"""`knockbox bot`: add, list, retire, restore; show and logs have modules of their own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from arena.cli import output
from arena.cli.botlogs import logs
from arena.cli.botshow import show
from arena.cli.options import Data, Json
from arena.cli.words import fit, room, short

if TYPE_CHECKING:
    from knockbox.v1 import arena_pb2 as pb
    from workers.sandbox.manifest import BotFolder

app = App(name="bot")
app.command(show)
app.command(logs)

HEADERS = ("bot", "version", "state", "Elo", "units", "won", "lost", "drawn", "forfeits")


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
                "retired" if bot.retired_ms else "playing",
                f"{bot.milli_elo / 1000:.0f}",
                str(bot.units),
                str(bot.won),
                str(bot.lost),
                str(bot.drawn),
                str(sum(fault.games for fault in bot.faults)),
            )
            for bot in bots
        ]
        spare = ("version", "drawn", "lost", "won", "units", "state")
        output.table(*fit(HEADERS, rows, spare, room(), left=3))
        output.next_step("knockbox tournament create --watch", "plays them against each other")
    else:
        output.note("no bots yet")
        output.next_step("knockbox bot add FOLDER", "registers one")


@app.command
def retire(name: str, /, *, data: Data = None, json: Json = False) -> None:
    """Give a bot no new matches: no tournament takes it in. It stays in all tables.

    Matches that are planned already are played: `tournament withdraw` takes it out of them.

    Example: knockbox bot retire greedy
    """
    _retire(name, data, restore=False, json=json)


@app.command
def restore(name: str, /, *, data: Data = None, json: Json = False) -> None:
    """Let a retired bot have matches again.

    Example: knockbox bot restore greedy
    """
    _retire(name, data, restore=True, json=json)


def _retire(name: str, data: Path | None, *, restore: bool, json: bool) -> None:
    from arena.cli import shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        bot = stub.RetireBot(pb.RetireBotRequest(name=name, restore=restore)).bot
    if json:
        output.as_json(shapes.bot(bot))
        return
    output.data(f"{bot.name} {'retired' if bot.retired_ms else 'playing'}")
    back, why = ("retire", "takes it out") if restore else ("restore", "lets it play again")
    output.next_step(f"knockbox bot {back} {bot.name}", why)


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
