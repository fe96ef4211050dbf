"""Sends a parcel to an arena, from where an earlier attempt has stopped; shows how far it is."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli import output
from arena.cli.parcel import Parcel
from arena.cli.progress import size
from arena.cli.watching import follow

if TYPE_CHECKING:
    from knockbox.v1 import submissions_pb2 as sub
    from knockbox.v1.arena_pb2_grpc import ArenaServiceStub

PART = 1 << 20
CALL = 16 << 20
"""Bytes that are sent in one call."""
ENDED = "the arena ended; what was sent stays there: the same command goes on with it"


def send(data: Path, parcel: Parcel) -> None:
    """Send all of it. Raises CommandError: as the arena refuses; where it is gone for too long."""
    with _shown(parcel) as show:

        def ask(stub: "ArenaServiceStub") -> Iterator[int]:
            return _sent(stub, parcel, show)

        for _ in follow(data, ask, lambda offset: offset == parcel.size, ENDED):
            pass


def _sent(stub: "ArenaServiceStub", parcel: Parcel, show: Callable[[int], None]) -> Iterator[int]:
    """How much is there: at first, and after each call."""
    from knockbox.v1 import submissions_pb2 as sub

    request = sub.BeginUploadRequest(bot=parcel.bot, digest=parcel.digest, size=parcel.size)
    offset = stub.BeginUpload(request).offset
    show(offset)
    yield offset
    while offset < parcel.size:
        offset = stub.SendUpload(_parts(parcel, offset, show)).offset
        yield offset


def _parts(
    parcel: Parcel, offset: int, show: Callable[[int], None]
) -> "Iterator[sub.SendUploadRequest]":
    from knockbox.v1 import submissions_pb2 as sub

    assert parcel.file is not None
    parcel.file.seek(offset)
    head = {"bot": parcel.bot, "digest": parcel.digest, "offset": offset}
    end = min(offset + CALL, parcel.size)
    while offset < end:
        part = parcel.file.read(min(PART, end - offset))
        offset += len(part)
        yield sub.SendUploadRequest(data=part, **head)  # pyright: ignore[reportArgumentType]
        head = {}
        show(offset)


@contextmanager
def _shown(parcel: Parcel) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, else a line where it begins."""
    if not output.live(sys.stderr):
        began: list[int] = []

        def say(offset: int) -> None:
            if not began:
                begin = f", from {size(offset)} on" if 0 < offset < parcel.size else ""
                output.note(f"sending {parcel.called}, {size(parcel.size)}{begin}")
            began.append(offset)

        yield say
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("sending"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=parcel.size)

        def move(offset: int) -> None:
            bar.update(task, completed=offset)

        yield move
