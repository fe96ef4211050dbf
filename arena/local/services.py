"""Which services one machine has, and how each is started."""

import asyncio
import shutil
import signal
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from arena.local import given, places, sandbox, tls, valkey
from arena.local.checks import LogSays, grpc_serves
from arena.local.watch import Service
from arena.settings import Settings

NEEDED = ("store", "api")
"""Services that no arena does without."""

CONTROL, API, STORE, LAUNCH = "control.sock", "api.sock", "store.sock", "launch.sock"
SEATS = "r"
"""The folder of seats; short, for each seat adds two folders and a name."""


class Plan(NamedTuple):
    """All that is to run. In words: `store`, the server of the results; `bots`, how bots run."""

    services: list[Service]
    redis_url: str
    store: str
    api: str
    control: str
    launch: str
    bots: str
    fingerprint: str
    worries: list[str]


def plan(settings: Settings, runtime: Path, environ: Mapping[str, str]) -> Plan:
    """The services of this data folder, their sockets in `runtime`.

    Raises ValkeyError, PlaceError, SandboxError, CertificateError.
    """
    sockets = {name: places.socket_path(runtime, name) for name in (CONTROL, API, STORE, LAUNCH)}
    found: list[Service] = []
    worries: list[str] = []
    if settings.redis_url:
        redis_url = settings.redis_url
        store, worries = given.inspect(redis_url)
    else:
        server = valkey.find(environ.get("PATH", ""))
        folder = settings.data / "store"
        valkey.claim(folder, server)
        redis_url, store = valkey.url(sockets[STORE]), f"{server}, embedded"
        found.append(_store(settings, server, folder, sockets[STORE], environ))
    control = f"unix://{sockets[CONTROL]}"
    chosen = sandbox.choose(settings.sandbox, settings.engine)
    launch = f"unix://{sockets[LAUNCH]}" if chosen.engine else ""
    variables = shared(
        environ, Wiring(str(settings.data), control, redis_url, launch, settings.sandbox)
    )
    variables["KNOCKBOX_SLOTS"] = str(settings.slots)
    api = f"unix://{sockets[API]}"
    certificate = tls.ready(settings) if settings.listen else None
    found += [
        _referee(settings, runtime, sockets[CONTROL], certificate, variables),
        _api(settings, sockets[API], store, certificate, variables),
        *_workers(settings, variables),
    ]
    if chosen.engine:
        found.append(_launcher(settings, runtime, sockets[LAUNCH], variables))
    kept = without(found, settings.without)
    fingerprint = certificate.fingerprint if certificate else ""
    told = chosen.words, fingerprint, worries
    return Plan(kept, redis_url, store, api, control, launch, *told)


class Wiring(NamedTuple):
    """Where the services of one arena find each other, and how its bots run."""

    data: str
    control: str
    redis_url: str
    launch: str
    sandbox: str


def shared(environ: Mapping[str, str], wiring: Wiring) -> dict[str, str]:
    """The environment of a service: `environ`, and what it needs to find the others."""
    found = {
        **environ,
        "KNOCKBOX_DATA": wiring.data,
        "KNOCKBOX_CONTROL": wiring.control,
        "KNOCKBOX_LAUNCH": wiring.launch,
        "KNOCKBOX_SANDBOX": wiring.sandbox,
        "REDIS_URL": wiring.redis_url,
        "KNOCKBOX_REDIS_URL": wiring.redis_url,  # else one of the caller's would go before it
        "PYTHONUNBUFFERED": "1",
    }
    found.pop("KNOCKBOX_TOKEN", None)  # the caller's own, which no service needs
    return found


def worker_command(slots: int) -> list[str]:
    """What plays matches, `slots` at a time."""
    return _python("workers", "play", "--concurrency", str(slots))


def without(services: list[Service], left_out: Collection[str]) -> list[Service]:
    """All but those that somebody starts elsewhere. Raises PlaceError for one that cannot be."""
    may = [service.name for service in services if service.name not in NEEDED]
    for name in sorted(left_out):
        if name not in may:
            raise places.PlaceError(f"--without {name}: one of {', '.join(may)} can be left out")
    return [service for service in services if service.name not in left_out]


def clear(runtime: Path) -> None:
    """Remove the folder of sockets: nothing listens any more."""
    shutil.rmtree(runtime, ignore_errors=True)


def _store(
    settings: Settings,
    server: valkey.Server,
    folder: Path,
    unix_socket: Path,
    environ: Mapping[str, str],
) -> Service:
    async def serves() -> bool:
        return await asyncio.to_thread(valkey.lives, unix_socket)

    return Service(
        name="store",
        what=f"results, ratings and the queue ({server})",
        command=valkey.command(server, folder, unix_socket),
        environment=environ,
        log=settings.logs / "store.log",
        check=serves,
        stage=0,
        at_parents_death=signal.SIGTERM,
        before=lambda: valkey.end_orphan(unix_socket),
    )


def _referee(
    settings: Settings,
    runtime: Path,
    control: Path,
    certificate: tls.Certificate | None,
    environment: Mapping[str, str],
) -> Service:
    run_dir = runtime / SEATS
    address = f"unix://{control}"
    dial: list[str] = []
    if settings.listen and certificate:
        dial = ["--dial-host", settings.listen.rpartition(":")[0]]
        dial += ["--dial-ports", settings.dial_ports, "--dial-name", settings.dial_name]
        dial += ["--dial-certificate", str(certificate.certificate)]
        dial += ["--dial-key", str(certificate.key)]
    return Service(
        name="referee",
        what="enforces the rules, plays every match",
        command=_python("referee", "--control", address, "--run-dir", str(run_dir), *dial),
        environment=environment,
        log=settings.logs / "referee.log",
        check=grpc_serves(address),
        stage=1,
        before=lambda: shutil.rmtree(run_dir, ignore_errors=True),
    )


def launcher_command(address: str, seats: Path, engine: str) -> list[str]:
    """The launcher that serves at `address`; `engine` is where the engine listens."""
    return _python(
        "workers.sandbox", "--listen", address, "--seats", str(seats), "--engine", engine
    )


def _launcher(
    settings: Settings, runtime: Path, unix_socket: Path, environment: Mapping[str, str]
) -> Service:
    address = f"unix://{unix_socket}"
    return Service(
        name="launcher",
        what="starts bots in containers",
        command=launcher_command(address, runtime / SEATS, settings.engine),
        environment=environment,
        log=settings.logs / "launcher.log",
        check=grpc_serves(address),
        stage=1,
        # It has containers to end, which do not die with it.
        at_parents_death=signal.SIGTERM,
        before=lambda: unix_socket.unlink(missing_ok=True),
    )


def _api(
    settings: Settings,
    unix_socket: Path,
    store: str,
    certificate: tls.Certificate | None,
    environment: Mapping[str, str],
) -> Service:
    address = f"unix://{unix_socket}"
    command = _python("arena.api", "--listen", address, "--store", store)
    if settings.listen and certificate:
        command += ["--address", settings.listen]
        command += ["--certificate", str(certificate.certificate), "--key", str(certificate.key)]
    return Service(
        name="api",
        what="answers the command line" + (f" and {settings.listen}" if settings.listen else ""),
        command=command,
        environment=environment,
        log=settings.logs / "api.log",
        check=grpc_serves(address),
        stage=1,
        before=lambda: unix_socket.unlink(missing_ok=True),
    )


def _workers(settings: Settings, environment: Mapping[str, str]) -> list[Service]:
    def worker(
        name: str,
        what: str,
        stop: signal.Signals,
        finish: signal.Signals | None,
        command: list[str],
    ) -> Service:
        log = settings.logs / f"{name}.log"
        says_ready = LogSays(log, b'"event": "ready"')
        return Service(
            name=name,
            what=what,
            command=command,
            environment=environment,
            log=log,
            check=says_ready,
            stage=1,
            stop_signal=stop,
            before=says_ready.begin,
            finish_signal=finish,
        )

    return [
        worker(
            "worker",
            f"plays matches, {settings.slots} at a time",
            signal.SIGQUIT,  # at once: its matches are put back
            signal.SIGTERM,  # it plays running matches to their end first
            worker_command(settings.slots),
        ),
        worker(
            "recorder",
            "records and rates results",
            signal.SIGTERM,
            None,
            _python("workers", "record"),
        ),
        worker(
            "reconciler",
            "sends again what was lost",
            signal.SIGTERM,
            None,
            _python("workers", "reconcile"),
        ),
    ]


def _python(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", module, *arguments]
