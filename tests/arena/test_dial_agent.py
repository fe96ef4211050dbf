"""The agent of `knockbox dial` on its author's machine: what it outlives, and what it refuses."""

import asyncio
import os
import signal
import socket
import ssl
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import grpc.aio
import pytest

from arena.agent import program
from arena.agent.agent import Agent, AgentError, patience_of
from arena.agent.program import of_command
from arena.agent.seat import Patience
from arena.agent.way import Place, Way
from arena.local import tls
from arena.settings import load
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
async def test_an_arena_that_is_away_for_long(tmp_path: Path) -> None:
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
            agent = Agent(channel, "127.0.0.1", bot, 1, tmp_path, said.append, patience)
            with pytest.raises(AgentError, match="no such bot"):
                await agent.run()
    finally:
        await server.stop(0)
    assert said == ["offline: not yet"] * 1_100


Context = grpc.aio.ServicerContext
SEAT = pb.Offer(offer_id="t1.1/1/0/0", match_id="t1.1", ticket="x", port=1)


class Deaf(DialServiceServicer):
    """An arena that offers one seat, and does not hear the first `unheard` answers. When it has
    been answered it goes on as `then` says; answered again, it forgets the bot."""

    def __init__(self, then: str, unheard: int) -> None:
        self.then = then
        self.unheard = unheard
        self.heard: list[str] = []
        self.calls = 0
        self.answered = asyncio.Event()

    async def Offers(  # noqa: N802 - the protocol's name
        self, _: pb.OffersRequest, context: "Context[pb.OffersRequest, pb.OffersResponse]"
    ) -> AsyncIterator[pb.OffersResponse]:
        """The seat, whether it is taken or not."""
        self.calls += 1
        opened = [SEAT.offer_id] if self.calls > 1 else []
        online = pb.Online(session=str(self.calls), beat_ms=60_000, lease_ms=60_000, open=opened)
        yield pb.OffersResponse(online=online)
        yield pb.OffersResponse(offer=SEAT)
        await self.answered.wait()
        self.answered.clear()
        if self.then == "still":
            yield pb.OffersResponse(still=pb.Still())
            await self.answered.wait()
        elif self.calls == 1:
            return
        await context.abort(grpc.StatusCode.NOT_FOUND, "no such bot")

    async def AnswerOffer(  # noqa: N802 - the protocol's name
        self,
        request: pb.AnswerOfferRequest,
        context: "Context[pb.AnswerOfferRequest, pb.AnswerOfferResponse]",
    ) -> pb.AnswerOfferResponse:
        """Heard or not."""
        self.answered.set()
        self.unheard -= 1
        if self.unheard >= 0:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the store does not answer")
        self.heard.append(f"{request.WhichOneof('answer')} {request.session}")
        return pb.AnswerOfferResponse()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("then", "unheard", "heard"),
    [
        ("still", 1, ["taken 1"]),
        ("ends", 1, ["taken 2"]),
        ("ends", 0, ["taken 1", "taken 2"]),
    ],
)
async def test_a_seat_that_is_taken_is_said_until_it_is_heard(
    tmp_path: Path, then: str, unheard: int, heard: list[str]
) -> None:
    """Whether the answer is lost or forgotten, and whether the arena stays or comes back: it hears
    that the seat is taken, and the program is started once."""
    server, arena = grpc.aio.server(), Deaf(then, unheard)
    add_DialServiceServicer_to_server(arena, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    said: list[str] = []
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            patience = Patience(wait_s=1e-3, longest_s=1e-3)
            bot = of_command("afar", ["sleep", "600"])
            agent = Agent(channel, "127.0.0.1", bot, 1, tmp_path, said.append, patience)
            with pytest.raises(AgentError, match="no such bot"):
                await agent.run()
    finally:
        await server.stop(0)
    assert list(dict.fromkeys(arena.heard)) == heard
    assert said.count("t1.1 leg 0: begins") == 1
    assert said.count("offline: the arena has ended the call") == (then == "ends")


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


STRAY = """
import os, sys, time
hear, say = os.pipe()
os.set_inheritable(say, True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        code = f"import os, time; os.write({say}, b'x'); time.sleep(600)"
        os.execve(sys.executable, ["python3", "-c", code, MARK], {})
    os._exit(0)
os.wait()
os.read(hear, 1)
print("in", os.getcwd(), os.environ.get("AUTHORS"), sorted(os.environ).count("KNOCKBOX_TOKEN"))
print("ready", flush=True)
open("ready", "w").close()
os.kill(os.getpid(), END) if END else time.sleep(600)
"""
"""Leaves behind a process that has left its session, its folder and its environment."""


def strays(folder: Path, end: int = 0) -> program.Program:
    """A bot that does so, and then ends by this signal, or waits. The folder's path is the mark."""
    source = STRAY.replace("MARK", repr(str(folder))).replace("END", str(end))
    (folder / "bot.py").write_text(source)
    return program.Program("strays", ("python3", "bot.py"), folder)


@pytest.mark.anyio
@pytest.mark.parametrize("end", [0, signal.SIGABRT])
async def test_a_leg_leaves_no_process(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    left_over: Callable[[Path], list[int]],
    end: int,
) -> None:
    """With a program goes all that it has started, whether it is ended or ends by itself; it ran
    in its folder, with its author's environment, and is told of as it has ended."""
    environ = {**os.environ, "AUTHORS": "own", "KNOCKBOX_TOKEN": "secret"}
    process = await program.start(strays(tmp_path, end), environ, {}, 30.0)
    if not end:
        while not (tmp_path / "ready").exists():
            assert process.returncode is None
            await asyncio.sleep(0.01)
        await program.end(process, 30.0)
    assert await process.wait() == -(end or signal.SIGTERM)
    assert left_over(tmp_path) == []
    said = capfd.readouterr().err
    assert said == f"in {tmp_path} own 0\nready\n"


AGENT = """
import asyncio, os, sys
from pathlib import Path
from arena.agent import program

async def run():
    bot = program.Program("strays", ("python3", "bot.py"), Path(sys.argv[1]))
    await program.start(bot, os.environ, {}, 0.0)
    await asyncio.sleep(600)

asyncio.run(run())
"""


def test_an_agent_that_is_killed_leaves_no_process(
    tmp_path: Path, left_over: Callable[[Path], list[int]]
) -> None:
    """At the sudden end of an agent goes all that its bot has started."""
    strays(tmp_path)
    command = [sys.executable, "-c", AGENT, str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as agent:
        assert agent.stderr is not None
        assert "in" in agent.stderr.readline()
        assert agent.stderr.readline() == "ready\n"
        agent.kill()
    assert left_over(tmp_path) == []


def test_what_a_killed_agent_has_left_is_cleared_away(
    knockbox: Knockbox, environment: dict[str, str], tmp_path: Path
) -> None:
    """A later agent deletes the folders of agents that are gone, and leaves none of its own."""
    runtime = Path(environment["XDG_RUNTIME_DIR"], "knockbox")
    with subprocess.Popen(["true"]) as gone:
        pass
    (runtime / f"m-{gone.pid}-1-left").mkdir(parents=True)
    said = knockbox("dial", "bot", "--", "true", **AFAR, TMPDIR=str(tmp_path))
    assert said.returncode == 4
    assert list(runtime.iterdir()) == []
    assert [list(one.iterdir()) for one in tmp_path.glob("knockbox-match-*")] == [[]]


@pytest.mark.anyio
async def test_a_way_that_ends_with_its_leg_is_not_lost(short_folder: Path) -> None:
    """How the seat's side ends a connection is told when the bot comes again, which it does where
    the leg is not over; the end of a leg is no loss."""
    found = tls.ready(load({"HOME": "/h", "KNOCKBOX_LISTEN": "127.0.0.1:1"}, 0, 1, short_folder))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(found.certificate, found.key)

    async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()

    said: list[str] = []
    seat = await asyncio.start_server(reset, "127.0.0.1", 0, ssl=context)
    port = seat.sockets[0].getsockname()[1]
    place = Place("127.0.0.1", port, bytes.fromhex(found.fingerprint))
    way = Way(short_folder / "w.sock", place, 5.0, 5.0, said.append)
    await way.open()
    for _ in range(2):
        before = list(said)
        reader, writer = await asyncio.open_unix_connection(short_folder / "w.sock")
        writer.write(b"x")
        assert await reader.read() == b""
        writer.close()
    await way.close()
    seat.close()
    assert before == []
    assert said[0].startswith("the way to the seat is lost: ")
    assert said[1:] == ["the way to the seat is there again"]
