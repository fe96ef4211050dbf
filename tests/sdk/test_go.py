"""The sources in Go, in the image that bots in Go are built in, without network."""

import pytest
from docker import DockerClient

from tests.sdk import sources_kit

CHECKS = """
test -z "$(gofmt -l go bridge | tee /dev/stderr)"
cd {folder}
go build -o /tmp/program .
go test -vet=off ./...
"""


@pytest.mark.parametrize("folder", ["go/greedy", "bridge"])
def test_sources_are_formatted_and_their_tests_pass(engine: DockerClient, folder: str) -> None:
    """gofmt has nothing to say, and `go test ./...` passes without network."""
    # The bridge takes the SDK from the folder beside it.
    sources_kit.check(engine, "knockbox/go-bot", ".", CHECKS.format(folder=folder))
