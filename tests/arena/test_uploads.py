"""What authors send to an arena: in parts, kept to what was said, and never left lying about."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from arena.api import uploads
from knockbox.v1 import submissions_pb2 as sub
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub
from tests.arena.network_kit import Ask, Door, refused
from tests.arena.submit_kit import parts, sha
from workers.clearing import Clearing, Keep
from workers.folders import Folders
from workers.store.uploads import Upload


def test_an_upload_goes_on_where_it_stopped(door: Door, stub: ArenaServiceStub) -> None:
    """What came before the break is there; what is sent twice stays the same."""
    data = bytes(range(256)) * 4
    begin = sub.BeginUploadRequest(bot="slip", digest=sha(data), size=len(data))
    assert stub.BeginUpload(begin).offset == 0

    def breaks() -> Iterator[sub.SendUploadRequest]:
        for number, part in enumerate(parts("slip", data)):
            if number == 20:
                raise OSError("the line is cut")
            yield part

    assert refused(lambda: stub.SendUpload(breaks()))[0] is grpc.StatusCode.UNKNOWN
    there = stub.BeginUpload(begin).offset
    assert 0 <= there <= 190
    assert stub.SendUpload(parts("slip", data, max(0, there - 10))).offset == len(data)
    assert stub.BeginUpload(begin).offset == len(data)
    place = Folders(door.data).upload(f"slip {sha(data)} ada", whole=True)
    assert place.read_bytes() == data


def test_what_is_sent_must_be_what_was_said(stub: ArenaServiceStub, door: Door) -> None:
    """Other bytes, too many of them, a gap, an upload that nobody began: each with its word."""
    data = b"0123456789" * 10
    request = sub.CreateSubmissionRequest(bot="slip", upload=sha(data))
    assert refused(lambda: stub.CreateSubmission(request))[0] is grpc.StatusCode.NOT_FOUND
    assert refused(lambda: stub.SendUpload(parts("slip", data)))[0] is grpc.StatusCode.NOT_FOUND
    stub.BeginUpload(sub.BeginUploadRequest(bot="slip", digest=sha(data), size=100))
    code, words = refused(lambda: stub.SendUpload(parts("slip", data, 50)))
    assert (code, words) == (grpc.StatusCode.INVALID_ARGUMENT, "offset: only 0 bytes are here")

    def other(more: bytes) -> Iterator[sub.SendUploadRequest]:
        yield sub.SendUploadRequest(bot="slip", digest=sha(data), data=b"x" * 100 + more)

    assert refused(lambda: stub.SendUpload(other(b"y")))[0] is grpc.StatusCode.INVALID_ARGUMENT
    assert refused(lambda: stub.SendUpload(other(b"")))[0] is grpc.StatusCode.DATA_LOSS
    assert list(Folders(door.data).uploads.iterdir()) == []
    assert stub.SendUpload(parts("slip", data)).offset == 100


def test_what_another_call_finds_whole_meanwhile_is_here(
    door: Door, stub: ArenaServiceStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part that is written just after another call has found everything whole harms nothing, and
    its sender is told that all is here."""
    data = bytes(range(100))
    write, first = uploads._write, iter([True])  # pyright: ignore[reportPrivateUsage]

    def late(place: Path, at: int, part: bytes) -> None:
        if at == 90 and next(first, False):
            assert stub.SendUpload(parts("slip", data)).offset == 100
        write(place, at, part)

    monkeypatch.setattr(uploads, "_write", late)
    stub.BeginUpload(sub.BeginUploadRequest(bot="slip", digest=sha(data), size=100))
    assert stub.SendUpload(parts("slip", data)).offset == 100
    assert [path.read_bytes() for path in Folders(door.data).uploads.iterdir()] == [data]


def archive_of(*files: tuple[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return whole.getvalue()


TOML = b'[bot]\nname = "slip"\ncommand = ["python3", "b.py"]\n'


@pytest.mark.parametrize(
    ("files", "words", "exit_code"),
    [
        ([("knockbox.toml", TOML), ("../x", b"")], "E_PATH: ../x: it leads out of the folder", 3),
        ([("knockbox.toml", TOML), ("/x", b"")], "E_PATH: /x: it is absolute", 3),
        ([("in/knockbox.toml", TOML)], "E_ROOT: in/knockbox.toml: pack what is in in", 3),
        ([("b.py", b"")], "E_FOLDER: knockbox.toml: is missing", 3),
        (
            [("knockbox.toml", TOML.replace(b"slip", b"slop"))],
            "E_NAME: knockbox.toml: slop is what",
            1,
        ),
    ],
)
def test_an_archive_is_refused_with_its_place(
    door: Door,
    ask: Ask,
    ada: str,
    tmp_path: Path,
    files: list[tuple[str, bytes]],
    words: str,
    exit_code: int,
) -> None:
    """The arena judges whatever is sent, and writes nothing of it anywhere; the exit code says
    whether the bot is to be mended."""
    archive = tmp_path / "a.tar"
    archive.write_bytes(archive_of(*files))
    code, _, said = ask(ada, "submit", archive, "--name", "slip")
    assert (code, words in said) == (exit_code, True), said
    assert list(Folders(door.data).uploads.iterdir()) == []
    assert list((door.data / "bots").iterdir()) == []


def test_what_nobody_goes_on_with_is_cleared(door: Door, stub: ArenaServiceStub) -> None:
    """Uploads that were begun and left, and files that nothing knows of, go; what is handed in
    stays."""
    data = b"0123456789"
    stub.BeginUpload(sub.BeginUploadRequest(bot="left", digest=sha(data), size=20))
    folders = Folders(door.data)
    folders.upload(f"left {sha(data)} ada").write_bytes(data)
    (folders.uploads / "unknown").write_bytes(data)
    folders.staged("s99999").mkdir()
    held = b"held"
    stub.BeginUpload(sub.BeginUploadRequest(bot="held", digest=sha(held), size=4))
    stub.SendUpload(parts("held", held))
    door.store.submissions.open(Upload("held", sha(held), "ada"), "archive")
    Clearing(door.store, folders, Keep(uploads_s=3600)).round()
    assert len(list(folders.uploads.iterdir())) == 4
    Clearing(door.store, folders, Keep(uploads_s=0)).round()
    assert len(list(folders.uploads.iterdir())) == 1
    assert [one.bot for one in door.store.uploads.all()] == ["held"]


def test_an_upload_that_was_given_up_takes_no_more(door: Door, stub: ArenaServiceStub) -> None:
    """What made room for another upload is refused in the middle of its sending, and leaves no
    byte."""
    datas = [bytes([number]) * 100 for number in range(3)]
    for data in datas[:2]:
        stub.BeginUpload(sub.BeginUploadRequest(bot="slip", digest=sha(data), size=100))

    def interrupted() -> Iterator[sub.SendUploadRequest]:
        sending = parts("slip", datas[0])
        yield next(sending)
        yield next(sending)
        begin = sub.BeginUploadRequest(bot="slip", digest=sha(datas[2]), size=100)
        stub.BeginUpload(begin)
        yield from sending

    assert refused(lambda: stub.SendUpload(interrupted()))[0] is grpc.StatusCode.NOT_FOUND
    place = Folders(door.data).upload(Upload("slip", sha(datas[0]), "ada").field)
    assert not place.exists()
