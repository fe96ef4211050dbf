"""The agent of `knockbox dial` on its author's machine: what it outlives, and what it refuses."""

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import grpc.aio
import pytest

from arena.agent.agent import Agent, AgentError, patience_of
from arena.agent.program import of_command
from arena.agent.seat import Patience
from knockbox.v1 import dial_pb2 as pb
from knockbox.v1.dial_pb2_grpc import DialServiceServicer, add_DialServiceServicer_to_server

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]
AFAR = {"KNOCKBOX_ARENA": "127.0.0.1:1", "KNOCKBOX_TOKEN": "kb1.ada.x"}
"""An arena where nobody answers."""


class Absent(DialServiceServicer):
    """An arena that is not there for so many tries, and then has forgotten the bot."""

    def __init__(self, tries: int) -> None:
        self.left = tries

    async def Offers(  # noqa: N802 - the protocol's name
        self,
        _: pb.OffersRequest,
        context: "grpc.aio.ServicerContext[pb.OffersRequest, pb.OffersResponse]",
    ) -> AsyncIterator[pb.OffersResponse]:
        """No offer."""
        self.left -= 1
        if self.left >= 0:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "not yet")
        await context.abort(grpc.StatusCode.NOT_FOUND, "no such bot")
        yield pb.OffersResponse()


@pytest.mark.anyio
async def test_an_arena_that_is_away_for_long() -> None:
    """However often the agent has tried, it tries again, until trying cannot help."""
    server, arena = grpc.aio.server(), Absent(1_100)
    add_DialServiceServicer_to_server(arena, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    said: list[str] = []
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            patience = Patience(wait_s=1e-9, longest_s=1e-6)
            bot = of_command("afar", ["true"])
            agent = Agent(channel, "127.0.0.1", bot, 1, said.append, patience)
            with pytest.raises(AgentError, match="no such bot"):
                await agent.run()
    finally:
        await server.stop(0)
    assert said == ["offline: not yet"] * 1_100


def without(_: Path) -> None:
    """No manifest."""


def named_badly(place: Path) -> None:
    """A name that no bot can have."""
    place.write_text('[bot]\nname = "Up"\ncommand = ["true"]\n')


def long(place: Path) -> None:
    """More than is read."""
    place.write_text("#" * (64 * 1024 + 1))


def a_pipe(place: Path) -> None:
    """A pipe that nobody writes to."""
    os.mkfifo(place)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (without, "knockbox.toml: is missing. A whole one is"),
        (named_badly, "knockbox.toml bot.name: 'Up' is no bot's name"),
        (long, "knockbox.toml: has 65,537 bytes; at most 65,536 are read"),
        (a_pipe, "knockbox.toml: is no plain file"),
    ],
)
def test_a_folder_that_is_no_bot(
    knockbox: Knockbox, tmp_path: Path, made: Callable[[Path], None], words: str
) -> None:
    """A folder's fault is told in the words of `knockbox check`, with its exit code."""
    folder = tmp_path / "bot"
    folder.mkdir()
    made(folder / "knockbox.toml")
    said = knockbox("dial", "bot", **AFAR)
    assert (said.returncode, said.stdout) == (3, "")
    assert said.stderr.startswith(f"error: bot: {words}")
    checked = knockbox("check", "bot")
    assert checked.returncode == 3
    assert words in " ".join(checked.stdout.split())


@pytest.mark.parametrize("text", ["abc", "nan", "0", "-1", "inf", "1e300"])
def test_a_patience_that_is_none(knockbox: Knockbox, text: str) -> None:
    """A variable that is no duration is named, with what it is and what would be right."""
    said = knockbox("dial", "bot", "--", "true", **AFAR, KNOCKBOX_DIAL_LINK_S=text)
    right = "a number of seconds above 0, 86,400 at most"
    assert said.stderr == f"error: KNOCKBOX_DIAL_LINK_S is {text!r}: {right}\n"
    assert said.returncode == 2


def test_the_patience_that_is_set() -> None:
    """What is set counts, and what is not, or empty, is as usual."""
    environ = {"KNOCKBOX_DIAL_LINK_S": "2.5", "KNOCKBOX_DIAL_END_S": ""}
    assert patience_of(environ) == Patience(link_s=2.5)
