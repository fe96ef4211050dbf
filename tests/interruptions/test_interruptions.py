"""Whatever is killed in the middle of a tournament, its results are those of a quiet run."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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


def running(state: dict[str, Any]) -> bool:
    return state["running"] >= 1


def test_whatever_is_interrupted_changes_no_result(
    arena: Callable[..., Any], quiet: dict[str, Any]
) -> None:
    """kill -9 of worker, recorder, referee and store in turn, then a worker that stands still past
    its lease while another one takes over: it ends by itself, every match recorded once, with the
    results, table and ratings of a quiet run."""
    expected = undisturbed(arena, quiet)
    with arena("hurt") as hurt:
        hurt.begin(NAME, SEED, UNITS)
        for service in ("worker", "recorder", "referee", "store"):
            hurt.until(NAME, running)
            hurt.kill(service)
        hurt.until(NAME, running)
        lapsed = hurt.said("reconciler", "lease over")
        with hurt.stopped("worker"), hurt.worker():
            hurt.until(NAME, lambda _: hurt.said("reconciler", "lease over") > lapsed)
            standing = hurt.ask("tournament", "show", NAME)["recorded"]
            hurt.until(NAME, lambda state: state["recorded"] > standing)
        assert hurt.finish(NAME) == expected


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[str]:
    """A `redis-server` from the PATH, started by hand as an operator would; its URL."""
    binary = shutil.which("redis-server")
    if binary is None:
        if os.environ.get("CI"):
            pytest.fail("redis-server is not on the PATH")
        pytest.skip("redis-server is not on the PATH")
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
    """With a Redis of one's own at REDIS_URL nothing else is needed, and nothing comes out else."""
    expected = undisturbed(arena, quiet)
    with arena("own", REDIS_URL=redis_server) as own:
        own.begin(NAME, SEED, UNITS)
        assert own.finish(NAME) == expected
        assert "store" not in {row["name"] for row in own.ask("status")["services"]}
