"""What the operator can set: the data folder, the store, and every duration of the local services.

The only place in `arena` that looks at environment variables; it never starts or creates anything.
"""

import pwd
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path


class SettingsError(ValueError):
    """A setting that cannot be used; the message names the variable and what would be right."""


@dataclass(frozen=True, slots=True)
class Supervision:
    """Durations of the supervisor, in seconds.

    A service that ends is started again after `backoff_first`, twice as long each time, at most
    `backoff_most`; who has served for `steady_after` begins anew. `finish`: how long a match that
    is played has to come to its end after Ctrl-C.
    """

    check_every: float = 2.0
    check_timeout: float = 5.0
    failed_checks: int = 3
    start_timeout: float = 30.0
    stop_grace: float = 8.0
    finish: float = 300.0
    backoff_first: float = 0.2
    backoff_most: float = 10.0
    steady_after: float = 30.0
    first_tries: int = 3


SUPERVISION = {
    "check_every": "KNOCKBOX_CHECK_EVERY",
    "start_timeout": "KNOCKBOX_START_TIMEOUT",
    "stop_grace": "KNOCKBOX_STOP_GRACE",
    "finish": "KNOCKBOX_FINISH_S",
    "backoff_first": "KNOCKBOX_BACKOFF_FIRST",
    "backoff_most": "KNOCKBOX_BACKOFF_MOST",
    "steady_after": "KNOCKBOX_STEADY_AFTER",
}
"""The variable of each duration that can be set."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One machine's arena.

    `data` is absolute. `redis_url` is None where Knockbox brings its own server. `runtime_base` is
    the folder for sockets, short enough for any socket below it. `slots` are matches at a time.
    """

    data: Path
    redis_url: str | None
    runtime_base: Path
    slots: int
    supervision: Supervision = Supervision()

    @property
    def logs(self) -> Path:
        """Where every service writes what it has to say."""
        return self.data / "logs"

    @property
    def replays(self) -> Path:
        """Where sealed replays lie."""
        return self.data / "replays"

    @property
    def bots(self) -> Path:
        """Where snapshots of bots lie, one folder a version."""
        return self.data / "bots"


def load(environ: Mapping[str, str], uid: int, cores: int, data: Path | None = None) -> Settings:
    """Settings from the environment; `data` (from `--data`) goes before KNOCKBOX_DATA."""
    return Settings(
        data=_data(environ, uid, data),
        redis_url=environ.get("REDIS_URL") or None,
        runtime_base=_runtime_base(environ, uid),
        slots=_slots(environ, cores),
        supervision=_supervision(environ),
    )


def _data(environ: Mapping[str, str], uid: int, given: Path | None) -> Path:
    if given is None and (named := environ.get("KNOCKBOX_DATA")):
        given = Path(named)
    if given is not None:
        return given.expanduser().absolute()
    if (xdg := environ.get("XDG_DATA_HOME", "")).startswith("/"):
        return Path(xdg) / "knockbox"
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        home = _home_of(uid)
    if not home:
        raise SettingsError(
            "HOME is not set and this user has no home folder: say where the data may lie, "
            "with --data FOLDER or KNOCKBOX_DATA=FOLDER"
        )
    return Path(home) / ".local" / "share" / "knockbox"


def _home_of(uid: int) -> str:
    try:
        home = pwd.getpwuid(uid).pw_dir
    except KeyError:
        return ""
    return home if Path(home).is_dir() else ""


def _runtime_base(environ: Mapping[str, str], uid: int) -> Path:
    """XDG_RUNTIME_DIR where it is short and there; else a folder of this user's in /tmp.

    TMPDIR is left aside on purpose: it is often too long for a socket's path (107 bytes at most).
    """
    xdg = environ.get("XDG_RUNTIME_DIR", "")
    if xdg.startswith("/") and len(xdg.encode()) <= 32 and Path(xdg).is_dir():
        return Path(xdg) / "knockbox"
    return Path("/tmp") / f"knockbox-{uid}"  # noqa: S108 - owner and mode are checked before use


def _slots(environ: Mapping[str, str], cores: int) -> int:
    text = environ.get("KNOCKBOX_SLOTS")
    if not text:
        return max(1, cores // 2)
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise SettingsError(f"KNOCKBOX_SLOTS is {text!r}: matches at a time, a number 1-256")
    return int(text)


def _supervision(environ: Mapping[str, str]) -> Supervision:
    usual = Supervision()
    given = {
        field: _seconds(environ, variable, getattr(usual, field))
        for field, variable in SUPERVISION.items()
    }
    return replace(usual, **given)


def _seconds(environ: Mapping[str, str], variable: str, usual: float) -> float:
    text = environ.get(variable)
    if not text:
        return usual
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.01 <= seconds <= 3600:
        raise SettingsError(f"{variable} is {text!r}: seconds, a number from 0.01 to 3600")
    return seconds
