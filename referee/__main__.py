"""`python -m referee`: reads arguments and environment, sets up logging, serves until a signal.

No other module of the referee reads the environment. Every setting is an argument (`--run-dir`)
and a variable (`KNOCKBOX_REFEREE_RUN_DIR`).
"""

import asyncio
import gc
import logging
import signal
import sys
from dataclasses import MISSING, fields
from typing import Any

import structlog
from pydantic import ValidationError, create_model
from pydantic_settings import BaseSettings, SettingsConfigDict

from referee import open_files, polling
from referee.settings import Settings


class _Variables(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="KNOCKBOX_REFEREE_",
        cli_parse_args=True,
        cli_kebab_case=True,
        cli_prog_name="python -m referee",
    )


def main() -> int:
    """Serve; 0 after a stop in good order, 2 where it cannot start."""
    try:
        settings = _settings()
    except ValidationError as error:
        for fault in error.errors():
            where = "--" + "".join(map(str, fault["loc"])).replace("_", "-")
            print(f"python -m referee: {where}: {fault['msg']}", file=sys.stderr)
        return 2
    open_files.as_many_as_may_be()
    polling.by_one_thread()  # before anything loads gRPC

    from referee.doors import SocketPathError
    from referee.service import ServeError

    try:
        asyncio.run(_serve(settings))
    except (ServeError, SocketPathError) as error:
        print(f"python -m referee: {error}", file=sys.stderr)
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


def _settings() -> Settings:
    places: dict[str, Any] = {
        field.name: (field.type, ... if field.default is MISSING else field.default)
        for field in fields(Settings)
    }
    values: Any = create_model("Variables", __base__=_Variables, **places)()
    return Settings(**dict(values))


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
