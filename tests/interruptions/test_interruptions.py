"""Whatever is killed in the middle of a tournament, its results are those of a quiet run."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAME, SEED, UNITS = "cup", "interruptions", 24


@pytest.fixture(scope="module")
def quiet() -> dict[str, Any]:
    """Results of the undisturbed run, kept by the first test that needs them."""
    return {}


def undisturbed(arena: Callable[..., Any], quiet: dict[str, Any]) -> dict[str, Any]:
    if not quiet:
        with arena("quiet") as running:
            running.begin(NAME, SEED, UNITS)
            quiet.update(running.finish(NAME))
    return quiet


def in_the_middle(state: dict[str, Any]) -> bool:
    return state["running"] >= 1 and state["recorded"] >= 1


@pytest.mark.parametrize("service", ["worker", "recorder", "referee", "store"])
def test_killed_service_changes_no_result(
    arena: Callable[..., Any], quiet: dict[str, Any], service: str
) -> None:
    """kill -9 of any service in mid-tournament: every match recorded once, with equal results."""
    expected = undisturbed(arena, quiet)
    with arena(service) as running:
        running.begin(NAME, SEED, UNITS)
        running.until(NAME, in_the_middle)
        running.kill(service)
        assert running.finish(NAME) == expected


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
    with arena("own", REDIS_URL=redis_server) as running:
        running.begin(NAME, SEED, UNITS)
        assert running.finish(NAME) == expected
        assert "store" not in {row["name"] for row in running.ask("status")["services"]}
