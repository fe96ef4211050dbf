"""Whole attempts: a real referee process, real bot processes, well-behaved and hostile."""

import asyncio
import hashlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import grpc.aio
import pytest

import sample_bots
from knockbox.v1 import play_pb2
from referee.replay import Replay
from referee.rules.ruleset import resolve
from referee.verify import verify
from workers.attempt import Attempt, AttemptVoid, BotSpec, MatchOrder
from workers.host import host_match
from workers.sandbox import manifest, processtable
from workers.sandbox.processes import ProcessLauncher

pytestmark = pytest.mark.anyio

SAMPLES = Path(sample_bots.__path__[0]) / "python"
PLAYS = """
    if state.knocks:
        return state.knock(state.best_knock)
    return state.otherwise()
run(bot)
"""


class Referee(NamedTuple):
    process: subprocess.Popen[str]
    address: str


def start_referee(connect: float = 30.0) -> Referee:
    folder = tempfile.mkdtemp(prefix="kb-")  # short: socket paths have 107 bytes
    address = f"unix://{folder}/control/s"
    command = [
        "--control",
        address,
        "--run-dir",
        f"{folder}/run",
        "--connect",
        "1.5",
        "--grace",
        "0.3",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "referee", *command], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert '"ready"' in process.stderr.readline()
    return Referee(process, address)


def end_referee(referee: Referee) -> None:
    referee.process.kill()
    referee.process.communicate()
    shutil.rmtree(Path(referee.address.removeprefix("unix://")).parents[1])


@pytest.fixture(scope="module")
def referee() -> Iterator[Referee]:
    running = start_referee()
    yield running
    end_referee(running)


def sample(tmp_path: Path, name: str) -> BotSpec:
    return stored(tmp_path, manifest.read(SAMPLES / name))


def bot(tmp_path: Path, name: str, source: str, command: str = '["python3", "bot.py"]') -> BotSpec:
    """A bot of a test's own, with the SDK beside it."""
    folder = tmp_path / "written" / name
    folder.mkdir(parents=True)
    sdk = SAMPLES / "knockbox_sdk"
    (folder / "knockbox.toml").write_text(
        f'[bot]\nname = "{name}"\ncommand = {command}\ninclude = ["{sdk}"]\n'
    )
    (folder / "bot.py").write_text(textwrap.dedent(source))
    return stored(tmp_path, manifest.read(folder))


def stored(tmp_path: Path, found: manifest.BotFolder) -> BotSpec:
    folder = tmp_path / "bots" / found.name
    if not folder.exists():
        manifest.unpack(found.files, folder)
    return BotSpec(found.name, manifest.digest(found.files), folder)


def order(*bots: BotSpec, **changes) -> MatchOrder:
    rules = changes.pop("rules", "danish")
    secret = hashlib.sha256(b"test").digest()
    name = hashlib.sha256(repr((bots, changes)).encode()).hexdigest()[:20]
    plain = MatchOrder(name, 1, "", resolve(rules), 2, 64, bots, secret, seeded=True)
    return plain._replace(**changes)


async def nothing(_) -> None:
    """A callback that keeps nothing."""


@asynccontextmanager
async def worker(referee: Referee, tmp_path: Path):
    """Plays orders as a worker does."""
    scratch = tmp_path / "incoming"
    scratch.mkdir(exist_ok=True)
    launcher = ProcessLauncher(tmp_path / "work", sample_s=0.05)
    async with grpc.aio.insecure_channel(referee.address) as channel:

        async def play(order: MatchOrder, on_nonces=nothing, on_progress=nothing) -> Attempt:
            return await host_match(
                channel, launcher, order, on_nonces, on_progress, scratch, exit_grace=0.3
            )

        yield play


async def played(referee: Referee, tmp_path: Path, order: MatchOrder) -> Attempt:
    async with worker(referee, tmp_path) as play:
        return await play(order)


def left(tmp_path: Path) -> list:
    """What is left of programs and unfinished replays."""
    work = tmp_path / "work"
    programs = [
        each for each in processtable.table().values()
        if processtable.lives_in(each.pid, str(work)) and not each.zombie
    ]  # fmt: skip
    homes = [home for owner in work.iterdir() for home in owner.iterdir()]
    return programs + homes + list((tmp_path / "incoming").iterdir())


@pytest.mark.parametrize("strong", ["greedy", "builder", "gin_hunter"])
async def test_sample_bots_play_and_beat_random(referee, tmp_path, strong):
    """Each sample bot beats random, without a word of complaint, and the replay verifies."""
    attempt = await played(
        referee, tmp_path, order(sample(tmp_path, "random"), sample(tmp_path, strong), units=3)
    )
    weak, better = attempt.result.bots
    assert better.score_millionths > 800_000 > 200_000 > weak.score_millionths
    assert [(log.leg, log.reason, log.output.text()) for log in attempt.logs] == [
        (leg, "played", "") for leg in (0, 0, 1, 1)
    ]
    assert verify(attempt.replay_path).ok
    attempt.replay_path.unlink()
    assert left(tmp_path) == []


async def test_the_first_bot_of_the_page_beats_random(referee, tmp_path):
    """The ten lines of the SDK's page, copied as they stand, win nearly every game from random."""
    page = (SAMPLES / "README.md").read_text()
    source = page.partition("```python\n")[2].partition("```")[0]
    assert len([line for line in source.splitlines() if line.strip()]) == 10
    bots = bot(tmp_path, "first", source), sample(tmp_path, "random")
    attempt = await played(referee, tmp_path, order(*bots, units=4))
    assert attempt.result.bots[0].score_millionths > 900_000


async def test_sample_bots_repeat_themselves(referee, tmp_path):
    """The same seeded match under the same id gives the same sealed bytes."""
    for pair in (("random", "builder"), ("gin_hunter", "greedy")):
        bots = [sample(tmp_path, name) for name in pair]
        first, second = [await played(referee, tmp_path, order(*bots)) for _ in range(2)]
        assert first.result.digest == second.result.digest


async def test_nonces_are_kept_before_a_card_is_dealt(referee, tmp_path):
    """Each bot's nonce reaches the worker; with the nonces given back the decks are the same."""
    bots = sample(tmp_path, "greedy"), sample(tmp_path, "builder")
    kept: list[tuple[bytes, ...]] = []

    async def keep(nonces: tuple[bytes, ...]) -> None:
        kept.append(nonces)

    async with worker(referee, tmp_path) as play:
        first = await play(order(*bots, seeded=False, match_id="nonces"), keep)
        again = order(*bots, seeded=False, match_id="nonces", fence=2, nonces=kept[0])
        second = await play(again, keep)
    assert [len(nonce) for nonce in kept[0]] == [16, 16]
    assert first.result.digest == second.result.digest


CHECKS = """
import grpc
from knockbox_sdk import play, run

def bot(state):
    hand, pile, known = set(state.hand), state.pile, set(state.opponent_known)
    assert state.phase == "layoff" or (pile[-1] if pile else None) == state.top, state.history
    assert not hand & set(pile) and not known & (hand | set(pile)), state.history
    assert len(set(pile)) == len(pile), state.history
    assert len(hand) == 11 - (state.phase != "discard")
    assert state.phase != "discard" or state.taken not in state.discards
    assert (state.phase == "discard") == bool(state.discards)
"""

LOSES_ITS_LINE = """
class Lost(grpc.RpcError):
    def code(self): return grpc.StatusCode.UNAVAILABLE
    def details(self): return "the line is cut"

class Flaky(play.Leg):
    messages = 0
    def _decide(self, turns):
        self.messages += 1
        if self.messages in (1, 2, 9):
            raise Lost
        return super()._decide(turns)

play.Leg = Flaky
"""


@pytest.mark.parametrize("rules", ["danish", "german"])
@pytest.mark.parametrize("line", ["", LOSES_ITS_LINE])
async def test_what_a_bot_sees_fits_together(referee, tmp_path, rules, line):
    """Hand, pile, top and known cards agree at every question, after lost connections too."""
    bots = bot(tmp_path, "checks", CHECKS + PLAYS.replace("run(bot)", line + "run(bot)"))
    attempt = await played(referee, tmp_path, order(bots, sample(tmp_path, "builder"), rules=rules))
    logs = [log.output.text() for log in attempt.logs]
    assert (logs, {log.reason for log in attempt.logs}) == ([""] * 4, {"played"})
    connections = [c.connections for c in Replay.open(attempt.replay_path).side.clocks]
    assert max(connections) == (4 if line else 1)


HOSTILE = {
    "crash": ("from knockbox_sdk import run\ndef bot(state):\n    1 / 0\nrun(bot)", "crash"),
    "leaves": ("print('bye')", "crash"),
    "hangs": ("from knockbox_sdk import run\nimport time\nrun(lambda s: time.sleep(600))", "time"),
    "eats": (
        "from knockbox_sdk import run\nimport time\ndef bot(state):\n"
        "    global food\n    food = bytearray(300 << 20)\n    time.sleep(600)\nrun(bot)",
        "memory",
    ),
    "cheats": (
        "from knockbox_sdk import run, Action\n"
        "run(lambda state: Action(state.turn.decision, 'discard', 77))",
        "illegal",
    ),
    "killed": ("import os\nos.kill(os.getpid(), 9)", "crash"),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_fault_loses_the_bots_own_games_and_nothing_else(referee, tmp_path, name):
    """A bot that fails loses both legs for its own reason; the other wins, the replay verifies."""
    await lose(referee, tmp_path, name, *HOSTILE[name])


async def test_a_bot_that_never_connects_is_a_no_show(tmp_path):
    """A program that runs and says nothing loses when its time to connect is over."""
    impatient = start_referee(connect=4.0)
    try:
        await lose(impatient, tmp_path, "absent", "import time\ntime.sleep(600)", "no_show")
    finally:
        end_referee(impatient)


async def lose(referee: Referee, tmp_path: Path, name: str, source: str, reason: str) -> None:
    """Play a bot that loses every game for this reason."""
    clock = play_pb2.ClockSettings(bank_per_game_ms=2000, increment_ms=0, cap_ms=1500)
    if reason == "memory":
        clock.bank_per_game_ms = clock.cap_ms = 20_000
    bots = bot(tmp_path, name, source), sample(tmp_path, "greedy")
    attempt = await played(referee, tmp_path, order(*bots, units=1, clock=clock, memory=200 << 20))
    faulty, other = attempt.result.bots
    assert (faulty.forfeits, faulty.lost, other.won, other.forfeits) == (2, 2, 2, 0)
    assert {log.reason for log in attempt.logs if log.bot == 0} == {reason}
    assert {log.reason for log in attempt.logs if log.bot == 1} == {"played"}
    assert verify(attempt.replay_path).ok
    attempt.replay_path.unlink()
    assert left(tmp_path) == []


async def test_a_crash_shows_its_last_lines(referee, tmp_path):
    """The log of a bot that crashed ends with its traceback and what it was asked."""
    source = "from knockbox_sdk import run\nrun(lambda state: state.discard('XX'))"
    bots = bot(tmp_path, "crash", source), sample(tmp_path, "greedy")
    attempt = await played(referee, tmp_path, order(*bots, units=1))
    [first, *_] = [log for log in attempt.logs if log.bot == 0]
    assert first.exited is not None
    assert first.exited.code == 1
    last = "\n".join(first.output.last_lines(2))
    assert "'XX' is not a card" in last
    assert "asked in deal 1" in last


async def test_a_command_that_is_not_there_is_a_crash_with_a_reason(referee, tmp_path):
    """A bot whose command does not exist loses, and its log says so."""
    bots = bot(tmp_path, "typo", "", '["pyhton3", "bot.py"]'), sample(tmp_path, "greedy")
    attempt = await played(referee, tmp_path, order(*bots, units=1))
    assert attempt.result.bots[0].forfeits == 2
    assert "cannot start pyhton3 bot.py" in attempt.logs[0].output.text() or (
        "cannot start pyhton3 bot.py" in attempt.logs[1].output.text()
    )


async def test_output_never_loses_a_game(referee, tmp_path):
    """A bot that prints 50 MB while it plays, and stays after its leg, plays to the end."""
    source = (
        "import signal, time\nfrom knockbox_sdk import run\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('x' * 50_000_000)\ndef bot(state):" + PLAYS + "time.sleep(600)\n"
    )
    bots = bot(tmp_path, "loud", source), sample(tmp_path, "greedy")
    attempt = await played(referee, tmp_path, order(*bots, units=1))
    assert {log.reason for log in attempt.logs} == {"played"}
    [loud, *_] = [log for log in attempt.logs if log.bot == 0]
    assert loud.output.dropped > 49_000_000
    assert loud.exited is not None
    assert loud.exited.stopped


async def test_a_cancelled_attempt_leaves_nothing(referee, tmp_path):
    """Cancelling the call in the middle of a leg ends its programs and deletes its replay."""
    bots = sample(tmp_path, "greedy"), bot(tmp_path, "waits", HOSTILE["hangs"][0])
    running = asyncio.Event()

    async def begun(_) -> None:
        running.set()

    async with worker(referee, tmp_path) as play:
        task = asyncio.create_task(play(order(*bots), on_progress=begun))
        await running.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert left(tmp_path) == []


async def test_what_a_callback_raises_ends_the_attempt(referee, tmp_path):
    """When the nonces cannot be kept nothing is dealt, and the reason comes out as it is."""

    async def lost(_) -> None:
        raise LookupError("the claim is lost")

    bots = sample(tmp_path, "greedy"), sample(tmp_path, "random")
    async with worker(referee, tmp_path) as play:
        with pytest.raises(LookupError, match="the claim is lost"):
            await play(order(*bots, seeded=False), on_nonces=lost)
    assert left(tmp_path) == []


async def test_a_later_attempt_evicts_an_earlier_one(referee, tmp_path):
    """The attempt with the higher fence plays on, the other is void as evicted."""
    slow = bot(tmp_path, "waits", HOSTILE["hangs"][0])
    first = order(slow, sample(tmp_path, "greedy"), match_id="fenced")
    running = asyncio.Event()

    async def begun(_) -> None:
        running.set()

    async with worker(referee, tmp_path) as play:
        task = asyncio.create_task(play(first, on_progress=begun))
        await running.wait()
        bots = sample(tmp_path, "random"), sample(tmp_path, "greedy")
        await play(order(*bots, match_id="fenced", fence=2))
        with pytest.raises(AttemptVoid, match="evicted"):
            await task
        with pytest.raises(AttemptVoid, match="refused: INVALID_ARGUMENT"):
            await play(first._replace(match_id="no/id"))


async def test_a_dead_referee_is_told_as_text(tmp_path):
    """A referee that dies makes the attempt void with the transport's words; nothing is left."""
    own = start_referee()
    bots = sample(tmp_path, "greedy"), bot(tmp_path, "waits", HOSTILE["hangs"][0])

    async def kill(_) -> None:
        own.process.kill()

    try:
        async with worker(own, tmp_path) as play:
            with pytest.raises(AttemptVoid) as void:
                await play(order(*bots), on_progress=kill)
    finally:
        end_referee(own)
    assert void.value.cause == "referee"
    assert "UNAVAILABLE" in void.value.detail
    assert left(tmp_path) == []


async def test_a_snapshot_that_is_gone_is_not_the_bots_fault(referee, tmp_path):
    """A missing snapshot makes the attempt void as the launcher's, and says which."""
    gone = BotSpec("gone", "sha256:0", tmp_path / "nowhere")
    with pytest.raises(AttemptVoid, match=r"launcher: .*nowhere") as void:
        await played(referee, tmp_path, order(gone, sample(tmp_path, "greedy")))
    assert void.value.logs
