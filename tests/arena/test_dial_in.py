"""Bots that dial in: an arena on a network address, and agents that reach it from outside."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import grpc.aio
import pytest

from arena.agent.way import Place, Way
from arena.local.tls import NAME
from knockbox.v1 import dial_pb2 as dial
from knockbox.v1 import play_pb2
from knockbox.v1.dial_pb2_grpc import DialServiceStub
from knockbox.v1.play_pb2_grpc import PlayServiceStub
from referee.replay import Replay
from tests.arena.network_kit import free_port

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
PLAYED = play_pb2.REASON_PLAYED

STOPS = """\
import os, pathlib, sys, time
import knockbox_sdk

GO_ON = pathlib.Path(os.environ["GO_ON"])
asked = 0


def bot(state):
    global asked
    asked += 1
    if asked == 20 and not GO_ON.exists():
        print("stopped", file=sys.stderr, flush=True)
        while not GO_ON.exists():
            time.sleep(0.01)
    if state.knocks:
        return state.knock(state.best_knock)
    return state.discard(state.best_discard) if state.discards else state.otherwise()


knockbox_sdk.run(bot)
"""
"""A bot that says so at its twentieth decision, and waits there until a file exists."""


class Arena:
    """A whole arena that listens on a port of every address of this machine."""

    def __init__(self, folder: Path, short: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.environment = {
            "PATH": os.environ["PATH"],
            "KNOCKBOX_SANDBOX": "process",
            "HOME": "",
            "XDG_RUNTIME_DIR": short,
            "KNOCKBOX_DATA": str(folder / "data"),
            "KNOCKBOX_SLOTS": "2",
            "KNOCKBOX_SWEEP_S": "0.5",
            "KNOCKBOX_DIAL_BEAT_S": "1",
        }
        self.fingerprint = ""

    def run(self, *words: str | Path, **variables: str) -> "subprocess.CompletedProcess[str]":
        """A command on the arena's machine."""
        return subprocess.run(
            [sys.executable, "-m", "arena.cli", *map(str, words)],
            capture_output=True,
            text=True,
            timeout=120,
            env={**self.environment, **variables},
            cwd=self.folder,
            check=False,
        )

    def data(self, *words: str | Path) -> Any:
        """What a command says to programs."""
        done = self.run(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def up(self) -> None:
        """Start it, as often as need be."""
        assert self.run("up", "--listen", f"0.0.0.0:{self.port}").returncode == 0
        self.fingerprint = self.data("status")["fingerprint"]

    def token(self, name: str) -> str:
        """A new author's token."""
        return self.run("token", "create", name).stdout.strip()

    def replay(self, match_id: str) -> Replay:
        """A recorded match, proven with its tournament's secret."""
        path = self.folder / "data" / "replays" / f"{match_id}.kbr"
        proof = self.run("verify", path)
        assert proof.returncode == 0, proof.stderr
        return Replay.open(path)

    @contextmanager
    def dialling(
        self, token: str, *words: str | Path, host: str = "127.0.0.1", **more: Any
    ) -> "Iterator[subprocess.Popen[str]]":
        """`knockbox dial` as it runs on an author's machine, with nothing of the arena's."""
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "KNOCKBOX_ARENA": f"{host}:{self.port}",
            "KNOCKBOX_TOKEN": token,
            "KNOCKBOX_TLS_FINGERPRINT": self.fingerprint,
            "KNOCKBOX_DIAL_LINK_S": "1",
            "KNOCKBOX_DIAL_LONGEST_S": "1",
            **more.pop("variables", {}),
        }
        before = more.pop("before", ())
        with subprocess.Popen(
            [*before, sys.executable, "-m", "arena.cli", "dial", *map(str, words)],
            stderr=subprocess.PIPE,
            text=True,
            env=variables,
            cwd=self.folder,
        ) as agent:
            try:
                yield agent
            finally:
                agent.send_signal(signal.SIGTERM)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """An arena with a bot of its own."""
    short = tempfile.mkdtemp(prefix="kbt", dir="/tmp")
    made = Arena(tmp_path_factory.mktemp("dial"), short)
    made.up()
    assert made.run("bot", "add", SAMPLES / "greedy").returncode == 0
    yield made
    made.run("down")
    shutil.rmtree(short, ignore_errors=True)


def bot_in(folder: Path, name: str, code: str = STOPS) -> Path:
    """A bot's folder with the SDK in it."""
    folder.mkdir()
    shutil.copytree(SAMPLES / "knockbox_sdk", folder / "knockbox_sdk")
    (folder / "bot.py").write_text(code)
    (folder / "knockbox.toml").write_text(
        f'[bot]\nname = "{name}"\ncommand = ["python3", "bot.py"]\n'
    )
    return folder


def until(screen: IO[str] | None, words: str) -> str:
    """Read what an agent says up to a line with these words; all of it."""
    assert screen is not None
    said = ""
    for line in screen:
        said += line
        if words in line:
            return said
    raise AssertionError(f"{words!r} was never said:\n{said}")


def space(pid: int) -> Path:
    """The network namespace of a process."""
    return Path(f"/proc/{pid}/ns/net").readlink()


@pytest.fixture
def network() -> Iterator[tuple[str, list[str], Callable[[str], None]]]:
    """A network namespace with one link to this machine: our address there, how a program is run
    in it, and what sets the link up or down."""
    if os.getuid() != 0:
        if os.environ.get("CI") == "true":
            pytest.fail("network namespaces need root, and CI has it")
        pytest.skip("network namespaces need root")
    holder = subprocess.Popen(["unshare", "--net", "sleep", "600"], start_new_session=True)
    inside = ["nsenter", "--target", str(holder.pid), "--net"]
    ours, theirs = f"kbh{holder.pid}", f"kbn{holder.pid}"
    net = f"10.{holder.pid % 200 + 20}.{holder.pid // 200 % 250}"

    def ip(*words: str, before: tuple[str, ...] = ()) -> None:
        done = subprocess.run([*before, "ip", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            if os.environ.get("CI") == "true":
                pytest.fail(f"no network namespace here: {done.stderr}")
            pytest.skip(f"no network namespace here: {done.stderr}")

    def link(state: str) -> None:
        ip("link", "set", ours, state)

    try:
        while space(holder.pid) == space(os.getpid()):
            assert holder.poll() is None, "unshare has failed"
        ip("link", "add", ours, "type", "veth", "peer", "name", theirs, "netns", str(holder.pid))
        ip("addr", "add", f"{net}.1/30", "dev", ours)
        link("up")
        ip("addr", "add", f"{net}.2/30", "dev", theirs, before=(*inside,))
        ip("link", "set", theirs, "up", before=(*inside,))
        yield f"{net}.1", inside, link
    finally:
        holder.kill()
        holder.wait()


def test_from_another_network_and_lost_once(
    arena: Arena, tmp_path: Path, network: tuple[str, list[str], Callable[[str], None]]
) -> None:
    """Behind a network of its own it plays a rated match over TLS, outward connections alone; the
    link is cut while it thinks, and it goes on with the same match."""
    host, inside, link = network
    folder, go_on = bot_in(tmp_path / "b", "faraway"), tmp_path / "go"
    words = (folder, "--register")
    more: Any = {"host": host, "before": inside, "variables": {"GO_ON": str(go_on)}}
    with arena.dialling(arena.token("ada"), *words, **more) as agent:
        until(agent.stderr, "online")
        made = arena.data("tournament", "create", "--bots", "faraway,greedy", "--units", "4")
        until(agent.stderr, "stopped")
        listening = Path(f"/proc/{inside[2]}/net/tcp").read_text().splitlines()[1:]
        assert [line for line in listening if line.split()[3] == "0A"] == []
        link("down")
        go_on.touch()
        until(agent.stderr, "the way to the seat is lost")
        link("up")
        until(agent.stderr, "there again")
        assert arena.run("tournament", "watch", made["tournament_id"]).returncode == 0
    replay = arena.replay(f"{made['tournament_id']}.1")
    header, side = replay.header, replay.side
    dialled = [bot.dial_in for bot in header.bots]
    assert sorted(dialled) == [False, True]
    lost = [clock.connections for clock in side.clocks if clock.leg == 0]
    assert lost[dialled.index(True)] == 2
    assert {reason for leg in replay.seal.legs for reason in leg.reasons} == {PLAYED}
    rated = {one["bot"]: one["units"] for one in arena.data("ratings")}
    assert rated["faraway"] == 4


def test_a_bot_that_is_not_registered(arena: Arena, tmp_path: Path) -> None:
    """It is told the two ways to register; with the first it is online."""
    token, folder = arena.token("newton"), bot_in(tmp_path / "n", "new-here")
    with arena.dialling(token, folder) as agent:
        assert agent.stderr is not None
        assert agent.stderr.read() == (
            "error: no bot 'new-here'; --register, or `knockbox submit new-here --dial-in`, "
            "registers it\n"
        )
        assert agent.wait() == 1
    with arena.dialling(token, folder, "--register") as agent:
        until(agent.stderr, "online")


def test_one_slot_and_three_matches(arena: Arena, tmp_path: Path) -> None:
    """A bot with one slot is given one match at a time; the others wait, and none is lost."""
    for number in range(2):
        folder = tmp_path / f"r{number}"
        shutil.copytree(SAMPLES / "greedy", folder)
        shutil.copytree(SAMPLES / "knockbox_sdk", folder / "knockbox_sdk")
        text = (folder / "knockbox.toml").read_text().replace('"greedy"', f'"local-{number}"')
        (folder / "knockbox.toml").write_text(text)
        assert arena.run("bot", "add", folder).returncode == 0
    token, bots = arena.token("bea"), "narrow,greedy,local-0,local-1"
    with arena.dialling(token, SAMPLES / "greedy", "--register") as agent:
        assert agent.wait() == 1  # the name of its manifest is not this author's
    folder = bot_in(tmp_path / "n", "narrow", STOPS)
    variables = {"GO_ON": str(tmp_path)}
    with arena.dialling(token, folder, "--register", variables=variables) as agent:
        until(agent.stderr, "online")
        made = arena.data("tournament", "create", "--bots", bots, "--units", "2")
        assert arena.run("tournament", "watch", made["tournament_id"]).returncode == 0
        agent.terminate()
        assert agent.stderr is not None
        begun = [line.split()[0] for line in agent.stderr if "begins" in line]
    assert begun == [match for match in dict.fromkeys(begun) for _ in range(2)]
    assert len(set(begun)) == 3
    table = {
        row["bot"]: row for row in arena.data("tournament", "show", made["tournament_id"])["table"]
    }
    assert (table["narrow"]["units"], table["narrow"]["forfeits"]) == (6, 0)


def test_an_agent_that_is_killed(arena: Arena, tmp_path: Path, short_folder: Path) -> None:
    """Its bot dies with it and nothing is left of its sockets; another agent of the bot goes on in
    the same leg, on the same clock."""
    folder, go_on = bot_in(tmp_path / "b", "mortal"), tmp_path / "go"
    token, variables = (
        arena.token("cleo"),
        {"GO_ON": str(go_on), "XDG_RUNTIME_DIR": str(short_folder)},
    )
    with arena.dialling(token, folder, "--register", variables=variables) as agent:
        until(agent.stderr, "online")
        made = arena.data("tournament", "create", "--bots", "mortal,greedy", "--units", "4")
        until(agent.stderr, "stopped")
        assert len(list(short_folder.glob("knockbox/m-*/*"))) == 1
        agent.kill()
    end = time.monotonic() + 20
    while list(short_folder.glob("knockbox/*")):
        assert time.monotonic() < end
    go_on.touch()
    with arena.dialling(token, folder, variables=variables) as agent:
        assert "goes on" in until(agent.stderr, "goes on")
        assert arena.run("tournament", "watch", made["tournament_id"]).returncode == 0
    replay = arena.replay(f"{made['tournament_id']}.1")
    assert {reason for leg in replay.seal.legs for reason in leg.reasons} == {PLAYED}
    assert len(replay.header.commitments) == 1


def test_an_arena_that_is_restarted(arena: Arena, tmp_path: Path) -> None:
    """The agent comes back by itself; the match is played anew, with cards it has not seen."""
    folder, go_on = bot_in(tmp_path / "b", "patient"), tmp_path / "go"
    variables = {"GO_ON": str(go_on)}
    with arena.dialling(arena.token("dora"), folder, "--register", variables=variables) as agent:
        until(agent.stderr, "online")
        made = arena.data("tournament", "create", "--bots", "patient,greedy", "--units", "4")
        until(agent.stderr, "stopped")
        assert arena.run("down").returncode == 0
        go_on.touch()
        until(agent.stderr, "offline")
        arena.up()
        until(agent.stderr, "online")
        assert arena.run("tournament", "watch", made["tournament_id"]).returncode == 0
    replay = arena.replay(f"{made['tournament_id']}.1")
    assert len(set(replay.header.commitments)) == replay.side.fence >= 2
    assert {reason for leg in replay.seal.legs for reason in leg.reasons} == {PLAYED}


@pytest.mark.anyio
@pytest.mark.parametrize("seed", ["", "known"])
async def test_no_card_before_the_seat_is_taken(arena: Arena, seed: str) -> None:
    """A bot that sits down without saying that it takes the seat is told of no deal, so nothing is
    to be gained by declining then; the match waits, and no attempt is counted."""
    name = f"peeks-{seed or 'not'}"
    token = arena.token(name)
    async with calls_of(arena, token) as desk, AsyncExitStack() as stack:
        await desk.AddDialBot(dial.AddDialBotRequest(name=name))
        heard = desk.Offers(dial.OffersRequest(bot=name, slots=1))
        session = (await heard.read()).online.session
        words = ["create", "--bots", f"{name},greedy", "--units", "2"]
        words += ["--seed", seed] if seed else []
        made = (await asyncio.to_thread(arena.data, "tournament", *words))["tournament_id"]
        while not (said := await heard.read()).HasField("offer"):
            pass
        offer = said.offer
        place = Place("127.0.0.1", offer.port, offer.certificate)
        way = Way(Path(f"/tmp/kbp-{offer.ticket[:8]}"), place, 2.0, 2.0, lambda _: None)
        await way.open()
        stack.push_async_callback(way.close)
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(way.address))
        seat = PlayServiceStub(channel).Play()
        join = play_pb2.Join(ticket=offer.ticket, protocol=1)
        await seat.write(play_pb2.PlayRequest(join=join))
        assert (await seat.read()).HasField("welcome")
        await seat.write(play_pb2.PlayRequest(ready=play_pb2.Ready(nonce=b"n" * 16)))
        reading = asyncio.ensure_future(seat.read())
        done, _ = await asyncio.wait([reading], timeout=2)
        assert not done
        why = dial.OfferRefused(why="the cards are bad")
        answer = dial.AnswerOfferRequest(
            bot=name, session=session, offer_id=offer.offer_id, refused=why
        )
        await desk.AnswerOffer(answer)
        with suppress(grpc.aio.AioRpcError):
            last = await reading
            assert last is grpc.aio.EOF or not last.HasField("turns")
        while (shown := await asyncio.to_thread(arena.data, "tournament", "show", made))[
            "waiting"
        ] != 1:
            assert (shown["recorded"], shown["dead"]) == (0, 0)
    assert arena.run("tournament", "close", made).returncode == 0


def test_who_never_comes_is_in_no_tournament_of_all(arena: Arena) -> None:
    """Where no bots are named, those that dial in and are offline are left out, which is said, to
    programs too; one that is named is taken."""
    token, names = arena.token("eve"), [f"never-{number}" for number in range(7)]
    for name in names:
        way = {"KNOCKBOX_ARENA": f"127.0.0.1:{arena.port}", "KNOCKBOX_TOKEN": token}
        way["KNOCKBOX_TLS_FINGERPRINT"] = arena.fingerprint
        assert arena.run("submit", name, "--dial-in", **way).returncode == 0
    few = arena.run("tournament", "create", "--dry-run", "--bots", "greedy")
    assert (few.returncode, "away" in few.stderr) == (2, False)
    assert arena.run("bot", "add", SAMPLES / "random").returncode == 0
    words = ("tournament", "create", "--units", "1")
    told = arena.data(*words, "--dry-run")
    assert {"greedy", "random"} <= {*told["bots"]}
    assert {*names} <= {*told["left_out"]} and not {*names} & {*told["bots"]}
    for more in (("--dry-run",), ("--watch",)):
        said = arena.run(*words, *more)
        assert said.returncode == 0, said.stderr
        assert "left out, for they dial in and are away now: " in said.stderr
        assert f"and {len(told['left_out']) - 5} more; --bots takes them" in said.stderr
    made = arena.data(*words)
    assert made["left_out"] == told["left_out"]
    assert {row["bot"] for row in made["table"]} == {*told["bots"]}
    named = arena.data(*words, "--bots", "greedy,never-3")
    assert {row["bot"] for row in named["table"]} == {"greedy", "never-3"}
    assert named["left_out"] == []
    assert arena.run("tournament", "close", named["tournament_id"]).returncode == 0
    assert "away now" not in arena.run(*words, "--bots", "greedy,random", "--dry-run").stderr


@asynccontextmanager
async def calls_of(arena: Arena, token: str) -> AsyncIterator[Any]:
    """The arena's DialService as a program speaks to it."""
    pem = (arena.folder / "data" / "tls" / "certificate.pem").read_bytes()
    both = grpc.composite_channel_credentials(
        grpc.ssl_channel_credentials(pem), grpc.access_token_call_credentials(token)
    )
    named = [("grpc.ssl_target_name_override", NAME)]
    address = f"127.0.0.1:{arena.port}"
    async with grpc.aio.secure_channel(address, both, options=named) as channel:
        yield DialServiceStub(channel)
