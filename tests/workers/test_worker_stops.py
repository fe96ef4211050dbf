"""A worker that is told to stop: its match is played to its end, or is somebody else's at once."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workers.app import make_app
from workers.messages import Messages
from workers.sandbox import manifest
from workers.settings import Settings

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
PATIENCE_S = 60.0


class Running:
    """A program with its log of JSON lines."""

    def __init__(self, log: Path, environment: dict[str, str], *arguments: str) -> None:
        self.log = log
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                env=environment,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        self.said("ready")

    def said(self, event: str) -> dict[str, Any]:
        """Wait for an event; it."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            for line in self.log.read_text().splitlines():
                if line.startswith("{") and json.loads(line)["event"] == event:
                    return json.loads(line)
            time.sleep(0.02)
        raise AssertionError(f"no {event!r} in {self.log.read_text()}")

    def kill(self) -> None:
        """Be certain that it is gone."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def start(tmp_path: Path, store_url: str, world: Any) -> Iterator[Callable[..., Running]]:
    """Starts programs beside a referee, with a lease that nobody waits for; ends them all."""
    short = Path(tempfile.mkdtemp(prefix="kbw", dir="/tmp"))
    control = f"unix://{short}/c.sock"
    running: list[Running] = []

    def start(*arguments: str, **variables: str) -> Running:
        environment = {
            **os.environ,
            "REDIS_URL": store_url,
            "KNOCKBOX_DATA": str(world.folders.data),
            "KNOCKBOX_CONTROL": control,
            "KNOCKBOX_LEASE_S": "3600",
            **variables,
        }
        running.append(Running(tmp_path / f"{len(running)}.log", environment, *arguments))
        return running[-1]

    start("referee", "--control", control, "--run-dir", str(short / "r"))
    yield start
    for one in running:
        one.kill()
    shutil.rmtree(short, ignore_errors=True)


def queued(world: Any, store_url: str, folder: Path, units: int) -> str:
    """A match of a bot against itself under another name, its message sent; its id."""
    for name in ("one", "two"):
        bot = manifest.read(folder)
        version = manifest.digest(bot.files)
        if not world.folders.snapshot(version).is_dir():
            manifest.unpack(bot.files, world.folders.snapshot(version))
        world.store.bots.add(name, version, "me")
    match = f"{world.filled('one', 'two', units=units)}.1"
    app = make_app(Settings(redis_url=store_url))
    Messages(app).play(match)
    app.close()
    return match


def test_a_running_match_is_played_to_its_end(
    start: Callable[..., Running], world: Any, store_url: str
) -> None:
    """One Ctrl-C, as SIGTERM: the match is sealed before the worker ends."""
    worker = start("workers", "play", "--concurrency", "1")
    match = queued(world, store_url, SAMPLES / "greedy", units=8)
    worker.said("claimed")
    worker.process.send_signal(signal.SIGINT)
    worker.process.wait(PATIENCE_S)
    assert world.store.matches.get(match).state == "sealed"
    assert worker.said("ending")["finish_s"] == 300


def test_a_match_that_takes_too_long_is_given_back(
    start: Callable[..., Running], world: Any, store_url: str, tmp_path: Path
) -> None:
    """After KNOCKBOX_FINISH_S the match is another worker's at once, lease or no lease, and no
    attempt is counted.
    """
    (tmp_path / "knockbox.toml").write_text('[bot]\nname = "slow"\ncommand = ["sleep", "600"]\n')
    first = start("workers", "play", "--concurrency", "1", KNOCKBOX_FINISH_S="0.1")
    match = queued(world, store_url, tmp_path, units=1)
    first.said("claimed")
    second = start("workers", "play", "--concurrency", "1")
    first.process.send_signal(signal.SIGTERM)
    first.said("put back")
    claimed = second.said("claimed")
    assert (claimed["match"], claimed["fence"]) == (match, 2)
    assert world.store.matches.get(match).attempts == ()
    first.process.wait(PATIENCE_S)
