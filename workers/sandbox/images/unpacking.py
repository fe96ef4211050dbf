"""What every archive is read with: bytes that are counted, names that are checked, tars that lie.

Nothing here writes anything.
"""

import io
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from workers.sandbox.images.refusal import ImageError
from workers.sandbox.manifest import MAX_FILES, MAX_PATH

RATIO = 100
"""Most bytes that one byte of an archive may stand for."""
FREE = 1024 * 1024
"""So many bytes may be unpacked whatever the ratio."""
_CHUNK = 64 * 1024
_READ_MOST = 1024 * 1024

_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    NotImplementedError,
    OverflowError,
    RecursionError,
    UnicodeError,
    ValueError,
)


class Count:
    """Bytes unpacked so far, of an archive of `size` bytes; at most `most`."""

    def __init__(self, size: int, most: int, name: str) -> None:
        self._most = most
        self._size = max(1, size)
        self._name = name
        self._so_far = 0

    def came(self, data: bytes) -> bytes:
        """The archive itself is longer by so much, where nobody knew its size."""
        self._size += len(data)
        return data

    def add(self, number: int, where: str = "") -> None:
        """So many more. Raises ImageError (E_TOO_BIG)."""
        self._so_far += number
        place = where or self._name
        if self._so_far > self._most:
            raise ImageError("E_TOO_BIG", place, f"it unpacks to more than {_mib(self._most)}")
        if self._so_far > FREE and self._so_far > RATIO * self._size:
            raise ImageError("E_TOO_BIG", place, f"it unpacks to more than {RATIO} times its size")


def _mib(size: int) -> str:
    return f"{size // (1024 * 1024):,} MiB"


@contextmanager
def broken(name: str) -> Iterator[None]:
    """Turn whatever an archive that is none causes into ImageError (E_ARCHIVE)."""
    try:
        yield
    except ImageError:
        raise
    except _BROKEN as error:
        why = str(error)[:200] or type(error).__name__
        raise ImageError("E_ARCHIVE", name, f"it is no archive that can be read ({why})") from None


def unzipped(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """What is read, in parts; where it begins like gzip, unpacked. Raises zlib.error, EOFError."""
    first = read(_CHUNK)
    if first[:2] != b"\x1f\x8b":
        while first:
            yield first
            first = read(_CHUNK)
        return
    inflate = zlib.decompressobj(wbits=31)
    while first:
        data = first
        while data:
            yield inflate.decompress(data, _READ_MOST)
            data = inflate.unconsumed_tail
        if inflate.eof:
            return
        first = read(_CHUNK)
    raise EOFError("it breaks off")


class _Guarded(io.RawIOBase):
    """A file of which nobody reads very much at once: a header that asks for it is a bad one."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1, /) -> bytes:
        if not 0 <= size <= _READ_MOST:
            raise tarfile.ReadError("a header asks for too much")
        return self._file.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


@contextmanager
def tarball(file: BinaryIO) -> Iterator[tarfile.TarFile]:
    """A plain tar that can be sought in. Raises tarfile.TarError."""
    with tarfile.open(fileobj=_Guarded(file), mode="r:") as tar:  # pyright: ignore[reportArgumentType]
        yield tar


def checked(name: str, seen: dict[str, str]) -> str:
    """A member's name, without a leading `./`. `seen` holds those before it, and takes this one.

    Raises ImageError: E_PATH for what could leave the archive, be mistaken or lie on another;
    E_TOO_BIG where there are too many.
    """
    path = name
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    path = path.rstrip("/")
    why = ""
    if not path or len(path.encode("utf-8", "surrogatepass")) > MAX_PATH:
        why = f"a name has 1 to {MAX_PATH} bytes"
    elif path.startswith("/") or path[1:2] == ":":
        why = "it is absolute; names are relative to the bot's folder"
    elif any(part in ("", ".", "..") for part in path.split("/")):
        why = "it leads out of the folder, or round about; names have no . and .. in them"
    elif "\\" in path or any(unicodedata.category(letter)[0] == "C" for letter in path):
        why = "it has a backslash or a character that cannot be seen"
    if why:
        raise ImageError("E_PATH", name or "(empty)", why)
    folded = unicodedata.normalize("NFC", path).casefold()
    if folded in seen:
        raise ImageError("E_PATH", path, f"it is there twice, as {seen[folded]}")
    seen[folded] = path
    if len(seen) > 2 * MAX_FILES:
        raise ImageError("E_TOO_BIG", path, f"there are more than {2 * MAX_FILES:,} members")
    return path
