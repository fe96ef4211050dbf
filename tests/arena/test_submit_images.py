"""Submissions that become images: built by the author or by the arena, and refused by its gates."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker
import grpc
import pytest
import structlog

from arena.api.submissions import Terms
from knockbox.v1 import images_pb2_grpc
from tests.arena.network_kit import Ask, Door, opened
from tests.arena.submit_kit import FAILS, bot
from tests.arena.test_bot_images import BASE, MARK, client
from workers.sandbox.images.limits import Limits
from workers.sandbox.images.service import Images
from workers.store import Store

__all__ = ["client"]

TWO_LINES = f"FROM {BASE}\nLABEL {MARK}\nCOPY . /bot\n"


@pytest.fixture
def door(
    client: docker.DockerClient, arena_store: Store, tmp_path: Path, short_folder: Path
) -> Iterator[Door]:
    """An API on a port, whose images are made by a real engine."""
    server = grpc.server(ThreadPoolExecutor(4))
    images_pb2_grpc.add_ImageServiceServicer_to_server(
        Images(client, Limits(), structlog.get_logger()), server
    )
    server.add_insecure_port(f"unix://{short_folder}/l.sock")
    server.start()
    more = {"launcher": f"unix://{short_folder}/l.sock", "terms": Terms()}
    with opened(arena_store, tmp_path, short_folder, **more) as found:
        yield found
    server.stop(0).wait()


@pytest.fixture
def ada(door: Door) -> str:
    """The text of an author's token."""
    return door.store.tokens.create("ada", "author")[1]


def built(folder: Path, program: str = "pass\n", dockerfile: str = TWO_LINES) -> Path:
    """A bot's folder with a Dockerfile."""
    bot(folder, program=program).joinpath("Dockerfile").write_text(dockerfile)
    return folder


def test_the_arena_builds_a_folder_and_tells_each_step(
    door: Door, ask: Ask, ada: str, tmp_path: Path, client: docker.DockerClient
) -> None:
    """The version is the folder's digest, its image is pinned; the lines of the build are seen."""
    code, out, said = ask(ada, "submit", built(tmp_path / "slip"), "--build", "arena")
    assert code == 0, said
    version = door.store.bots.get("slip").version
    assert out == f"slip {version}\n"
    assert "COPY . /bot" in said
    assert client.api.inspect_image(door.store.images.of(version))


@pytest.mark.parametrize(
    ("dockerfile", "words"),
    [
        ("", "E_NO_DOCKERFILE"),
        ("FROM alpine\nCOPY . /bot\n", "E_DOCKERFILE: Dockerfile line 1: "),
        (f"FROM {BASE}\nADD http://192.0.2.1/x /\n", "E_DOCKERFILE: Dockerfile line 2: "),
        (f"# syntax=x/y\nFROM {BASE}\n", "E_DOCKERFILE: Dockerfile line 1: "),
        (f"FROM {BASE}\nLABEL {MARK}\nRUN echo why; false\n", "E_BUILD: Dockerfile line 3: "),
    ],
)
def test_what_cannot_be_built_is_refused_with_its_line(
    door: Door, ask: Ask, ada: str, tmp_path: Path, dockerfile: str, words: str
) -> None:
    """Exit code 3, the same for what only the arena builds; nothing is registered."""
    folder = built(tmp_path / "slip", dockerfile=dockerfile)
    if not dockerfile:
        (folder / "Dockerfile").unlink()
    code, _, said = ask(ada, "submit", folder, "--build", "arena")
    assert (code, f"error: {words}" in said) == (3, True), said
    assert ("  | why" in said) == (words[:8] == "E_BUILD:")
    assert door.store.bots.all() == []


def test_an_image_that_fails_the_check_is_removed(
    door: Door, ask: Ask, ada: str, tmp_path: Path, client: docker.DockerClient
) -> None:
    """It takes no room at the engine; one that something is played from stays."""
    folder = built(tmp_path / "slip", program="1\n")
    assert ask(ada, "submit", folder, "--build", "arena")[0] == 0
    kept = door.store.images.of(door.store.bots.get("slip").version)
    door.rows = [FAILS]
    code, out, _ = ask(ada, "submit", built(folder, "2\n"), "--build", "arena", "--json")
    assert code == 3
    for future in door.done:  # what was to be cleared away is
        future.result()
    refused = json.loads(out)["image"]
    assert client.api.inspect_image(kept)
    with pytest.raises(docker.errors.ImageNotFound):
        client.api.inspect_image(refused)


def test_an_image_built_here_is_sent_and_judged(
    door: Door, ask: Ask, ada: str, tmp_path: Path, client: docker.DockerClient
) -> None:
    """Built by the author's engine, streamed, and known by its digest; the same bytes each time, so
    that the same again is the same answer."""
    folder = built(tmp_path / "slip", program="here\n")
    code, out, said = ask(ada, "submit", folder, "--build", "here", "--json")
    assert code == 0, said
    told = json.loads(out)
    assert told["version"] == told["image"] == door.store.images.of(told["version"])
    assert client.api.inspect_image(told["image"])
    code, out, said = ask(ada, "submit", folder, "--json")
    assert (code, json.loads(out)["submission_id"]) == (0, told["submission_id"])
    assert "sending" not in said
    client.api.remove_image(told["image"], force=True)
    code, out, said = ask(ada, "submit", folder, "--build", "here", "--json")
    assert (code, "sending" in said) == (0, True)  # the image had gone, and comes anew


def test_a_reference_that_cannot_be_is_refused(door: Door, ask: Ask, ada: str) -> None:
    """E_REFERENCE before anybody is asked; without a name it is no bot."""
    code, _, said = ask(ada, "submit", "169.254.169.254/x", "--name", "slip")
    assert (code, "error: E_REFERENCE: " in said) == (1, True), said
    code, _, said = ask(ada, "submit", "169.254.169.254/x")
    assert (code, "--name my-bot" in said) == (2, True)
