"""What uploads get: archives, Dockerfiles, images in archives, references, names. None is run.

Dockerfiles, images and references go to the launcher's own service. Those that name an address name
a server of this machine that counts who comes.
"""

import gzip
import io
import socket
import stat
import struct
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from knockbox.v1 import images_pb2 as pb
from knockbox.v1 import images_pb2_grpc
from tests.hostile.rows import Got
from tests.sandbox import image_archives as made
from workers.names import complaint
from workers.sandbox.images import archive
from workers.sandbox.images.refusal import ImageError

GOOD = {"knockbox.toml": b"", "Dockerfile": b"FROM scratch\n", "bot.py": b""}
BASE = "FROM knockbox/python-bot\n"
LINE = "E_DOCKERFILE line "


@contextmanager
def canary() -> Iterator[tuple[str, list[str]]]:
    """The address of a server, and who has come to it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        came: list[str] = []

        def serve() -> None:
            while True:
                try:
                    caller, _ = server.accept()
                except OSError:
                    return
                with caller:
                    came.append(str(caller.getpeername()))

        listening = threading.Thread(target=serve, daemon=True)
        listening.start()
        yield f"127.0.0.1:{server.getsockname()[1]}", came
        server.shutdown(socket.SHUT_RDWR)
        listening.join()


# Archives of a bot's folder.


def zipped(files: dict[str, bytes], mode: int = 0o100644) -> bytes:
    """A zip; `mode` is that of the last member."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (mode if name == [*files][-1] else 0o100644) << 16
            whole.writestr(info, content)
    return packed.getvalue()


def tarred(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> bytes:
    """A tar whose last member is of this kind."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as whole:
        for each, content in GOOD.items():
            info = tarfile.TarInfo(each)
            info.size = len(content)
            whole.addfile(info, io.BytesIO(content))
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        whole.addfile(info)
    return packed.getvalue()


def lying() -> bytes:
    """A member that says that it is smaller than it is."""
    return zipped({**GOOD, "liar": b"x" * 5000}).replace(
        struct.pack("<I", 5000), struct.pack("<I", 9)
    )


ARCHIVES = (
    ("a member ../x in a zip", "E_PATH", zipped({**GOOD, "../x": b""})),
    ("a member ../x in a tar", "E_PATH", tarred("../x")),
    ("an absolute member", "E_PATH", tarred("/etc/cron.d/x")),
    ("a member with ESC in its name", "E_PATH", tarred("a\x1b[2Jb")),
    ("two names that differ in case", "E_PATH", zipped({**GOOD, "BOT.py": b""})),
    ("a symbolic link in a tar", "E_LINK", tarred("x", tarfile.SYMTYPE, "/etc/passwd")),
    ("a hard link in a tar", "E_LINK", tarred("x", tarfile.LNKTYPE, "/etc/passwd")),
    ("a link in a zip", "E_LINK", zipped({**GOOD, "x": b"/etc"}, stat.S_IFLNK | 0o777)),
    ("a device", "E_SPECIAL", tarred("x", tarfile.BLKTYPE)),
    ("a pipe", "E_SPECIAL", tarred("x", tarfile.FIFOTYPE)),
    ("a bomb: 8 MB of nothing", "E_TOO_BIG", zipped({**GOOD, "x": bytes(8 << 20)})),
    ("a size that is a lie", "E_TOO_BIG", lying()),
    ("5,000 members", "E_TOO_BIG", zipped({**GOOD, **{f"f{n}": b"" for n in range(5000)}})),
    ("a folder around it all", "E_ROOT", zipped({f"bot/{n}": c for n, c in GOOD.items()})),
    ("no Dockerfile", "E_NO_DOCKERFILE", zipped({"knockbox.toml": b"", "bot.py": b""})),
    ("no archive", "E_ARCHIVE", b"\x1f\x8b" * 99),
)

# Dockerfiles. CANARY is where the server that counts listens.

DOCKERFILES = (
    ("ADD of an address", LINE + "2", BASE + "ADD http://CANARY/x /x\n"),
    ("FROM a registry", LINE + "1", "FROM CANARY/x\n"),
    ("FROM by a variable", LINE + "2", "ARG B=CANARY/x\nFROM $B\n"),
    ("COPY from another image", LINE + "2", BASE + "COPY --from=CANARY/x /a /a\n"),
    ("a front end of its own", LINE + "1", "# syntax=CANARY/x\n" + BASE),
    ("RUN with a mount", LINE + "2", BASE + "RUN --mount=type=bind,from=CANARY/x true\n"),
    ("RUN on the host's network", LINE + "2", BASE + "RUN --network=host true\n"),
    ("ONBUILD", LINE + "2", BASE + "ONBUILD RUN true\n"),
    ("VOLUME", LINE + "2", BASE + "VOLUME /data\n"),
    ("a word split over lines", LINE + "2", BASE + "A\\\nDD http://CANARY/x /x\n"),
    ("a file from above the folder", "E_BUILD line 2", BASE + "COPY ../../etc/shadow /x\n"),
    (
        "RUN that opens a connection",
        "E_BUILD line 2",
        BASE + "RUN python3 -c \"import socket as s; s.create_connection(('HOST', PORT), 3)\"\n",
    ),
    (
        "a program that changes its user",
        "E_SETUID",
        BASE + "USER 0\nRUN cp /bin/true /x; chmod 4755 /x\nUSER 65534\n",
    ),
    ("a pipe in the image", "E_SPECIAL", BASE + "USER 0\nRUN mkfifo /p\nUSER 65534\n"),
    ("root as its user", "E_USER", BASE + "USER 0:0\nCOPY . /bot\n"),
)

# Images that were made elsewhere.

LAYER = made.layer({"bot": b"x"})


def image(layer: bytes = LAYER, **settings) -> bytes:
    """An archive as `docker save` makes it."""
    return made.saved([layer], made.config([layer], **settings))


def special(name: str, kind: bytes, target: str = "") -> bytes:
    """A layer with one more member."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as whole:
        for each in ("bot", name):
            info = tarfile.TarInfo(each)
            info.mode = 0o755
            if each == name:
                info.type, info.linkname = kind, target
            whole.addfile(info)
    return packed.getvalue()


IMAGES = (
    ("that declares a volume", "E_VOLUME", image(Volumes={"/data": {}})),
    ("with a trigger", "E_ONBUILD", image(OnBuild=["RUN true"])),
    ("that runs as root", "E_USER", image(User="root")),
    ("for other machines", "E_ARCHITECTURE", image(architecture="s390x")),
    ("that says nothing to run", "E_COMMAND", image(Cmd=None)),
    ("with a setuid program", "E_SETUID", image(made.layer({"bot": b"y"}, 0o4755))),
    ("with a device", "E_SPECIAL", image(special("disk", tarfile.BLKTYPE))),
    ("whose /etc/passwd is a pipe", "E_SPECIAL", image(special("etc/passwd", tarfile.FIFOTYPE))),
    (
        "whose /etc/group is a link to a device",
        "E_LINK",
        image(special("etc/group", tarfile.SYMTYPE, "/dev/zero")),
    ),
    ("whose /seat is a file", "E_START", image(special("seat", tarfile.REGTYPE))),
    ("whose /tmp is a file", "E_START", image(special("tmp", tarfile.REGTYPE))),
    ("that begins in a file of the engine", "E_START", image(WorkingDir="/proc/self/fd/8")),
    ("that begins in a program", "E_START", image(WorkingDir="/bot/x")),
    ("with an impossible environment", "E_START", image(Env=["=x", "A\0=b"])),
    ("that is a bomb", "E_TOO_BIG", image(gzip.compress(bytes(4 << 20)))),
    ("whose layers are not those it names", "E_IMAGE", made.saved([LAYER], made.config([b"x"]))),
    (
        "with a member ../x",
        "E_PATH",
        made.saved([LAYER], made.config([LAYER]), extra={"../x": b""}),
    ),
)

REFERENCES = (
    "CANARY/a",
    "localhost:PORT/a",
    "169.254.169.254/latest",
    "10.0.0.5:5000/x",
    "[::1]:PORT/a",
    "a@sha256:short",
    "CANARY/A",
    "x" * 300,
    "knockbox/python-bot",
    "user:word@CANARY/a",
)
NAMES = (
    "<script>alert(1)</script>", "a\x1b[2Jb", "\u202egnp", "\U0001f4a9", "\u0430dmin", "../x",
    "a/b", "-rf", "a b", "x" * 10_000, "",
)  # fmt: skip


def gated(address: str) -> Iterator[Got]:
    """All rows of what is uploaded to a launcher at this address. Blocking."""
    for name, code, data in ARCHIVES:
        yield Got("archive", name, code, _unpacked(data))
    for each in NAMES:
        yield Got("name", ascii(each)[:40], "refused", "refused" if complaint(each) else "taken")
    with canary() as (place, came), grpc.insecure_channel(address) as channel:
        stub = images_pb2_grpc.ImageServiceStub(channel)
        host, _, port = place.partition(":")

        def fill(text: str) -> str:
            return text.replace("CANARY", place).replace("HOST", host).replace("PORT", port)

        for name, code, text in DOCKERFILES:
            files = [pb.ImageFile(path="Dockerfile", content=fill(text).encode())]
            request = pb.BuildImageRequest(files=files, command=["true"])
            yield Got("docker", name, code, _ended(stub.BuildImage(request)))
        for name, code, data in IMAGES:
            yield Got("image", name, code, _ended(stub.LoadImage(_parts(data))))
        for each in REFERENCES:
            request = pb.PullImageRequest(reference=fill(each))
            yield Got("refer", each[:40], "E_REFERENCE", _ended(stub.PullImage(request)))
        yield Got("canary", "asked by any of these", "0 times", f"{len(came)} times")


def _unpacked(data: bytes) -> str:
    try:
        archive.read(io.BytesIO(data), len(data), "bot")
    except ImageError as error:
        return error.code
    return "taken"


def _parts(data: bytes) -> Iterator[pb.LoadImageRequest]:
    yield pb.LoadImageRequest(name="image.tar")
    for at in range(0, len(data), 1 << 20):
        yield pb.LoadImageRequest(data=data[at : at + (1 << 20)])


def _ended(events) -> str:
    """The refusal's code and line."""
    *_, last = (response.event for response in events)
    if last.HasField("ready"):
        return f"taken: {last.ready.image}"
    line = f" line {last.refused.line}" if last.refused.line else ""
    return last.refused.code + line
