"""What the arena's tests share: the command line as a program, and folders of their own."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.cli.__main__ import main
from arena.local import processes, valkey
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub
from tests.arena.network_kit import Ask, Door, opened
from workers.store import Store, open_store

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A bare environment with an empty HOME; sockets go to a short folder of this test's own."""
    home = tmp_path / "home"
    home.mkdir()
    short = tempfile.mkdtemp(prefix="kbt", dir="/tmp")
    yield {
        "PATH": os.environ["PATH"],
        "KNOCKBOX_SANDBOX": "process",
        "HOME": str(home),
        "XDG_RUNTIME_DIR": short,
    }
    shutil.rmtree(short, ignore_errors=True)


@pytest.fixture
def knockbox(environment: dict[str, str], tmp_path: Path) -> Knockbox:
    """Runs `knockbox …` as people do, in a folder of its own; variables may be added."""

    def run(
        *arguments: str | Path, stdin: str = "", timeout: float = 60, **variables: str
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "arena.cli", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=tmp_path,
            env={**environment, **variables},
            check=False,
        )

    return run


def processes_with(text: str) -> list[int]:
    """Processes of this machine whose environment or command line names `text`."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if text.encode() in told and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


@pytest.fixture
def left_over() -> Callable[[Path], list[int]]:
    """Which processes still belong to a folder, when what was killed has had time to be gone."""

    def left(folder: Path) -> list[int]:
        end = time.monotonic() + 20
        while (found := processes_with(str(folder))) and time.monotonic() < end:
            pass
        return found

    return left


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose sockets have short paths."""
    with tempfile.TemporaryDirectory(prefix="kbt", dir="/tmp") as short:
        yield Path(short)


@pytest.fixture
def arena_server(
    tmp_path: Path, short_folder: Path
) -> "Iterator[tuple[subprocess.Popen[bytes], str]]":
    """An empty store's server, which serves: its process and its URL."""
    unix_socket = short_folder / "s.sock"
    server = valkey.find(os.environ["PATH"])
    valkey.claim(tmp_path / "store", server)
    command = valkey.command(server, tmp_path / "store", unix_socket)
    process = subprocess.Popen(processes.leash(command, signal.SIGKILL), stdout=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while not valkey.lives(unix_socket):
        assert time.monotonic() < end, "the server does not answer"
        time.sleep(0.02)
    yield process, valkey.url(unix_socket)
    process.kill()
    process.wait()


@pytest.fixture
def arena_store(arena_server: "tuple[subprocess.Popen[bytes], str]") -> Iterator[Store]:
    """An empty store behind a server of its own."""
    store = open_store(arena_server[1])
    yield store
    store.close()


@pytest.fixture
def door(arena_store: Store, tmp_path: Path, short_folder: Path) -> Iterator[Door]:
    """An API that listens on 127.0.0.1, with a certificate made for it."""
    with opened(arena_store, tmp_path, short_folder) as found:
        yield found


@pytest.fixture
def ask(door: Door, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Types a command with a token; exit code, output and the rest."""

    def ask(token: str, *words: str | Path, **variables: str) -> tuple[int, str, str]:
        known = {"KNOCKBOX_TLS_FINGERPRINT": door.certificate.fingerprint}
        with monkeypatch.context() as patch:
            for name, value in {**known, "KNOCKBOX_TOKEN": token, **variables}.items():
                patch.setenv(name, value)
            patch.setenv("KNOCKBOX_ARENA", door.address)
            code = main([str(word) for word in words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return ask


@pytest.fixture
def ada(door: Door) -> str:
    """The text of an author's token."""
    return door.store.tokens.create("ada", "author")[1]


@pytest.fixture
def stub(door: Door, ada: str) -> Iterator[ArenaServiceStub]:
    """The same author's calls, without the command line."""
    with door.channel(ada) as channel:
        yield ArenaServiceStub(channel)
