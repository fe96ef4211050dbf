"""Real Celery workers, as they are started in production, against a real broker."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workers.app import App, make_app
from workers.messages import Messages
from workers.settings import Settings, broker_of
from workers.store import Broker, connect

DEADLINE_S = 30.0


def eventually(done: Callable[[], Any], what: str) -> Any:
    """Look again and again until something is true; its value."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        if found := done():
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come about in {DEADLINE_S:g} s")


class Service:
    """One `python -m workers …` with its log."""

    def __init__(self, log: Path, environment: dict[str, str], *arguments: str) -> None:
        self.log = log
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "workers", *arguments],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=file,
                start_new_session=True,
            )
        self.events("ready")

    def events(self, name: str, count: int = 1) -> list[dict[str, Any]]:
        """Wait until an event was logged so often; all of them."""

        def found() -> list[dict[str, Any]]:
            lines = [line for line in self.log.read_text().splitlines() if line.startswith("{")]
            events = [event for line in lines if (event := json.loads(line))["event"] == name]
            return events if len(events) >= count else []

        return eventually(found, f"{count} x {name!r} in {self.log.read_text()}")

    def end(self) -> int:
        """Stop it in order; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(DEADLINE_S)
        finally:
            self.kill()

    def kill(self) -> None:
        """Be certain that it is gone."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def environment(store_url: str, world: Any) -> dict[str, str]:
    """What a supervisor gives to the services; every duration short, and no referee anywhere."""
    data = world.folders.data
    return {
        **os.environ,
        "REDIS_URL": store_url,
        "KNOCKBOX_DATA": str(data),
        "KNOCKBOX_CONTROL": f"unix://{data}/none.sock",
        "KNOCKBOX_REFEREE_WAIT_S": "0.2",
        "KNOCKBOX_SWEEP_S": "0.1",
        "KNOCKBOX_RESEND_S": "0.2",
    }


@pytest.fixture
def start(tmp_path: Path, environment: dict[str, str]) -> Iterator[Callable[..., Service]]:
    """Starts services, and leaves none behind."""
    running: list[Service] = []

    def start(*arguments: str) -> Service:
        log = tmp_path / f"{arguments[0]}-{len(running)}.log"
        running.append(Service(log, environment, *arguments))
        return running[-1]

    yield start
    for service in running:
        service.kill()


@pytest.fixture
def app(store_url: str) -> Iterator[App]:
    """The sending side."""
    app = make_app(Settings(redis_url=store_url))
    yield app
    app.close()


def test_junk_is_dropped_and_the_worker_lives(
    start: Callable[..., Service], app: App, world: Any, store_url: str
) -> None:
    """Unknown matches, extra arguments, a megabyte, foreign tasks: each is told, none does harm."""
    worker = start("play", "--concurrency", "1")
    task = "knockbox.play_match"
    Messages(app).play("nope.1")
    for args, kwargs in (
        (["x" * 1_000_000], {}),
        (["t1.1", "extra"], {}),
        (["t1.1"], {"fence": 1}),
        ([{"deep": [1]}], {}),
        (["t1.1\n"], {}),
        ([], {}),
    ):
        app.send_task(task, args=args, kwargs=kwargs, queue="play")
    app.send_task("os.system", args=["touch /tmp/pwned"], queue="play")
    app.send_task(task, args=["t1.1"], queue="play", serializer="pickle")
    Messages(app).play("nope.2")
    dropped = worker.events("dropped", 6)
    assert sorted(event["why"] for event in dropped) == [
        "0 arguments instead of 1",
        "1 arguments by name",
        "2 arguments instead of 1",
        "arguments of another type",
        "not an id: 't1.1\\n' (5 characters)",
        f"not an id: {'x' * 40!r} (1000000 characters)",
    ]
    unknown = worker.events("not played", 2)
    assert [(event["match"], event["why"]) for event in unknown] == [
        ("nope.1", "unknown"),
        ("nope.2", "unknown"),
    ]
    assert Broker(connect(store_url), "play").waiting() == 0
    assert worker.end() == 0


def test_a_sealed_match_is_recorded_by_the_recorder(
    start: Callable[..., Service], app: App, world: Any
) -> None:
    """A message to the real recorder, repeated, records a match once and ends its tournament."""
    world.add("ab")
    world.add("cd")
    match = f"{world.filled('ab', 'cd')}.1"
    fence = world.seal(match)
    recorder = start("record")
    for _ in range(3):
        Messages(app).record(match, fence)
    Messages(app).record("t9.9", 1)
    assert recorder.events("recorded")[0]["match"] == match
    assert recorder.events("not recorded")[0]["why"] == "unknown"
    assert world.store.tournaments.get("t1").over
    assert world.store.log.head().seq == 1
    assert recorder.end() == 0


def test_a_match_without_a_referee_waits_and_loses_nothing(
    start: Callable[..., Service], world: Any
) -> None:
    """Reconciler and worker send and try it again and again; no attempt is counted."""
    world.add("ab")
    world.add("cd")
    made = world.tournament("ab", "cd")
    start("reconcile")
    worker = start("play", "--concurrency", "1")
    worker.events("no referee answers", 2)
    match = world.store.matches.get(f"{made}.1")
    assert (match.fence, match.attempts) == (0, ())


def test_a_message_of_a_killed_worker_is_not_needed(
    start: Callable[..., Service], world: Any, app: App, client: Any
) -> None:
    """A worker takes the message and dies with it: the reconciler sends another."""
    world.add("ab")
    world.add("cd")
    match = f"{world.filled('ab', 'cd')}.1"
    Messages(app).play(match)
    worker = start("play", "--concurrency", "1")
    worker.events("no referee answers")
    worker.kill()
    client.delete("play")
    start("reconcile")
    start("play", "--concurrency", "1").events("no referee answers")


OF_WORKERS = [
    "REDIS_URL: must begin with one of redis, rediss, unix",
    "KNOCKBOX_LEASE_S: input should be greater than 0",
]


@pytest.mark.parametrize(
    ("program", "arguments", "wrong"),
    [
        ("workers", ["record"], OF_WORKERS),
        ("arena.api", ["--listen", "unix:///nowhere"], OF_WORKERS),
        (
            "workers.sandbox",
            ["--listen", "unix:///nowhere", "--seats", "/nowhere", "--containers", "0x"],
            ["--containers: input should be a valid integer, unable to parse string as an integer"],
        ),
    ],
)
def test_settings_that_make_no_sense_are_told(
    environment: dict[str, str], program: str, arguments: list[str], wrong: list[str]
) -> None:
    """Every service ends with 2 and a line for each wrong setting, which names it; no password is
    among them."""
    done = subprocess.run(
        [sys.executable, "-m", program, *arguments],
        env={**environment, "REDIS_URL": "http://:secret@x", "KNOCKBOX_LEASE_S": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [f"python -m {program}: {line}" for line in wrong]


@pytest.mark.parametrize(
    ("store", "broker"),
    [
        ("unix:///run/s?db=3", "redis+socket:///run/s?virtual_host=3"),
        ("unix:///run/s", "redis+socket:///run/s?virtual_host=0"),
        ("redis://h:1/2", "redis://h:1/2"),
    ],
)
def test_celery_finds_the_store_by_its_url(store: str, broker: str) -> None:
    """One URL is enough: Celery's spelling follows from it."""
    assert broker_of(store) == broker
