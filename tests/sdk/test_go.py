"""The sources in Go, in the image that bots in Go are built in, without network."""

import io
import tarfile
from pathlib import Path

import pytest
from docker import DockerClient
from docker.errors import ImageNotFound

SAMPLES = Path(__file__).parents[2] / "sample_bots"
BASE = "knockbox/go-bot"
CHECKS = """
set -e
test -z "$(gofmt -l . | tee /dev/stderr)"
cd {folder}
go build -o /tmp/program .
go test -vet=off ./...
"""


@pytest.mark.parametrize("folder", ["go/greedy", "bridge"])
def test_sources_are_formatted_and_their_tests_pass(engine: DockerClient, folder: str) -> None:
    """gofmt has nothing to say, and `go test ./...` passes without network."""
    try:
        container = engine.containers.create(
            BASE,
            ["sh", "-c", CHECKS.format(folder=folder)],
            network_mode="none",
            working_dir="/src",
        )
    except ImageNotFound:
        pytest.skip(f"{BASE} is not on this machine: make images")
    try:
        container.put_archive("/", _packed("go", folder.partition("/")[0]))
        container.start()
        code = container.wait()["StatusCode"]
        assert code == 0, container.logs().decode()
    finally:
        container.remove(force=True)


def _packed(*folders: str) -> bytes:
    """Folders of sample_bots, under src/."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in dict.fromkeys(folders):
            tar.add(SAMPLES / name, f"src/{name}")
    return packed.getvalue()
