"""The replay file as records: written once when a match is over, read at any place.

How the bytes lie is `referee.frames`, what the records mean `referee.wire.replay`, whether they are
right `referee.verify`.

The digest of the sealed part is SHA-256 over header, games and seal in the order of the file, for
each: its FrameKind as one byte, the record's length as 8 bytes big-endian, the record before
compression. The side record is not in it, nor anything that depends on zstd's version.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from stat import S_ISREG

from google.protobuf.message import Message

from knockbox.v1 import replay_pb2
from knockbox.v1.replay_pb2 import (
    FRAME_KIND_GAME,
    FRAME_KIND_HEADER,
    FRAME_KIND_SEAL,
    FRAME_KIND_SIDE,
    GameRecord,
    ReplayFrame,
    ReplayHeader,
    ReplayIndex,
    ReplaySeal,
    ReplaySide,
)
from referee import frames
from referee.frames import Record, ReplayError, frame_name, game_name

__all__ = ["Replay", "ReplayError", "ReplayFile", "ReplayWriter"]

FORMAT = 1
CHUNK = 1 << 20


@dataclass(frozen=True)
class ReplayFile:
    """A finished replay: the bytes of the file, and the digest of its sealed part (32 bytes)."""

    data: bytes
    digest: bytes

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """The file in parts of at most `size` bytes."""
        return (self.data[start : start + size] for start in range(0, len(self.data), size))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Put the file at `path`: all of it or nothing, and it survives a power cut."""
        target = Path(path)
        part = target.with_name(f".{target.name[:200]}.{secrets.token_hex(6)}.part")
        try:
            with part.open("xb") as file:
                file.write(self.data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class ReplayWriter:
    """Collects the records of one match; the same records give the same bytes.

    Games may come in any order. All is kept in memory until `finish`.
    """

    def __init__(self, header: ReplayHeader) -> None:
        self._header = _pack(FRAME_KIND_HEADER, header)
        self._games: dict[tuple[int, int], _Packed] = {}

    def add_game(self, game: GameRecord) -> None:
        """Keep one game. One too large for a record loses the bots' notes.

        Raises ValueError for a game that is there already, and where a record is too large.
        """
        key = (game.leg, game.unit)
        if key in self._games:
            raise ValueError(f"{game_name(*key)} is there already")
        if game.ByteSize() > frames.RECORD_LIMIT:
            game = _without_notes(game)
        self._games[key] = _pack(FRAME_KIND_GAME, game, *key)

    def finish(self, seal: ReplaySeal, side: ReplaySide) -> ReplayFile:
        """The whole file."""
        games = [self._games[key] for key in sorted(self._games)]
        sealed = [self._header, *games, _pack(FRAME_KIND_SEAL, seal)]
        rows = [*sealed, _pack(FRAME_KIND_SIDE, side)]
        index, offset = ReplayIndex(), 0
        for row in rows:
            entry = index.frames.add()
            entry.CopyFrom(row.entry)
            entry.offset = offset
            offset += entry.length
        data = b"".join([*(row.frame for row in rows), frames.tail(index, offset)])
        data += hashlib.sha256(data).digest()
        return ReplayFile(data, _digest((row.entry.kind, row.record) for row in sealed))


class Replay:
    """A replay file that is open for reading. `open` is the way in.

    Opening checks every byte against its checksums and keeps the index; records are read, unpacked
    and parsed when they are asked for, one at a time. Every fault is a ReplayError.
    """

    def __init__(self, source: bytes | Path, index: tuple[ReplayFrame, ...]) -> None:
        self._source = source
        self._frames = index
        self._games = {(f.unit, f.leg): f for f in index if f.kind == FRAME_KIND_GAME}

    @classmethod
    def open(cls, source: str | os.PathLike[str] | bytes) -> Replay:
        """Open a file, or bytes that are one."""
        place = source if isinstance(source, bytes) else Path(source)
        replay = cls(place, tuple(_checked_index(place)))
        if replay.header.format != FORMAT:
            message = f"format {replay.header.format} is not {FORMAT}, the one that is read here"
            raise ReplayError("the header", message)
        return replay

    @cached_property
    def header(self) -> ReplayHeader:
        """The first record."""
        return self._record(self._frames[0], ReplayHeader())

    @cached_property
    def seal(self) -> ReplaySeal:
        """The last sealed record."""
        return self._record(self._frames[-2], ReplaySeal())

    @cached_property
    def side(self) -> ReplaySide:
        """What differs between two runs of the same match."""
        return self._record(self._frames[-1], ReplaySide())

    @cached_property
    def digest(self) -> bytes:
        """Digest of the sealed part, 32 bytes."""
        return _digest((entry.kind, self._unpack(entry)) for entry in self._frames[:-1])

    @property
    def records(self) -> int:
        """Number of records in the file."""
        return len(self._frames)

    @property
    def games(self) -> tuple[tuple[int, int], ...]:
        """(unit, leg) of every game, in the order of the file: by leg, then by unit."""
        return tuple(self._games)

    def game(self, unit: int, leg: int) -> GameRecord:
        """One game. A ReplayError where the file has no such game."""
        entry = self._games.get((unit, leg))
        if entry is None:
            raise ReplayError(game_name(leg, unit), "is not in the file")
        game = self._record(entry, GameRecord())
        if (game.unit, game.leg) != (unit, leg):
            raise ReplayError(frame_name(entry), f"is {game_name(game.leg, game.unit)} inside")
        return game

    def _record(self, entry: ReplayFrame, into: Record) -> Record:
        return frames.parse(into, self._unpack(entry), frame_name(entry))

    def _unpack(self, entry: ReplayFrame) -> bytes:
        return frames.unpack(entry, _read(self._source, entry.offset, entry.length))


@dataclass(frozen=True)
class _Packed:
    entry: ReplayFrame
    record: bytes
    frame: bytes


def _pack(
    kind: replay_pb2.FrameKind.ValueType, message: Message, leg: int = 0, unit: int = 0
) -> _Packed:
    record = message.SerializeToString(deterministic=True)
    entry, frame = frames.pack(kind, record, leg, unit)
    return _Packed(entry, record, frame)


def _without_notes(game: GameRecord) -> GameRecord:
    bare = GameRecord()
    bare.CopyFrom(game)
    for deal in bare.deals:
        for event in deal.events:
            event.ClearField("note")
    return bare


def _digest(records: Iterable[tuple[int, bytes]]) -> bytes:
    digest = hashlib.sha256()
    for kind, record in records:
        digest.update(struct.pack(">BQ", kind, len(record)))
        digest.update(record)
    return digest.digest()


def _checked_index(source: bytes | Path) -> Iterable[ReplayFrame]:
    size = _size(source)
    start = max(0, size - frames.TRAILER_SIZE)
    end = _read(source, start, size - start)
    trailer = frames.read_trailer(end, _read(source, 0, len(frames.ZSTD_MAGIC)))
    length = start - trailer.index_offset
    if not 0 < length <= frames.FRAME_LIMIT:
        raise ReplayError("the index", "does not lie before the trailer")
    body = _read(source, trailer.index_offset, length)
    index = frames.read_index(body, trailer.index_crc).frames
    _check_order(index)
    whole, offset = hashlib.sha256(), 0
    for entry in index:
        if entry.offset != offset or not 0 < entry.length <= frames.FRAME_LIMIT:
            raise ReplayError("the index", f"{frame_name(entry)} does not follow its predecessor")
        frame = _read(source, offset, entry.length)
        frames.check_frame(entry, frame)
        whole.update(frame)
        offset += entry.length
    if offset != trailer.index_offset:
        raise ReplayError("the index", "does not cover every byte before it")
    whole.update(body)
    whole.update(end[: -frames.SHA_SIZE])
    if whole.digest() != end[-frames.SHA_SIZE :]:
        raise ReplayError("the trailer", "SHA-256 of the file differs")
    return index


def _check_order(index: Iterable[ReplayFrame]) -> None:
    kinds = [entry.kind for entry in index]
    middle = len(kinds) - 3
    if kinds != [FRAME_KIND_HEADER, *[FRAME_KIND_GAME] * middle, FRAME_KIND_SEAL, FRAME_KIND_SIDE]:
        raise ReplayError("the index", "is not header, games, seal and side record in this order")
    before = (-1, -1)
    for entry in index:
        if entry.kind == FRAME_KIND_GAME:
            if (entry.leg, entry.unit) <= before:
                raise ReplayError("the index", f"{frame_name(entry)} is out of order, or twice")
            before = (entry.leg, entry.unit)


def _size(source: bytes | Path) -> int:
    if isinstance(source, bytes):
        return len(source)
    try:
        stat = source.stat()
    except (OSError, ValueError) as error:
        raise ReplayError("the file", _why(error)) from None
    if not S_ISREG(stat.st_mode):
        raise ReplayError("the file", "is not a regular file")
    return stat.st_size


def _read(source: bytes | Path, offset: int, length: int) -> bytes:
    if isinstance(source, bytes):
        return source[offset : offset + length]
    # Opened for each read: a replay holds no file open, so nobody has to close it.
    try:
        with source.open("rb") as file:
            file.seek(offset)
            return file.read(length)
    except OSError as error:
        raise ReplayError("the file", _why(error)) from None


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
