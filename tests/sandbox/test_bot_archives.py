"""Bots that come as archives: what is read, what is refused, and that nothing is ever written."""

import io
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.sandbox.images import archive
from workers.sandbox.images.refusal import ImageError

GOOD = {
    "knockbox.toml": b'[bot]\nname = "x1"\ncommand = ["python3", "bot.py"]\n',
    "Dockerfile": b"FROM knockbox/python-bot\nCOPY . /bot\n",
    "src/bot.py": b"print(1)\n",
}


def zipped(
    files: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] | None = None
) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o100644 << 16
            if change is not None:
                change(info)
            whole.writestr(info, content)
    return packed.getvalue()


def tarred(
    files: dict[str, bytes],
    change: Callable[[tarfile.TarInfo], None] | None = None,
    mode: str = "w",
) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as whole:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if change is not None:
                change(info)
            whole.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def read(data: bytes) -> list[archive.Member]:
    return archive.read(io.BytesIO(data), len(data), "bot.zip")


def refusal(data: bytes) -> ImageError:
    with pytest.raises(ImageError) as refused:
        read(data)
    return refused.value


def of_kind(kind: bytes, name: str = "extra") -> bytes:
    def change(info: tarfile.TarInfo) -> None:
        if info.name == name:
            info.type = kind
            info.size = 0
            info.linkname = "/etc/passwd"

    return tarred({**GOOD, name: b""}, change)


@pytest.mark.parametrize("mode", ["zip", "w", "w:gz"])
def test_an_archive_of_a_folder_is_read_whole(mode: str):
    """The members of a zip, a tar and a packed tar are the folder's files."""
    data = zipped(GOOD) if mode == "zip" else tarred(GOOD, mode=mode)
    assert {member.path: member.content for member in read(data)} == GOOD


PATHS = [
    "../x",
    "a/../../x",
    "/etc/x",
    "a//b",
    "./../x",
    "C:/x",
    "a\\..\\b",
    "a\nb",
    "a/./b",
    "\u202ex",
]


@pytest.mark.parametrize("path", [*PATHS, "x" * 256])
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_name_that_leads_out_is_refused(
    path: str, pack: Callable[[dict[str, bytes]], bytes], tmp_path, monkeypatch
):
    """Names up, away, round about or that cannot be seen: E_PATH, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    error = refusal(pack({**GOOD, path: b"x"}))
    assert error.code == "E_PATH"
    assert error.where.isprintable()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_are_one_on_some_systems_are_refused(pack):
    """Two names that differ in case alone are refused with both."""
    error = refusal(pack({**GOOD, "SRC/Bot.py": b"x"}))
    assert (error.code, "src/bot.py" in error.message) == ("E_PATH", True)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_links_are_refused(kind: bytes):
    """A link in a tar: E_LINK with its name."""
    error = refusal(of_kind(kind))
    assert (error.code, error.where) == ("E_LINK", "extra")


def test_a_link_in_a_zip_is_refused():
    """A link in a zip: E_LINK."""

    def change(info: zipfile.ZipInfo) -> None:
        info.external_attr = (0o120777 if info.filename == "extra" else 0o100644) << 16

    assert refusal(zipped({**GOOD, "extra": b"/etc/passwd"}, change)).code == "E_LINK"


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, b"S"])
def test_special_files_are_refused(kind: bytes):
    """Devices, pipes and files with holes: E_SPECIAL, or no archive at all."""
    assert refusal(of_kind(kind)).code in ("E_SPECIAL", "E_ARCHIVE")


@pytest.mark.parametrize("pack", [zipped, lambda files: tarred(files, mode="w:gz")])
def test_a_bomb_is_refused_while_it_is_unpacked(pack):
    """A thousand bytes for one: E_TOO_BIG before two megabytes are unpacked."""
    error = refusal(pack({**GOOD, "bomb": bytes(8 << 20)}))
    assert error.code == "E_TOO_BIG"
    assert "100 times" in error.message


def test_more_than_a_folder_may_have_is_refused():
    """16 MiB that do not pack are too big as well."""
    error = refusal(tarred({**GOOD, "big": os.urandom(1 << 20) * 17}))
    assert error.code == "E_TOO_BIG"


def test_a_zip_that_lies_about_a_size_is_refused():
    """A member that has more than it says: E_TOO_BIG; one that has less: E_ARCHIVE."""
    data = zipped({**GOOD, "liar": b"x" * 5000})
    true = struct.pack("<I", 5000)
    assert data.count(true) == 2
    error = refusal(data.replace(true, struct.pack("<I", 10)))
    assert (error.code, error.where) == ("E_TOO_BIG", "liar")
    assert refusal(data.replace(true, struct.pack("<I", 6000))).code == "E_ARCHIVE"


def test_too_many_members_are_refused():
    """More names than a folder may have files: E_TOO_BIG."""
    many = {f"f{number}": b"" for number in range(4001)}
    assert refusal(tarred({**GOOD, **many})).code == "E_TOO_BIG"
    assert refusal(zipped({**GOOD, **many})).code == "E_TOO_BIG"


def test_a_header_that_asks_for_memory_is_refused():
    """A tar whose header says that gigabytes of header follow is no archive."""
    info = tarfile.TarInfo("pax")
    info.type = tarfile.XHDTYPE
    info.size = 8 << 30
    assert refusal(info.tobuf() + bytes(4096)).code == "E_ARCHIVE"


def test_a_folder_within_the_archive_is_refused_with_the_reason():
    """A bot in a folder of the archive: E_ROOT, and how to pack it."""
    error = refusal(zipped({f"my-bot/{name}": content for name, content in GOOD.items()}))
    assert (error.code, "cd my-bot" in error.message) == ("E_ROOT", True)


def test_without_a_dockerfile_nothing_is_built():
    """An upload without Dockerfile: E_NO_DOCKERFILE, and the two lines it takes."""
    without = {name: content for name, content in GOOD.items() if name != "Dockerfile"}
    error = refusal(zipped(without))
    assert (error.code, "COPY . /bot" in error.message) == ("E_NO_DOCKERFILE", True)


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"PK\x03\x04", b"\x1f\x8b\x08\x00", b"\x1f\x8b" * 99]
)
def test_what_is_no_archive_is_refused(data: bytes):
    """Anything else: E_ARCHIVE, or E_NO_DOCKERFILE where it is an empty one."""
    assert refusal(data).code in ("E_ARCHIVE", "E_NO_DOCKERFILE")


def test_an_encrypted_member_is_refused():
    """A zip with a password is no archive that can be read."""
    data = bytearray(zipped({**GOOD, "secret": b"x"}))
    at = data.rfind(b"PK\x01\x02")
    data[at + 8] |= 1
    assert refusal(bytes(data)).code == "E_ARCHIVE"


@given(
    st.sampled_from([zipped(GOOD), tarred(GOOD), tarred(GOOD, mode="w:gz")]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=6),
    st.floats(0, 1),
)
def test_a_damaged_archive_is_read_or_refused(data: bytes, changes, cut: float):
    """Bytes changed anywhere, or the end cut off: files with good names, or words."""
    damaged = bytearray(data)
    for where, value in changes:
        damaged[int(where * (len(damaged) - 1))] = value
    if cut < 0.5:
        del damaged[int(cut * 2 * len(damaged)) :]
    try:
        members = read(bytes(damaged))
    except ImageError as error:
        assert error.where.isprintable()
        return
    for member in members:
        assert not member.path.startswith("/")
        assert ".." not in member.path.split("/")


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes):
    """Nothing but a refusal comes of bytes that are no archive, packed or not."""
    for candidate in (data, b"PK\x03\x04" + data, zlib.compress(data, wbits=31)):
        with pytest.raises(ImageError):
            read(candidate)
