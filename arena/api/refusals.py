"""How the API says no: a status code, and a message that names the field or the id."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import grpc
import structlog

from workers.sandbox.launcher import lacking
from workers.store import (
    DOWN,
    BadName,
    LimitReached,
    NameTaken,
    NotFound,
    StoreError,
    VersionTaken,
)


class RefusalError(Exception):
    """A request that is not carried out."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def invalid(field: str, message: str) -> RefusalError:
    """A field of the request that cannot be; `message` says what would be right."""
    return RefusalError(grpc.StatusCode.INVALID_ARGUMENT, f"{field}: {message}")


@contextmanager
def answered(context: grpc.ServicerContext) -> Iterator[None]:
    """Turn refusals, the store's too, into the status of this call."""
    try:
        yield
    except RefusalError as refusal:
        _abort(context, refusal.code, refusal.message)
    except BadName as error:
        _abort(context, grpc.StatusCode.INVALID_ARGUMENT, f"name: {error}")
    except (NameTaken, VersionTaken) as error:
        _abort(context, grpc.StatusCode.ALREADY_EXISTS, str(error))
    except NotFound as error:
        _abort(context, grpc.StatusCode.NOT_FOUND, str(error))
    except LimitReached as error:
        _abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
    except StoreError as error:
        _abort(context, grpc.StatusCode.FAILED_PRECONDITION, str(error))
    except DOWN as error:
        _abort(context, grpc.StatusCode.UNAVAILABLE, f"the store does not answer: {error}")
    except OSError as error:
        _log().error("the machine fails", error=str(error))
        _abort(context, *_of_machine(error))


def _of_machine(error: OSError) -> tuple[grpc.StatusCode, str]:
    """What the arena's machine has too little of, or that something in it does not work."""
    why = error.strerror or type(error).__name__
    if lacking(error):
        return grpc.StatusCode.RESOURCE_EXHAUSTED, f"the arena's machine cannot do it: {why}"
    return grpc.StatusCode.INTERNAL, f"the arena cannot use one of its files: {why}"


def _log() -> structlog.stdlib.BoundLogger:
    return structlog.get_logger("api")


def _abort(context: grpc.ServicerContext, code: grpc.StatusCode, message: str) -> NoReturn:
    context.abort(code, message[:2000])
    raise AssertionError  # abort has raised
