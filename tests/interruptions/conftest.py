"""An arena of one's own that can be hurt, and the tournament that is played in it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
BOTS = ("random", "greedy", "builder", "gin_hunter")
PATIENCE_S = 120.0

# Every duration of recovery, short.
SHORT = {
    "KNOCKBOX_LEASE_S": "2",
    "KNOCKBOX_BEAT_S": "0.4",
    "KNOCKBOX_SWEEP_S": "0.4",
    "KNOCKBOX_RESEND_S": "1",
    "KNOCKBOX_RETRY_S": "0.2",
    "KNOCKBOX_CHECK_EVERY": "0.3",
    "KNOCKBOX_SLOTS": "2",
}


class Arena:
    """A running arena in a data folder of its own, spoken to through its command line."""

    def __init__(self, data: Path, environment: dict[str, str]) -> None:
        self.data = data
        self._environment = environment

    def run(self, *arguments: str) -> str:
        """What a command says on stdout; a failing command fails the test with its words."""
        done = subprocess.run(
            [sys.executable, "-m", "arena.cli", *arguments, "--data", str(self.data)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=self._environment,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, *arguments: str) -> Any:
        """The same as JSON."""
        return json.loads(self.run(*arguments, "--json"))

    def begin(self, name: str, seed: str, units: int) -> None:
        """Register the sample bots and create a seeded tournament of them."""
        for bot in BOTS:
            self.run("bot", "add", str(SAMPLES / bot))
        self.run("tournament", "create", "--name", name, "--seed", seed, "--units", str(units))

    def kill(self, service: str) -> None:
        """kill -9 one of its services."""
        os.kill(self.pid(service), signal.SIGKILL)

    def pid(self, service: str) -> int:
        """The process of one of its services."""
        services = {row["name"]: row["pid"] for row in self.ask("status")["services"]}
        return services[service]

    def until(
        self, name: str, reached: Callable[[dict[str, Any]], bool], command: str = "tournament"
    ) -> dict[str, Any]:
        """The tournament, or the ladder, once it is so far."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            state = self.ask(command, "show", name)
            if reached(state):
                return state
            time.sleep(0.1)
        raise AssertionError(f"not reached: {self.ask(command, 'show', name)}")

    def finish(self, name: str) -> dict[str, tuple[str, list[float]]]:
        """Wait for the end; digest and scores of each match, every one recorded once."""
        end = self.until(name, lambda state: state["state"] == "over")
        assert (end["recorded"], end["dead"]) == (end["matches"], 0)
        replays = self.ask("replay", "list", "--tournament", name)
        assert len(replays) == end["matches"] == len({one["match_id"] for one in replays})
        self.run("ratings", "rebuild", "--check")
        self.run("verify", *(one["replay"] for one in replays))
        return {one["match_id"]: (one["digest"], one["scores"]) for one in replays}


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Starts an arena by name, with variables of one's own; ends it and leaves nothing."""
    runtime = tempfile.mkdtemp(prefix="kbi", dir="/tmp")

    @contextmanager
    def start(name: str, **variables: str) -> Iterator[Arena]:
        environment = {
            "PATH": os.environ["PATH"],
            "KNOCKBOX_SANDBOX": "process",
            "HOME": str(tmp_path),
            "XDG_RUNTIME_DIR": runtime,
            **SHORT,
            **variables,
        }
        running = Arena(tmp_path / name, environment)
        running.run("up")
        try:
            yield running
        finally:
            running.run("down")

    yield start
    shutil.rmtree(runtime, ignore_errors=True)
