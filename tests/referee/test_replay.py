"""The replay file: framing, checksums, hostile input. What the records mean is not tested here."""

import hashlib
import shutil
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from knockbox.v1 import replay_pb2 as pb
from referee import frames
from referee.replay import Replay, ReplayError, ReplayFile, ReplayWriter

CARDS = st.integers(0, 51)
MASKS = st.integers(0, 2**52 - 1)
EVENTS = st.one_of(
    st.builds(pb.Event, seat=st.integers(0, 3), drew=st.builds(pb.Drew, card=CARDS)),
    st.builds(pb.Event, took=st.builds(pb.Took, card=CARDS), note=st.text(max_size=20)),
    st.builds(pb.Event, knocked=st.builds(pb.Knocked, card=CARDS, melds=st.lists(MASKS))),
)
DEALS = st.builds(
    pb.DealRecord,
    number=st.integers(1, 100),
    hands=st.lists(MASKS, max_size=4),
    piles=st.lists(st.binary(max_size=31), max_size=4),
    events=st.lists(EVENTS, max_size=6),
)
GAMES = st.dictionaries(
    st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 3)), st.lists(DEALS, max_size=3), max_size=6
)
HEADERS = st.builds(pb.ReplayHeader, format=st.just(1), match_id=st.text(max_size=30))
SEALS = st.builds(pb.ReplaySeal, secret=st.binary(max_size=32), nonces=st.lists(st.binary()))
SIDES = st.builds(pb.ReplaySide, fence=st.integers(0, 2**64 - 1), referee=st.text(max_size=20))


def game(unit: int, leg: int, deals: int = 2) -> pb.GameRecord:
    """A game record with something in it."""
    record = pb.GameRecord(unit=unit, leg=leg, first_dealer=unit % 2)
    for number in range(1, deals + 1):
        deal = record.deals.add(number=number, upcard=unit, hands=[2**unit, 2**51], piles=[b"ab"])
        for card in range(20):
            deal.events.add(seat=card % 2, drew=pb.Drew(card=card), note=f"note {card * unit}")
    return record


def written(units: int = 3) -> ReplayFile:
    """A small file: `units` units of two legs."""
    writer = ReplayWriter(pb.ReplayHeader(format=1, match_id="m1", commitment=bytes(32)))
    for unit in range(units):
        for leg in range(2):
            writer.add_game(game(unit, leg))
    return writer.finish(pb.ReplaySeal(secret=bytes(32)), pb.ReplaySide(fence=1, started_ms=5))


def drain(source: bytes | Path) -> Replay:
    """Open a replay and read every record of it."""
    replay = Replay.open(source)
    _ = replay.header, replay.seal, replay.side, replay.digest
    for unit, leg in replay.games:
        replay.game(unit, leg)
    return replay


def rebuilt(entries: list[tuple[pb.ReplayFrame, bytes]]) -> bytes:
    """A file of any frames whatever, with an index and trailer that fit."""
    index, offset = pb.ReplayIndex(), 0
    for entry, frame in entries:
        index.frames.add().CopyFrom(entry)
        index.frames[-1].offset = offset
        offset += len(frame)
    data = b"".join(frame for _, frame in entries) + frames.tail(index, offset)
    return data + hashlib.sha256(data).digest()


def parts(file: ReplayFile) -> list[tuple[pb.ReplayFrame, bytes]]:
    """The frames of a file with their entries."""
    found = Replay.open(file.data)._frames  # pyright: ignore[reportPrivateUsage]
    return [(entry, file.data[entry.offset : entry.offset + entry.length]) for entry in found]


@given(header=HEADERS, games=GAMES, seal=SEALS, side=SIDES, data=st.data())
@settings(max_examples=60)
def test_what_is_written_is_read(
    header: pb.ReplayHeader,
    games: dict[tuple[int, int], list[pb.DealRecord]],
    seal: pb.ReplaySeal,
    side: pb.ReplaySide,
    data: st.DataObject,
) -> None:
    """Any records come back equal, games by leg and unit whatever the order they arrived in."""
    writer = ReplayWriter(header)
    for unit, leg in data.draw(st.permutations(list(games))):
        writer.add_game(pb.GameRecord(unit=unit, leg=leg, deals=games[unit, leg]))
    file = writer.finish(seal, side)
    replay = Replay.open(file.data)
    assert (header, seal, side) == (replay.header, replay.seal, replay.side)
    assert sorted(games, key=lambda key: (key[1], key[0])) == list(replay.games)
    assert games == {key: list(replay.game(*key).deals) for key in replay.games}
    assert file.digest == replay.digest
    assert len(games) + 3 == replay.records


def test_same_records_same_bytes() -> None:
    """The same records give the same file, and the order of arrival leaves no trace."""
    writer = ReplayWriter(pb.ReplayHeader(format=1, match_id="m1", commitment=bytes(32)))
    for unit in (2, 0, 1):
        for leg in (1, 0):
            writer.add_game(game(unit, leg))
    file = writer.finish(pb.ReplaySeal(secret=bytes(32)), pb.ReplaySide(fence=1, started_ms=5))
    assert written() == file


def test_digest_as_documented() -> None:
    """The digest is SHA-256 over kind, length and bytes of header, games and seal."""
    records = [
        (1, pb.ReplayHeader(format=1, match_id="m1", commitment=bytes(32))),
        *[(2, game(unit, leg)) for leg in range(2) for unit in range(3)],
        (3, pb.ReplaySeal(secret=bytes(32))),
    ]
    expected = hashlib.sha256()
    for kind, record in records:
        body = record.SerializeToString(deterministic=True)
        expected.update(bytes([kind]) + len(body).to_bytes(8, "big") + body)
    assert expected.digest() == written().digest


def test_side_record_is_outside_the_digest() -> None:
    """Times and clocks change the file and not its digest."""
    writer = ReplayWriter(pb.ReplayHeader(format=1, match_id="m1", commitment=bytes(32)))
    for unit in range(3):
        for leg in range(2):
            writer.add_game(game(unit, leg))
    file = writer.finish(pb.ReplaySeal(secret=bytes(32)), pb.ReplaySide(fence=7))
    assert written().digest == file.digest
    assert written().data != file.data


def test_a_game_cannot_be_added_twice() -> None:
    """A second record of a game is refused by name."""
    writer = ReplayWriter(pb.ReplayHeader(format=1))
    writer.add_game(game(1, 0))
    with pytest.raises(ValueError, match="game leg 0 unit 1 is there already"):
        writer.add_game(game(1, 0))


def test_every_flipped_bit_is_found() -> None:
    """A flipped bit is reported with the frame or part of the file that it lies in."""
    file = written(2)
    entries = [entry for entry, _ in parts(file)]
    index_end = len(file.data) - frames.TRAILER_SIZE
    for position in range(len(file.data)):
        damaged = bytearray(file.data)
        damaged[position] ^= 1 << position % 8
        with pytest.raises(ReplayError) as caught:
            drain(bytes(damaged))
        holder = [e for e in entries if e.offset <= position < e.offset + e.length]
        if holder:
            assert frames.frame_name(holder[0]) == caught.value.where
        else:
            assert ("the index" if position < index_end else "the trailer") == caught.value.where


def test_every_truncation_is_found() -> None:
    """A file cut short anywhere is refused as such."""
    data = written(1).data
    for length in range(len(data)):
        with pytest.raises(ReplayError, match=r"trailer|the file: is no replay"):
            Replay.open(data[:length])


def test_bytes_after_the_end_are_refused() -> None:
    """Nothing may be hung on behind the trailer."""
    with pytest.raises(ReplayError, match="trailer"):
        Replay.open(written(1).data + b"\0")


@given(st.binary(max_size=600))
@settings(max_examples=200)
def test_random_bytes_are_refused(data: bytes) -> None:
    """Random bytes are a ReplayError and no other exception."""
    with pytest.raises(ReplayError):
        Replay.open(data)


@given(st.data())
@settings(max_examples=150)
def test_damaged_frames_under_good_checksums_are_refused(data: st.DataObject) -> None:
    """A frame rewritten together with its checksums ends in a ReplayError that names it."""
    entries = parts(written(1))
    at = data.draw(st.integers(0, len(entries) - 1))
    entry, frame = pb.ReplayFrame(), bytearray(entries[at][1])
    entry.CopyFrom(entries[at][0])
    for _ in range(data.draw(st.integers(1, 4))):
        frame[data.draw(st.integers(0, len(frame) - 1))] ^= data.draw(st.integers(1, 255))
    entry.crc32 = zlib.crc32(frame)
    entries[at] = (entry, bytes(frame))
    try:
        drain(rebuilt(entries))
    except ReplayError as error:
        assert frames.frame_name(entry) == error.where
    else:
        # A bit of the frame's head that zstd ignores: the record is the same.
        assert zstandard.ZstdDecompressor().decompress(frame) is not None


def test_index_that_lies_is_refused() -> None:
    """An index out of order, with a game twice, of unknown kinds or with holes is refused."""
    entries = parts(written(2))
    for wrong in (entries[::-1], entries[1:], [entries[0], *entries], [], entries[:2]):
        with pytest.raises(ReplayError, match="the index"):
            Replay.open(rebuilt(wrong))
    twice = [*entries[:2], *entries[1:]]
    with pytest.raises(ReplayError, match="the index: game leg 0 unit 0 is out of order, or twice"):
        Replay.open(rebuilt(twice))
    unknown = pb.ReplayFrame()
    unknown.CopyFrom(entries[1][0])
    unknown.kind = 99  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ReplayError, match="the index"):
        Replay.open(rebuilt([entries[0], (unknown, entries[1][1]), *entries[2:]]))
    hole = [*entries[:2], (entries[2][0], entries[2][1] + b"hidden"), *entries[3:]]
    with pytest.raises(ReplayError, match=r"game leg 0 unit 1|game leg 1 unit 0"):
        Replay.open(rebuilt(hole))


def test_game_under_a_wrong_name_is_refused() -> None:
    """A record that is another game than the index says is refused."""
    entries = parts(written(2))
    other = frames.pack(pb.FRAME_KIND_GAME, game(7, 1).SerializeToString(), 0, 0)
    replay = Replay.open(rebuilt([entries[0], other, *entries[2:]]))
    with pytest.raises(ReplayError, match="game leg 0 unit 0: is game leg 1 unit 7 inside"):
        replay.game(0, 0)


@pytest.mark.parametrize("sized", [True, False])
def test_bomb_is_refused_unopened(sized: bool) -> None:
    """A frame that unpacks to gigabytes is refused without unpacking it."""
    entries = parts(written(1))
    compressor = zstandard.ZstdCompressor(write_checksum=True, write_content_size=sized)
    chunks = compressor.compressobj(size=1 << 28 if sized else -1)
    bomb = b"".join(chunks.compress(bytes(1 << 20)) for _ in range(256)) + chunks.flush()
    entry = pb.ReplayFrame(kind=pb.FRAME_KIND_GAME, length=len(bomb), crc32=zlib.crc32(bomb))
    replay = Replay.open(rebuilt([entries[0], (entry, bomb), *entries[2:]]))
    tracemalloc.start()
    with pytest.raises(ReplayError, match="game leg 0 unit 0: frame unpacks to more than"):
        replay.game(0, 0)
    assert tracemalloc.get_traced_memory()[1] < 1 << 22
    tracemalloc.stop()


def test_records_that_do_not_parse_are_named() -> None:
    """A frame that holds no message of its kind is refused by name."""
    entries = parts(written(1))
    replay = Replay.open(
        rebuilt([*entries[:-2], frames.pack(pb.FRAME_KIND_SEAL, b"\xff"), entries[-1]])
    )
    with pytest.raises(ReplayError, match="the seal: does not parse"):
        _ = replay.seal


def test_other_formats_are_refused() -> None:
    """A later format is refused in plain words."""
    file = ReplayWriter(pb.ReplayHeader(format=2)).finish(pb.ReplaySeal(), pb.ReplaySide())
    with pytest.raises(ReplayError, match="the header: format 2 is not 1"):
        Replay.open(file.data)


def test_game_too_large_for_a_record_loses_its_notes() -> None:
    """Notes cannot make a match impossible to record."""
    record = pb.GameRecord(unit=1)
    deal = record.deals.add(number=1)
    for card in range(20_000):
        deal.events.add(drew=pb.Drew(card=card % 52), note="n" * 220)
    assert record.ByteSize() > frames.RECORD_LIMIT
    writer = ReplayWriter(pb.ReplayHeader(format=1))
    writer.add_game(record)
    kept = Replay.open(writer.finish(pb.ReplaySeal(), pb.ReplaySide()).data).game(1, 0)
    assert {""} == {event.note for event in kept.deals[0].events}
    assert len(kept.deals[0].events) == 20_000


def test_file_is_zstd(tmp_path: Path) -> None:
    """The file is a row of zstd frames that any zstd unpacks, index and trailer skipped."""
    file = written()
    reader = zstandard.ZstdDecompressor().stream_reader(file.data, read_across_frames=True)
    plain = reader.read()
    assert pb.ReplayHeader(match_id="m1").match_id.encode() in plain
    tool = shutil.which("zstd")
    if tool is not None:
        file.write(tmp_path / "a.kbr")
        done = subprocess.run([tool, "-dc", tmp_path / "a.kbr"], capture_output=True, check=True)
        assert plain == done.stdout


def test_written_file_is_read_from_disk(tmp_path: Path) -> None:
    """A file on disk opens by path, and writing leaves nothing else in the folder."""
    path = tmp_path / "m1.kbr"
    path.write_bytes(b"something old")
    file = written()
    file.write(path)
    assert file.digest == drain(path).digest
    assert [path] == list(tmp_path.iterdir())
    assert file.data == b"".join(file.chunks(100))


def test_failed_write_leaves_nothing(tmp_path: Path) -> None:
    """A write that cannot be finished leaves no part behind."""
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match=r"directory|exists"):
        written().write(tmp_path / "taken")
    assert [tmp_path / "taken"] == list(tmp_path.iterdir())


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A missing file, a folder, a device and an empty file are refused in plain words."""
    with pytest.raises(ReplayError, match="the file: No such file"):
        Replay.open(tmp_path / "none")
    with pytest.raises(ReplayError, match="the file: is not a regular file"):
        Replay.open(tmp_path)
    with pytest.raises(ReplayError, match="the file: is not a regular file"):
        Replay.open("/dev/zero")
    with pytest.raises(ReplayError, match="the file"):
        Replay.open("a\0b")
    (tmp_path / "empty").touch()
    with pytest.raises(ReplayError, match="the file: is no replay"):
        Replay.open(tmp_path / "empty")
    (tmp_path / "foreign").write_bytes(b"PK\3\4" * 100)
    with pytest.raises(ReplayError, match="the file: is no replay"):
        Replay.open(tmp_path / "foreign")


def test_missing_game_is_named() -> None:
    """Asking for a game that the file does not hold names it."""
    with pytest.raises(ReplayError, match="game leg 1 unit 9: is not in the file"):
        Replay.open(written().data).game(9, 1)


def test_reader_of_the_documentation_reads(tmp_path: Path) -> None:
    """The reader printed in the documentation reads a file."""
    page = (Path(__file__).parents[2] / "docs" / "replay-format.md").read_text()
    program = page.partition("```python\n")[2].partition("```")[0]
    written(2).write(tmp_path / "m1.kbr")
    command = [sys.executable, "-c", program, str(tmp_path / "m1.kbr")]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    games = [(leg, unit) for leg in range(2) for unit in range(2)]
    assert [f"leg {leg} unit {unit} totals []" for leg, unit in games] == done.stdout.splitlines()
