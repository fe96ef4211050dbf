"""`python -m referee`: reads arguments and environment, sets up logging, serves until a signal.

Every setting is an argument (`--run-dir`) and a variable (`KNOCKBOX_REFEREE_RUN_DIR`).
"""

import asyncio
import gc
import logging
import signal
import sys

import structlog

from referee import open_files, polling, service_settings
from referee.settings import Settings

PROGRAM = "python -m referee"


def main() -> int:
    """Serve; 0 after a stop in good order, 2 where it cannot start."""
    try:
        settings = service_settings.read(Settings, "KNOCKBOX_REFEREE_", PROGRAM)
    except service_settings.ServiceSettingsError as error:
        return service_settings.told(PROGRAM, error)
    open_files.as_many_as_may_be()
    polling.by_one_thread()  # before anything loads gRPC

    from referee.doors import SocketPathError
    from referee.service import ServeError

    try:
        asyncio.run(_serve(settings))
    except (ServeError, SocketPathError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    return 0


async def _serve(settings: Settings) -> None:
    from referee.service import serve

    shutdown = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, shutdown.set)
    await serve(settings, shutdown, _settle, _log())


def _settle() -> None:
    """What is loaded by now stays: the garbage collector need not walk through it again."""
    gc.collect()
    gc.freeze()


def _log() -> structlog.typing.FilteringBoundLogger:
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    return structlog.get_logger("referee")


if __name__ == "__main__":
    sys.exit(main())
