"""Real programs, well-behaved and hostile, through the process launcher."""

import asyncio
import errno
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from workers.sandbox import homes, processtable
from workers.sandbox.capture import KEEP
from workers.sandbox.launcher import Exited, Output, Spec, Started
from workers.sandbox.processes import ProcessLauncher, environment

pytestmark = pytest.mark.anyio


def snapshot(tmp_path: Path, source: str) -> Path:
    folder = tmp_path / "snapshot"
    folder.mkdir(exist_ok=True)
    (folder / "bot.py").write_text(textwrap.dedent(source))
    return folder


def launcher(tmp_path: Path) -> ProcessLauncher:
    return ProcessLauncher(tmp_path / "work", sample_s=0.02)


async def start(tmp_path: Path, source: str, **spec):
    """Start a program; `ready()` in its source tells the test that it has come so far."""
    source = f"def ready(): open({str(tmp_path / 'ready')!r}, 'w').close()\n" + textwrap.dedent(
        source
    )
    folder = snapshot(tmp_path, source)
    spec = {"command": ("python3", "bot.py"), "variables": {"KNOCKBOX_TICKET": "t"}, **spec}
    return await launcher(tmp_path).start(Spec("bot", folder, **spec))


async def ready(tmp_path: Path) -> None:
    """Wait until the program says ready()."""
    async with asyncio.timeout(30):
        while not (tmp_path / "ready").exists():
            await asyncio.sleep(0.01)


async def outcome(running) -> tuple[str, Exited]:
    """All that was printed, and how it ended, whatever memory it was seen with."""
    events = [event async for event in running.events()]
    await running.stop()
    [output] = [event for event in events if isinstance(event, Output)]
    assert isinstance(events[-1], Exited)
    return output.log.text(), events[-1]._replace(peak=0)


def left(tmp_path: Path) -> list:
    """Processes and homes of this test that are still there."""
    work = tmp_path / "work"
    alive = [
        each
        for each in processtable.table().values()
        if processtable.lives_in(each.pid, str(work)) and not each.zombie
    ]
    return alive + [home for owner in work.iterdir() for home in owner.iterdir()]


async def test_a_program_runs_in_a_fresh_home_with_a_bare_environment(tmp_path):
    """A program begins in a copy of its snapshot, with empty folders, and inherits nothing."""
    os.environ["KNOCKBOX_SECRET_OF_THE_WORKER"] = "secret"
    try:
        running = await start(
            tmp_path,
            """
            import os
            print(sorted(os.environ))
            print(os.listdir(), os.listdir(os.environ["HOME"]), os.listdir(os.environ["TMPDIR"]))
            print(os.getsid(0) == os.getpid(), os.environ["KNOCKBOX_TICKET"])
            """,
        )
        text, exited = await outcome(running)
    finally:
        del os.environ["KNOCKBOX_SECRET_OF_THE_WORKER"]
    names, folders, session = text.splitlines()
    expected = environment(tmp_path, "", {"KNOCKBOX_TICKET": "t"})
    assert set(eval(names)) - {"LC_CTYPE"} == set(expected)
    assert folders == "['bot.py'] [] []"
    assert session == "True t"
    assert exited == Exited(0)
    assert left(tmp_path) == []


async def test_started_comes_first_and_exited_last(tmp_path):
    """The events of a run are Started, Output, Exited."""
    running = await start(tmp_path, "print('hello')")
    kinds = [type(event) async for event in running.events()]
    assert kinds == [Started, Output, Exited]
    await running.stop()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("raise SystemExit(7)", Exited(7)),
        ("import os; os.kill(os.getpid(), 9)", Exited(0, signal=9)),
        ("import os; os.abort()", Exited(0, signal=6)),
        ("1/0", Exited(1)),
    ],
)
async def test_exit_codes_and_signals_are_told_apart(tmp_path, source, expected):
    """A program's exit code and the signal that ended it are two different words."""
    _, exited = await outcome(await start(tmp_path, source))
    assert exited == expected


@pytest.mark.parametrize(
    ("command", "code"), [(("no-such-program",), 127), (("./bot.py",), 126), (("./",), 126)]
)
async def test_a_program_that_is_not_there_is_its_authors_fault(tmp_path, command, code):
    """A command that cannot be run ends like in a shell, with the reason in the log."""
    text, exited = await outcome(await start(tmp_path, "", command=command))
    assert exited == Exited(code)
    assert f"cannot start {command[0]}" in text
    assert left(tmp_path) == []


async def test_a_snapshot_that_is_gone_is_the_platforms_fault(tmp_path):
    """Where the machine fails, the program is not blamed."""
    running = await launcher(tmp_path).start(Spec("bot", tmp_path / "gone", ("true",), {}))
    assert (await outcome(running))[1] == Exited(0, infra=True)


async def test_a_machine_that_has_no_room_is_told_apart(tmp_path, monkeypatch):
    """Where a home cannot be made for want of space, the end of the program says so."""

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "file").touch()
    monkeypatch.setattr(shutil, "copyfile", full)  # a full file system cannot be had here
    running = await launcher(tmp_path).start(Spec("bot", tmp_path / "bot", ("true",), {}))
    assert (await outcome(running))[1] == Exited(0, infra=True, lacking="ENOSPC")


async def test_a_flood_of_output_is_drained_and_capped(tmp_path):
    """200 MB without a newline cost two caps of memory; the first and the last bytes are kept."""
    running = await start(
        tmp_path,
        """
        import os
        os.write(1, b"first byte")
        block = b"x" * 1_000_000
        for _ in range(200):
            at = 0
            while at < len(block):
                at += os.write(2, block[at:])
        os.write(2, b"last byte")
        """,
    )
    text, exited = await outcome(running)
    assert exited == Exited(0)
    assert text.startswith("first byte")
    assert text.endswith("last byte")
    assert "bytes dropped" in text
    assert len(text) < 2 * KEEP + 100


async def test_memory_is_counted_over_all_processes(tmp_path):
    """A program whose child takes more memory than the two may have is ended for it."""
    running = await start(
        tmp_path,
        """
        import subprocess, sys
        subprocess.run([sys.executable, "-c", "x = bytearray(150 << 20); input()"],
                       stdin=subprocess.PIPE)
        import time
        time.sleep(600)
        """.replace("subprocess.run(", "subprocess.Popen("),
        memory=100 << 20,
    )
    _, exited = await outcome(running)
    assert exited.memory
    assert exited.signal == 9
    assert left(tmp_path) == []


async def test_a_program_that_ignores_sigterm_is_killed(tmp_path):
    """stop() asks first and kills then; the run is marked as stopped."""
    running = await start(
        tmp_path,
        """
        import signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        ready()
        time.sleep(600)
        """,
    )
    await ready(tmp_path)
    await running.stop(grace=0.05)
    assert (await outcome(running))[1] == Exited(0, signal=9, stopped=True)
    assert left(tmp_path) == []


async def test_a_program_may_leave_when_it_is_asked(tmp_path):
    """SIGTERM gives a program the chance to end by itself."""
    running = await start(
        tmp_path,
        """
        import signal, sys, time
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
        ready()
        time.sleep(600)
        """,
    )
    await ready(tmp_path)
    await running.stop(grace=30)
    assert (await outcome(running))[1] == Exited(3, stopped=True)


GRANDCHILD = """
import os, sys, time
hear, say = os.pipe()
os.set_inheritable(say, True)
def run_bare():
    code = f"import os, time; os.write({say}, b'x'); time.sleep(600)"
    os.execve(sys.executable, ["python3", "-c", code], {})
if os.fork() == 0:
    DETACHED
    os.write(say, b"x")
    time.sleep(600)
os.read(hear, 1)
ready()
time.sleep(WAIT)
"""


@pytest.mark.parametrize("detached", ["0", "os.setsid()", "(os.setsid(), run_bare())"])
@pytest.mark.parametrize("wait", ["0", "600"])
async def test_grandchildren_go_with_the_program(tmp_path, detached, wait):
    """What a program started is gone with it, detached or not, with its environment or without."""
    source = GRANDCHILD.replace("DETACHED", detached).replace("WAIT", wait)
    running = await start(tmp_path, source)
    await ready(tmp_path)
    if wait == "600":
        await running.stop()
    await outcome(running)
    assert left(tmp_path) == []


FORKS = """
import os, time
hear, say = os.pipe()
for _ in range(60):
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
        os.write(say, b"x")
        time.sleep(600)
for _ in range(120):
    os.read(hear, 1)
ready()
time.sleep(600)
"""

COMET = """
import os, time
if os.fork() == 0:
    ready()
    while True:
        if os.fork():
            os._exit(0)
time.sleep(600)
"""


@pytest.mark.parametrize("source", [FORKS, COMET])
async def test_forking_does_not_outrun_the_end(tmp_path, source):
    """A hundred processes, and one that forks and dies on and on, are gone with their program."""
    running = await start(tmp_path, source, memory=1 << 40)
    await ready(tmp_path)
    await running.stop(grace=0)
    await outcome(running)
    assert left(tmp_path) == []


async def test_a_home_is_deleted_whatever_was_done_to_it(tmp_path):
    """Folders without rights and odd names do not keep a home from being deleted."""
    source = """
    import os
    deep = os.path.join(os.environ["HOME"], "a", "b\\udcff")
    os.makedirs(deep)
    open(os.path.join(deep, "file"), "w").close()
    os.symlink("/etc", os.path.join(deep, "link"))
    os.chmod(deep, 0)
    os.chmod(os.path.dirname(deep), 0)
    """
    _, exited = await outcome(await start(tmp_path, source))
    assert exited == Exited(0)
    assert left(tmp_path) == []
    assert Path("/etc").is_dir()


OWNER = """
import asyncio, sys
from pathlib import Path
from workers.sandbox.launcher import Spec
from workers.sandbox.processes import ProcessLauncher

async def own(work, folder):
    await ProcessLauncher(work).start(Spec("bot", folder, ("python3", "bot.py"), {}))
    print("started", flush=True)
    await asyncio.sleep(600)

asyncio.run(own(Path(sys.argv[1]), Path(sys.argv[2])))
"""


async def test_what_a_killed_owner_has_left_is_swept(tmp_path):
    """While an owner lives its programs are left alone; once it was killed they are swept away."""
    folder, work = snapshot(tmp_path, "import time; time.sleep(600)"), tmp_path / "work"
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(work), str(folder)], stdout=subprocess.PIPE, text=True
    )
    with owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "started\n"
        homes.sweep(work)
        assert len(left(tmp_path)) == 2  # one process, one home
        owner.kill()
    assert len(left(tmp_path)) == 2
    homes.sweep(work)
    assert left(tmp_path) == []
