"""Real containers through the launcher: how they end, what they reach, what they leave."""

import ast
import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient

from tests.sandbox import containers_kit as kit
from tests.sandbox.containers_kit import Stage, ended
from workers.sandbox.launcher import Exited, Output, Started
from workers.sandbox.service import seccomp
from workers.sandbox.service.container import Container
from workers.sandbox.service.shares import USERS
from workers.sandbox.service.template import LABEL, Order, Sandbox

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def puppet(engine: DockerClient) -> Iterator[str]:
    """The image whose program asks at its seat what to run."""
    if not engine.images.list(kit.BASE):
        pytest.skip(f"the image {kit.BASE} is not here: make images")
    with kit.image(engine, kit.command(kit.PUPPET)) as image:
        yield image


@pytest.fixture(scope="module")
def stage(engine: DockerClient, puppet: str) -> Iterator[Stage]:
    """A launcher whose containers are all gone in the end."""
    with kit.stage(engine, puppet) as stage:
        yield stage
        assert stage.ours() == []


# How they end.


@pytest.mark.parametrize(
    ("program", "exited"),
    [
        ("pass", Exited(0)),
        ("raise SystemExit(7)", Exited(7)),
        ("import os; os.kill(os.getpid(), 11)", Exited(0, signal.SIGSEGV)),
        ("import os; os.abort()", Exited(0, signal.SIGABRT)),
        ("food = bytearray(300 << 20)", Exited(0, signal.SIGKILL, memory=True)),
        ("import os; os.kill(os.getpid(), 9)", Exited(0, signal.SIGKILL)),
    ],
)
async def test_how_a_program_ended_is_told_apart(stage: Stage, program: str, exited: Exited):
    """Exit code, signal and lack of memory each come out as what they are."""
    told = await stage.run(program)
    assert told.started
    assert told.exited == exited


async def test_a_child_that_runs_out_of_memory_is_not_the_program(stage: Stage):
    """Where only a child was killed for its memory the program's own end is told."""
    program = """
        import os
        if os.fork() == 0:
            food = bytearray(300 << 20)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
        raise SystemExit(4)
    """
    told = await stage.run(program)
    assert (told.printed, told.exited) == ("-9\n", Exited(4))


async def test_the_first_byte_and_the_last_are_kept(stage: Stage):
    """Of much output the first and the last bytes are kept, and the gap told."""
    program = """
        import os
        os.write(1, b"first")
        for _ in range(64): os.write(1, b"x" * 65536)
        os.write(1, b"last")
    """
    log = (await stage.run(program)).output.log
    assert log.head.startswith(b"firstxxx")
    assert log.tail.endswith(b"xxxlast")
    assert len(log.head) + log.dropped + len(log.tail) == 9 + 64 * 65536
    assert log.dropped > 3 << 20


async def test_both_outputs_are_kept(stage: Stage):
    """What a program writes on either output is kept."""
    told = await stage.run("import os; os.write(1, b'one '); os.write(2, b'two ')")
    assert sorted(told.printed.split()) == ["one", "two"]


def by_the_platform(why: str) -> Exited:
    """The end of a program that ran and was killed without a word of its worker's."""
    return Exited(0, signal.SIGKILL, stopped=True, infra=True, why=why)


HANGS = "import signal, time; print('here', flush=True); {} time.sleep(600)"


@pytest.mark.parametrize(
    ("stubborn", "by"),
    [("", signal.SIGTERM), ("signal.signal(15, signal.SIG_IGN);", signal.SIGKILL)],
)
async def test_a_program_that_hangs_is_stopped(stage: Stage, stubborn: str, by: int):
    """It is asked first and then killed; when `stop` returns the engine knows nothing of it."""
    with stage.seat(HANGS.format(stubborn)) as seat:
        running = await stage.launcher.start(stage.spec(seat))
        events = running.events()
        assert await anext(events) == Started()
        await running.stop(1.0)
        assert stage.ours() == []
        output, exited = [event async for event in events]
        assert isinstance(output, Output)
        assert exited in (Exited(0, by, stopped=True), Exited(0, signal.SIGTERM, stopped=True))


async def test_a_container_ends_when_its_time_is_over(stage: Stage):
    """What runs beyond its deadline is killed by the launcher itself; the worker, who knows the
    bot's clock, has not called it late."""
    told = await stage.run(HANGS.format("signal.signal(15, signal.SIG_IGN);"), longest_s=0.2)
    assert told.exited == by_the_platform("it ran longer than it may")


async def test_what_a_child_ate_is_not_why_the_launcher_ends_a_program(stage: Stage):
    """A program that outlived a child without memory and is then killed by the launcher had enough
    itself."""
    program = """
        import os, time
        if os.fork() == 0:
            food = bytearray(300 << 20)
        os.wait()
        print("alone", flush=True)
        time.sleep(600)
    """
    told = await stage.run(program, longest_s=2.0)
    assert (told.printed, told.exited) == ("alone\n", by_the_platform("it ran longer than it may"))


async def test_a_call_that_is_cancelled_ends_its_container(stage: Stage):
    """When the worker is gone, so is what it had started."""
    with stage.seat(HANGS.format("")) as seat:
        running = await stage.launcher.start(stage.spec(seat))
        assert await anext(running.events()) == Started()
        assert len(stage.ours()) == 1
        assert running._task is not None
        running._task.cancel()
        await kit.until(lambda: not stage.ours())


async def test_children_end_with_the_program(stage: Stage):
    """What a program leaves running, in a session of its own and holding its output, ends too."""
    program = """
        import os, time
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
        print("gone")
    """
    told = await stage.run(program)
    assert (told.printed, told.exited) == ("gone\n", Exited(0))


# Whose fault it is.


@pytest.mark.parametrize(
    ("lines", "code", "word"),
    [
        ('CMD ["/nothing"]', 127, "No such file"),
        ("CMD []", 127, "names no command"),
        (f"VOLUME /data\n{kit.command('pass')}", 126, "volume at /data"),
    ],
)
async def test_an_image_that_cannot_be_run_is_its_authors_fault(stage, lines, code, word):
    """An image without a command, without its program, or with a volume crashes with a reason."""
    with kit.image(stage.engine, lines) as image:
        told = await stage.run("", image=image)
    assert (told.exited.code, told.exited.infra) == (code, False)
    assert word in told.printed


async def test_an_image_that_is_gone_is_nobodys_fault(stage: Stage):
    """An image that was removed after it was pinned is told as the platform's trouble."""
    told = await stage.run("", image="sha256:" + "0" * 64)
    assert not told.started
    assert told.exited.infra
    assert "No such image" in told.exited.why


@pytest.mark.parametrize(
    "changes",
    [
        {"image": "debian:trixie-slim"},
        {"variables": {"KNOCKBOX_REFEREE": "unix:///etc/0123abcd/0/s.sock", "KNOCKBOX_TICKET": ""}},
        {"match_id": "../x"},
    ],
)
async def test_an_order_that_does_not_fit_is_refused(stage: Stage, changes):
    """Nothing is created for an order outside the template."""
    told = await stage.run("", **changes)
    assert told.exited.infra
    assert "INVALID_ARGUMENT" in told.exited.why


async def test_a_launcher_that_is_gone_is_nobodys_fault(tmp_path):
    """Where no launcher answers, the bot is not to blame."""
    stage = Stage(None, f"unix://{tmp_path}/none", tmp_path, "sha256:" + "0" * 64)  # pyright: ignore
    with stage.seat() as seat:
        told = await ended(await stage.launcher.start(stage.spec(seat)))
    assert told.exited.infra
    assert "UNAVAILABLE" in told.exited.why


# What they reach.


async def asked(stage: Stage, program: str):
    """What a program prints, as a value."""
    told = await stage.run(program)
    assert told.exited == Exited(0), told
    return ast.literal_eval(told.printed)


async def test_a_container_sees_its_seat_and_nothing_else(stage: Stage):
    """The only folder of the host is the seat's, read-only, with a socket in it; no network, no
    capabilities, a bare environment, and the same name for all."""
    program = """
        import os, socket
        def writes(folder):
            try:
                os.close(os.open(folder + "/new", os.O_CREAT))
                return True
            except OSError:
                return False
        status = dict(line.split(":", 1) for line in open("/proc/self/status"))
        mounts = [line.split() for line in open("/proc/self/mounts")]
        try:
            open("/seat/x", "w")
            wrote = True
        except OSError as error:
            wrote = error.strerror
        print(repr({
            "seat": os.listdir("/seat"), "wrote": wrote,
            "interfaces": [line.split(":")[0].strip() for line in open("/proc/net/dev")][2:],
            "caps": {status[name].strip() for name in status if name.startswith("Cap")},
            "new privileges": status["NoNewPrivs"].strip(), "seccomp": status["Seccomp"].strip(),
            "groups": (os.getgid(), os.getgroups()), "host": socket.gethostname(),
            "root": [m[3].split(",")[0] for m in mounts if m[1] == "/"],
            "writable": sorted(m[1] for m in mounts if os.path.isdir(m[1]) and writes(m[1])),
            "environment": sorted(os.environ),
        }))
    """
    told = await asked(stage, program)
    assert told == {
        "seat": ["s.sock"],
        "wrote": "Read-only file system",
        "interfaces": ["lo"],
        "caps": {"0000000000000000"},
        "new privileges": "1",
        "seccomp": "2",
        "groups": (65534, [65534]),
        "host": "bot",
        "root": ["ro"],
        "writable": ["/dev/shm", "/tmp"],
        "environment": [
            "HOME", "HOSTNAME", "KNOCKBOX_REFEREE", "KNOCKBOX_TICKET", "LANG", "PATH",
            "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "TMPDIR",
        ],
    }  # fmt: skip


async def test_limits_hold(stage: Stage):
    """Processes, open files, temporary files, their number and shared memory are all bounded."""
    program = """
        import errno, os
        def most(what, least=0):
            number = least
            try:
                while number < 5000:
                    what(number)
                    number += 1
            except (OSError, RuntimeError) as error:
                return number, errno.errorcode[getattr(error, "errno", 11)]
            return number
        def full(path, size):
            with open(path, "wb", buffering=0) as file:
                return most(lambda n: file.write(bytes(1 << 16)) == 1 << 16 or os.write(-1, b""))[0]
        found = {}
        found["shm"] = full("/dev/shm/x", 1)
        found["tmp"] = full("/tmp/x", 1)
        os.remove("/tmp/x")
        found["files"] = most(lambda n: os.close(os.open(f"/tmp/{n}", os.O_CREAT)))
        found["open"] = most(lambda n: os.dup(0))[1]
        os.closerange(3, 256)
        import signal
        children = []
        def fork(n):
            pid = os.fork()
            if pid == 0:
                signal.pause()
            children.append(pid)
        found["processes"] = most(fork)
        for pid in children:
            os.kill(pid, 9)
        import resource
        found["core"] = resource.getrlimit(resource.RLIMIT_CORE)
        print(repr(found))
    """
    told = await asked(stage, program)
    assert told["shm"] == 16
    assert told["tmp"] == 256
    assert told["files"] == (1023, "ENOSPC")
    assert told["open"] == "EMFILE"
    assert told["processes"][0] in range(55, 64)
    assert (told["processes"][1], told["core"]) == ("EAGAIN", (0, 0))


async def test_only_unix_sockets_open(stage: Stage):
    """Of all families of sockets only the one of the seat's door opens; io_uring, ptrace, message
    queues, name spaces and 32-bit calls do not work."""
    program = """
        import ctypes, errno, os, platform, signal, socket
        libc = ctypes.CDLL(None, use_errno=True)
        families = []
        for family in range(0, 64):
            try:
                socket.socket(family, socket.SOCK_STREAM).close()
                families.append(family)
            except OSError:
                pass
        numbers = {"x86_64": {"ptrace": 101, "shmget": 29, "msgget": 68, "mq_open": 240,
            "unshare": 272, "io_uring_setup": 425, "bpf": 321, "userfaultfd": 323, "add_key": 248,
            "perf_event_open": 298, "process_vm_readv": 310, "name_to_handle_at": 303, "sync": 162,
            "mknod": 133, "setxattr": 188, "memfd_secret": 447, "clone3": 435}}
        table = numbers.get(platform.machine(), {})
        refused = {}
        for name, number in table.items():
            result = libc.syscall(number, 0, 0, 0, 0, 0, 0)
            refused[name] = errno.errorcode[ctypes.get_errno()] if result < 0 else "done"
        # int 0x80: a call of 32 bits (getpid), in a child.
        import mmap
        died = None
        if platform.machine() == "x86_64":
            if os.fork() == 0:
                page = mmap.mmap(-1, 4096, prot=7)
                page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
                address = ctypes.addressof(ctypes.c_char.from_buffer(page))
                ctypes.CFUNCTYPE(ctypes.c_int)(address)()
                os._exit(0)
            died = os.waitstatus_to_exitcode(os.wait()[1])
        print(repr((families, refused, died)))
    """
    families, refused, died = await asked(stage, program)
    assert families == [1]
    assert {name: word for name, word in refused.items() if word != "EPERM"} == (
        {"clone3": "ENOSYS"} if refused else {}
    )
    assert died in (None, -signal.SIGSYS)


async def test_two_containers_share_no_count_of_the_kernel(stage: Stage):
    """What one bot takes of what the kernel counts by user, its opponent still has in full."""
    takes = """
        import ctypes, time
        libc, number = ctypes.CDLL(None), 0
        while number < 200 and libc.inotify_init1(0) >= 0: number += 1
        print(number, flush=True)
        {}
    """
    with stage.seat(takes.format("time.sleep(600)")) as seat:
        greedy = await stage.launcher.start(stage.spec(seat, seats=2))
        assert await anext(greedy.events()) == Started()
        other = await stage.run(takes.format(""), seats=2)
        await greedy.stop(0)
        first = await ended_output(greedy)
    assert other.printed == first
    assert int(first) > 0


async def ended_output(running) -> str:
    """What a program that was started has printed."""
    output, _ = [event async for event in running.events()]
    return output.log.text()


# What is left.


async def test_a_killed_launcher_leaves_nothing_for_long(engine, puppet, tmp_path):
    """kill -9 of the launcher: the worker hears that nobody is to blame, and the next launcher of
    the same place removes what the first has left."""
    with kit.stage(engine, puppet) as stage:
        command = [sys.executable, "-m", "workers.sandbox", "--seats", str(stage.seats)]
        address = stage.address.replace("launch.sock", "other.sock")
        launcher = subprocess.Popen(
            [*command, "--listen", address], stderr=subprocess.PIPE, text=True
        )
        assert launcher.stderr is not None
        assert '"ready"' in launcher.stderr.readline()
        with stage.seat(HANGS.format("")) as seat:
            other = stage._replace(address=address).launcher
            running = await other.start(stage.spec(seat))
            assert await anext(running.events()) == Started()
            os.kill(launcher.pid, signal.SIGKILL)
            launcher.communicate()
            *_, exited = [event async for event in running.events()]
            assert isinstance(exited, Exited)
            assert exited.infra
            assert len(stage.ours()) == 1
            with kit.stage(engine, puppet):  # another place, but it sees that the process is gone
                await kit.until(lambda: not stage.ours())


async def test_a_launcher_that_is_told_to_stop_ends_its_containers(engine, puppet):
    """SIGTERM's way: what runs is ended and removed before the launcher is gone, and its bot is not
    to blame."""
    with kit.stage(engine, puppet) as stage, stage.seat(HANGS.format("")) as seat:
        running = await stage.launcher.start(stage.spec(seat))
        assert await anext(running.events()) == Started()
        reading = asyncio.ensure_future(ended(running))
        kept = stage
    assert kept.ours() == []
    assert (await reading).exited == by_the_platform("the launcher is stopping")


@pytest.mark.parametrize("why", ["", "the launcher is stopping"])
def test_what_is_ended_before_it_runs_is_nobodys_fault_unless_asked_for(engine, tmp_path, why: str):
    """An order that meets a launcher on its way out does not become a crash of its bot."""
    container = container_of(engine, "sha256:" + "0" * 64, tmp_path)
    container.stop(why=why)
    *_, exited = container.events()
    assert exited == Exited(0, stopped=True, infra=bool(why), why=why)


async def test_who_stops_listening_holds_no_connection(stage: Stage, monkeypatch):
    """What is attached to a container is let go with it, though its first event was the last that
    anybody read."""
    attached: list[Any] = []
    attach = stage.engine.api.attach_socket

    def seen(*arguments: Any) -> Any:
        attached.append(attach(*arguments))
        return attached[-1]

    monkeypatch.setattr(stage.engine.api, "attach_socket", seen)
    with stage.seat(HANGS.format("")) as seat:
        events = container_of(stage.engine, stage.image, seat.folder).events()
        assert await asyncio.to_thread(next, events) == Started()
        await asyncio.to_thread(events.close)
    assert [one._response.raw.closed for one in attached] == [True]


def container_of(engine: DockerClient, image: str, folder: Path) -> Container:
    """A container without a launcher."""
    sandbox = Sandbox(json.dumps(seccomp.profile()), "nobody", "elsewhere.1.1")
    deadline = int(time.time() + 60)
    order = Order(image, folder, "t" * 32, "test-1", 1, deadline, 128 << 20, USERS[-1])
    name = f"knockbox-test-{secrets.token_hex(8)}"
    return Container(engine, sandbox, order, name, threading.Semaphore())


async def test_the_reaper_takes_what_is_overdue_and_leaves_what_is_held(stage: Stage):
    """A container past its deadline goes, whoever made it; one that is held or somebody's stays."""
    labels = {LABEL: "1", f"{LABEL}.owner": "x", f"{LABEL}.process": "elsewhere.1.1"}
    late = {**labels, f"{LABEL}.deadline": "1"}
    early = {**labels, f"{LABEL}.deadline": str(1 << 40)}
    strays = [
        stage.engine.containers.create(stage.image, labels=each, network_mode="none")
        for each in (late, early)
    ]
    try:
        with stage.seat(HANGS.format("")) as seat:
            running = await stage.launcher.start(stage.spec(seat))
            assert await anext(running.events()) == Started()
            await kit.reap(stage)
            known = {one["Id"] for one in stage.engine.api.containers(all=True)}
            assert [stray.id in known for stray in strays] == [False, True]
            assert len(stage.ours()) == 1
            await running.stop(0)
    finally:
        strays[1].remove(force=True)
