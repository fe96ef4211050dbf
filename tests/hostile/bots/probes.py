"""Tries every door that a bot may find, says what each attempt got, and plays well.

Each line that it prints is a name and a word; `KNOCKBOX` and what follows of a line is a ticket's
beginning. What the words should be: the table of probes.
"""

import errno
import fcntl
import json
import os
import re
import resource
import signal
import socket
import stat
import subprocess

import grpc
import kernel
import well
from kernel import apart, call
from knockbox_sdk import run

FOUND = {}
OWN = os.environ["KNOCKBOX_TICKET"]
TICKET = re.compile(rb"[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")


def told(act):
    """What an attempt got: `0` or the value, or the name of the error."""
    try:
        value = act()
    except OSError as error:
        if isinstance(error, TimeoutError):
            return "no answer"
        return errno.errorcode.get(error.errno or 0, type(error).__name__)
    except ValueError:  # as Python says that a limit is not to be raised
        return "EPERM"
    return "0" if value is None else str(value)


def probe(name, act):
    """Try it."""
    FOUND[name] = told(act)


# Sockets.


def reached(family, kind, address):
    """Connect; what answers is shown."""
    with socket.socket(family, kind) as one:
        one.settimeout(1)
        one.connect(address)
        return "connected"


def sockets():
    """Everything but the seat."""
    tcp, udp, unix = socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.AF_UNIX
    inet, inet6 = socket.AF_INET, socket.AF_INET6
    for name, family, kind, address in (
        ("TCP to its own loopback, where the host has Redis", inet, tcp, ("127.0.0.1", 6379)),
        ("TCP to the bridge's gateway, Redis' port", inet, tcp, ("172.17.0.1", 6379)),
        ("TCP to the bridge's gateway, the engine's port", inet, tcp, ("172.17.0.1", 2375)),
        ("TCP to the metadata address", inet, tcp, ("169.254.169.254", 80)),
        ("TCP to the internet", inet, tcp, ("1.1.1.1", 443)),
        ("TCP over IPv6", inet6, tcp, ("fd00:ec2::254", 80)),
        ("UDP to a name server", inet, udp, ("1.1.1.1", 53)),
        ("the engine's socket", unix, tcp, "/var/run/docker.sock"),
        ("containerd's socket", unix, tcp, "/run/containerd/containerd.sock"),
        ("the launcher's socket", unix, tcp, "/seat/../launch.sock"),
        ("the opponent's socket beside its own", unix, tcp, "/seat/../1/s.sock"),
        ("an abstract socket of the host", unix, tcp, "\0knockbox-canary"),
        ("an abstract socket of the opponent", unix, tcp, "\0careless"),
        ("a socket in the opponent's /tmp", unix, tcp, "/tmp/careless"),
    ):
        probe(name, lambda f=family, k=kind, a=address: reached(f, k, a))
    for name, number, kind in (
        ("netlink", 16, 3), ("raw packets", 17, 3), ("vsock", 40, 1),
        ("the kernel's ciphers", 38, 5),
        ("bluetooth", 31, 3), ("TIPC", 30, 1), ("XDP", 44, 3), ("CAN", 29, 3),
    ):  # fmt: skip
        probe(f"socket: {name}", lambda n=number, k=kind: call("socket", n, k, 0))
    probe("socket: raw IP", lambda: call("socket", 2, 3, 1))
    probe("socket: vsock by a call of 32 bits", lambda: kernel.old(359, 40, 1))
    probe("socket: vsock by socketcall", lambda: kernel.old(102, 1, 0))
    probe("any call of 32 bits", lambda: kernel.old(20))
    probe("socket: vsock by an x32 call", lambda: kernel.x32(41, 40, 1, 0))
    probe("interfaces but lo", lambda: len(socket.if_nameindex()) - 1)


# Calls of the kernel.


def calls():
    """What changes the machine, other processes, or what this one is."""
    me = os.getpid()
    for name, arguments in (
        ("ptrace", (0,)), ("ptrace", (16, 1)), ("process_vm_readv", (1,)),
        ("process_vm_writev", (1,)), ("kcmp", (me, 1)), ("pidfd_getfd", (0, 0)),
        ("process_madvise", (0,)), ("perf_event_open", (b"\0" * 128, 0, -1, -1)),
        ("bpf", (0, b"\0" * 64, 64)), ("userfaultfd", (1,)), ("io_uring_setup", (1, b"\0" * 120)),
        ("io_uring_enter", ()), ("io_uring_register", ()), ("keyctl", (0, -3, 1)),
        ("add_key", (b"user", b"x", b"x", 1, -3)), ("request_key", (b"user", b"x")),
        ("unshare", (kernel.NEWUSER,)), ("unshare", (kernel.NEWNS,)),
        ("unshare", (kernel.NEWNET,)), ("clone", (kernel.NEWUSER | signal.SIGCHLD,)),
        ("clone3", ()), ("setns", (0, 0)), ("mount", (b"none", b"/tmp", b"tmpfs")),
        ("mount", (b"proc", b"/tmp", b"proc")), ("umount2", (b"/seat", 2)),
        ("pivot_root", (b"/tmp", b"/tmp")), ("chroot", (b"/tmp",)), ("fsopen", (b"tmpfs",)),
        ("open_tree", (-100, b"/")), ("move_mount", ()),
        ("mknodat", (-100, b"/tmp/disk", 0o60666, 0x800)),
        ("name_to_handle_at", (-100, b"/")), ("open_by_handle_at", ()),
        ("fanotify_init", ()), ("init_module", ()), ("finit_module", ()), ("kexec_load", ()),
        ("reboot", (0xFEE1DEAD, 672274793)), ("swapon", (b"/tmp/x",)),
        ("syslog", (3, b"\0" * 9, 9)),
        ("clock_settime", (0, b"\0" * 16)), ("adjtimex", (b"\1" + b"\0" * 300,)),
        ("sethostname", (b"x", 1)), ("setuid", (0,)), ("setgid", (0,)), ("setgroups", (0,)),
        ("personality", (0x0040000,)), ("quotactl", ()), ("acct", (b"/tmp/x",)),
        ("msgget", (0, 0o1600)), ("semget", (0, 1, 0o1600)), ("shmget", (0, 4096, 0o1600)),
        ("mq_open", (b"x", 0o102, 0o600)), ("memfd_secret", ()),
        ("setxattr", (b"/tmp", b"user.x", b"x", 1)), ("lookup_dcookie", ()), ("vhangup", ()),
        ("sync", ()), ("prctl", (35, 1)), ("iopl", (3,)), ("ioperm", (0x70, 2, 1)),
    ):  # fmt: skip
        shown = {"unshare": ("user", "mount", "net"), "mount": ("tmpfs", "proc"),
                 "ptrace": ("be traced", "attach to pid 1")}.get(name)  # fmt: skip
        if shown:
            tried = sum(each.startswith(f"call: {name} (") for each in FOUND)
            name_shown = f"{name} ({shown[tried]})"
        else:
            name_shown = name
        probe(f"call: {name_shown}", lambda n=name, a=arguments: call(n, *a))
    probe("priority above others", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
    probe("real-time scheduling", lambda: os.sched_setscheduler(0, 1, os.sched_param(1)))
    probe("more open files", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)))
    probe("a core file", lambda: resource.setrlimit(resource.RLIMIT_CORE, (1, 1)))


# Processes.


def status(pid):
    """The fields of a process."""
    with open(f"/proc/{pid}/status") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def read(path, size=1 << 20):
    """Bytes of a file."""
    with open(path, "rb") as file:
        return file.read(size)


def write(path, data=b"x"):
    """Overwrite a file; nothing is made."""
    with open(path, "r+b", buffering=0) as file:
        file.write(data)


def processes():
    """Others, and what it is itself."""
    mine = status("self")
    probe("who it is", lambda: f"{'a number' if os.getuid() >= 40000 else 'known'} {os.getgid()}")
    probe("capabilities", lambda: {int(mine[each], 16) for each in mine if each.startswith("Cap")})
    probe("new privileges, seccomp", lambda: f"{mine['NoNewPrivs']} {mine['Seccomp']}")
    before = {pid for pid in os.listdir("/proc") if pid.isdigit()}
    strangers = [pid for pid in before if int(status(pid)["PPid"]) not in (0, 1, os.getpid())]
    probe("processes of others that it sees", lambda: len(strangers))
    for name in ("SIGKILL", "SIGSTOP", "SIGSEGV"):
        number = getattr(signal, name)
        probe(f"{name} to pid 1 of its container", lambda n=number: os.kill(1, n) or "0, it lives")
    probe("signal to a process outside", lambda: os.kill(2_000_000, 0))
    probe("pid 1's environment", lambda: "own" if OWN.encode() in read("/proc/1/environ") else "no")
    probe("pid 1's root", lambda: os.path.samefile("/proc/1/root/bot", "/bot") and "its own")
    probe("above the root", lambda: os.path.samefile("/../" * 9, "/") and "its own root")
    probe("a setuid program of root's in its image", lambda: suid())
    probe("the program that it made itself, in /tmp", lambda: own_program("/tmp/program"))
    probe("the program that it made itself, in /dev/shm", lambda: own_program("/dev/shm/program"))


def suid():
    """Whom a setuid program of the image runs as."""
    code = "import os; print(os.geteuid() == 0)"
    done = subprocess.run(["/suid", "-c", code], capture_output=True, text=True, check=False)
    return "root" if done.stdout.strip() == "True" else "itself"


def own_program(path):
    """Make a program and run it."""
    with open(path, "w") as file:
        file.write("#!/bin/sh\necho ran\n")
    os.chmod(path, 0o4755)
    try:
        return subprocess.run([path], capture_output=True, text=True, check=True).stdout
    finally:
        os.remove(path)


# Files.


def files():
    """What it may write, and what of the host it may read."""
    for path in (
        "/bot/well.py", "/etc/passwd", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches",
        "/proc/sysrq-trigger", "/proc/sys/kernel/hostname", "/proc/irq/default_smp_affinity",
        "/sys/kernel/uevent_helper", "/sys/kernel/mm/transparent_hugepage/enabled",
        "/proc/self/setgroups", "/sys/fs/cgroup/cgroup.procs",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/pids/pids.max",
    ):  # fmt: skip
        probe(f"write: {path}", lambda p=path: write(p))
    probe("write: a lower oom_score_adj", lambda: write("/proc/self/oom_score_adj", b"-1000"))
    probe("write: what runs when its control group is empty", release_agent)
    probe("write: a file beside its socket", lambda: open("/seat/x", "w").close())
    probe("write: its socket removed", lambda: os.remove("/seat/s.sock"))
    probe("write: its socket's mode", lambda: os.chmod("/seat/s.sock", 0))
    probe("write: a device", lambda: os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0)))
    for path in ("/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/timer_list", "/proc/sched_debug",
                 "/dev/mem", "/dev/sda", "/dev/kvm", "/dev/fuse", "/dev/vsock", "/dev/mqueue",
                 "/sys/firmware", "/sys/kernel/debug/x", "/proc/scsi", "/proc/acpi", "/proc/1/mem",
                 "/root/.ssh", "/home", "/var/lib/docker"):  # fmt: skip
        probe(f"read: {path}", lambda p=path: content(p))
    probe("devices", lambda: " ".join(sorted(
        name for name in os.listdir("/dev") if not stat.S_ISLNK(os.lstat(f"/dev/{name}").st_mode)
    )))  # fmt: skip
    probe("mounts from the host", lambda: " ".join(sorted(
        line.split()[4] for line in read("/proc/self/mountinfo").decode().splitlines()
        if line.split(" - ")[1].split()[0] not in
        ("proc", "tmpfs", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue", "overlay")
    )))  # fmt: skip


def content(path):
    """`nothing` where there is nothing in it."""
    if os.path.isdir(path):
        return " ".join(os.listdir(path)) or "nothing"
    return "something" if read(path, 64) else "nothing"


def release_agent():
    """The classic way out of a container with version 1 of control groups."""
    for path in ("/sys/fs/cgroup/memory/release_agent", "/sys/fs/cgroup/rdma/release_agent"):
        if os.path.exists(path):
            write(path, b"/tmp/x")
            return "0"
    raise FileNotFoundError(errno.ENOENT, "none")


# Limits.


def most(act, limit=6000):
    """How often something can be done, and the error after that."""
    for number in range(limit):
        try:
            act(number)
        except OSError as error:
            return number, errno.errorcode[error.errno]
    return limit, "no end"


def fill(path):
    """64 kB at a time."""
    try:
        with open(path, "wb", buffering=0) as file:

            def more(_):
                if file.write(bytes(1 << 16)) < 1 << 16:
                    raise OSError(errno.ENOSPC, "short")

            return "{} x 64 kB, {}".format(*most(more))
    finally:
        os.remove(path)


def inodes(place):
    """Empty files."""
    names = []

    def more(number):
        os.close(os.open(f"{place}/f{number}", os.O_CREAT))
        names.append(f"{place}/f{number}")

    number, error = most(more)
    for name in names:
        os.remove(name)
    return f"under {-(-number // 64) * 64}, {error}"


def opened():
    """Open files, in a child."""
    _, error = most(lambda _: os.dup(0))
    return error


def forked():
    """Processes at once."""
    children = []

    def more(_):
        pid = os.fork()
        if pid == 0:
            signal.pause()
        children.append(pid)

    number, error = most(more)
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return f"under 64: {50 < number < 64}, {error}"


def limits():
    """Room, files, processes."""
    probe("disk: bytes in /tmp", lambda: fill("/tmp/x"))
    probe("disk: bytes in /dev/shm", lambda: fill("/dev/shm/x"))
    probe("disk: files in /tmp", lambda: inodes("/tmp"))
    probe("disk: files in /dev/shm", lambda: inodes("/dev/shm"))
    probe("open files", lambda: apart(opened))
    probe("processes", forked)
    memory = "/sys/fs/cgroup/memory/memory.limit_in_bytes"
    memory = memory if os.path.exists(memory) else "/sys/fs/cgroup/memory.max"
    probe("memory that it is told", lambda: int(read(memory)) >> 20)


# What else is served at its seat.


def services():
    """Other services of the platform, asked at the seat's socket."""
    options = (("grpc.default_authority", "localhost"),)
    with grpc.insecure_channel("unix:///seat/s.sock", options=options) as channel:
        for method in (
            "knockbox.v1.MatchService/HostMatch", "knockbox.v1.ArenaService/GetStatus",
            "knockbox.v1.LaunchService/Start", "grpc.health.v1.Health/Check",
            "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        ):  # fmt: skip

            def ask(path=f"/{method}"):
                try:
                    list(channel.stream_stream(path)(iter([b""]), timeout=5))
                except grpc.RpcError as error:
                    return error.code().name
                return "it answers"

            probe(f"at its seat: {method.split('/')[0]}", ask)


# The other seat's ticket.


def tickets(data):
    """What looks like tickets in these bytes, their beginnings."""
    looks = {each.decode() for each in TICKET.findall(data)}
    return sorted({("own" if each == OWN else each[:8]) for each in looks})


def everything(folder, most_bytes=4 << 20):
    """All bytes in the files of a folder."""
    whole = bytearray()
    for place, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each not in ("ssl", "ca-certificates")]
        for name in names:
            path = f"{place}/{name}"
            whole += path.encode("utf-8", "replace") + b" "
            try:
                if stat.S_ISREG(os.lstat(path).st_mode):
                    whole += read(path, 1 << 20) + b" "
            except OSError:
                pass
            if len(whole) > most_bytes:
                return bytes(whole)
    return bytes(whole)


def of_processes(name):
    """A file of every process that is to be seen."""
    parts = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            parts.append(read(f"/proc/{pid}/{name}"))
        except OSError:
            pass
    return b" ".join(parts)


def memory_of(pid):
    """What looks like tickets in what a process has in memory and lets be read."""
    found = bytearray()
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            spread, rights = line.split()[:2]
            if not rights.startswith("rw"):
                continue
            at, last = (int(each, 16) for each in spread.split("-"))
            last = min(last, at + (4 << 20))
            while at < last:
                try:
                    memory.seek(at)
                    part = memory.read(min(1 << 16, last - at))
                except (OSError, ValueError, OverflowError):
                    break
                found += b" ".join(TICKET.findall(part)) + b" "
                at += 1 << 16
    return bytes(found)


def loot():
    """Eight places and more."""
    places = {
        "its environment": lambda: " ".join(os.environ.values()).encode(),
        "pid 1's environment": lambda: read("/proc/1/environ"),
        "environments of all processes": lambda: of_processes("environ"),
        "arguments of all processes": lambda: of_processes("cmdline"),
        "mounts": lambda: of_processes("mountinfo"),
        "control groups' names": lambda: of_processes("cgroup"),
        "host name and labels": lambda: f"{socket.gethostname()} {os.uname()}".encode(),
        "files it may write": lambda: everything("/tmp") + everything("/dev/shm"),
        "files of /run, /etc, /var/log, /seat": lambda: b" ".join(
            map(everything, ("/run", "/etc", "/var/log", "/seat"))
        ),
        "unix sockets' names": lambda: read("/proc/net/unix"),
        "memory of pid 1": lambda: memory_of(1),
        "memory of its own": lambda: memory_of("self"),
    }
    found = {}
    for name, act in places.items():
        try:
            found[name] = tickets(act())[:500]
        except OSError as error:
            found[name] = [errno.errorcode[error.errno]]
    return found


# What the leg before has left.

MARKS = ("/tmp/mark", "/dev/shm/mark", "/bot/mark", "/seat/mark", "/var/tmp/mark", "/run/mark")


def marks():
    """What is there of the marks that are made now."""
    there = [path for path in MARKS if os.path.lexists(path)]
    for path in MARKS:
        told(lambda p=path: open(p, "w").close())
    one = socket.socket(socket.AF_UNIX)
    there += [] if told(lambda: one.bind("\0mark")) == "0" else ["abstract socket"]
    one.listen()
    fcntl.fcntl(one, fcntl.F_SETFD, 0)
    probe("marks: files and sockets of another leg", lambda: " ".join(there) or "none")
    probe("marks: host name", socket.gethostname)
    return {
        "user": os.getuid(),
        "group": sorted(set(re.findall(r"[0-9a-f]{64}", read("/proc/self/cgroup").decode()))),
        "environment": sorted(
            (key, value) for key, value in os.environ.items() if key != "KNOCKBOX_TICKET"
        ),
    }


if __name__ == "__main__":
    leg = marks()
    for part in (sockets, calls, processes, files, limits, services):
        part()
    stolen = loot()
    os.write(1, json.dumps({"found": FOUND, "tickets": stolen, "leg": leg}).encode() + b"\n")
    run(well.bot)
