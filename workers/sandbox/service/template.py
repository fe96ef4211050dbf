"""What every bot's container is like: one fixed template, and the few places that are filled in.

Pure: from an order to the arguments of the engine's client. Whatever an order's texts say, the
arguments differ from the template in these places only: image, the seat's folder, ticket, labels,
memory, user, core. Where each line comes from, and what it stops: docs/security.md.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

from docker.types import LogConfig, Mount, Ulimit

from workers.sandbox.service.shares import USERS

SEAT = "/seat"
"""Where a container finds its seat's folder."""
SOCKET = "s.sock"
"""The socket's name in that folder."""
GROUP = 65534
HOSTNAME = "bot"
LABEL = "knockbox.bot"

_TMP = "rw,noexec,nosuid,nodev,size=16m,nr_inodes=1024,mode=1777"
# `--ipc none` takes /dev/shm away, and with it what Python's multiprocessing and others need.
_SHM = "rw,noexec,nosuid,nodev,size=1m,nr_inodes=64,mode=1777"

_IMAGE = re.compile(r"sha256:[0-9a-f]{64}")
_TICKET = re.compile(r"[A-Za-z0-9_-]{16,128}")
_MATCH = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
MEMORY_LEAST = 6 * 1024 * 1024


class OrderError(ValueError):
    """An order that does not fit into the template; the message names the field."""


class Sandbox(NamedTuple):
    """What is the same for all containers of one launcher. `seccomp` is a profile as JSON; `owner`
    and `process` say whose they are; `runtime` is empty for the engine's own."""

    seccomp: str
    owner: str
    process: str
    runtime: str = ""


class Order(NamedTuple):
    """One container. `folder` is the seat's on the host; `deadline` in seconds since 1970; `memory`
    in bytes; `user` a number that no other container
    has, filled in when one is taken; `core` the number of the processor that
    it has for itself, None where it has none."""

    image: str
    folder: Path
    ticket: str
    match_id: str
    attempt: int
    deadline: int
    memory: int
    user: int = 0
    core: int | None = None


def arguments(sandbox: Sandbox, order: Order) -> dict[str, Any]:
    """The arguments with which docker-py creates the container. Raises OrderError."""
    check(order)
    made: dict[str, Any] = {
        "image": order.image,
        "init": True,
        "network_mode": "none",
        "ipc_mode": "none",
        "hostname": HOSTNAME,
        "user": f"{order.user}:{GROUP}",
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges", f"seccomp={sandbox.seccomp}"],
        "read_only": True,
        "tmpfs": {"/tmp": _TMP, "/dev/shm": _SHM},  # noqa: S108 - the container's
        "mounts": [
            Mount(SEAT, str(order.folder), type="bind", read_only=True, propagation="rprivate")
        ],
        "mem_limit": order.memory,
        "memswap_limit": order.memory,
        "nano_cpus": 1_000_000_000,
        "pids_limit": 64,
        "ulimits": [
            Ulimit(name="nofile", soft=256, hard=256),
            Ulimit(name="core", soft=0, hard=0),
            # /dev/mqueue is there in spite of `--ipc none`: nothing fits into it.
            Ulimit(name="msgqueue", soft=0, hard=0),
        ],
        # The end only; the first bytes are read while it runs.
        "log_config": LogConfig(
            type="local", config={"max-size": "1m", "max-file": "1", "compress": "false"}
        ),
        "healthcheck": {"test": ["NONE"]},
        "environment": {
            "KNOCKBOX_REFEREE": f"unix://{SEAT}/{SOCKET}",
            "KNOCKBOX_TICKET": order.ticket,
            "HOME": "/tmp",  # noqa: S108 - the container's
            "TMPDIR": "/tmp",  # noqa: S108 - the container's
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        "labels": {
            LABEL: "1",
            f"{LABEL}.match": order.match_id,
            f"{LABEL}.attempt": str(order.attempt),
            f"{LABEL}.deadline": str(order.deadline),
            f"{LABEL}.owner": sandbox.owner,
            f"{LABEL}.process": sandbox.process,
        },
    }
    if sandbox.runtime:
        made["runtime"] = sandbox.runtime
    if order.core is not None:
        made["cpuset_cpus"] = str(order.core)
    return made


def check(order: Order) -> None:
    """Raises OrderError where an order does not fit into the template."""
    for field, text, form in (
        ("image", order.image, _IMAGE),
        ("ticket", order.ticket, _TICKET),
        ("match_id", order.match_id, _MATCH),
    ):
        if not form.fullmatch(text):
            raise OrderError(f"{field} does not match {form.pattern}")
    folder = str(order.folder)
    if not order.folder.is_absolute() or ".." in order.folder.parts or not folder.isprintable():
        raise OrderError("folder is no plain absolute path")
    if order.memory < MEMORY_LEAST:
        raise OrderError(f"memory is {order.memory} bytes, {MEMORY_LEAST} at least")
    if order.attempt < 1 or order.deadline < 0:
        raise OrderError("attempt counts from 1, deadline from 1970")
    if order.user not in USERS:
        raise OrderError(f"user is {order.user}: one of {USERS.start} to {USERS.stop - 1}")
    if order.core is not None and order.core < 0:
        raise OrderError("core is a processor's number")
