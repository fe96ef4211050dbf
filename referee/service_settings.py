"""Settings of a service's process, out of its arguments and its environment; what is wrong with
them is a line each, for whoever has set them. Import this late: pydantic takes its time."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from pydantic import ValidationError, create_model
from pydantic_settings import BaseSettings, SettingsConfigDict

Values = TypeVar("Values")


class ServiceSettingsError(ValueError):
    """Settings that make no sense. The message has a line for each of them, which names it."""


def told(program: str, error: ServiceSettingsError) -> int:
    """Say so on stderr; the exit code."""
    for line in str(error).splitlines():
        print(f"{program}: {line}", file=sys.stderr)
    return 2


@contextmanager
def in_words(name: Callable[[str], str]) -> Generator[None]:
    """Turn what pydantic finds into ServiceSettingsError; `name` is what people call a field."""
    try:
        yield
    except ValidationError as error:
        raise ServiceSettingsError("\n".join(_fault(name, one) for one in error.errors())) from None


def _fault(name: Callable[[str], str], found: Any) -> str:
    wrong = found["msg"].removeprefix("Value error, ")
    return f"{name(''.join(map(str, found['loc'])))}: {wrong[:1].lower()}{wrong[1:]}"


def read(kind: type[Values], prefix: str, program: str) -> Values:
    """A dataclass of settings: each is an argument (`--run-dir`) and a variable (PREFIX_RUN_DIR).

    Raises ServiceSettingsError, which names arguments.
    """

    class Variables(BaseSettings):
        model_config = SettingsConfigDict(
            env_prefix=prefix,
            cli_parse_args=True,
            cli_kebab_case=True,
            cli_prog_name=program,
        )

    places: dict[str, Any] = {
        field.name: (field.type, ... if field.default is MISSING else field.default)
        for field in fields(kind)  # pyright: ignore[reportArgumentType] - a dataclass
    }
    with in_words(lambda field: "--" + field.replace("_", "-")):
        values: Any = create_model("Variables", __base__=Variables, **places)()
    return kind(**dict(values))
