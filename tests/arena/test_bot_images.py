"""Bots that come with a Dockerfile, as archives or as images: what is registered and pinned."""

import io
import secrets
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import docker
import grpc
import pytest
import structlog

from arena.cli.botadd import request_of
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import images_pb2_grpc
from tests.arena.test_api import Api, bot, refused, serving
from tests.sandbox import image_archives as made
from workers.sandbox import manifest
from workers.sandbox.images.engine import tag_of
from workers.sandbox.images.limits import Limits
from workers.sandbox.images.service import Images

BASE = "knockbox/python-bot"
RUN = secrets.token_hex()
MARK = f"knockbox.test={RUN}"
"""On images made here: what others have made, or another run has left, is not ours."""
TWO_LINES = pb.BotFile(
    path="Dockerfile", content=f"FROM {BASE}\nLABEL {MARK}\nCOPY . /bot\n".encode()
)


@pytest.fixture(scope="module")
def client() -> Iterator[docker.DockerClient]:
    try:
        found = docker.from_env()
        found.api.inspect_image(BASE)
    except docker.errors.ImageNotFound:
        pytest.skip(f"the image {BASE} is not here: make images")
    except docker.errors.DockerException:
        pytest.skip("no container engine answers: containers/engine.sh start")
    yield found
    for image in found.api.images(filters={"label": MARK}):
        with suppress(docker.errors.APIError):
            found.api.remove_image(image["Id"], force=True)
    found.close()


@pytest.fixture
def api(client: docker.DockerClient, tmp_path: Path) -> Iterator[Api]:
    """An API whose images are made by a real engine."""
    server = grpc.server(ThreadPoolExecutor(4))
    images_pb2_grpc.add_ImageServiceServicer_to_server(
        Images(client, Limits(), structlog.get_logger()), server
    )
    server.add_insecure_port(f"unix://{tmp_path}/l.sock")
    server.start()
    with serving(tmp_path, f"unix://{tmp_path}/l.sock") as found:
        yield found
    server.stop(0).wait()


def submit(api: Api, *requests: pb.SubmitBotRequest) -> tuple[list[str], pb.SubmitBotResponse]:
    """The lines, and the last word."""
    told = list(api.stub.SubmitBot(iter(requests)))
    return [one.line for one in told[:-1]], told[-1]


def test_a_folder_with_a_dockerfile_is_pinned_by_its_image(api: Api, client):
    """Built, told step by step, pinned by its digest; the same folder again changes nothing."""
    request = pb.SubmitBotRequest(folder=bot("ada", TWO_LINES))
    lines, first = submit(api, request)
    assert any("COPY . /bot" in line for line in lines)
    version = first.added.bot.version
    assert first.added.added
    assert first.added.image == client.api.inspect_image(tag_of(version))["Id"]
    assert api.store.images.of(version) == first.added.image
    lines, again = submit(api, request)
    assert (lines, again.added.added, again.added.image) == ([], False, first.added.image)


def test_the_sample_bots_become_images(api: Api):
    """Each of the four is built from its own Dockerfile, by the plain call too."""
    samples = Path(__file__).parents[2] / "sample_bots" / "python"
    for name in ("random", "greedy", "builder", "gin_hunter"):
        answer = api.stub.AddBot(request_of(manifest.read(samples / name)))
        assert answer.image.startswith("sha256:"), answer.without_image


def test_an_image_that_has_gone_is_built_again(api: Api, client):
    """Where somebody has cleared the engine, adding the folder again brings its image back."""
    request = pb.SubmitBotRequest(folder=bot("ada", TWO_LINES))
    _, first = submit(api, request)
    client.api.remove_image(tag_of(first.added.bot.version), force=True)
    _, again = submit(api, request)
    assert not again.added.added
    assert client.api.inspect_image(again.added.image)


def test_a_bot_whose_image_cannot_be_is_not_registered(api: Api):
    """The refusal has code, line, and what the command printed; nothing is kept."""
    fails = pb.BotFile(path="Dockerfile", content=f"FROM {BASE}\nRUN echo why; false\n".encode())
    _, last = submit(api, pb.SubmitBotRequest(folder=bot("ada", fails)))
    assert (last.refused.code, last.refused.line) == ("E_BUILD", 2)
    assert last.refused.output == "why"
    assert not api.stub.ListBots(pb.ListBotsRequest()).bots
    status, words = refused(lambda: api.stub.AddBot(bot("ada", fails)))
    assert status is grpc.StatusCode.INVALID_ARGUMENT
    assert words.startswith("files: E_BUILD: Dockerfile line 2: ")


def test_an_archive_of_a_folder_is_a_bot(api: Api):
    """A zip of the folder is the same version as the folder itself."""
    request = bot("ada", TWO_LINES)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as whole:
        for file in request.files:
            whole.writestr(file.path, file.content)
    data = packed.getvalue()
    parts = [pb.SubmitBotRequest(archive=data[:100], file="ada.zip")]
    parts.append(pb.SubmitBotRequest(archive=data[100:]))
    _, first = submit(api, *parts)
    _, again = submit(api, pb.SubmitBotRequest(folder=request))
    assert (first.added.added, again.added.added) == (True, False)
    assert first.added.bot.version == again.added.bot.version


def test_an_image_in_an_archive_is_a_bot_by_its_digest(api: Api):
    """The version is the image's digest; without a name, or with a bad one, nothing happens."""
    layer = made.layer({"bot": b"as an image"})
    own = made.config([layer], Labels={"knockbox.test": RUN})
    data = made.saved([layer], own)
    status, words = refused(lambda: submit(api, pb.SubmitBotRequest(archive=data, file="i.tar")))
    assert (status, "--name" in words) == (grpc.StatusCode.INVALID_ARGUMENT, True)
    _, last = submit(api, pb.SubmitBotRequest(archive=data, file="i.tar", name="eve"))
    assert (last.added.bot.name, last.added.bot.version) == ("eve", made.digest(own))
    assert api.store.images.of(last.added.bot.version) == made.digest(own)
    shown = api.stub.GetBot(pb.GetBotRequest(name="eve")).bot.all_versions[0]
    assert shown.added_ms


def test_a_reference_that_cannot_be_is_refused(api: Api):
    """E_REFERENCE, and no bot."""
    _, last = submit(api, pb.SubmitBotRequest(reference="169.254.169.254/x", name="eve"))
    assert last.refused.code == "E_REFERENCE"


def test_without_an_engine_a_folder_is_a_bot_all_the_same(tmp_path: Path):
    """It is said that it has no image, and why; an image cannot be taken in then."""
    with serving(tmp_path, f"unix://{tmp_path}/nobody.sock") as api:
        _, with_file = submit(api, pb.SubmitBotRequest(folder=bot("ada", TWO_LINES)))
        _, without = submit(api, pb.SubmitBotRequest(folder=bot("bob")))
        assert with_file.added.without_image == "no container engine answers"
        assert without.added.without_image == "it has no Dockerfile"
        status, words = refused(lambda: submit(api, pb.SubmitBotRequest(reference="a", name="eve")))
        assert status is grpc.StatusCode.FAILED_PRECONDITION
        assert "no container engine" in words
