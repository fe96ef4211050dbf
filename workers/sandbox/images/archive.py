"""A bot's folder that comes as an archive: zip, tar, tar.gz. Trusts nothing in it.

Members are counted while they are unpacked, in memory; nothing is written anywhere. Only plain
files and folders with plain relative names are taken.
"""

import io
import stat
import zipfile
from collections.abc import Collection, Iterable, Iterator
from typing import BinaryIO, NamedTuple

from workers.sandbox.images.dockerfile import DOCKERFILE
from workers.sandbox.images.refusal import ImageError
from workers.sandbox.images.unpacking import Count, broken, checked, tarball, unzipped
from workers.sandbox.manifest import MANIFEST, MAX_BYTES, MAX_FILES, MAX_PATH

_CHUNK = 64 * 1024
_BLOCK = 512
_PACKED_CHUNK = 8 * 1024
_TAR_MOST = MAX_BYTES + MAX_FILES * 4 * _BLOCK
_DIRECTORY_MOST = MAX_FILES * (46 + 2 * MAX_PATH)


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


def read(
    file: BinaryIO, size: int, name: str, needs: Collection[str] = (MANIFEST, DOCKERFILE)
) -> list[Member]:
    """The files of an archive of `size` bytes that is called `name`, with those that it `needs`.

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
    return _whole(found, name, needs)


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


def _plain_file(path: str, plain: bool, link: bool) -> None:
    if link:
        raise ImageError("E_LINK", path, "it is a link; put the file itself there")
    if not plain:
        raise ImageError("E_SPECIAL", path, "it is no plain file; only files and folders are taken")


def _whole(members: list[Member], name: str, needs: Collection[str]) -> list[Member]:
    """The members, where they are a bot's folder."""
    paths: Iterable[str] = [member.path for member in members]
    for wanted in needs:
        if wanted in paths:
            continue
        deeper = [path for path in paths if path.endswith(f"/{wanted}")]
        if deeper:
            folder = min(deeper, key=len).rpartition("/")[0]
            raise ImageError(
                "E_ROOT", deeper[0], f"pack what is in {folder}, not the folder: cd {folder} first"
            )
    if DOCKERFILE in needs and DOCKERFILE not in paths:
        raise ImageError(
            "E_NO_DOCKERFILE",
            name,
            "without one no image can be built. The least for a bot in "
            "Python has two lines: FROM knockbox/python-bot, and COPY . /bot",
        )
    return members
