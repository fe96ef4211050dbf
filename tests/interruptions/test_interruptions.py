"""Whatever is killed in the middle of a tournament, its results are those of a quiet run."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

NAME, SEED, UNITS = "cup", "interruptions", 16


@pytest.fixture(scope="module")
def quiet() -> dict[str, Any]:
    """Results of the undisturbed run, kept by the first test that needs them."""
    return {}


def undisturbed(arena: Callable[..., Any], quiet: dict[str, Any]) -> dict[str, Any]:
    if not quiet:
        with arena("quiet") as calm:
            calm.begin(NAME, SEED, UNITS)
            quiet.update(calm.finish(NAME))
    return quiet


def needs(what: str) -> NoReturn:
    """Skip for want of something; under CI, where everything is installed, fail."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


def running(state: dict[str, Any]) -> bool:
    return state["running"] >= 1


def test_whatever_is_interrupted_changes_no_result(
    arena: Callable[..., Any], quiet: dict[str, Any]
) -> None:
    """kill -9 of worker, recorder, referee and store in turn, then a worker that stands still past
    its lease while another one takes over: it ends by itself, every match recorded once, with the
    results, table and ratings of a quiet run."""
    expected = undisturbed(arena, quiet)
    with arena("hurt", KNOCKBOX_SLOTS="1") as hurt:
        hurt.begin(NAME, SEED, UNITS)
        for service in ("worker", "recorder", "referee", "store"):
            hurt.until(NAME, running)
            hurt.kill(service)
        hurt.until(NAME, running)
        lapsed = hurt.said("reconciler", "lease over")
        with hurt.stopped("worker"), hurt.worker():
            hurt.until(NAME, lambda _: hurt.said("reconciler", "lease over") > lapsed)
            standing = hurt.until(NAME, lambda _: True)["recorded"]
            hurt.until(NAME, lambda state: state["recorded"] > standing)
        assert hurt.finish(NAME) == expected


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[str]:
    """A `redis-server` from the PATH, started by hand as an operator would; its URL."""
    binary = shutil.which("redis-server")
    if binary is None:
        needs("redis-server is not on the PATH")
    path = Path("/tmp") / f"kbr{os.getpid()}.sock"
    server = subprocess.Popen(
        [binary, "--port", "0", "--unixsocket", str(path), "--dir", str(tmp_path), "--save", ""],
        stdout=subprocess.DEVNULL,
    )
    end = time.monotonic() + 10
    while not path.exists():
        assert time.monotonic() < end, "redis-server does not start"
        time.sleep(0.02)
    yield f"unix://{path}?db=0"
    server.terminate()
    server.wait()
    path.unlink(missing_ok=True)


def test_own_redis_gives_the_same_results(
    arena: Callable[..., Any], quiet: dict[str, Any], redis_server: str
) -> None:
    """With a Redis of one's own at REDIS_URL nothing else is needed, and nothing comes out else;
    halves of pairs at a shutdown count for nothing, and are played again after it."""
    expected = undisturbed(arena, quiet)
    with arena("own", REDIS_URL=redis_server) as own:
        own.begin(NAME, SEED, UNITS)
        own.until(NAME, running)
        own.run("down")
        own.run("up")
        assert own.finish(NAME) == expected
        assert "store" not in {row["name"] for row in own.ask("status")["services"]}


@pytest.fixture
def an_hour_ahead() -> dict[str, str]:
    """Variables that put a process's wall clock an hour ahead, and leave its other clocks alone."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not found:
        needs("libfaketime is not installed (Debian: faketime)")
    return {
        "LD_PRELOAD": str(found[0]),
        "FAKETIME": "+1h",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def test_a_wrong_clock_costs_nothing(
    arena: Callable[..., Any], quiet: dict[str, Any], an_hour_ahead: dict[str, str]
) -> None:
    """A worker whose wall clock is an hour ahead loses no lease, and no bot loses by time; another
    worker stands still all the while, with the messages that it was given."""
    expected = undisturbed(arena, quiet)
    with arena("clock") as wrong, wrong.stopped("worker"), wrong.worker(**an_hour_ahead):
        wrong.begin(NAME, SEED, UNITS)
        assert wrong.finish(NAME) == expected
        assert wrong.said("reconciler", "lease over") == 0
