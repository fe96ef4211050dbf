"""What the operator can set: the data folder, the store, and every duration of the local services.

Every variable KNOCKBOX_… of an arena is read here; nothing is started or created.
"""

import pwd
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from referee.ports import ports
from workers.sandbox.probe import ENGINE

LISTENS = "0.0.0.0:7878 or [::]:7878"
SANDBOXES = ("auto", "container", "process")
"""How bots run: `auto` takes containers where an engine answers and the bots have images."""


STORES = ("redis://", "rediss://", "unix://")


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
    the folder for sockets, short enough for any socket below it. `slots` are matches at a time,
    over all workers. `without`: services that are not started here. `listen`: HOST:PORT for people
    of other machines, with the certificate and key of `tls`, else a certificate that is made here;
    None: this machine's user alone is served. `dial_ports` are those at which seats of bots that
    dial in listen (7900-7999; 0: any free ones), `dial_name` what their agents call this machine
    ('': as they call the arena). `room_mb`: megabytes that must be free to start.
    `sandbox`: auto, container or process; `engine`: where a container engine listens.
    """

    data: Path
    redis_url: str | None
    runtime_base: Path
    slots: int
    supervision: Supervision = Supervision()
    without: frozenset[str] = frozenset()
    listen: str | None = None
    dial_ports: str = "0"
    dial_name: str = ""
    tls: tuple[Path, Path] | None = None
    room_mb: int = 100
    sandbox: str = "auto"
    engine: str = ENGINE

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

    def variables(self) -> dict[str, str]:
        """The same for a supervisor in a process of its own, as far as options could change it."""
        cert, key = self.tls or ("", "")
        return {
            "KNOCKBOX_SLOTS": str(self.slots),
            "KNOCKBOX_WITHOUT": ",".join(sorted(self.without)),
            "KNOCKBOX_LISTEN": self.listen or "",
            "KNOCKBOX_SANDBOX": self.sandbox,
            "KNOCKBOX_DIAL_PORTS": self.dial_ports,
            "KNOCKBOX_DIAL_NAME": self.dial_name,
            "KNOCKBOX_TLS_CERT": str(cert),
            "KNOCKBOX_TLS_KEY": str(key),
        }


@dataclass(frozen=True, slots=True)
class Remote:
    """An arena of another machine: HOST:PORT, the token's text, and how its certificate is known:
    by who signed it (`ca`, a PEM file), by its `fingerprint` (SHA-256, hex digits), or, with
    neither, by this system's authorities.
    """

    address: str
    token: str
    ca: Path | None = None
    fingerprint: str = ""


def remote(environ: Mapping[str, str]) -> Remote | None:
    """The arena that KNOCKBOX_ARENA names; None where it is not set. Raises SettingsError."""
    named = address(
        environ.get("KNOCKBOX_ARENA", ""), "KNOCKBOX_ARENA (--arena)", "arena.example.org:7878"
    )
    if named is None:
        return None
    token = environ.get("KNOCKBOX_TOKEN", "").strip()
    if not token or not token.isascii() or not token.isprintable():
        raise SettingsError(
            "KNOCKBOX_TOKEN is to hold the text of a token, which the organiser makes with "
            "`knockbox token create NAME`"
        )
    ca = environ.get("KNOCKBOX_TLS_CA", "")
    digits = environ.get("KNOCKBOX_TLS_FINGERPRINT", "").replace(":", "").strip().lower()
    if digits and not re.fullmatch("[0-9a-f]{64}", digits):
        raise SettingsError(
            "KNOCKBOX_TLS_FINGERPRINT (--tls-fingerprint) is 64 hexadecimal digits, as "
            "`knockbox status` prints them on the arena's machine"
        )
    return Remote(named, token, Path(ca) if ca else None, digits)


def load(environ: Mapping[str, str], uid: int, cores: int, data: Path | None = None) -> Settings:
    """Settings from the environment; `data` (from `--data`) goes before KNOCKBOX_DATA."""
    return Settings(
        data=_data(environ, uid, data),
        redis_url=_redis_url(environ),
        runtime_base=_runtime_base(environ, uid),
        slots=_whole(environ, "KNOCKBOX_SLOTS", "matches at a time", (max(1, cores // 2), 1, 256)),
        sandbox=_sandbox(environ),
        engine=environ.get("DOCKER_HOST") or ENGINE,
        supervision=_supervision(environ),
        without=frozenset(name for name in environ.get("KNOCKBOX_WITHOUT", "").split(",") if name),
        listen=address(environ.get("KNOCKBOX_LISTEN", ""), "KNOCKBOX_LISTEN"),
        dial_ports=_ports(environ.get("KNOCKBOX_DIAL_PORTS") or "0"),
        dial_name=_host(environ.get("KNOCKBOX_DIAL_NAME", "")),
        tls=tls_files(environ.get("KNOCKBOX_TLS_CERT", ""), environ.get("KNOCKBOX_TLS_KEY", "")),
        room_mb=_whole(environ, "KNOCKBOX_ROOM_MB", "megabytes", (100, 0, 1 << 40)),
    )


def address(text: str, said_by: str, right: str = LISTENS) -> str | None:
    """HOST:PORT, or None for nothing. Raises SettingsError; `said_by` is an option or variable,
    `right` what it could be."""
    if not text:
        return None
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 1 <= int(port) <= 65535 or "/" in host:
        raise SettingsError(f"{said_by} is {text!r}: HOST:PORT, such as {right}")
    return text


def _ports(text: str) -> str:
    """Ports as 7900-7999, or 0. Raises SettingsError."""
    try:
        ports(text)
    except ValueError as error:
        raise SettingsError(f"KNOCKBOX_DIAL_PORTS: {error}") from None
    return text


def _host(text: str) -> str:
    """A host's name or address. Raises SettingsError."""
    if not re.fullmatch(r"[A-Za-z0-9.-]{0,253}|\[[0-9A-Fa-f:.]{2,45}\]", text):
        raise SettingsError(f"KNOCKBOX_DIAL_NAME is {text[:60]!r}: a host's name or address")
    return text


def tls_files(cert: str, key: str) -> tuple[Path, Path] | None:
    """Certificate and key, both or none. Raises SettingsError."""
    if bool(cert) != bool(key):
        raise SettingsError(
            "a certificate needs its key and the other way round: KNOCKBOX_TLS_CERT (--tls-cert) "
            "and KNOCKBOX_TLS_KEY (--tls-key)"
        )
    return (Path(cert).absolute(), Path(key).absolute()) if cert else None


def _redis_url(environ: Mapping[str, str]) -> str | None:
    """The store that REDIS_URL names; its text may hold a password, which no error repeats."""
    url = environ.get("REDIS_URL") or None
    if url and not url.startswith(STORES):
        raise SettingsError("REDIS_URL begins with none of " + ", ".join(STORES))
    return url


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


def _whole(
    environ: Mapping[str, str], variable: str, what: str, bounds: tuple[int, int, int]
) -> int:
    """A whole number; `bounds` are the usual one, the least and the most."""
    usual, least, most = bounds
    text = environ.get(variable)
    if not text:
        return usual
    if not text.isdecimal() or not least <= int(text) <= most:
        raise SettingsError(f"{variable} is {text!r}: {what}, a number {least}-{most}")
    return int(text)


def _sandbox(environ: Mapping[str, str]) -> str:
    text = environ.get("KNOCKBOX_SANDBOX") or "auto"
    if text not in SANDBOXES:
        raise SettingsError(f"KNOCKBOX_SANDBOX is {text!r}: one of {', '.join(SANDBOXES)}")
    return text


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
