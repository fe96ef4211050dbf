"""`python -m workers.sandbox`: the launcher, the one process that holds the engine's socket.

Every setting is an argument (`--listen`) and a variable (`KNOCKBOX_LAUNCH_LISTEN`). The engine is
waited for; when it goes away later, what is ordered then fails as nobody's fault.
"""

import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workers.sandbox.service.settings import Settings

PROGRAM = "python -m workers.sandbox"


def main() -> int:
    """Serve; 0 after a stop in good order, 2 where it cannot start."""
    from referee import service_settings
    from workers.sandbox.service.settings import Settings

    try:
        settings = service_settings.read(Settings, "KNOCKBOX_LAUNCH_", PROGRAM)
    except service_settings.ServiceSettingsError as error:
        return service_settings.told(PROGRAM, error)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())

    import structlog

    from workers import logs
    from workers.sandbox.service import server

    logs.configure()
    log = structlog.get_logger("launcher")
    client = _connect(settings, stop, log)
    if client is None:
        return 0
    try:
        server.serve(settings, client, stop, lambda: None, log)
    except server.ServeError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    finally:
        client.close()
    return 0


def _connect(settings: "Settings", stop: threading.Event, log: Any) -> Any:
    """The engine's client as soon as it answers; None when told to stop before."""
    from workers.sandbox.service import engine
    from workers.sandbox.service.container import ENGINE_FAULTS

    while not stop.is_set():
        try:
            return engine.connect(settings.engine, settings.engine_timeout)
        except ENGINE_FAULTS as error:
            log.warning("waiting for the engine", engine=settings.engine, error=str(error))
            stop.wait(1.0)
    return None


if __name__ == "__main__":
    sys.exit(main())
