"""Images in archives: what is refused before the engine sees anything, and what the engine gets."""

import gzip
import io
import json
import lzma
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox import image_archives as made
from workers.sandbox.images import facts, saved
from workers.sandbox.images.refusal import ImageError

MOST = 8 << 20
LAYER = made.layer({"bot": b"#!/bin/sh\n"})


def read(data: bytes) -> saved.Saved:
    return saved.read(io.BytesIO(data), "image.tar", MOST)


def refusal(data: bytes) -> ImageError:
    with pytest.raises(ImageError) as refused:
        read(data)
    return refused.value


def test_the_engine_gets_config_and_layers_and_no_name():
    """What is made anew is the same image; names and other members of the archive are gone."""
    own = made.config([LAYER])
    data = made.saved([LAYER], own, ["debian:trixie-slim"], {"repositories": b"{}"})
    image = read(data)
    assert image.digest == made.digest(own)
    anew = b"".join(saved.anew(io.BytesIO(data), image))
    with tarfile.open(fileobj=io.BytesIO(anew)) as tar:
        names = tar.getnames()
        index = json.loads(tar.extractfile("manifest.json").read())
        config = tar.extractfile(names[1]).read()
        layer = tar.extractfile("0/layer.tar").read()
    assert names == ["manifest.json", f"{image.digest[7:]}.json", "0/layer.tar"]
    assert index == [{"Config": names[1], "RepoTags": None, "Layers": ["0/layer.tar"]}]
    assert (config, layer) == (own, LAYER)


def test_a_layer_that_is_there_twice_may_be_a_link():
    """The one kind of link that `docker save` writes is followed; no other is."""
    first, second = "a" * 64, "b" * 64
    index = [{"Config": "c.json", "Layers": [f"{first}/layer.tar", f"{second}/layer.tar"]}]
    own = made.config([LAYER, LAYER])

    def archive(target: str) -> bytes:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for name, content in (
                (f"{first}/layer.tar", LAYER),
                ("c.json", own),
                ("manifest.json", json.dumps(index).encode()),
            ):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
            link = tarfile.TarInfo(f"{second}/layer.tar")
            link.type, link.linkname = tarfile.SYMTYPE, target
            tar.addfile(link)
        return packed.getvalue()

    image = read(archive(f"../{first}/layer.tar"))
    assert image.layers[0] == image.layers[1]
    for target in ("/etc/passwd", f"../../{first}/layer.tar", "../c.json"):
        assert refusal(archive(target)).code == "E_LINK"
    assert refusal(archive(f"../{'c' * 64}/layer.tar")).code == "E_IMAGE"


@pytest.mark.parametrize("name", ["../x", "/etc/cron.d/x", "a/../../x"])
def test_a_member_that_leads_out_is_refused(name: str):
    """E_PATH, though the image itself would be fine."""
    assert refusal(made.saved([LAYER], made.config([LAYER]), extra={name: b"x"})).code == "E_PATH"


def test_bombs_in_layers_are_refused_before_the_engine_unpacks_them():
    """A packed layer of a thousand times its size, and one that is too big: E_TOO_BIG."""
    bomb = gzip.compress(bytes(4 << 20))
    assert refusal(made.saved([bomb], made.config([bomb]))).code == "E_TOO_BIG"
    big = made.layer({"big": bytes(MOST)})
    assert refusal(made.saved([big], made.config([big]))).code == "E_TOO_BIG"
    half = made.layer({"half": bytes(MOST // 2 + 1)})
    assert refusal(made.saved([half, half], made.config([half, half]))).code == "E_TOO_BIG"


def test_archives_without_one_image_are_refused():
    """None, two, parts missing, no JSON, other packing: E_IMAGE with the member's name."""
    own = made.config([LAYER])
    one = {"Config": "c.json", "Layers": ["0/layer.tar"]}
    packed = lzma.compress(LAYER)
    for data in (
        made.tar([("a", b"", 0o644)]),
        made.tar([("manifest.json", b"[", 0o644)]),
        made.tar([("manifest.json", b"{}", 0o644)]),
        made.tar([("manifest.json", b"[1]", 0o644)]),
        made.tar([("manifest.json", b"[" * 100_000, 0o644)]),
        made.tar([("manifest.json", json.dumps([one, one]).encode(), 0o644)]),
        made.tar([("manifest.json", json.dumps([one]).encode(), 0o644)]),
        made.tar([("manifest.json", json.dumps([one]).encode(), 0o644), ("c.json", own, 0o644)]),
        made.saved([], own),
        made.saved([LAYER], b"[]"),
        made.saved([LAYER], b'{"os": "linux"}'),
        made.saved([packed], made.config([packed])),
    ):
        assert refusal(data).code == "E_IMAGE"
    assert refusal(b"no tar at all").code == "E_ARCHIVE"


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"Volumes": {"/data": {}}}, "E_VOLUME"),
        ({"OnBuild": ["RUN true"]}, "E_ONBUILD"),
        ({"User": "root"}, "E_USER"),
        ({"User": "0:0"}, "E_USER"),
        ({"Cmd": None}, "E_COMMAND"),
        ({"architecture": "s390x"}, "E_ARCHITECTURE"),
        ({"User": "nobody", "Healthcheck": {"Test": ["CMD", "true"]}}, ""),
        ({"User": "65534:65534", "ExposedPorts": {"80/tcp": {}}}, ""),
    ],
)
def test_what_an_image_says_of_itself_is_judged(settings: dict, code: str):
    """Volumes, triggers, root, nothing to run and other machines are refused; the rest is not."""
    image = read(made.saved([LAYER], made.config([LAYER], **settings)))
    try:
        facts.check(image.facts, made.ARCHITECTURE, MOST, "image.tar")
    except ImageError as error:
        assert error.code == code
    else:
        assert code == ""


def test_programs_that_change_their_user_and_devices_are_refused():
    """Setuid and setgid files and device nodes in an image's file system, but not in its /dev."""

    def check(*members: tarfile.TarInfo) -> None:
        facts.check_files(members, "the image")

    def member(name: str, mode: int = 0o755, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
        info = tarfile.TarInfo(name)
        info.mode, info.type = mode, kind
        return info

    check(
        member("bot"), member("d", 0o2755, tarfile.DIRTYPE), member("dev/a", kind=tarfile.CHRTYPE)
    )
    for mode in (0o4755, 0o2755, 0o6000):
        with pytest.raises(ImageError, match="chmod a-s") as refused:
            check(member("bot"), member("usr/bin/x", mode))
        assert refused.value.code == "E_SETUID"
    with pytest.raises(ImageError) as refused:
        check(member("x", kind=tarfile.BLKTYPE))
    assert refused.value.code == "E_SPECIAL"


@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        ("etc/passwd", tarfile.FIFOTYPE, "E_SPECIAL"),
        ("etc/passwd", tarfile.SYMTYPE, "E_LINK"),
        ("etc/group", tarfile.DIRTYPE, "E_SPECIAL"),
        ("etc", tarfile.SYMTYPE, "E_LINK"),
        ("dev/pipe", tarfile.FIFOTYPE, "E_SPECIAL"),
    ],
)
def test_what_the_engine_reads_is_what_it_looks_like(name: str, kind: bytes, code: str):
    """The engine opens an image's users and groups itself, as root: no pipe there, no link."""
    info = tarfile.TarInfo(name)
    info.type = kind
    with pytest.raises(ImageError) as refused:
        facts.check_files([info], "the image")
    assert refused.value.code == code


def test_an_upload_stops_at_its_limit():
    """No more is written than an archive may have, however much is sent."""
    with io.BytesIO() as file, pytest.raises(ImageError) as refused:
        try:
            saved.spool((bytes(1000) for _ in range(10_000)), file, 4500, "image.tar")
        finally:
            written = len(file.getvalue())
    assert (refused.value.code, written) == ("E_TOO_BIG", 4000)


def test_a_packed_archive_is_unpacked_within_limits():
    """A packed image is the same image; a bomb is refused on the way."""
    data = made.saved([LAYER], made.config([LAYER]))
    for packed, code in ((gzip.compress(data), ""), (gzip.compress(bytes(4 << 20)), "E_TOO_BIG")):
        other = io.BytesIO()
        try:
            file = saved.plain(io.BytesIO(packed), other, MOST, "image.tar.gz")
        except ImageError as error:
            assert error.code == code
            assert len(other.getvalue()) <= 2 << 20
        else:
            assert read(file.read()).facts.command == ("/bot",)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=8), st.floats(0, 1))
def test_a_damaged_archive_is_read_or_refused(changes, cut: float):
    """Bytes changed anywhere, or the end cut off: an image with its digest, or words."""
    damaged = bytearray(made.saved([LAYER], made.config([LAYER])))
    for where, value in changes:
        damaged[int(where * (len(damaged) - 1))] = value
    if cut < 0.5:
        del damaged[int(cut * 2 * len(damaged)) :]
    try:
        image = read(bytes(damaged))
    except ImageError as error:
        assert error.where.isprintable()
    else:
        assert image.digest == made.digest(image.config)
