"""Submissions when services are killed: sending goes on where it stopped, and so does the work."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.cli import sending
from arena.cli.parcel import Parcel
from arena.local import tls
from arena.settings import load
from tests.arena.network_kit import free_port
from tests.arena.submit_kit import sha
from workers.folders import Folders
from workers.store import Store

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]
SIZE = 40 << 20

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"


class Cut(io.BytesIO):
    """A file to send; `cut` is called once, when its reader has come to `at`."""

    def __init__(self, data: bytes, at: int, cut: Callable[[], None]) -> None:
        super().__init__(data)
        self._at = at
        self._cut = cut
        self.begins: list[int] = []

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Each place where the sending begins is noted."""
        self.begins.append(offset)
        return super().seek(offset, whence)

    def read(self, size: int | None = -1, /) -> bytes:
        """As of any file."""
        if len(self.begins) and self.tell() == self._at:
            self._at = -1
            self._cut()
        return super().read(size)


@pytest.fixture
def api(
    arena_server: "tuple[subprocess.Popen[bytes], str]",
    arena_store: Store,
    tmp_path: Path,
    short_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[], None]]:
    """An API as a process of its own, reached over TLS; calling it kills and starts it again."""
    address = f"127.0.0.1:{free_port()}"
    made = tls.ready(load({"HOME": "/h", "KNOCKBOX_LISTEN": address}, 0, 2, tmp_path))
    command = [sys.executable, "-m", "arena.api", "--listen", f"unix://{short_folder}/a.sock"]
    command += [
        "--address",
        address,
        "--certificate",
        str(made.certificate),
        "--key",
        str(made.key),
    ]
    environment = {
        **os.environ,
        "REDIS_URL": arena_server[1],
        "KNOCKBOX_REDIS_URL": arena_server[1],
        "KNOCKBOX_DATA": str(tmp_path),
    }
    running: list[subprocess.Popen[bytes]] = []

    def again() -> None:
        for process in running:
            process.kill()
            process.wait()
        Path(short_folder / "a.sock").unlink(missing_ok=True)
        running[:] = [subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)]

    again()
    monkeypatch.setenv("KNOCKBOX_ARENA", address)
    monkeypatch.setenv("KNOCKBOX_TOKEN", arena_store.tokens.create("ada", "author")[1])
    monkeypatch.setenv("KNOCKBOX_TLS_FINGERPRINT", made.fingerprint)
    yield again
    for process in running:
        process.kill()
        process.wait()


def test_a_killed_api_costs_no_more_than_what_was_on_its_way(
    api: Callable[[], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After kill -9 in mid-upload the command finds the API again, and goes on where it stopped."""
    data = os.urandom(1 << 20) * (SIZE >> 20)
    file = Cut(data, sending.CALL + (6 << 20), api)
    parcel = Parcel("slip", "slip.tar", file, digest=sha(data), size=SIZE)
    sending.send(tmp_path, parcel)
    place = Folders(tmp_path).upload(f"slip {sha(data)} ada", whole=True)
    assert place.stat().st_size == SIZE
    assert file.begins[:2] == [0, sending.CALL]
    assert file.begins[2] >= sending.CALL
    assert "sending slip.tar" in capsys.readouterr().err


def until(knockbox: Knockbox, states: set[str]) -> str:
    """Wait for the bot's newest submission to be in one of these states."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        told = knockbox("bot", "show", "random", "--json")
        handed_in = json.loads(told.stdout)["submissions"] if told.returncode == 0 else []
        if handed_in and handed_in[0]["state"] in states:
            return str(handed_in[0]["state"])
    raise AssertionError(states)


def test_killed_services_leave_no_half_state(
    knockbox: Knockbox, environment: dict[str, str]
) -> None:
    """API and worker are killed while a bot is checked: it is checked again, and accepted; who
    follows it is told so by the command that was started before."""
    environment |= {
        "KNOCKBOX_LEASE_S": "2",
        "KNOCKBOX_BEAT_S": "0.5",
        "KNOCKBOX_SWEEP_S": "0.5",
        "KNOCKBOX_RESEND_S": "2",
    }
    assert knockbox("up").returncode == 0
    try:
        command = [sys.executable, "-m", "arena.cli", "bot", "add", "--check"]
        with subprocess.Popen(
            [*command, str(SAMPLES / "random")],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as following:
            assert until(knockbox, {"building", "checking"})
            services = json.loads(knockbox("status", "--json").stdout)["services"]
            for one in services:
                if one["name"] in ("api", "worker"):
                    os.kill(one["pid"], signal.SIGKILL)
            out, said = following.communicate(timeout=100)
        assert following.returncode == 0, said
        assert out.startswith("random sha256:")
        states = [line for line in said.splitlines() if line.startswith("s00001: ")]
        assert states[-1] == "s00001: accepted"
        services = json.loads(knockbox("status", "--json").stdout)["services"]
        again = {one["name"]: one["restarts"] for one in services}
        assert (again["api"], again["worker"]) == (1, 1)
        shown = json.loads(knockbox("bot", "show", "random", "--json").stdout)
        assert (shown["versions"], len(shown["submissions"])) == (1, 1)
    finally:
        knockbox("down")
