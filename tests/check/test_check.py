"""What a check says of bots that are wrong, each in its own way, and of those that are not."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import grpc.aio
import pytest

from knockbox.v1 import match_pb2, play_pb2, replay_pb2
from referee.rules.ruleset import resolve
from tests.check.broken_bots import BROKEN, CARELESS, Broken
from tests.docs import pages
from tests.sandbox.attempts import (
    Referee,
    bot,
    end_referee,
    left,
    sample,
    start_referee,
    stored,
)
from workers.attempt import AttemptVoid, BotSpec, SeatLog
from workers.check import judge
from workers.check.course import check, shapes
from workers.check.limits import MIB, Limits
from workers.check.rows import NAMES, Row, Verdict
from workers.check.stage import RIVALS, Place, Seen, Stage
from workers.sandbox import manifest
from workers.sandbox.capture import Log
from workers.sandbox.launcher import Exited
from workers.sandbox.processes import ProcessLauncher

pytestmark = pytest.mark.anyio

SHORT = Limits(
    connect=3.0,
    stall=3.0,
    exit_grace=0.3,
    memory=200 * MIB,
    clock=play_pb2.ClockSettings(bank_per_game_ms=1000, increment_ms=10, cap_ms=1000),
    boards=8,
    score=2,
    shapes=1,
)
FINE = (Verdict.PASS, Verdict.NOTE, Verdict.SKIP)


@pytest.fixture(scope="module")
def referee() -> Iterator[Referee]:
    running = start_referee()
    yield running
    end_referee(running)


@pytest.fixture(scope="module")
def hasty() -> Iterator[Referee]:
    """A referee that waits 3 s for its bots."""
    running = start_referee(connect=3.0)
    yield running
    end_referee(running)


async def checked(
    referee: Referee, tmp_path: Path, subject: BotSpec, limits: Limits = SHORT, until: str = ""
) -> list[Row]:
    """The rows of a check, up to the one named `until`."""
    rivals = {name: sample(tmp_path, name) for name in RIVALS}
    launcher = ProcessLauncher(tmp_path / "work", sample_s=0.02)
    (tmp_path / "incoming").mkdir(exist_ok=True)
    found: list[Row] = []
    async with grpc.aio.insecure_channel(referee.address) as channel:
        place = Place(channel, launcher, rivals, tmp_path / "incoming")
        async for row in check(subject, place, resolve("danish"), limits):
            found.append(row)
            if row.name == until:
                break
    return found


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.name)
async def test_a_broken_bot_is_told_its_fault_and_its_fix(
    referee: Referee, hasty: Referee, tmp_path: Path, broken: Broken
) -> None:
    """The row of its fault, and no other, says what was seen, what to do, and what it printed."""
    subject = bot(tmp_path, broken.name, broken.source, broken.command)
    host = referee if broken.patient else hasty
    *before, row = await checked(host, tmp_path, subject, until=broken.row)
    assert (row.name, row.verdict) == (broken.row, "FAIL"), (before, row)
    assert re.search(broken.reason, row.reason), row
    assert broken.fix in row.fix, row
    assert any(broken.line in line for line in row.lines) or not broken.line, row
    assert [each for each in before if each.verdict not in FINE] == []
    assert left(tmp_path) == []


async def test_what_was_not_tried_is_said(referee: Referee, tmp_path: Path) -> None:
    """Every row is said once; those that a fault keeps from being tried say what comes first."""
    subject = bot(tmp_path, "bad", "raise SystemExit(3)")
    rows = await checked(referee, tmp_path, subject)
    assert sorted(row.name for row in rows) == sorted(NAMES)
    assert {row.name: row.verdict for row in rows if row.verdict != "SKIP"} == {
        "start": "FAIL",
        "output": "PASS",
    }
    assert {row.reason for row in rows if row.verdict == "SKIP"} == {"not done: mend 'start' first"}


async def test_a_careless_bot_is_warned(referee: Referee, tmp_path: Path) -> None:
    """What is no fault, and yet not as it should be, is a warning or a note; the rest passes."""
    subject = bot(tmp_path, "careless", CARELESS)
    found = {
        row.name: (row.verdict.value, row.reason)
        for row in await checked(referee, tmp_path, subject, SHORT._replace(shapes=8))
    }
    odd = {name: said for name, said in found.items() if said[0] != "PASS"}
    odd.pop("random", None)  # as the dice fall
    assert {name: verdict for name, (verdict, _) in odd.items()} == {
        "other rules": "WARN",
        "repeatable": "NOTE",
        "output": "WARN",
        "ending": "WARN",
    }
    assert (
        "with 3 players (three_handed): its program ended with exit code 4" in odd["other rules"][1]
    )
    assert odd["ending"][1] == "its program ended with exit code 5 after MatchOver"
    assert "control characters" in odd["output"][1]


@pytest.mark.parametrize("name", ["random", "builder", "gin_hunter"])
async def test_sample_bots_pass(referee: Referee, tmp_path: Path, name: str) -> None:
    """The sample bots have nothing to mend."""
    rows = await checked(
        referee, tmp_path, sample(tmp_path, name), SHORT._replace(exit_grace=5.0, connect=10.0)
    )
    assert {row.name: row.verdict for row in rows} == dict.fromkeys(NAMES, "PASS"), rows


async def test_the_client_of_the_protocols_page_passes(referee: Referee, tmp_path: Path) -> None:
    """A folder made as docs/protocol.md says, of nothing but its client, passes every row."""
    folder = tmp_path / "plain"
    folder.mkdir()
    (made,) = (text for kind, text in pages.blocks("docs/protocol.md") if kind == "toml")
    (folder / "knockbox.toml").write_text(made)
    shutil.copy(pages.ROOT / "tests" / "protocol" / "plain_client.py", folder)
    (folder / "knockbox" / "v1").mkdir(parents=True)
    for name in ("cards_pb2", "rules_pb2", "play_pb2", "play_pb2_grpc"):
        shutil.copy(pages.ROOT / "knockbox" / "v1" / f"{name}.py", folder / "knockbox" / "v1")
    subject = stored(tmp_path, manifest.read(folder))
    rows = await checked(referee, tmp_path, subject, SHORT._replace(exit_grace=5.0, connect=10.0))
    assert {row.name: row.verdict for row in rows} == dict.fromkeys(NAMES, "PASS"), rows


async def test_a_platform_that_fails_blames_nobody(tmp_path: Path) -> None:
    """Where no referee answers no row is said against the bot."""
    gone = Referee(None, f"unix://{tmp_path}/nobody")
    with pytest.raises(AttemptVoid, match="UNAVAILABLE"):
        await checked(gone, tmp_path, sample(tmp_path, "greedy"))


def test_too_much_output_is_a_warning() -> None:
    """What was not kept of an output is told with its size."""
    log = SeatLog(0, 0, "played", Exited(0), Log(b"a" * 10, b"b" * 10, 200_000_000))
    row = judge.output([log])
    assert (row.verdict, row.reason) == ("WARN", "200,000,020 bytes in a leg at most")
    assert "the first and the last 256 kB are kept" in row.fix


@pytest.mark.parametrize(
    ("ms", "verdict", "reason"),
    [
        (1, "PASS", "1.0 ms a decision: 1 % of a match's clock"),
        (60, "WARN", "60.0 ms a decision: 60 % of a match's clock"),
        (150, "FAIL", "150.0 ms a decision: 200 % of a match's clock"),
    ],
)
def test_the_pace_is_judged_by_a_whole_matchs_clock(ms: int, verdict: str, reason: str) -> None:
    """What decisions take is held against the time that a match would give for them."""
    clock = replay_pb2.SeatClock(used_ms=ms * 1000, decisions=1000, slowest_ms=ms)
    log = SeatLog(0, 0, "played", None, Log(b"", b"", 0), match_pb2.SeatReport(clock=clock))
    seen = Seen(Stage("one board", resolve("danish")), (log,), (), None, "")
    row = judge.pace(seen, seen, Limits())
    assert (row.verdict, row.reason.partition(";")[0]) == (verdict, reason)


def test_every_shape_of_rules_is_tried_once() -> None:
    """The presets that differ for a bot are there, and those for two players come first."""
    names = [rules.preset for rules in shapes(resolve("danish_20"))]
    assert names[-3:] == ["three_handed", "four_handed", "partnership"]
    assert {"spanish", "hollywood", "german", "no_layoff", "standard", "straight"} < set(names)
    assert not {"danish", "german_150"} & set(names)
