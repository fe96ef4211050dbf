"""`knockbox version`."""

from importlib import metadata

from arena.cli import output
from arena.cli.options import Json


def version(*, json: Json = False) -> None:
    """Version of the software and of the bots' protocol.

    Example: knockbox version --json
    """
    if json:
        output.as_json({"version": metadata.version("knockbox"), "protocol": _protocol()})
    else:
        output.data(text())


def text() -> str:
    """As `--version` prints it."""
    return f"knockbox {metadata.version('knockbox')} (bots' protocol {_protocol()})"


def _protocol() -> int:
    from referee.wire.play import PROTOCOL

    return PROTOCOL
