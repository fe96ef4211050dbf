"""How the API says no: a status code, and a message that names the field or the id."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import grpc

from workers.store import DOWN, BadName, NameTaken, NotFound, StoreError


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
    except NameTaken as error:
        _abort(context, grpc.StatusCode.ALREADY_EXISTS, str(error))
    except NotFound as error:
        _abort(context, grpc.StatusCode.NOT_FOUND, str(error))
    except StoreError as error:
        _abort(context, grpc.StatusCode.FAILED_PRECONDITION, str(error))
    except DOWN as error:
        _abort(context, grpc.StatusCode.UNAVAILABLE, f"the store does not answer: {error}")


def _abort(context: grpc.ServicerContext, code: grpc.StatusCode, message: str) -> NoReturn:
    context.abort(code, message[:2000])
    raise AssertionError  # abort has raised
