"""`python -m workers.sandbox`: the launcher, the one process that holds the engine's socket.

Every setting is an argument (`--listen`) and a variable (`KNOCKBOX_LAUNCH_LISTEN`). The engine is
waited for; when it goes away later, what is ordered then fails as nobody's fault.
"""

import signal
import sys
import threading
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workers.sandbox.service.settings import Settings


def main() -> int:
    """Serve; 0 after a stop in good order, 2 where it cannot start."""
    from pydantic import ValidationError

    try:
        settings = _settings()
    except ValidationError as error:
        for fault in error.errors():
            where = "--" + "".join(map(str, fault["loc"])).replace("_", "-")
            print(f"python -m workers.sandbox: {where}: {fault['msg']}", file=sys.stderr)
        return 2
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
        print(f"python -m workers.sandbox: {error}", file=sys.stderr)
        return 2
    finally:
        client.close()
    return 0


def _settings() -> "Settings":
    from pydantic import create_model
    from pydantic_settings import BaseSettings, SettingsConfigDict

    from workers.sandbox.service.settings import Settings

    class Variables(BaseSettings):
        model_config = SettingsConfigDict(
            env_prefix="KNOCKBOX_LAUNCH_",
            cli_parse_args=True,
            cli_kebab_case=True,
            cli_prog_name="python -m workers.sandbox",
        )

    places: dict[str, Any] = {
        field.name: (field.type, ... if field.default is MISSING else field.default)
        for field in fields(Settings)
    }
    values: Any = create_model("Variables", __base__=Variables, **places)()
    return Settings(**dict(values))


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
