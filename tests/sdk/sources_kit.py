"""Sources of sample_bots, checked in the image that their bots are built in, without network."""

import io
import tarfile
from pathlib import Path

import pytest
from docker import DockerClient
from docker.errors import ImageNotFound

SAMPLES = Path(__file__).parents[2] / "sample_bots"


def check(engine: DockerClient, base: str, folder: str, script: str) -> None:
    """Run a script in /src, where a folder of sample_bots lies under its own name.

    Skips where the base image is missing; fails with what the script printed.
    """
    try:
        container = engine.containers.create(
            base, ["sh", "-ec", script], network_mode="none", working_dir="/src"
        )
    except ImageNotFound:
        pytest.skip(f"{base} is not on this machine: make images")
    try:
        container.put_archive("/", _packed(folder))
        container.start()
        code = container.wait()["StatusCode"]
        assert code == 0, container.logs().decode()
    finally:
        container.remove(force=True)


def _packed(folder: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.add(SAMPLES / folder, f"src/{folder}")
    return packed.getvalue()
