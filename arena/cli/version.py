"""`knockbox version`."""

from importlib import metadata

from arena.cli import output
from arena.cli.options import Json
from referee.protocol import PROTOCOL


def version(*, json: Json = False) -> None:
    """Version of the software and of the bots' protocol.

    Example: knockbox version --json
    """
    if json:
        output.as_json({"version": metadata.version("knockbox"), "protocol": PROTOCOL})
    else:
        output.data(text())


def text() -> str:
    """As `--version` prints it."""
    return f"knockbox {metadata.version('knockbox')} (bots' protocol {PROTOCOL})"
