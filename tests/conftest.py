"""What every test may use."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from unittest.mock import patch

import pytest
from docker import DockerClient
from docker.errors import DockerException
from hypothesis import settings

from referee import polling

# On a busy machine no example is too slow. `--hypothesis-profile=fuzz` tries four times as many as
# the default of 100.
settings.register_profile("default", deadline=None)
settings.register_profile("fuzz", max_examples=400, deadline=None)

_CASES = pytest.StashKey[Counter[str]]()


def pytest_configure() -> None:
    """Bots of tests run as processes, whatever images lie around; container tests say otherwise.

    Under nohup, or in the background of a shell, a signal is ignored, and children inherit that:
    the programs that tests interrupt would never hear of it. A handler is not inherited.

    Many a test has its referee in this process: gRPC is loaded here as a referee loads it.
    """
    with patch.dict(os.environ):
        polling.by_one_thread()
        import_module("grpc")
    os.environ.setdefault("KNOCKBOX_SANDBOX", "process")
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.fixture(scope="session")
def cases(request: pytest.FixtureRequest) -> Counter[str]:
    """What a proof counts here, by a name in the plural, is printed at the end of the run."""
    return request.config.stash.setdefault(_CASES, Counter())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many cases the proofs tried."""
    for what, number in terminalreporter.config.stash.get(_CASES, Counter()).items():
        terminalreporter.write_line(f"{number:>9,} {what}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where everything is installed a skip hides a missing need: under CI it fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def engine() -> Iterator[DockerClient]:
    """A client of the container engine of this machine; where none answers the test is skipped."""
    try:
        client = DockerClient.from_env(timeout=120, max_pool_size=64)
    except DockerException as error:
        pytest.skip(f"no container engine answers: {error}")
    yield client
    client.close()


@pytest.fixture
def anyio_backend() -> str:
    """The one event loop that the product runs on."""
    return "asyncio"
