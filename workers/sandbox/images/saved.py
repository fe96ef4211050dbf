"""An image as `docker save` writes it: what is in the archive, and what the engine gets of it.

The engine never sees what was sent: it gets an archive made anew, with the config and the layers of
the one image and nothing else. Above all no names, which would replace other images here.
"""

import hashlib
import io
import json
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from workers.sandbox.images import facts
from workers.sandbox.images.facts import Facts
from workers.sandbox.images.refusal import ImageError
from workers.sandbox.images.unpacking import Count, broken, checked, tarball, unzipped

INDEX = "manifest.json"
CONFIG_MOST = 1024 * 1024
LAYERS_MOST = 127
"""As many as the engine can stack."""
_CHUNK = 256 * 1024
_PACKED_CHUNK = 8 * 1024
_PACKED = (b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
_LINK = re.compile(r"\.\./[0-9a-f]{64}/layer\.tar")


class Saved(NamedTuple):
    """An image in an archive. `digest` is its config's, and its name from then on; `layers` are
    positions and sizes in the archive, the lowest first."""

    config: bytes
    digest: str
    facts: Facts
    layers: tuple[tuple[int, int], ...]


def spool(parts: Iterable[bytes], file: BinaryIO, most: int, name: str) -> int:
    """Write what comes to a file, and stop at `most` bytes; how many came. Raises ImageError."""
    size = 0
    for part in parts:
        size += len(part)
        if size > most:
            raise ImageError("E_TOO_BIG", name, f"it has more than {most >> 20:,} MiB")
        file.write(part)
    file.flush()
    file.seek(0)
    return size


def plain(file: BinaryIO, other: BinaryIO, most: int, name: str) -> BinaryIO:
    """The archive itself where it came packed by gzip, unpacked into `other`; else the file.

    Raises ImageError: E_TOO_BIG as soon as it unpacks to too much, E_ARCHIVE.
    """
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    if not packed:
        return file
    count = Count(0, most, name)
    with broken(name):
        for chunk in unzipped(lambda _: count.came(file.read(_PACKED_CHUNK))):
            count.add(len(chunk))
            other.write(chunk)
    other.flush()
    other.seek(0)
    return other


def read(file: BinaryIO, name: str, most: int) -> Saved:
    """The one image in a plain archive that unpacks to at most `most` bytes.

    Raises ImageError: E_ARCHIVE, E_PATH, E_LINK, E_SPECIAL, E_IMAGE, E_TOO_BIG.
    """
    with broken(name), tarball(file) as tar:
        found = _members(tar)
        image = _index(file, found, name)
        config = _content(file, found, str(image.get("Config")), CONFIG_MOST)
        layers = _layers(file, found, image, most, name)
    digest = "sha256:" + hashlib.sha256(config).hexdigest()
    return Saved(config, digest, _facts(config, layers.unpacked, name), layers.places)


def _members(tar: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    """The members by name; a layer that is there already stands as a link to it."""
    found: dict[str, tarfile.TarInfo] = {}
    links: dict[str, str] = {}
    names: dict[str, str] = {}
    for info in tar:
        path = checked(info.name, names)
        if info.isreg() and info.sparse is None:  # pyright: ignore[reportAttributeAccessIssue]
            found[path] = info
        elif info.issym() and _LINK.fullmatch(info.linkname):
            links[path] = info.linkname[3:]
        elif info.issym() or info.islnk():
            raise ImageError("E_LINK", path, "it is a link; save the image again")
        elif not info.isdir():
            raise ImageError("E_SPECIAL", path, "it is no plain file; save the image again")
    for path, target in links.items():
        if target in found:
            found[path] = found[target]
    return found


def _content(file: BinaryIO, found: Mapping[str, tarfile.TarInfo], path: str, most: int) -> bytes:
    info = found.get(path)
    if info is None:
        raise ImageError("E_IMAGE", path, "it is missing in the archive; use docker save")
    if info.size > most:
        raise ImageError("E_TOO_BIG", path, f"it has more than {most:,} bytes")
    file.seek(info.offset_data)
    return file.read(info.size)


def _index(file: BinaryIO, found: Mapping[str, tarfile.TarInfo], name: str) -> Mapping[str, Any]:
    images = _json(_content(file, found, INDEX, CONFIG_MOST), INDEX)
    if not isinstance(images, list) or not all(isinstance(image, dict) for image in images):
        raise ImageError("E_IMAGE", INDEX, "it does not list images; use docker save")
    if len(images) != 1:
        raise ImageError("E_IMAGE", name, f"it holds {len(images)} images; save one alone")
    return images[0]


def _json(content: bytes, where: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise ImageError("E_IMAGE", where, "it is not JSON") from None


class _Layers(NamedTuple):
    places: tuple[tuple[int, int], ...]
    unpacked: int


def _layers(
    file: BinaryIO,
    found: Mapping[str, tarfile.TarInfo],
    image: Mapping[str, Any],
    most: int,
    name: str,
) -> _Layers:
    paths = image.get("Layers")
    if not isinstance(paths, list) or not 1 <= len(paths) <= LAYERS_MOST:
        raise ImageError("E_IMAGE", INDEX, f"it does not list 1 to {LAYERS_MOST} layers")
    places: list[tuple[int, int]] = []
    unpacked = 0
    for path in map(str, paths):
        info = found.get(path)
        if info is None:
            raise ImageError("E_IMAGE", path, "it is missing in the archive; use docker save")
        part = Part(file, info.offset_data, info.size)
        head = part.read(8)
        if head.startswith(_PACKED):
            raise ImageError("E_IMAGE", path, "it is packed, and not by gzip; use docker save")
        part.seek(0)
        count = Count(info.size, most - unpacked, path)
        for chunk in unzipped(part.read):  # a bomb is found here, and not by the engine
            count.add(len(chunk))
            unpacked += len(chunk)
        places.append((info.offset_data, info.size))
    facts.check_size(unpacked, most, name)
    return _Layers(tuple(places), unpacked)


def _facts(config: bytes, size: int, name: str) -> Facts:
    try:
        return facts.of_config(_json(config, "the image's config"), size)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise ImageError("E_IMAGE", name, f"its config is none ({error})") from None


class Part(io.RawIOBase):
    """A part of a file, as a file."""

    def __init__(self, file: BinaryIO, begin: int, size: int) -> None:
        self._file = file
        self._begin = begin
        self._size = size
        self._at = 0

    def read(self, size: int = -1, /) -> bytes:
        """As of any file."""
        left = self._size - self._at
        self._file.seek(self._begin + self._at)
        data = self._file.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """From the part's beginning only."""
        assert whence == io.SEEK_SET
        self._at = offset
        return offset


def anew(file: BinaryIO, image: Saved) -> Iterator[bytes]:
    """The archive for the engine, in parts."""
    config = image.digest.removeprefix("sha256:") + ".json"
    names = [f"{number}/layer.tar" for number in range(len(image.layers))]
    index = [{"Config": config, "RepoTags": None, "Layers": names}]
    yield from _member(INDEX, json.dumps(index).encode())
    yield from _member(config, image.config)
    for name, (begin, size) in zip(names, image.layers, strict=True):
        yield _header(name, size)
        part = Part(file, begin, size)
        while chunk := part.read(_CHUNK):
            yield chunk
        yield bytes(-size % tarfile.BLOCKSIZE)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _member(name: str, content: bytes) -> Iterator[bytes]:
    yield _header(name, len(content))
    yield content + bytes(-len(content) % tarfile.BLOCKSIZE)


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)
