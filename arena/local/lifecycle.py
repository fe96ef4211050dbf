"""The arena of one machine as a whole: up, stay, down. Blocking verbs for the command line.

What runs in the supervisor's process is `supervise.py`.
"""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from arena.local import given, places, processes, sandbox, state, valkey
from arena.local.supervise import Hear, LifecycleError, StoreError, supervise
from arena.settings import Settings

__all__ = ["Hear", "LifecycleError", "StoreError", "cut_off", "down", "stay", "up"]


def up(settings: Settings, *, with_me: bool = False) -> state.ArenaState:
    """Start the supervisor in the background and return when everything serves.

    Where it runs already, that is the answer. `with_me`: it ends when this process does.
    Raises LifecycleError.
    """
    if state.locked(settings.data):
        return _wait_for_other(settings)
    try:
        places.prepare(settings)
        sandbox.choose(settings.sandbox, settings.engine)
        if settings.redis_url:
            given.reach(settings.redis_url)
    except given.UnreachableError as error:
        raise StoreError(str(error)) from None
    except (places.PlaceError, sandbox.SandboxError, valkey.ValkeyError) as error:
        raise LifecycleError(str(error)) from None
    reader, writer = os.pipe()
    command = [sys.executable, "-m", "arena.local", str(settings.data), str(writer)]
    if with_me:
        command = processes.leash(command, signal.SIGTERM)
    with (settings.logs / "supervisor.log").open("ab") as log:
        child = subprocess.Popen(  # noqa: S603 - our own module
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **settings.variables()},
            cwd="/",
            pass_fds=[writer],
            start_new_session=True,
        )
    os.close(writer)
    try:
        answer = _hear(reader, settings.supervision.start_timeout * 4)
    except BaseException:
        child.terminate()
        raise
    finally:
        os.close(reader)
    found = state.read(settings.data)
    if "ready" in answer and found:
        child.returncode = 0  # it goes on without us: Popen is not to wait for it
        return found
    child.terminate()
    child.wait()
    said = answer.get("error") or processes.tail(settings.logs / "supervisor.log")
    raise LifecycleError(said or "the supervisor has ended without a word")


def stay(settings: Settings, environ: Mapping[str, str], hear: Hear) -> None:
    """Supervise in this process until SIGINT or SIGTERM."""
    asyncio.run(supervise(settings, environ, hear))


def down(settings: Settings, *, finish: bool = False) -> bool:
    """End the arena, with `finish` when the matches that are played now have come to their end.

    False when none ran. Raises LifecycleError where one does not end.
    """
    if not state.locked(settings.data):
        return False
    found = state.read(settings.data)
    if found and found.stands:
        raise LifecycleError(
            "this arena was not started by `knockbox up`: end it as it was started, in Compose by "
            "`docker compose down`"
        )
    pid = _supervisor_pid(settings)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGINT if finish else signal.SIGTERM)
    patience = 6 * settings.supervision.stop_grace + 10
    patience += settings.supervision.finish if finish else 0
    if not _until(lambda: not state.locked(settings.data), patience):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # its services are on a leash
        if not _until(lambda: not state.locked(settings.data), 5):
            raise LifecycleError(f"the supervisor (process {pid}) does not end")
    _until(lambda: _gone(pid), 5)
    return True


def cut_off(settings: Settings) -> None:
    """End the arena at once, without a word to anybody: its services are on a leash."""
    if found := state.read(settings.data):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(found.pid, signal.SIGKILL)
        _until(lambda: _gone(found.pid), 1)


def _wait_for_other(settings: Settings) -> state.ArenaState:
    """Another process has started it: wait until it serves."""

    def ready() -> bool:
        found = state.read(settings.data)
        return found is not None and found.ready

    _until(ready, settings.supervision.start_timeout * 4)
    found = state.read(settings.data)
    if found is None or not found.ready:
        raise LifecycleError(
            f"an arena of {settings.data} is starting or ending and does not come to serve: "
            "see `knockbox status`"
        )
    return found


def _supervisor_pid(settings: Settings) -> int:
    """The supervisor's process; it may just be about to write it down."""
    _until(lambda: state.read(settings.data) is not None, 5)
    found = state.read(settings.data)
    if found is None:
        raise LifecycleError(f"{settings.data / 'state.json'} does not say which process it is")
    return found.pid


def _gone(pid: int) -> bool:
    """Whether a process has ended; one that this process has started is reaped."""
    with suppress(ChildProcessError):
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return True  # its number belongs to somebody else by now
    return False


def _hear(reader: int, patience: float) -> dict[str, object]:
    """The supervisor's one line; empty when it ends or says nothing for `patience` seconds."""
    end = time.monotonic() + patience
    heard = b""
    while (left := end - time.monotonic()) > 0 and not heard.endswith(b"\n"):
        if not select.select([reader], [], [], left)[0]:
            break
        part = os.read(reader, 65536)
        if not part:
            break
        heard += part
    return json.loads(heard) if heard.endswith(b"\n") else {}


def _until(holds: Callable[[], bool], patience: float) -> bool:
    """Wait until something holds, `patience` seconds at most."""
    end = time.monotonic() + patience
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
