"""What keeps an arena from starting is said in one line, with the right exit code; and doctor."""

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.local import mark, state

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def taken_port() -> Iterator[int]:
    """A port on which another program listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield int(taken.getsockname()[1])


def one_line(said: "subprocess.CompletedProcess[str]") -> tuple[int, str]:
    assert (said.stdout, said.stderr.count("\n")) == ("", 1), said.stderr
    return said.returncode, said.stderr


@pytest.mark.parametrize("foreground", [(), ("--foreground",)], ids=["background", "foreground"])
def test_a_port_in_use(knockbox: Knockbox, taken_port: int, foreground: tuple[str, ...]) -> None:
    """Another program's port is refused before anything is started."""
    listen = ("--listen", f"127.0.0.1:{taken_port}")
    code, said = one_line(knockbox("up", "--data", "d", *listen, *foreground))
    assert (code, said) == (
        1,
        f"error: cannot listen on 127.0.0.1:{taken_port}: the port is in use by another program; "
        "`ss -ltnp` names it\n",
    )


@pytest.mark.parametrize(
    ("arguments", "variables", "code", "words"),
    [
        (("--listen", "7878"), {}, 2, "--listen is '7878': HOST:PORT"),
        (("--listen", "192.0.2.1:1"), {}, 1, "cannot listen on 192.0.2.1:1: "),
        (("--tls-cert", "x"), {}, 2, "a certificate needs its key"),
        (
            ("--listen", "127.0.0.1:1", "--tls-cert", "no.pem", "--tls-key", "no.pem"),
            {},
            1,
            "no.pem cannot be used",
        ),
        (("--without", "store"), {}, 1, "--without store: one of referee, worker, "),
        ((), {"KNOCKBOX_WITHOUT": "nobody"}, 1, "--without nobody: one of"),
        ((), {"KNOCKBOX_ROOM_MB": "999999999"}, 1, "are needed: make room, or name another"),
        ((), {"KNOCKBOX_ROOM_MB": "many"}, 2, "KNOCKBOX_ROOM_MB is 'many': megabytes"),
        ((), {"KNOCKBOX_LEASE_S": "soon"}, 2, "KNOCKBOX_LEASE_S: input should be a valid number"),
        ((), {"REDIS_URL": "redis://127.0.0.1:9/0"}, 4, "does not answer"),
        ((), {"REDIS_URL": "http://127.0.0.1:9/0"}, 2, "REDIS_URL begins with none of redis://"),
    ],
)
def test_what_cannot_be(
    knockbox: Knockbox, arguments: tuple[str, ...], variables: dict[str, str], code: int, words: str
) -> None:
    """An address, certificate, service, disk or store that cannot be is named in one line."""
    found, said = one_line(knockbox("up", "--data", "d", *arguments, **variables))
    assert (found, words in said) == (code, True), said


@pytest.mark.parametrize("folder", ["/proc/knockbox", "/sys/knockbox", "/dev/null/x"])
def test_a_folder_that_cannot_be_written(knockbox: Knockbox, folder: str) -> None:
    """A folder that cannot be made, for root neither, is named with the reason."""
    code, said = one_line(knockbox("up", "--data", folder))
    assert (code, said.startswith(f"error: cannot make the data folder {folder}: ")) == (1, True)


def test_a_folder_of_a_newer_version(knockbox: Knockbox, tmp_path: Path) -> None:
    """A newer version's folder, or a damaged mark, is left alone."""
    folder = tmp_path / "d"
    folder.mkdir()
    newer = json.dumps({"format": mark.FORMAT + 1, "version": "9.1"})
    for text, words in (
        (newer, "was written by Knockbox 9.1 (data format 2)"),
        ("{", "cannot be read"),
    ):
        (folder / mark.NAME).write_text(text)
        code, said = one_line(knockbox("up", "--data", folder))
        assert (code, words in said) == (1, True), said
        assert (folder / mark.NAME).read_text() == text
        assert knockbox("doctor", "--data", folder).returncode == 1


def test_a_folder_of_something_else(knockbox: Knockbox, tmp_path: Path) -> None:
    """Files without our mark are no arena's folder that is only not made yet: doctor names them."""
    (tmp_path / "d").mkdir()
    assert "d (not made yet)" in knockbox("doctor", "--data", "d").stdout
    (tmp_path / "d" / "letter.txt").touch()
    said = knockbox("doctor", "--data", "d")
    assert "d has files in it, and no knockbox.json" in said.stdout
    assert "data folder: --data FOLDER" in said.stderr


def test_a_store_of_a_newer_server(knockbox: Knockbox, tmp_path: Path) -> None:
    """Files that the server at hand could not read are not touched."""
    store = tmp_path / "d" / "store"
    store.mkdir(parents=True)
    (store / "server.json").write_text('{"format": 1, "server": "valkey", "version": [99, 1, 0]}')
    code, said = one_line(knockbox("up", "--data", "d"))
    assert (code, "was written by Valkey 99.1.0, and Valkey" in said) == (1, True), said


def test_what_a_dead_supervisor_left_names_nobody(knockbox: Knockbox, tmp_path: Path) -> None:
    """A state file of a supervisor that is gone, its number somebody else's: nobody is ended."""
    folder = tmp_path / "d"
    folder.mkdir()
    (folder / "lock").touch()
    with subprocess.Popen(["sleep", "100"]) as other:
        stale = state.ArenaState(
            other.pid, "0", str(folder), "a", "c", "r", "u", "s", 0.0, ready=True
        )
        state.write(folder, stale)
        assert one_line(knockbox("status", "--data", folder))[0] == 4
        down = knockbox("down", "--data", folder)
        assert (down.returncode, "nothing runs" in down.stderr) == (0, True)
        assert other.poll() is None
        other.kill()


def test_doctor_looks_at_everything(knockbox: Knockbox) -> None:
    """Every look is a row with a level; what is not right has a command; 1 where one fails."""
    said = knockbox("doctor", "--json")
    findings = {one["about"]: one for one in json.loads(said.stdout)}
    assert set(findings) >= {
        "Python",
        "store",
        "disk",
        "sockets",
        "open files",
        "processors",
        "clock",
        "containers",
    }
    assert all(one["level"] == "PASS" or one["fix"] for one in findings.values())
    assert said.returncode == 0, said.stdout
    table = knockbox("doctor").stdout.splitlines()
    assert len(table) == len(findings) + 1
    broken = {
        "REDIS_URL": "redis://127.0.0.1:9/0",
        "KNOCKBOX_ROOM_MB": "999999999",
        "DOCKER_HOST": "unix:///no.sock",
        "KNOCKBOX_SANDBOX": "auto",
        "XDG_RUNTIME_DIR": "/",
        "PATH": "/",
    }
    said = knockbox("doctor", "--data", "/proc/x", "--json", **broken)
    levels = {one["about"]: one["level"] for one in json.loads(said.stdout)}
    assert said.returncode == 1
    assert {name for name, level in levels.items() if level == "FAIL"} == {
        "store",
        "data folder",
        "disk",
    }
    assert levels["containers"] == "WARN"
