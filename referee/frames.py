"""How the bytes of a replay file lie: frames, index, trailer, checksums, and how errors name them.

Nothing here knows what a record means. A file is read as if its writer were hostile: nothing is
believed before its checksum, nothing is unpacked beyond RECORD_LIMIT, and every refusal is a
ReplayError. docs/replay-format.md has the layout for writers of other readers:

the frames in the order header, games by (leg, unit), seal, side; the index in a skippable frame;
the trailer in a skippable frame of 64 bytes, which is the end of the file:

| bytes | trailer, numbers little-endian |
|---|---|
| 0-7 | 0x184D2A5B and 56: a skippable frame of 56 bytes |
| 8-15 | "KNOCKBOX" |
| 16-23 | where the index's frame begins |
| 24-27 | CRC-32 of the index's frame, its 8 bytes of head included |
| 28-31 | CRC-32 of bytes 0-27 of the trailer |
| 32-63 | SHA-256 of all bytes of the file before these |
"""

import hashlib
import struct
import zlib
from typing import NamedTuple, TypeVar

import zstandard
from google.protobuf.message import DecodeError, Message

from knockbox.v1 import replay_pb2
from knockbox.v1.replay_pb2 import (
    FRAME_KIND_GAME,
    FRAME_KIND_HEADER,
    FRAME_KIND_SEAL,
    FRAME_KIND_SIDE,
    ReplayFrame,
    ReplayIndex,
)

# A hostile record of empty messages takes some thirty times its size once it is parsed.
RECORD_LIMIT = 4 << 20
FRAME_LIMIT = RECORD_LIMIT + (1 << 17)
TRAILER_SIZE = 64
SHA_SIZE = 32
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_LEVEL = 3
_INDEX_MAGIC = 0x184D2A5A
_TRAILER_MAGIC = 0x184D2A5B
_MARK = b"KNOCKBOX"
_SKIPPABLE = struct.Struct("<II")
_TRAILER = struct.Struct("<II8sQII")
_TRAILER_HEAD = (_TRAILER_MAGIC, TRAILER_SIZE - _SKIPPABLE.size, _MARK)
_NAMES = {
    FRAME_KIND_HEADER: "the header",
    FRAME_KIND_SEAL: "the seal",
    FRAME_KIND_SIDE: "the side record",
}


Record = TypeVar("Record", bound=Message)


class ReplayError(Exception):
    """A replay that cannot be read, or is not right. `where` names the part, `message` says why."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where
        self.message = message


class Trailer(NamedTuple):
    """What the last 64 bytes say: where the index begins, and its checksum."""

    index_offset: int
    index_crc: int


def game_name(leg: int, unit: int) -> str:
    """How errors name a game."""
    return f"game leg {leg} unit {unit}"


def frame_name(frame: ReplayFrame) -> str:
    """How errors name what a frame holds."""
    if frame.kind == FRAME_KIND_GAME:
        return game_name(frame.leg, frame.unit)
    return _NAMES.get(frame.kind, f"a frame of the unknown kind {frame.kind}")


def pack(
    kind: replay_pb2.FrameKind.ValueType, record: bytes, leg: int = 0, unit: int = 0
) -> tuple[ReplayFrame, bytes]:
    """A record as a zstd frame, with its entry for the index (the offset is left open).

    Raises ValueError where the record is larger than RECORD_LIMIT.
    """
    entry = ReplayFrame(kind=kind, leg=leg, unit=unit)
    if len(record) > RECORD_LIMIT:
        raise ValueError(f"{frame_name(entry)} is larger than {RECORD_LIMIT} bytes")
    frame = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(record)
    entry.length = len(frame)
    entry.sha256 = hashlib.sha256(record).digest()
    entry.crc32 = zlib.crc32(frame)
    return entry, frame


def unpack(entry: ReplayFrame, frame: bytes) -> bytes:
    """The record in a frame, checked against its entry in the index."""
    where = frame_name(entry)
    check_frame(entry, frame)
    try:
        head = zstandard.get_frame_parameters(frame)
        if head.content_size > RECORD_LIMIT:
            raise ReplayError(where, f"frame unpacks to more than {RECORD_LIMIT} bytes")
        if not head.has_checksum:
            raise ReplayError(where, "frame has no checksum")
        # The size was judged first: the decompressor would allocate whatever the head claims.
        record = zstandard.ZstdDecompressor().decompress(frame, allow_extra_data=False)
    except (zstandard.ZstdError, ValueError) as error:
        raise ReplayError(where, f"frame does not unpack ({error})") from None
    if hashlib.sha256(record).digest() != entry.sha256:
        raise ReplayError(where, "record differs from its SHA-256 in the index")
    return record


def check_frame(entry: ReplayFrame, frame: bytes) -> None:
    """Refuse a frame whose bytes are not those that were written."""
    if len(frame) != entry.length:
        raise ReplayError(frame_name(entry), "frame is cut short")
    if zlib.crc32(frame) != entry.crc32:
        raise ReplayError(frame_name(entry), "frame does not unpack: checksum differs")


def tail(index: ReplayIndex, offset: int) -> bytes:
    """Index and trailer, up to the SHA-256 that ends the file; `offset` is where they begin."""
    body = index.SerializeToString(deterministic=True)
    frame = _SKIPPABLE.pack(_INDEX_MAGIC, len(body)) + body
    head = (*_TRAILER_HEAD, offset, zlib.crc32(frame))
    return frame + _TRAILER.pack(*head, zlib.crc32(_TRAILER.pack(*head, 0)[:-4]))


def read_trailer(data: bytes, begins: bytes) -> Trailer:
    """What the last bytes of a file say; `begins` are its first bytes, for a better refusal."""
    if len(data) == TRAILER_SIZE:
        magic, size, mark, offset, index_crc, crc = _TRAILER.unpack_from(data)
        if crc == zlib.crc32(data[: _TRAILER.size - 4]) and (magic, size, mark) == _TRAILER_HEAD:
            return Trailer(offset, index_crc)
        if mark == _MARK:
            raise ReplayError("the trailer", "checksum differs")
    if begins != ZSTD_MAGIC:
        raise ReplayError("the file", "is no replay")
    raise ReplayError("the trailer", "is missing or damaged; the file may be cut short")


def read_index(data: bytes, crc: int) -> ReplayIndex:
    """The index out of its frame `data`, which lies between the last record and the trailer."""
    if zlib.crc32(data) != crc:
        raise ReplayError("the index", "checksum differs")
    if len(data) < _SKIPPABLE.size or _SKIPPABLE.unpack_from(data) != (
        _INDEX_MAGIC,
        len(data) - _SKIPPABLE.size,
    ):
        raise ReplayError("the index", "is not a frame of its own")
    return parse(ReplayIndex(), data[_SKIPPABLE.size :], "the index")


def parse(into: Record, data: bytes, where: str) -> Record:
    """Read `data` into an empty message."""
    try:
        into.ParseFromString(data)
    except DecodeError:
        raise ReplayError(where, "does not parse") from None
    return into
