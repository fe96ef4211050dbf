"""Fields of protobuf messages as bytes, for what is made too often to go through objects.

A field begins with its number times 8, plus how it goes on: 0 a varint, 1 eight bytes, 2 a length
and so many bytes. Field numbers are 1-15 here. What is zero or empty is left out, as protobuf does
with fields that have no presence of their own.
"""

from struct import Struct
from typing import Final

_SHORT: Final = tuple(bytes((number,)) for number in range(128))
_MORE: Final = tuple(bytes((number | 128,)) for number in range(128))
_FIXED64: Final = Struct("<BQ")


def number(field: int, value: int) -> bytes:
    """A field of an unsigned number."""
    return _SHORT[field << 3] + _varint(value) if value else b""


def fixed64(field: int, value: int) -> bytes:
    """A field of eight bytes."""
    return _FIXED64.pack(field << 3 | 1, value) if value else b""


def octets(field: int, value: bytes) -> bytes:
    """A field of bytes."""
    return message(field, value) if value else b""


def heads(field: int) -> tuple[bytes, ...]:
    """What stands before so many bytes of a field, for 0 to 127 of them; nothing before none."""
    return (b"", *(_SHORT[field << 3 | 2] + _SHORT[size] for size in range(1, 128)))


def numbers(field: int) -> tuple[bytes, ...]:
    """`number` of the field for 0 to 127."""
    return tuple(number(field, value) for value in range(128))


def message(field: int, value: bytes) -> bytes:
    """A field that holds a message or is repeated: it is there even when it is empty."""
    return _SHORT[field << 3 | 2] + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    return _SHORT[value] if value < 128 else _MORE[value & 127] + _varint(value >> 7)
