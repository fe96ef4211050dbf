"""Services are kept running, and nothing of them is left in the end."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.local import processes
from arena.local.supervisor import Supervisor
from arena.local.watch import Service, StartError
from arena.settings import Supervision

pytestmark = pytest.mark.anyio

SHORT = Supervision(
    check_every=0.05, start_timeout=5, stop_grace=0.5, backoff_first=0.01, first_tries=2
)
SLEEPER = "import time; time.sleep(1000)"
PARENT = "import subprocess, time; subprocess.Popen(['sleep', '999'], start_new_session=True);"


async def yes() -> bool:
    return True


async def no() -> bool:
    return False


def service(
    folder: Path, program: str, check: Callable[[], Awaitable[bool]] = yes, stage: int = 0
) -> Service:
    return Service(
        name=f"s{stage}",
        what="a test",
        command=[sys.executable, "-c", program],
        environment={**os.environ, "KNOCKBOX_TEST_FOLDER": str(folder)},
        log=folder / "log",
        check=check,
        stage=stage,
    )


class Running:
    """A supervisor in a task, and what it has said."""

    def __init__(self, *services: Service, durations: Supervision = SHORT) -> None:
        self.stop = asyncio.Event()
        self.ready = asyncio.Event()
        self.changed = asyncio.Event()
        self.supervisor = Supervisor(services, durations, self.changed.set)
        self.task = asyncio.create_task(self.supervisor.run(self.stop, self.ready.set))

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 10)

    async def end(self) -> None:
        self.stop.set()
        await self.task


async def test_a_killed_service_starts_again(tmp_path: Path) -> None:
    """A service that is killed is started again, and the restart is counted."""
    running = Running(service(tmp_path, SLEEPER))
    await running.ready.wait()
    (state,) = running.supervisor.states
    first = state.pid
    os.kill(first, signal.SIGKILL)
    await running.until(lambda: state.restarts == 1 and state.state == "healthy")
    assert state.pid != first
    await running.end()
    assert (state.state, state.pid) == ("stopped", 0)


@pytest.mark.parametrize("prepares", [False, True])
async def test_a_service_comes_back_with_what_it_lacked(tmp_path: Path, prepares: bool) -> None:
    """A service that cannot be started or prepared, its disk being gone, is when that is back."""
    logs, aside = tmp_path / "logs", tmp_path / "aside"
    logs.mkdir()
    before = (lambda: [*logs.iterdir()].clear()) if prepares else None
    running = Running(service(tmp_path, SLEEPER)._replace(log=logs / "log", before=before))
    await running.ready.wait()
    (state,) = running.supervisor.states
    logs.rename(aside)
    os.kill(state.pid, signal.SIGKILL)
    await running.until(lambda: state.restarts >= 3)
    assert (state.state, state.pid) == ("waiting", 0)
    assert state.ended == "cannot be started: No such file or directory"
    aside.rename(logs)
    await running.until(lambda: state.state == "healthy")
    await running.end()


async def test_a_service_that_nobody_keeps_passes_for_none(tmp_path: Path) -> None:
    """Where the keeping itself fails, everything ends with that error, and nothing is left."""
    times = iter([1])

    def before() -> None:
        if not next(times, 0):
            raise RuntimeError("nobody has thought of this")

    running = Running(service(tmp_path, SLEEPER)._replace(before=before))
    await running.ready.wait()
    os.kill(running.supervisor.states[0].pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="nobody has thought of this"):
        await asyncio.wait_for(running.task, 10)
    assert processes.children() == set()


async def test_what_a_service_leaves_ends_with_it(
    tmp_path: Path, left_over: Callable[[Path], list[int]]
) -> None:
    """Grandchildren that have left the group and the session end with their service."""
    running = Running(service(tmp_path, PARENT + SLEEPER))
    await running.ready.wait()
    await running.end()
    assert left_over(tmp_path) == []


async def test_stages_wait_for_each_other(tmp_path: Path) -> None:
    """A later stage starts when the earlier one serves."""
    serves = asyncio.Event()

    async def check() -> bool:
        return serves.is_set()

    running = Running(service(tmp_path, SLEEPER, check), service(tmp_path, SLEEPER, stage=1))
    first, second = running.supervisor.states
    await running.until(lambda: first.state == "starting")
    assert second.pid == 0
    serves.set()
    await running.ready.wait()
    assert second.pid != 0
    await running.end()


async def test_a_service_that_never_starts_is_told_with_its_last_words(tmp_path: Path) -> None:
    """Where a service does not come to serve, its log's end is in the error, and all has ended."""
    bad = service(tmp_path, "raise SystemExit('no such thing')", no)
    running = Running(service(tmp_path, SLEEPER), bad._replace(stage=1, name="bad"))
    with pytest.raises(StartError, match=r"(?s)the bad does not start.*no such thing"):
        await asyncio.wait_for(running.task, 30)
    assert processes.children() == set()


async def test_a_service_that_fails_its_checks_is_replaced(tmp_path: Path) -> None:
    """A process that lives and does not serve any more is ended and started again."""
    fine = [True]

    async def check() -> bool:
        return fine[0]

    running = Running(service(tmp_path, SLEEPER, check))
    await running.ready.wait()
    (state,) = running.supervisor.states
    first, fine[0] = state.pid, False
    await running.until(lambda: state.state == "failing")
    await running.until(lambda: state.pid not in (first, 0))
    fine[0] = True
    await running.until(lambda: state.state == "healthy")
    await running.end()


@pytest.mark.parametrize(
    ("steady_after", "expected"), [(60.0, [0.02, 0.04, 0.05, 0.05]), (0.0, [0.02] * 4)]
)
async def test_how_a_service_ended_and_when_it_comes_again_is_told(
    tmp_path: Path, steady_after: float, expected: list[float]
) -> None:
    """Who ends again and again waits longer each time, up to the most; who has served for a while
    begins anew."""
    times = {"backoff_first": 0.02, "backoff_most": 0.05, "steady_after": steady_after}
    running = Running(service(tmp_path, "raise SystemExit(3)"), durations=replace(SHORT, **times))
    (state,) = running.supervisor.states
    pauses: dict[int, float] = {}

    def has_waited() -> bool:
        if state.state == "waiting":
            pauses[state.restarts] = round(state.next_start - state.since, 2)
        return len(pauses) == 4

    await running.until(has_waited)
    assert list(pauses.values()) == expected
    assert state.ended == "exit code 3"
    await running.end()


def test_the_leash_pulls_when_the_parent_is_killed(tmp_path: Path) -> None:
    """A child on the leash gets its signal when its parent dies, however it dies."""
    program = (
        "import signal, subprocess, sys\nfrom arena.local import processes\n"
        "child = subprocess.Popen(processes.leash([sys.executable, '-c', "
        f"{SLEEPER!r}], signal.SIGKILL), stdout=subprocess.DEVNULL)\n"
        "print(child.pid, flush=True)\nsys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        watched = os.pidfd_open(child)
        parent.kill()
    import select

    assert select.select([watched], [], [], 10)[0]
    os.close(watched)
