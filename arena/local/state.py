"""What the supervisor tells the world: one small file, replaced whole, and one lock.

The lock says whether a supervisor lives; the file says what it does. Nothing else is shared.
"""

import fcntl
import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class ServiceState:
    """One service: `state` is starting, healthy, failing, waiting (to start again), finishing (its
    work) or stopped.

    `since` is the Unix time in seconds since which it has been so; `pid` 0 when it does not run;
    `ended` how it last ended; `next_start` the time at which a waiting one is started, else 0.
    """

    name: str
    what: str
    state: str = "stopped"
    pid: int = 0
    since: float = 0.0
    restarts: int = 0
    log: str = ""
    ended: str = ""
    next_start: float = 0.0


@dataclass(slots=True)
class ArenaState:
    """The whole arena of one data folder.

    `store` says in words which server it uses, `worries` what that server's settings could cost,
    `bots` how bots run. `listen` is a network's HOST:PORT, `fingerprint` the SHA-256 of the
    certificate there.
    """

    pid: int
    version: str
    data: str
    api: str
    control: str
    runtime: str
    redis_url: str
    store: str
    started: float
    launch: str = ""
    sandbox: str = "auto"
    bots: str = ""
    listen: str = ""
    fingerprint: str = ""
    worries: list[str] = field(default_factory=list[str])
    ready: bool = False
    services: list[ServiceState] = field(default_factory=list[ServiceState])

    @property
    def stands(self) -> bool:
        """Whether it serves without a supervisor: each service was started by somebody else."""
        return self.ready and not self.services


def write(data: Path, state: ArenaState) -> None:
    """Replace the state file of `data`."""
    target = data / "state.json"
    temporary = data / ".state.json"
    temporary.write_text(json.dumps(asdict(state), indent=1))
    temporary.chmod(0o600)
    temporary.replace(target)


def read(data: Path) -> ArenaState | None:
    """What the living supervisor of `data` says; None where none lives."""
    if not locked(data):
        return None
    try:
        found: dict[str, Any] = json.loads((data / "state.json").read_text())
        services = [ServiceState(**service) for service in found.pop("services")]
        return ArenaState(**found, services=services)
    except (OSError, ValueError, TypeError, KeyError):
        return None  # it has just begun, or is just ending


def forget(data: Path) -> None:
    """Remove the state file: nothing runs any more."""
    (data / "state.json").unlink(missing_ok=True)


def lock(data: Path) -> int | None:
    """Take the supervisor's lock of `data`: a descriptor to keep open, None where it is taken."""
    descriptor = os.open(data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    for _ in range(20):  # whoever just looks (`locked`) holds it for a moment
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(0.01)
        else:
            return descriptor
    os.close(descriptor)
    return None


def locked(data: Path) -> bool:
    """Whether a supervisor of `data` lives."""
    try:
        descriptor = os.open(data / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        with suppress(OSError):
            os.close(descriptor)
    return False
