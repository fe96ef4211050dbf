"""Where the other seat's ticket could lie: what looks like one in every place that can be read."""

import errno
import os
import re
import socket
import stat

from told import read

OWN = os.environ["KNOCKBOX_TICKET"]
TICKET = re.compile(rb"[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")


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
