"""Whose a container is: which launcher has made it, and whether that one still lives.

A launcher is known by its place (the folder of its socket, where one launcher serves at a time) and
by its process. A process is only judged on the same boot of the same machine and in the same
namespace of processes; elsewhere nobody can tell, and a container's deadline decides.
"""

import os
from pathlib import Path

from workers.sandbox import processtable


def place(socket: Path) -> str:
    """The place of a launcher that serves on this socket; its folder must be there."""
    folder = socket.parent.stat()
    return f"{folder.st_dev:x}.{folder.st_ino:x}.{socket.name}"


def process() -> str:
    """This process, told apart from any other that has its number."""
    found = processtable.entry(os.getpid())
    return f"{_world()}.{os.getpid()}.{found.start if found else 0}"


def gone(text: str) -> bool:
    """The process is surely gone."""
    world, _, rest = text.rpartition(".")[0].rpartition(".")
    pid, start = rest, text.rpartition(".")[2]
    if world != _world() or not (pid.isdigit() and start.isdigit()):
        return False
    return not processtable.alive(int(pid), int(start))


def _world() -> str:
    """The boot of the machine, and the namespace in which processes are numbered."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot[:13]}.{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return "unknown"
