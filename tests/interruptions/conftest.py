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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from arena.cli import shapes
from arena.cli.client import arena_at
from arena.cli.errors import CommandError
from arena.local import state
from arena.local.state import ArenaState, ServiceState
from knockbox.v1 import arena_pb2 as pb

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
        done = self._run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "arena.cli", *arguments, "--data", str(self.data)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=self._environment,
            check=False,
        )

    def ask(self, *arguments: str) -> Any:
        """The same as JSON."""
        return json.loads(self.run(*arguments, "--json"))

    def begin(self, name: str, seed: str, units: int) -> None:
        """Register the sample bots, one of them twice, and create a seeded tournament of them."""
        twin = self.data.parent / "twins" / "builder"
        if not twin.exists():
            shutil.copytree(SAMPLES, twin.parent, ignore=shutil.ignore_patterns("__pycache__"))
            manifest = twin / "knockbox.toml"
            manifest.write_text(manifest.read_text().replace('"builder"', '"twin"'))
        for folder in (*(SAMPLES / bot for bot in BOTS), twin):
            self.run("bot", "add", str(folder))
        self.run("tournament", "create", "--name", name, "--seed", seed, "--units", str(units))

    def kill(self, service: str, by: signal.Signals = signal.SIGKILL) -> None:
        """kill -9 one of its services, or end it by another signal, and see it come back."""
        pid = self.pid(service)
        os.kill(pid, by)
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            row = self.service(service)
            if row.state == "healthy" and row.pid not in (0, pid):
                return
            time.sleep(0.02)
        raise AssertionError(f"{service} was not started again: {self.state()}")

    def state(self) -> ArenaState:
        """What its supervisor says, without the time that a command takes."""
        while not (found := state.read(self.data)):
            time.sleep(0.02)  # it is being written
        return found

    def service(self, name: str) -> ServiceState:
        """One of its services."""
        return next(row for row in self.state().services if row.name == name)

    def pid(self, service: str) -> int:
        """The process of one of its services."""
        pid = self.service(service).pid
        assert pid
        return pid

    def said(self, service: str, event: str) -> int:
        """How often a service has logged an event."""
        return (self.data / "logs" / f"{service}.log").read_text().count(f'"event": "{event}"')

    @contextmanager
    def stopped(self, service: str) -> Iterator[None]:
        """SIGSTOP a service with all its children; SIGCONT at the end of the block."""
        processes = family(self.pid(service))
        for pid in processes:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in processes:
                os.kill(pid, signal.SIGCONT)

    @contextmanager
    def worker(self, **more: str) -> Iterator[None]:
        """One more worker, started by hand as an operator would, with more variables."""
        found = self.state()
        variables = {
            "REDIS_URL": found.redis_url,
            "KNOCKBOX_DATA": found.data,
            "KNOCKBOX_CONTROL": found.control,
        }
        log = self.data / "logs" / "second.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "workers", "play", "--concurrency", "2"],
                env={**self._environment, **variables, **more},
                stderr=output,
            )
        try:
            yield
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait(PATIENCE_S)

    def until(
        self, name: str, reached: Callable[[dict[str, Any]], bool], command: str = "tournament"
    ) -> dict[str, Any]:
        """The tournament, or the ladder, once it is so far."""
        end = time.monotonic() + PATIENCE_S
        last: dict[str, Any] = {}
        while time.monotonic() < end:
            with suppress(CommandError):
                last = (
                    self._look(name) if command == "tournament" else self.ask(command, "show", name)
                )
                if reached(last):
                    return last
            time.sleep(0.02)
        raise AssertionError(f"not reached: {last}")

    def _look(self, name: str) -> dict[str, Any]:
        """A tournament, without the time that a command takes."""
        with arena_at(self.state().api) as stub:
            request = pb.GetTournamentRequest(tournament_id=name)
            return shapes.tournament(stub.GetTournament(request).tournament)

    def finish(self, name: str) -> dict[str, Any]:
        """Wait for the end: digest and scores of each match, every one recorded once; the table
        but for the Elo, which follows the order in which matches end."""
        end = self.until(name, lambda state: state["state"] == "over")
        assert (end["recorded"], end["dead"]) == (end["matches"], 0)
        replays = self.ask("replay", "list", "--tournament", name)
        assert len(replays) == end["matches"] == len({one["match_id"] for one in replays})
        self.run("ratings", "rebuild", "--check")
        self.run("verify", *(one["replay"] for one in replays))
        results = {one["match_id"]: (one["digest"], one["scores"]) for one in replays}
        table = [{**row, "elo": None} for row in end["table"]]
        return {"results": results, "table": table}


def family(pid: int) -> list[int]:
    """A process and all that it has started, itself first."""
    told = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [pid, *(one for child in told.split() for one in family(int(child)))]


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
