"""Where the data goes, and which settings are refused."""

from pathlib import Path

import pytest

from arena.local import places
from arena.settings import SettingsError, load, remote


def data_of(**environ: str) -> Path:
    return load(environ, 0, 2).data


def test_data_folder_follows_the_first_that_is_named() -> None:
    """`--data`, then KNOCKBOX_DATA, then XDG_DATA_HOME, then HOME."""
    everything = {"KNOCKBOX_DATA": "/k", "XDG_DATA_HOME": "/x", "HOME": "/h"}
    assert load(everything, 0, 2, Path("/given")).data == Path("/given")
    assert data_of(**everything) == Path("/k")
    assert data_of(XDG_DATA_HOME="/x", HOME="/h") == Path("/x/knockbox")
    assert data_of(HOME="/h") == Path("/h/.local/share/knockbox")


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "relative"}])
def test_without_home_the_users_own_is_taken(environ: dict[str, str]) -> None:
    """HOME unset, empty or relative: the account's home folder."""
    assert load(environ, 0, 2).data.is_absolute()


def test_nobody_without_home_is_told_what_to_set() -> None:
    """A user without any home folder learns of --data."""
    with pytest.raises(SettingsError, match=r"--data FOLDER or KNOCKBOX_DATA=FOLDER"):
        load({}, 4_000_000_000, 2)


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("KNOCKBOX_DIAL_NAME", "two words"),
        ("KNOCKBOX_DIAL_PORTS", "7902-7900"),
        ("KNOCKBOX_LISTEN", "7878"),
        ("KNOCKBOX_SANDBOX", "jail"),
        ("KNOCKBOX_SLOTS", "none"),
        ("KNOCKBOX_TLS_CERT", "/alone"),
        ("REDIS_URL", "http://x"),
    ],
)
def test_a_variable_that_cannot_be_is_named(variable: str, text: str) -> None:
    """The message names the variable that was wrong."""
    with pytest.raises(SettingsError, match=variable):
        load({"HOME": "/h", variable: text}, 0, 2)


def test_an_arena_is_named_by_an_address_to_call() -> None:
    """What is wrong with the name of an arena is told with an address that can be called."""
    with pytest.raises(SettingsError, match=r"is 'arena': HOST:PORT, such as arena.example.org:"):
        remote({"KNOCKBOX_ARENA": "arena"})
    with pytest.raises(SettingsError, match=r"'7878': HOST:PORT, such as 0.0.0.0:"):
        load({"HOME": "/h", "KNOCKBOX_LISTEN": "7878"}, 0, 2)


def test_sockets_never_follow_a_long_folder(tmp_path: Path) -> None:
    """A long XDG_RUNTIME_DIR or TMPDIR does not make a socket's path too long."""
    long = tmp_path / ("x" * 90)
    long.mkdir()
    settings = load({"XDG_RUNTIME_DIR": str(long), "TMPDIR": str(long), "HOME": str(long)}, 0, 2)
    assert settings.runtime_base == Path("/tmp/knockbox-0")


def test_runtime_folder_is_private_and_ones_own(tmp_path: Path) -> None:
    """The folder for sockets is 0700, and one that is a link is refused."""
    settings = load({"XDG_RUNTIME_DIR": str(tmp_path)[:32], "HOME": "/h"}, 0, 2)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "base").symlink_to(tmp_path / "elsewhere")
    from dataclasses import replace

    mine = replace(settings, runtime_base=tmp_path / "mine", data=tmp_path / "data")
    folder = places.runtime(mine)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert places.runtime(mine) == folder
    with pytest.raises(places.PlaceError, match="is not a folder of this user"):
        places.runtime(replace(mine, runtime_base=tmp_path / "base"))


def test_a_socket_path_that_is_too_long_is_refused() -> None:
    """More than 107 bytes cannot be bound; the error says how long it is."""
    with pytest.raises(places.PlaceError, match="107 at most"):
        places.socket_path(Path("/tmp") / ("x" * 100), "api.sock")


def test_a_disk_without_room_is_told(tmp_path: Path) -> None:
    """`status` can say why matches wait: /proc has no room for anything."""
    assert places.unwritable(tmp_path) == ""
    said = places.unwritable(Path("/proc"))
    assert said == "only 0 MB are free where the data lies (/proc): make room"
