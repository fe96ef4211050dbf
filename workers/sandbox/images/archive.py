"""A bot's folder that comes as an archive: zip, tar, tar.gz. Trusts nothing in it.

Members are counted while they are unpacked, in memory; nothing is written anywhere. Only plain
files and folders with plain relative names are taken. `saved` reads its tars with `tarball` too.
"""

import io
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from workers.sandbox.images.dockerfile import DOCKERFILE
from workers.sandbox.images.refusal import ImageError
from workers.sandbox.manifest import MANIFEST, MAX_BYTES, MAX_FILES, MAX_PATH

RATIO = 100
"""Most bytes that one byte of an archive may stand for."""
FREE = 1024 * 1024
"""So many bytes may be unpacked whatever the ratio."""
_CHUNK = 64 * 1024
_READ_MOST = 1024 * 1024
_BLOCK = 512
_PACKED_CHUNK = 8 * 1024
_TAR_MOST = MAX_BYTES + MAX_FILES * 4 * _BLOCK
_DIRECTORY_MOST = MAX_FILES * (46 + 2 * MAX_PATH)

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


class Member(NamedTuple):
    """A file of a bot: path, content, whether it may be executed."""

    path: str
    content: bytes
    executable: bool


def holds_image(file: BinaryIO, name: str) -> bool:
    """The archive is an image as `docker save` writes it, and no bot's folder.

    Whatever unpacks to more than a folder may have can only be an image. Raises ImageError.
    """
    try:
        with broken(name):
            if file.read(4) == b"PK\x03\x04":
                return False
            file.seek(0)
            count = Count(0, _TAR_MOST, name)
            plain = io.BytesIO()
            for chunk in unzipped(lambda _: count.came(file.read(_PACKED_CHUNK))):
                if plain.tell() + len(chunk) > _TAR_MOST:
                    return True
                count.add(len(chunk))
                plain.write(chunk)
            plain.seek(0)
            with tarball(plain) as tar:
                names = {member.name for member in tar}
    finally:
        file.seek(0)
    return "manifest.json" in names and MANIFEST not in names


def read(file: BinaryIO, size: int, name: str) -> list[Member]:
    """The files of an archive of `size` bytes that is called `name`, its Dockerfile among them.

    Raises ImageError: E_ARCHIVE, E_PATH, E_LINK, E_SPECIAL, E_TOO_BIG, E_ROOT, E_NO_DOCKERFILE.
    """
    head = file.read(4)
    file.seek(0)
    count = Count(size, MAX_BYTES, name)
    with broken(name):
        if head == b"PK\x03\x04":
            found = list(_zipped(file, count))
        else:
            plain = _gunzipped(file, Count(size, _TAR_MOST, name))
            found = list(_tarred(plain, count))
    return _whole(found, name)


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


# zip


def _zipped(file: BinaryIO, count: Count) -> Iterator[Member]:
    _directory_is_small(file)
    with zipfile.ZipFile(file) as whole:
        names: dict[str, str] = {}
        for info in whole.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            folder = info.is_dir() or kind == stat.S_IFDIR
            path = checked(info.filename.rstrip("/") if folder else info.filename, names)
            _plain_file(path, kind in (0, stat.S_IFREG, stat.S_IFDIR), kind == stat.S_IFLNK)
            if folder:
                continue
            if info.flag_bits & 0x1:
                raise ImageError("E_ARCHIVE", path, "it is encrypted")
            content = _inflated(whole, info, path, count)
            yield Member(path, content, bool(info.external_attr >> 16 & stat.S_IXUSR))


def _directory_is_small(file: BinaryIO) -> None:
    """The list of members is read whole before any member is: it may not be large."""
    file.seek(0, io.SEEK_END)
    file.seek(max(0, file.tell() - 65_557))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    directory = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    file.seek(0)
    if directory > _DIRECTORY_MOST:
        raise ImageError("E_TOO_BIG", "its list of members", f"more than {MAX_FILES:,} files")


def _inflated(whole: zipfile.ZipFile, info: zipfile.ZipInfo, path: str, count: Count) -> bytes:
    declared = info.file_size
    info.file_size = 1 << 62  # what it holds, not what it says
    content = bytearray()
    with whole.open(info) as member:
        while chunk := member.read(_CHUNK):
            count.add(len(chunk), path)
            content += chunk
            if len(content) > declared:
                raise ImageError(
                    "E_TOO_BIG", path, f"it says that it has {declared:,} bytes, and has more"
                )
    if len(content) != declared:
        raise ImageError("E_ARCHIVE", path, f"it says that it has {declared:,} bytes, and has less")
    return bytes(content)


# tar


def _gunzipped(file: BinaryIO, count: Count) -> BinaryIO:
    """The tar itself, in memory."""
    plain = io.BytesIO()
    for chunk in unzipped(file.read):
        count.add(len(chunk))
        plain.write(chunk)
    plain.seek(0)
    return plain


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


def _tarred(file: BinaryIO, count: Count) -> Iterator[Member]:
    names: dict[str, str] = {}
    with tarball(file) as tar:
        for info in tar:
            path = checked(info.name, names) if info.name.strip("./") else "."
            plain = (info.isreg() or info.isdir()) and info.sparse is None  # pyright: ignore
            _plain_file(path, plain, info.issym() or info.islnk())
            if info.isdir():
                continue
            member = tar.extractfile(info)
            assert member is not None
            content = bytearray()
            while chunk := member.read(_CHUNK):
                count.add(len(chunk), path)
                content += chunk
            if len(content) != info.size:
                raise ImageError("E_ARCHIVE", path, "the archive breaks off within it")
            yield Member(path, bytes(content), bool(info.mode & stat.S_IXUSR))


# Names and kinds.


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


def _plain_file(path: str, plain: bool, link: bool) -> None:
    if link:
        raise ImageError("E_LINK", path, "it is a link; put the file itself there")
    if not plain:
        raise ImageError("E_SPECIAL", path, "it is no plain file; only files and folders are taken")


def _whole(members: list[Member], name: str) -> list[Member]:
    """The members, where they are a bot's folder with a Dockerfile."""
    paths: Iterable[str] = [member.path for member in members]
    for wanted in (MANIFEST, DOCKERFILE):
        if wanted in paths:
            continue
        deeper = [path for path in paths if path.endswith(f"/{wanted}")]
        if deeper:
            folder = min(deeper, key=len).rpartition("/")[0]
            raise ImageError(
                "E_ROOT", deeper[0], f"pack what is in {folder}, not the folder: cd {folder} first"
            )
    if DOCKERFILE not in paths:
        raise ImageError(
            "E_NO_DOCKERFILE",
            name,
            "without one no image can be built. The least for a bot in "
            "Python has two lines: FROM knockbox/python-bot, and COPY . /bot",
        )
    return members
