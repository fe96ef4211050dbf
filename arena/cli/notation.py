"""`knockbox replay export` and `import`: a whole match in forms that other programs read and write.

Nothing is lost on the way: what is exported and imported again has the same sealed part, byte for
byte. Importing judges no rules; `knockbox verify` does.
"""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from arena.cli import output
from arena.cli.errors import CommandError, usage
from arena.cli.options import Data, Json

if TYPE_CHECKING:
    from knockbox.v1 import replay_pb2

Format = Literal["text", "json", "pb"]

MOST = 1 << 30
"""Bytes that are read at most."""


def export(
    replay: Annotated[str, Parameter(help="A replay file, or the id of a recorded match.")],
    /,
    *,
    format: Annotated[
        Format,
        Parameter(help="text: to read and edit; json; pb: one message knockbox.v1.ReplayMatch."),
    ] = "text",
    out: Annotated[
        Path | None, Parameter(help="The file to write; else it goes to stdout.")
    ] = None,
    data: Data = None,
) -> None:
    """A whole match as text, JSON or protobuf.

    The text is in the manner of PGN; nothing is left out in any.

    Example: knockbox replay export t1.6 --format json --out t1.6.json
    """
    from arena.cli.replay import file_of
    from referee.replay import Replay, ReplayError

    with file_of(replay, data) as file:
        try:
            said = _said(Replay.open(file.path), format)
        except ReplayError as error:
            raise CommandError(f"{replay}: {error}") from None
    if out is None:
        sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()
        return
    try:
        out.write_bytes(said)
    except OSError as error:
        raise CommandError(f"cannot write {out}: {error.strerror}") from None
    output.note(f"{out}: {len(said):,} bytes")
    output.next_step(f"knockbox replay import {shlex.quote(str(out))}", "makes a replay of it")


def import_(
    file: Annotated[
        Path, Parameter(help="What `export` wrote; its form is seen from its content.")
    ],
    /,
    *,
    out: Annotated[Path | None, Parameter(help="The replay file; else FILE with .kbr.")] = None,
    json: Json = False,
) -> None:
    """A replay file out of an exported match.

    A mistake in a text is named with its line.

    Example: knockbox replay import t1.6.json --out copy.kbr
    """
    from referee.notation import file_of

    if not file.name:
        raise usage(f"{file} is no file: name one that `knockbox replay export` wrote")
    target = out or file.with_suffix(".kbr")
    if target.exists():
        raise CommandError(f"{target} is there already; name another file with --out")
    try:
        with file.open("rb") as source:
            said = source.read(MOST + 1)
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror}") from None
    if len(said) > MOST:
        raise CommandError(f"{file} has more than {MOST:,} bytes")
    try:
        made = file_of(_match(said))
    except ValueError as error:
        raise CommandError(f"{file}: {error}") from None
    try:
        made.write(target)
    except OSError as error:
        raise CommandError(f"cannot write {target}: {error.strerror}") from None
    if json:
        output.as_json({"replay": str(target), "digest": made.digest.hex()})
        return
    output.data(str(target))
    output.note(f"digest {made.digest.hex()}")
    shown = shlex.quote(str(target))
    output.next_step(f"knockbox verify {shown}", "proves that it was played by the rules")


def _said(replay: object, format: Format) -> bytes:
    import json

    from referee import notation
    from referee.replay import Replay
    from referee.replay_json import to_json

    assert isinstance(replay, Replay)
    if format == "json":
        return json.dumps(to_json(replay), ensure_ascii=False, indent=1).encode() + b"\n"
    match = notation.match_of(replay)
    if format == "pb":
        return match.SerializeToString(deterministic=True)
    return notation.write(match).encode()


def _match(said: bytes) -> "replay_pb2.ReplayMatch":
    """The records in a file's bytes. Raises ValueError that says what is wrong, and where."""
    import json

    from google.protobuf.message import DecodeError

    from knockbox.v1 import replay_pb2
    from referee.notation_read import read
    from referee.replay_from_json import from_json

    start = said[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        try:
            return from_json(json.loads(said))
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
    if start.startswith((b"[", b";")):
        return read(said.decode())
    try:
        match = replay_pb2.ReplayMatch.FromString(said)
    except DecodeError:
        raise ValueError("it is neither text nor JSON, and no message ReplayMatch") from None
    if match.header.format != 1:
        raise ValueError("it is neither text nor JSON, and no message ReplayMatch of format 1")
    return match
