"""Folders and uploads of bots: what is taken, and how the rest is refused."""

import os
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sample_bots
from workers.sandbox import manifest
from workers.sandbox.declaration import BotError, parse
from workers.sandbox.manifest import File, check_path, digest, from_files, read, unpack

SAMPLES = Path(sample_bots.__path__[0]) / "python"
TOML = b'[bot]\nname = "some-bot"\ncommand = ["python3", "bot.py"]\n'


def folder(tmp_path: Path, **files: str | bytes) -> Path:
    place = tmp_path / "bot"
    for name, content in {"knockbox.toml": TOML, **files}.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return place


@pytest.mark.parametrize("name", ["random", "greedy", "builder", "gin_hunter"])
def test_sample_bots_are_packed_with_their_sdk(name, tmp_path):
    """A bot's folder and the included SDK become one bot; unpacked it is the same version."""
    bot = read(SAMPLES / name)
    paths = [file.path for file in bot.files]
    assert {"bot.py", "knockbox.toml", "knockbox_sdk/stubs/play_pb2.py"} <= set(paths)
    assert not [path for path in paths if "__pycache__" in path]
    unpack(bot.files, tmp_path / "snapshot")
    again = read(tmp_path / "snapshot")
    assert digest(again.files) == digest(bot.files)
    assert manifest.manifest_of(tmp_path / "snapshot").command == bot.command
    assert from_files(bot.files) == bot


def test_the_digest_sees_every_byte_and_flag():
    """Content, path and flag each change the version, order does not."""
    files = [File("a", b"1", False), File("b", b"2", False)]
    assert digest(files) == digest(reversed(files))
    assert re.fullmatch("sha256:[0-9a-f]{64}", digest(files))
    others = [
        [File("a", b"1", True), files[1]],
        [File("a", b"12", False), File("b", b"", False)],
        [File("ab", b"1", False), File("", b"2", False)],
        files[:1],
    ]
    assert len({digest(each) for each in [files, *others]}) == 5


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("", "[bot]", "is missing"),
        ("[bot", "knockbox.toml", "is not TOML"),
        ("\xff", "knockbox.toml", "is not TOML"),
        pytest.param("bot = " + "9" * 5000, "knockbox.toml", "is not TOML", id="digits"),
        ("x = 1", "x", "is not a field; there are bot"),
        ("bot = 3", "[bot]", "is missing"),
        ('[bot]\nname = "ab"', "bot.command", 'command = ["python3", "bot.py"]'),
        ('[bot]\nname = "ab"\ncommand = "python3 bot.py"', "bot.command", "not a list of texts"),
        ('[bot]\nname = "ab"\ncommand = ["a", 1]', "bot.command", "not a list of texts"),
        ('[bot]\nname = "ab"\ncommand = []', "bot.command", "is empty"),
        ('[bot]\nname = "ab"\ncommand = [" "]', "bot.command", "is empty"),
        ('[bot]\nname = "ab"\ncommand = ["a\\u0000"]', "bot.command", "not a list of texts"),
        ('[bot]\nname = "Ab"\ncommand = ["a"]', "bot.name", "only a-z"),
        ('[bot]\nname = "<b>\\u202e"\ncommand = ["a"]', "bot.name", "only a-z"),
        ('[bot]\nname = 5\ncommand = ["a"]', "bot.name", "not text"),
        ('[bot]\ncommand = ["a"]', "bot.name", "not text"),
        ('[bot]\nname = "ab"\ncommand = ["a"]\ncomand = 1', "bot.comand", "bot.command"),
        ('[bot]\nname = "ab"\ncommand = ["a"]\ninclude = ".."', "bot.include", "not a list"),
        ('[bot]\nname = "ab"\ncommand = ["a"]\ninclude = [".."]', "bot.include", "not name"),
    ],
)
def test_a_wrong_manifest_names_the_field_and_what_is_right(text, where, says):
    """Each fault of a manifest is refused with its field and the right way to write it."""
    with pytest.raises(BotError) as caught:
        parse(text.encode("latin-1"))
    assert caught.value.where.endswith(where)
    assert says in caught.value.message
    assert "\u202e" not in str(caught.value)


@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode()))
def test_any_bytes_are_a_manifest_or_a_bot_error(content):
    """No manifest raises anything but BotError."""
    try:
        parse(content)
    except BotError as error:
        assert error.where.isprintable()


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/.", "C:/x", "a\\b", "a\0", "a\nb",
     "\u202ea", "a/", "x" * 256, "\udcff"],
)  # fmt: skip
def test_a_path_that_could_leave_the_folder_is_refused(path, tmp_path):
    """Absolute, dotted, odd or too long paths are refused, and nothing is written."""
    with pytest.raises(BotError):
        from_files([("knockbox.toml", TOML, False), (path, b"", False)])
    with pytest.raises(BotError):
        unpack([File(path, b"", False)], tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


@given(st.text(max_size=30) | st.lists(st.sampled_from(["..", ".", "", "a", "b"])).map("/".join))
def test_a_checked_path_stays_inside(path):
    """Whatever is accepted stays below the folder it is put into."""
    try:
        check_path(path)
    except BotError:
        return
    assert os.path.normpath(f"/base/{path}") == f"/base/{path}"


@pytest.mark.parametrize(
    "paths",
    [("a.py", "A.py"), ("a.py", "a.py"), ("a/x", "A/y"), ("a", "a/b"), ("a/b", "a"),
     ("é", "e\u0301"), ("straße", "STRASSE")],
)  # fmt: skip
def test_two_paths_that_are_one_on_some_disk_are_refused(paths):
    """Twins by case or accents, doubles, and a file that is a folder too are refused."""
    files = [("knockbox.toml", TOML, False), *((path, b"", False) for path in paths)]
    with pytest.raises(BotError, match="clashes"):
        from_files(files)


def test_sizes_and_numbers_are_limited():
    """16 MiB and 2,000 files are the most, and the refusal names the file that is too much."""
    rest = ("knockbox.toml", TOML, False)
    with pytest.raises(BotError, match="more than 16 MiB"):
        from_files([rest, ("big", bytes(16 << 20), False)])
    with pytest.raises(BotError, match="more than 2,000 files") as caught:
        from_files([rest, *((f"f{n}", b"", False) for n in range(2_000))])
    assert caught.value.where == "f1999"


def test_a_file_that_is_larger_than_it_seems_is_not_read_whole(tmp_path):
    """The limit holds while reading, whatever size a file declares."""
    place = folder(tmp_path)
    with (place / "sparse").open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(BotError, match=r"sparse.*16 MiB"):
        read(place)


def test_links_and_specials_are_refused(tmp_path):
    """A link, to a file or a folder, and a pipe are refused by name."""
    for name, make in (
        ("link", lambda path: path.symlink_to("/etc/passwd")),
        ("folder", lambda path: path.symlink_to("/etc")),
        ("pipe", os.mkfifo),
    ):
        place = folder(tmp_path / name)
        make(place / name)
        with pytest.raises(BotError) as caught:
            read(place)
        assert caught.value.where == name


def test_litter_is_left_out(tmp_path):
    """__pycache__, .git and *.pyc are no part of a bot, on disk or in an upload."""
    litter = {"__pycache__/x.pyc": "", ".git/config": "", "a.pyc": "", "lib/.git/x": "", "b.py": ""}
    bot = read(folder(tmp_path, **litter))
    assert [file.path for file in bot.files] == ["b.py", "knockbox.toml"]
    upload = [("knockbox.toml", TOML, False), *((path, b"", False) for path in litter)]
    assert [file.path for file in from_files(upload).files] == ["b.py", "knockbox.toml"]


def test_a_folder_without_a_manifest_is_shown_one(tmp_path):
    """The refusal is a line, and holds a line that would do."""
    (tmp_path / "bot.py").write_text("")
    for attempt in (lambda: read(tmp_path), lambda: from_files([("bot.py", b"", False)])):
        with pytest.raises(BotError) as caught:
            attempt()
        shown = caught.value.message.partition("the line ")[2]
        assert len(caught.value.message.splitlines()) == 1
        assert parse(shown.encode()).command == ("python3", "bot.py")


def test_a_bot_without_its_sdk_gets_a_hint(tmp_path):
    """bot.py that imports an SDK which is nowhere is refused with the line to add."""
    place = folder(tmp_path, **{"bot.py": "from knockbox_sdk import run\n"})
    with pytest.raises(
        BotError, match=r'bot.py: imports knockbox_sdk.*include = \["../knockbox_sd'
    ):
        read(place)
    toml = TOML + b'include = ["../sdk/knockbox_sdk"]\n'
    (place / "knockbox.toml").write_bytes(toml)
    with pytest.raises(BotError, match=r"include: \.\./sdk/knockbox_sdk is not a folder"):
        read(place)
    sdk = tmp_path / "sdk" / "knockbox_sdk"
    sdk.mkdir(parents=True)
    (sdk / "__init__.py").write_text("")
    assert "knockbox_sdk/__init__.py" in [file.path for file in read(place).files]


@pytest.mark.parametrize(
    ("filler", "ends"),
    [
        (b"\n", b""),
        (b" ", b"#"),
        (b"from ", b""),
        (b"from" + b" " * 100_000, b"#"),
        (b"from" + b"\n" * 100_000, b"#"),
    ],
)
def test_a_source_of_any_shape_is_looked_through(filler, ends):
    """An upload's megabyte of blanks holds up nobody, and what is imported after it is seen."""
    source = filler * (1_000_000 // len(filler)) + ends
    files = [("knockbox.toml", TOML, False), ("bot.py", source, False)]
    assert [file.content for file in from_files(files).files] == [source, TOML]
    files[1] = ("bot.py", source + b"\n    from knockbox_sdk import run\n", False)
    with pytest.raises(BotError, match=r"bot\.py: imports knockbox_sdk"):
        from_files(files)


def test_an_upload_follows_no_include():
    """Files of an upload are all there is: an include that was not packed is refused, unread."""
    toml = TOML + b'include = ["/etc"]\n'
    with pytest.raises(BotError, match="/etc was not packed"):
        from_files([("knockbox.toml", toml, False)])


def test_flags_travel(tmp_path):
    """A file that may be executed still may when it is unpacked."""
    place = folder(tmp_path, run="#!/bin/sh\n")
    (place / "run").chmod(0o755)
    unpack(read(place).files, tmp_path / "out")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "out").iterdir()}
    assert modes == {"run": 0o755, "knockbox.toml": 0o644}
