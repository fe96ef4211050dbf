"""Whole attempts: a real referee process, real bot processes, well-behaved and hostile."""

import asyncio
import textwrap
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from referee.replay import Replay
from referee.verify import verify
from tests.sandbox.attempts import (
    SAMPLES,
    Referee,
    bot,
    end_referee,
    left,
    order,
    played,
    sample,
    start_referee,
    worker,
)
from workers.attempt import AttemptVoid, BotSpec
from workers.sandbox.launcher import Event, Exited, Spec
from workers.sandbox.processes import ProcessLauncher, RunningProcess

pytestmark = pytest.mark.anyio

PLAYS = """
    if state.knocks:
        return state.knock(state.best_knock)
    return state.otherwise()
run(bot)
"""


@pytest.fixture(scope="module")
def referee() -> Iterator[Referee]:
    running = start_referee()
    yield running
    end_referee(running)


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
class Lost(play.Ended):
    lost = True
    def __init__(self): Exception.__init__(self, "UNAVAILABLE: the line is cut")

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


HANGS = "from knockbox_sdk import run\nimport time\nrun(lambda s: time.sleep(600))"


async def test_a_crash_shows_its_last_lines(referee, tmp_path):
    """The log of a bot that crashed says what it was asked, and ends with the message."""
    source = "from knockbox_sdk import run\nrun(lambda state: state.discard('XX'))"
    bots = bot(tmp_path, "crash", source), sample(tmp_path, "greedy")
    attempt = await played(referee, tmp_path, order(*bots, units=1))
    [first, *_] = [log for log in attempt.logs if log.bot == 0]
    assert first.exited is not None
    assert first.exited.code == 1
    lines = first.output.last_lines(20)
    assert "'XX' is not a card" in lines[-1]
    assert any("asked in deal 1" in line for line in lines)


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
    bots = sample(tmp_path, "greedy"), bot(tmp_path, "waits", HANGS)
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


class Ending(RunningProcess):
    """A program of a launcher that ends by itself what is still there."""

    async def events(self) -> AsyncIterator[Event]:
        """Whoever was told to stop has been ended by the launcher."""
        async for event in super().events():
            if isinstance(event, Exited) and event.stopped:
                yield event._replace(infra=True, why="the launcher is stopping")
            else:
                yield event


class EndsItself(ProcessLauncher):
    """A launcher that is stopped as soon as a leg is over."""

    async def start(self, spec: Spec) -> RunningProcess:
        """See `ProcessLauncher`."""
        running = Ending(spec, self)
        await running.begin()
        return running


async def test_a_launcher_that_ends_after_a_leg_takes_nothing_from_it(referee, tmp_path):
    """How a program ends when its leg is over is no matter, the launcher's own end included."""
    source = (
        "from knockbox_sdk import run\ndef bot(state):" + PLAYS + "import time; time.sleep(600)\n"
    )
    bots = bot(tmp_path, "stays", source), sample(tmp_path, "greedy")
    async with worker(referee, tmp_path, EndsItself) as play:
        attempt = await play(order(*bots, units=1))
    assert {log.reason for log in attempt.logs} == {"played"}
    assert [log.exited.infra for log in attempt.logs if log.bot == 0] == [True, True]


async def test_an_attempt_cancelled_while_it_ends_a_program_leaves_nothing(referee, tmp_path):
    """A program that is told to go and does not is gone when a call has ended that was cancelled
    in between."""
    told = tmp_path / "told"
    source = (
        "import signal, time\nfrom knockbox_sdk import run\n"
        f"signal.signal(signal.SIGTERM, lambda *_: open({str(told)!r}, 'w').close())\n"
        "def bot(state):" + PLAYS + "while True:\n    time.sleep(600)\n"
    )
    bots = bot(tmp_path, "stays", source), sample(tmp_path, "greedy")
    async with worker(referee, tmp_path) as play:
        task = asyncio.create_task(play(order(*bots, units=1)))
        while not told.exists():
            await asyncio.sleep(0.01)
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
    slow = bot(tmp_path, "waits", HANGS)
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
    bots = sample(tmp_path, "greedy"), bot(tmp_path, "waits", HANGS)

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


async def test_what_a_bot_leaves_at_its_door_voids_nothing(referee, tmp_path):
    """A bot that makes files where its socket lies loses its match all the same, and they go."""
    litters = """
    import os
    from knockbox_sdk import run
    seat = os.path.dirname(os.environ["KNOCKBOX_REFEREE"].removeprefix("unix://"))
    os.makedirs(os.path.join(seat, "deep", "er"))
    for folder in (seat, os.path.join(seat, "deep"), os.path.dirname(seat)):
        open(os.path.join(folder, "mark"), "w").close()
    raise SystemExit(1)
    """
    bots = bot(tmp_path, "litters", litters), sample(tmp_path, "greedy")
    attempt = await played(referee, tmp_path, order(*bots, units=1))
    assert [one.forfeits for one in attempt.result.bots] == [2, 0]
    run_dir = Path(referee.address.removeprefix("unix://")).parents[1] / "run"
    assert list(run_dir.iterdir()) == []


async def test_what_a_bot_writes_is_gone_in_the_next_leg(referee, tmp_path):
    """A file that a bot leaves in any of its folders in one leg is not there in another."""
    marks = """
    import os
    from knockbox_sdk import run
    marks = [os.path.join(each, "mark") for each in (".", os.environ["HOME"], os.environ["TMPDIR"])]
    print([os.path.exists(mark) for mark in marks])
    for mark in marks:
        open(mark, "w").close()
    """
    source = textwrap.dedent(marks) + "def bot(state):" + PLAYS
    bots = bot(tmp_path, "marks", source), sample(tmp_path, "greedy")
    attempt = await played(referee, tmp_path, order(*bots, units=1))
    said = [log.output.text() for log in attempt.logs if log.bot == 0]
    assert said == ["[False, False, False]\n"] * 2
