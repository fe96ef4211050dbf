"""Images made with a real engine: built, loaded and pulled through the service, or refused.

Needs a container engine and the images that bots are built on (`make images`).
"""

import contextlib
import gc
import gzip
import hashlib
import http.server
import json
import secrets
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker
import grpc
import pytest
import structlog

from knockbox.v1 import images_pb2 as pb
from knockbox.v1 import images_pb2_grpc
from tests.sandbox import image_archives as made
from workers.sandbox import manifest
from workers.sandbox.images.engine import REPOSITORY, Engine, tag_of
from workers.sandbox.images.limits import Limits
from workers.sandbox.images.service import Images

BASE = "knockbox/python-bot"
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
RUN = secrets.token_hex(8)
MARK = f"knockbox.test={RUN}"
"""On all that is made here: others may use the same engine meanwhile."""
LIMITS = Limits(build_time=3.0, build_room=32 << 20, build_look=0.1, build_output=100_000)


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
    found.close()


ERRORS = {
    404: b'{"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}',
    429: b'{"errors": [{"code": "TOOMANYREQUESTS", "message": "come again later"}]}',
    503: b"",
}
"""What registries say with a status, as their specification has it."""


class Registry(http.server.ThreadingHTTPServer):
    """Serves what is put into it and counts all that is asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.asked: list[str] = []
        self.content: dict[str, tuple[str, bytes]] = {}
        self.name = f"127.0.0.1:{self.server_address[1]}"
        self.fails = 0
        """The status of all answers, where it is to fail."""

    def put(self, name: str, tag: str, layer: bytes, config: bytes) -> str:
        """An image under a tag; the digest of its manifest."""
        kind = "application/vnd.docker.distribution.manifest.v2+json"
        blobs = {made.digest(content): content for content in (layer, config)}
        whole = {
            "schemaVersion": 2,
            "mediaType": kind,
            "config": {
                "mediaType": "application/vnd.docker.container.image.v1+json",
                "size": len(config),
                "digest": made.digest(config),
            },
            "layers": [
                {
                    "mediaType": "application/vnd.docker.image.rootfs.diff.tar",
                    "size": len(layer),
                    "digest": made.digest(layer),
                }
            ],
        }
        manifest_ = json.dumps(whole).encode()
        digest = made.digest(manifest_)
        for reference in (tag, digest):
            self.content[f"/v2/{name}/manifests/{reference}"] = (kind, manifest_)
        for blob, content in blobs.items():
            self.content[f"/v2/{name}/blobs/{blob}"] = ("application/octet-stream", content)
        return digest


class _Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Registry)
        server.asked.append(self.path)
        found = self.path in server.content or self.path == "/v2/"
        status = server.fails or (200 if found else 404)
        kind, content = server.content.get(self.path, ("text/plain", b""))
        if status in ERRORS:
            kind, content = "application/json", ERRORS[status]
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if "/manifests/" in self.path and found:
            self.send_header("Docker-Content-Digest", made.digest(content))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET  # noqa: N815 - as the library calls it

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def registry() -> Iterator[Registry]:
    server = Registry()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def stub(
    client: docker.DockerClient, registry: Registry, tmp_path: Path
) -> Iterator[images_pb2_grpc.ImageServiceStub]:
    """The service, with the engine as it is before and after."""
    limits = Limits(
        **{
            **{name: getattr(LIMITS, name) for name in LIMITS.__dataclass_fields__},
            "registries": (registry.name,),
        }
    )
    server = grpc.server(ThreadPoolExecutor(4))
    service = Images(client, limits, structlog.get_logger())
    images_pb2_grpc.add_ImageServiceServicer_to_server(service, server)
    address = f"unix://{tmp_path}/s"
    server.add_insecure_port(address)
    server.start()
    with grpc.insecure_channel(address) as channel:
        yield images_pb2_grpc.ImageServiceStub(channel)
    server.stop(0).wait()
    containers, images = _everything(client)
    for image in images:
        with contextlib.suppress(docker.errors.APIError):
            client.api.remove_image(image, force=True)
    assert not containers, "a container is left"


def _everything(client: docker.DockerClient) -> tuple[set[str], set[str]]:
    """Our containers, and our images that carry a name or are nobody's parent."""
    ours = {"label": MARK}
    containers = client.api.containers(all=True, filters=ours)
    return {each["Id"] for each in containers}, {
        each["Id"] for each in client.api.images(filters=ours)
    }


def marked(layers: list[bytes], **settings: object) -> bytes:
    """The config of an image of ours."""
    return made.config(layers, Labels={"knockbox.test": RUN}, **settings)


def ending(events: Iterator) -> tuple[list[str], pb.ImageEvent]:
    """The lines, and the last event."""
    found = [response.event for response in events]
    return [event.line for event in found[:-1]], found[-1]


def folder(dockerfile: str, **files: str) -> pb.BuildImageRequest:
    """A bot of these files; its image carries our mark from the second line on."""
    base, _, rest = dockerfile.partition("\n")
    dockerfile = f"{base}\nLABEL {MARK}\n{rest}"
    return pb.BuildImageRequest(
        files=[
            pb.ImageFile(path=name.replace("__", "."), content=text.encode())
            for name, text in {"Dockerfile": dockerfile, **files}.items()
        ],
        command=["python3", "bot.py"],
    )


def sample(name: str) -> pb.BuildImageRequest:
    bot = manifest.read(SAMPLES / name)
    return pb.BuildImageRequest(
        files=[
            pb.ImageFile(path=f.path, content=f.content, executable=f.executable) for f in bot.files
        ],
        command=bot.command,
    )


def printed(client: docker.DockerClient, image: str) -> bytes:
    """What an image's own command prints, without referee and network."""
    container = client.api.create_container(image, network_disabled=True)["Id"]
    try:
        client.api.start(container)
        client.api.wait(container)
        return client.api.logs(container)
    finally:
        client.api.remove_container(container, force=True)


def test_a_sample_bot_becomes_an_image_once(stub, client):
    """Built twice from the same folder, at once: one image, found by the folder's digest."""
    bot = manifest.read(SAMPLES / "greedy")
    version = manifest.digest(bot.files)
    with contextlib.suppress(docker.errors.ImageNotFound):
        client.api.remove_image(tag_of(version), force=True)
    with ThreadPoolExecutor(2) as both:
        endings = list(both.map(lambda _: ending(stub.BuildImage(sample("greedy")))[1], range(2)))
    (image,) = {end.ready.image for end in endings}
    assert stub.FindImage(pb.FindImageRequest(version=version)).image == image
    assert stub.FindImage(pb.FindImageRequest(version=image)).image == image
    said = client.api.inspect_image(image)["Config"]
    assert (said["Cmd"], said["User"]) == (["python3", "bot.py"], "65534:65534")
    assert b"This program is a Knockbox bot" in printed(client, image)


def test_what_the_folder_runs_is_what_the_image_runs(stub, client):
    """The manifest's command holds where the Dockerfile has none of its own."""
    _, end = ending(
        stub.BuildImage(folder(f"FROM {BASE}\nCOPY . /bot\n", bot__py="print(41 + 1)\n"))
    )
    assert printed(client, end.ready.image) == b"42\n"


FAILS = [
    ("RUN echo one\nRUN (echo two; echo three) >&2; exit 3", "E_BUILD", 3, "two\nthree"),
    ("COPY nothing /x", "E_BUILD", 2, ""),
    ("RUN echo begins; sleep 60", "E_BUILD_LIMIT", 2, "begins"),
    ("USER root\nRUN dd if=/dev/zero of=/big bs=1M count=4000", "E_BUILD_LIMIT", 3, ""),
    ("RUN yes", "E_BUILD_LIMIT", 2, "y"),
    ('RUN python3 -c "bytearray(600 << 20)"', "E_BUILD", 2, "Killed"),
    ("USER root\nRUN cp /bin/sh /x && chmod 4755 /x\nUSER 65534", "E_SETUID", 0, ""),
    ("USER root\nCOPY . /bot", "E_USER", 0, ""),
    ("ADD http://REGISTRY/x /x", "E_DOCKERFILE", 2, ""),
    ("COPY --from=REGISTRY/x /x /x", "E_DOCKERFILE", 2, ""),
    ("VOLUME /data", "E_DOCKERFILE", 2, ""),
]


@pytest.mark.parametrize(("rest", "code", "line", "printed"), FAILS)
def test_a_build_that_cannot_be_says_where_and_leaves_nothing(
    stub, client, registry, rest: str, code: str, line: int, printed: str
):
    """The code, the line and what it printed; no image is left, and nobody outside is asked."""
    text = f"FROM {BASE}\n" + rest.replace("REGISTRY", registry.name) + "\n"
    _, end = ending(stub.BuildImage(folder(text)))
    assert (end.refused.code, end.refused.line) == (code, line and line + 1)  # after the label
    assert printed in end.refused.output
    assert not registry.asked
    assert _everything(client) == (set(), set())


def test_a_base_that_nobody_has_made_is_not_fetched(client, registry):
    """E_BASE with the line, and the registry hears nothing."""
    base = f"{registry.name}/base"
    service = Engine(client, Limits(bases=(base,)))
    from workers.sandbox.images.build import build
    from workers.sandbox.images.refusal import ImageError

    files = [manifest.File("Dockerfile", f"# x\nFROM {base}\n".encode(), False)]
    with pytest.raises(ImageError) as refused:
        list(build(service, files, "sha256:" + "0" * 64, ()))
    assert (refused.value.code, refused.value.line) == ("E_BASE", 2)
    assert not registry.asked


def test_a_folder_without_dockerfile_is_not_built(stub):
    """E_NO_DOCKERFILE, and nothing is built."""
    files = [pb.ImageFile(path="bot.py", content=b"")]
    lines, end = ending(stub.BuildImage(pb.BuildImageRequest(files=files)))
    assert (lines, end.refused.code) == ([], "E_NO_DOCKERFILE")


def test_a_build_that_nobody_waits_for_is_ended(stub, client):
    """When the call is cancelled the command is ended, and its container goes."""
    call = stub.BuildImage(folder(f"FROM {BASE}\nRUN echo runs; sleep 3600\n"))
    for response in call:
        if response.event.line == "runs":
            break
    call.cancel()
    _, end = ending(stub.BuildImage(folder(f"FROM {BASE}\nRUN echo next\n")))  # it waits its turn
    assert end.HasField("ready")
    assert not _everything(client)[0]


def parts(data: bytes) -> Iterator[pb.LoadImageRequest]:
    yield pb.LoadImageRequest(name="image.tar")
    for at in range(0, len(data), 100_000):
        yield pb.LoadImageRequest(data=data[at : at + 100_000])


def test_an_archive_becomes_an_image_by_its_digest(stub, client):
    """The image is known by its config's digest; the name it came with replaces nothing here."""
    base = client.api.inspect_image(BASE)["Id"]
    layer = made.layer({"bot": b"by hand"})
    own = marked([layer])
    _, end = ending(stub.LoadImage(parts(made.saved([layer], own, [f"{BASE}:latest"]))))
    assert end.ready.image == made.digest(own)
    assert client.api.inspect_image(BASE)["Id"] == base
    names = client.api.inspect_image(end.ready.image)["RepoTags"]
    assert [name.partition(":")[0] for name in names] == [REPOSITORY]


def test_what_the_engine_saves_is_taken_back(stub, client):
    """`docker save` of an image that is here, packed: the same digest."""
    layers = [made.layer({"bot": b"saved"}), made.layer({"lib": b"again"})]
    _, end = ending(stub.LoadImage(parts(made.saved(layers, marked(layers)))))
    saved = b"".join(client.api.get_image(end.ready.image))
    client.api.remove_image(tag_of(end.ready.image))
    _, again = ending(stub.LoadImage(parts(gzip.compress(saved))))
    assert again.ready.image == end.ready.image


@pytest.mark.parametrize(
    ("layer", "settings", "code"),
    [
        (made.layer({"bot": b"x"}, 0o4755), {}, "E_SETUID"),
        (made.layer({"bot": b"x"}), {"Volumes": {"/data": {}}}, "E_VOLUME"),
    ],
)
def test_an_archive_that_cannot_be_leaves_nothing(stub, client, layer, settings, code):
    """The refusal's code; no image is left behind."""
    _, end = ending(stub.LoadImage(parts(made.saved([layer], marked([layer], **settings)))))
    assert end.refused.code == code
    assert _everything(client) == (set(), set())


def test_layers_that_are_not_those_of_the_config_are_refused(stub):
    """The engine holds the layers against the config."""
    layer, other = made.layer({"bot": b"a"}), made.layer({"bot": b"b"})
    _, end = ending(stub.LoadImage(parts(made.saved([layer], marked([other])))))
    assert end.refused.code == "E_IMAGE"


def test_a_reference_is_pinned_by_what_the_registry_has_now(stub, client, registry):
    """Pulled by digest and known by its config; a tag that moves later changes nothing here."""
    layer = made.layer({"bot": hashlib.sha256(registry.name.encode()).digest()})
    own = marked([layer])
    registry.put("me/bot", "v1", layer, own)
    request = pb.PullImageRequest(reference=f"{registry.name}/me/bot:v1")
    lines, end = ending(stub.PullImage(request))
    assert end.ready.image == made.digest(own), end
    assert "@sha256:" in lines[0]
    other = marked([layer], User="nobody")
    registry.put("me/bot", "v1", layer, other)
    assert ending(stub.PullImage(request))[1].ready.image == made.digest(other)
    assert client.api.inspect_image(made.digest(own))["Config"]["User"] == ""


def test_what_a_registry_gives_is_judged(stub, client, registry):
    """Volumes are refused after the pull too, and the image goes again; an unknown name: E_PULL."""
    layer = made.layer({"bot": b"from a registry"})
    registry.put("bad", "latest", layer, marked([layer], Volumes={"/x": {}}))
    _, end = ending(stub.PullImage(pb.PullImageRequest(reference=f"{registry.name}/bad")))
    assert end.refused.code == "E_VOLUME"
    assert _everything(client) == (set(), set())
    _, end = ending(stub.PullImage(pb.PullImageRequest(reference=f"{registry.name}/unknown")))
    assert end.refused.code == "E_PULL"


def test_a_tag_that_is_not_there_is_told_from_a_registry_that_is_not(stub, registry):
    """What a registry says no to is the request's fault, E_PULL; where nothing answers, or the
    registry fails, it is the arena's or nobody's, E_REGISTRY."""

    def pulled(reference: str) -> pb.ImageRefused:
        return ending(stub.PullImage(pb.PullImageRequest(reference=reference)))[1].refused

    layer = made.layer({"bot": b"from a registry"})
    registry.put("me/bot", "v1", layer, marked([layer]))
    unknown = f"{registry.name}/me/bot@sha256:{'0' * 64}"
    for reference in (f"{registry.name}/me/bot:v2", unknown):
        assert pulled(reference).code == "E_PULL"
    for status in (429, 503):
        registry.fails = status
        assert pulled(f"{registry.name}/me/bot:v1").code == "E_REGISTRY", status
    registry.shutdown()
    registry.server_close()
    assert pulled(f"{registry.name}/me/bot:v1").code == "E_REGISTRY"


@pytest.mark.parametrize(
    "reference", ["localhost:{}/a", "127.0.0.1:{}/a@sha256:short", "127.0.0.1:{}/A"]
)
def test_a_bad_reference_asks_nobody(stub, registry, reference: str):
    """E_REFERENCE, and the server at that address hears nothing."""
    port = registry.name.rpartition(":")[2]
    _, end = ending(stub.PullImage(pb.PullImageRequest(reference=reference.format(port))))
    assert end.refused.code == "E_REFERENCE"
    assert not registry.asked


def test_no_engine_is_unavailable(tmp_path):
    """Where the engine has gone, the call says so with a status."""
    gone = docker.DockerClient(base_url=f"unix://{tmp_path}/none", version="1.41")
    service = Images(gone, Limits(), structlog.get_logger())
    server = grpc.server(ThreadPoolExecutor(2))
    images_pb2_grpc.add_ImageServiceServicer_to_server(service, server)
    server.add_insecure_port(f"unix://{tmp_path}/s")
    server.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # docker-py's, where none answers
        with grpc.insecure_channel(f"unix://{tmp_path}/s") as channel:
            stub = images_pb2_grpc.ImageServiceStub(channel)
            with pytest.raises(grpc.RpcError) as failed:
                list(stub.BuildImage(sample("greedy")))
        server.stop(0).wait()
        gc.collect()
    assert failed.value.code() is grpc.StatusCode.UNAVAILABLE
    gone.close()
