"""`knockbox bot`: list, retire, restore; add, show and logs have modules of their own."""

from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import App

from arena.cli import output, reach
from arena.cli.botadd import add
from arena.cli.botlogs import logs
from arena.cli.botshow import show
from arena.cli.options import Data, Json
from arena.cli.words import fit, room, short

if TYPE_CHECKING:
    from knockbox.v1 import arena_pb2 as pb

app = App(name="bot")
app.command(add)
app.command(show)
app.command(logs)

HEADERS = ("bot", "version", "state", "Elo", "units", "won", "lost", "drawn", "forfeits")


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
                "retired" if bot.retired_ms else _state(bot),
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
        reach.organisers_step("knockbox tournament create --watch", "plays them against each other")
    else:
        output.note("no bots yet")
        output.next_step("knockbox bot add FOLDER", "registers one")


def _state(bot: "pb.Bot") -> str:
    if not bot.HasField("dial_in"):
        return "playing"
    if not bot.dial_in.online:
        return "offline"
    return "quiet" if bot.dial_in.quiet_until_ms else "online"


@app.command
def retire(name: str, /, *, data: Data = None, json: Json = False) -> None:
    """Give a bot no new matches; it stays in all tables.

    No tournament takes it in, and no ladder.

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
