"""`knockbox dial`: a bot of this machine plays at another's arena, over connections outwards."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from arena.cli import options, output
from arena.cli.errors import CommandError, at_fault, usage
from arena.cli.options import number

if TYPE_CHECKING:
    from arena.agent.agent import Patience
    from arena.agent.program import Program
    from arena.settings import Remote

SLOTS_MOST = 64
SIZES = [("grpc.max_receive_message_length", 1 << 20)]


def dial(
    bot: Annotated[
        str, Parameter(help="The bot's folder; or its name, and behind it -- and a command.")
    ],
    /,
    *command: Annotated[str, Parameter(help="What starts the bot, in this folder.")],
    slots: Annotated[int, number("Matches that it can play at once.")] = 1,
    register: Annotated[
        bool, options.flag("First register it as a bot that dials in, as yours.")
    ] = False,
    revision: Annotated[
        str, Parameter(help="With --register: which version this is; each has its own rating.")
    ] = "",
) -> None:
    """Keep a bot online that plays from this machine, behind whatever router.

    It stays here: each leg starts the bot anew, and what it prints comes out here. A lost network
    is waited for. Ctrl-C ends it; what is played then is lost by time.

    The arena and your token are named as for other commands (KNOCKBOX_ARENA, KNOCKBOX_TOKEN).

    Example: knockbox dial ./mybot --register
    """
    import asyncio

    from arena.local import leftovers
    from arena.local.places import PlaceError

    if not 1 <= slots <= SLOTS_MOST:
        raise usage(f"--slots is {slots}: 1 to {SLOTS_MOST}")
    if revision and not register:
        raise usage("--revision goes with --register")
    patience = _patience()
    remote = options.remote()
    if remote is None:
        raise usage("name the arena: --arena HOST:PORT, or KNOCKBOX_ARENA")
    try:
        with leftovers.room(options.settings(None).runtime_base) as (sockets, work):
            program = _program(bot, command, work)
            if register:
                add(program.name, revision)
            asyncio.run(_stay(remote, program, slots, sockets, patience))
    except PlaceError as error:
        raise CommandError(str(error)) from None


def add(name: str, revision: str = "") -> bool:
    """Register a bot that dials in; False where it was. Raises CommandError."""
    from arena.cli.client import channel_to
    from knockbox.v1 import dial_pb2 as pb
    from knockbox.v1.dial_pb2_grpc import DialServiceStub

    with channel_to(None) as channel:
        request = pb.AddDialBotRequest(name=name, revision=revision)
        return DialServiceStub(channel).AddDialBot(request).added


def _patience() -> "Patience":
    from arena.agent.agent import patience_of

    try:
        return patience_of(os.environ)
    except ValueError as error:
        raise usage(str(error)) from None


def _program(bot: str, command: tuple[str, ...], work: Path) -> "Program":
    """What is started for each leg, with `work` for what it needs beside it."""
    from arena.agent.program import of_command, of_folder
    from workers.names import complaint
    from workers.sandbox.declaration import BotError

    if command:
        if wrong := complaint(bot):
            raise usage(f"{bot[:40]!r} is no bot's name: {wrong}")
        return of_command(bot, command)
    if not Path(bot).is_dir():
        raise usage(f"{bot} is no folder; for a command: knockbox dial NAME -- COMMAND")
    try:
        return of_folder(Path(bot), work / "bot")
    except BotError as error:
        raise at_fault(f"{bot}: {error}") from None


async def _stay(
    remote: "Remote", program: "Program", slots: int, sockets: Path, patience: "Patience"
) -> None:
    import asyncio
    import signal

    from grpc import aio

    from arena.agent.agent import Agent, AgentError, NotRegisteredError
    from arena.cli.remote import way

    credentials, named = await asyncio.to_thread(way, remote)
    host = remote.address.rpartition(":")[0].strip("[]")

    def told(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    channel_options = [*SIZES, *named]
    async with aio.secure_channel(remote.address, credentials, options=channel_options) as channel:
        agent = Agent(channel, host, program, slots, sockets, told, patience)
        staying = asyncio.ensure_future(agent.run())
        loop = asyncio.get_running_loop()
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signal_number, staying.cancel)
        try:
            await staying
        except NotRegisteredError as error:
            how = f"--register, or `knockbox submit {program.name} --dial-in`, registers it"
            raise CommandError(f"{error}; {how}") from None
        except AgentError as error:
            raise CommandError(str(error)) from None
        except asyncio.CancelledError:
            output.note("offline")
