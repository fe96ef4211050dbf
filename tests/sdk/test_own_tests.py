"""The tests that bots and SDKs bring in their own language, in the image that these are built in."""

import io
import tarfile

import pytest
from docker import DockerClient
from docker.errors import ImageNotFound

from arena.cli import templates
from workers.sandbox import manifest

TESTS = {"rust": "cargo test --release --offline --locked --package bot --package knockbox"}


@pytest.mark.parametrize("language", TESTS)
def test_a_template_and_its_sdk_pass_their_own_tests(engine: DockerClient, language: str) -> None:
    """The compiler has nothing to warn of, and all tests pass without network."""
    base = f"knockbox/{language}-bot"
    try:
        container = engine.containers.create(
            base, ["sh", "-c", TESTS[language]], network_mode="none", working_dir="/bot"
        )
    except ImageNotFound:
        pytest.skip(f"{base} is not on this machine: make images")
    try:
        container.put_archive("/bot", _packed(language))
        container.start()
        code = container.wait()["StatusCode"]
        printed = container.logs().decode()
        assert code == 0, printed
        assert "warning" not in printed
    finally:
        container.remove(force=True)


def _packed(language: str) -> bytes:
    """The template as it is packed, its SDK beside it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for file in manifest.read(templates.languages()[language].folder).files:
            info = tarfile.TarInfo(file.path)
            info.size, info.mode = len(file.content), 0o644
            tar.addfile(info, io.BytesIO(file.content))
    return packed.getvalue()
