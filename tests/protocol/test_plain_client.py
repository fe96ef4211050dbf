"""A client out of the page alone, without our SDK, plays as well as any."""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import plain_client
import pytest
from protocol_stage import played

from referee.replay import Replay
from referee.rules.ruleset import resolve
from referee.verify import verify

MANIFEST = '[bot]\nname = "plain"\ncommand = ["python3", "plain_client.py"]\n'


@pytest.mark.anyio
@pytest.mark.parametrize(
    "preset", ["danish", "german_150", "hollywood", "three_handed", "four_handed", "partnership"]
)
async def test_a_unit_against_itself(tmp_path: Path, preset: str) -> None:
    """It plays a whole unit to the end without a strike, and the replay is proven."""

    async def player(address: str, ticket: str) -> None:
        await asyncio.to_thread(plain_client.play, address, ticket)

    rules = resolve(preset)
    players = dict.fromkeys(["north", "east", "south", "west"][: rules.players], player)
    attempt = await played(rules, "plain", players, tmp_path)
    assert verify(attempt.replay_path).ok
    counted = Replay.open(attempt.replay_path).side.clocks
    assert len(counted) == rules.players**2
    assert all(seat.decisions and not seat.strikes and not seat.stale for seat in counted)


def test_as_a_bot(tmp_path: Path) -> None:
    """In a folder with a knockbox.toml it is a bot like any other."""
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "knockbox.toml").write_text(MANIFEST)
    source = Path(plain_client.__file__)
    (tmp_path / "plain" / source.name).write_bytes(source.read_bytes())
    with tempfile.TemporaryDirectory(prefix="kb") as runtime:
        knockbox = [sys.executable, "-m", "arena.cli"]
        environment = {
            "PATH": os.environ["PATH"],
            "KNOCKBOX_SANDBOX": "process",
            "HOME": runtime,
            "XDG_RUNTIME_DIR": runtime,
        }
        for command in (
            ["match", "plain", "plain", "--units", "1", "--out", "m.kbr"],
            ["verify", "m.kbr"],
        ):
            done = subprocess.run(
                [*knockbox, *command],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert done.returncode == 0, done.stderr


def test_it_is_short_and_its_own() -> None:
    """Fewer than 80 lines, and nothing of ours but the compiled protos."""
    text = Path(plain_client.__file__).read_text()
    assert len(text.splitlines()) < 80
    assert "knockbox_sdk" not in text
    assert [line for line in text.splitlines() if line.startswith("from ")] == [
        "from knockbox.v1 import cards_pb2, play_pb2, play_pb2_grpc"
    ]
