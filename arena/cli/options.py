"""Options that several commands share, and the settings that follow from them."""

import os
import re
from collections.abc import MutableMapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from arena.cli.errors import usage
from arena.settings import Remote, Settings, SettingsError, load
from arena.settings import remote as remote_of

Data = Annotated[
    Path | None,
    Parameter(name="--data", help="Data folder (else KNOCKBOX_DATA, else under your home)."),
]


Sandbox = Annotated[
    Literal["auto", "container", "process"] | None,
    Parameter(
        name="--sandbox",
        show_default=False,
        help="How bots run: container (closed off), process, or auto (else KNOCKBOX_SANDBOX, else "
        "auto): containers where an engine answers and the bots' images are built.",
    ),
]
ELSEWHERE = {
    "--arena": "KNOCKBOX_ARENA",
    "--tls-ca": "KNOCKBOX_TLS_CA",
    "--tls-fingerprint": "KNOCKBOX_TLS_FINGERPRINT",
}
"""Options that every command takes, each another spelling of a variable: which arena is meant."""


def elsewhere(
    arguments: Sequence[str], environ: MutableMapping[str, str]
) -> tuple[list[str], list[str]]:
    """Take the options of `ELSEWHERE` into `environ`; the other arguments, and which were taken.

    What stands behind `--` is another program's. Raises CommandError.
    """
    rest: list[str] = []
    taken: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            return [*rest, word, *words], taken
        option, given, value = word.partition("=")
        if option not in ELSEWHERE:
            rest.append(word)
            continue
        text = value if given else next(words, "")
        if not text or "\0" in text:
            raise usage(f"{option} wants a value")
        environ[ELSEWHERE[option]] = text
        taken.append(option)
    return rest, taken


def flag(about: str) -> Parameter:
    """A switch that is off unless it is given."""
    return Parameter(negative="", show_default=False, help=about)


def strict(_: Any, tokens: Sequence[Any]) -> int:
    """A whole number as people write it: no 1.5, no 1_000. Raises ValueError."""
    text = tokens[0].value
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise ValueError(f"{text!r} is no whole number")
    return int(text)


def number(about: str, name: str | None = None, *, default: bool = True) -> Parameter:
    """An option that is a whole number."""
    return Parameter(name=name, converter=strict, show_default=default, help=about)


Json = Annotated[bool, flag("JSON on stdout, for programs.")]


def settings(data: Path | None, sandbox: str | None = None) -> Settings:
    """The settings of this process, with what `--data` and `--sandbox` said."""
    try:
        found = load(os.environ, os.getuid(), os.cpu_count() or 1, data)
        return replace(found, sandbox=sandbox or found.sandbox)
    except SettingsError as error:
        raise usage(str(error)) from None


def for_services() -> None:
    """Raise CommandError where this environment sets something that no service can start with."""
    from referee.service_settings import ServiceSettingsError
    from workers.settings import load as of_services

    try:
        of_services()
    except ServiceSettingsError as error:
        raise usage("; ".join(str(error).splitlines())) from None


def remote() -> Remote | None:
    """The arena of another machine, where one is named."""
    try:
        return remote_of(os.environ)
    except SettingsError as error:
        raise usage(str(error)) from None


def environment() -> dict[str, str]:
    """This process's environment, for the services that it starts."""
    return dict(os.environ)
