"""How much there is of everything: room, files, processes. For probes."""

import errno
import os
import signal

from kernel import apart
from told import probe, read


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
