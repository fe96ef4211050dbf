"""What a command says of an answer that is none: never what gRPC says."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.api.server import MANY
from arena.cli.client import arena, arena_at
from arena.cli.errors import CommandError, Exit
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import submissions_pb2 as sub
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub
from tests.arena.network_kit import opened, until
from workers.store import Store

Refusing = Callable[..., str]


@pytest.fixture
def refusing() -> Iterator[Refusing]:
    """Starts an arena that answers everything with one status, on a server with `options`; where
    it listens."""
    servers: list[grpc.Server] = []

    def start(code: grpc.StatusCode, details: str, **options: Any) -> str:
        def answer(_: bytes, context: grpc.ServicerContext) -> bytes:
            context.abort(code, details)
            return b""

        handler: Any = grpc.unary_unary_rpc_method_handler(answer)
        service = "knockbox.v1.ArenaService"
        server = grpc.server(ThreadPoolExecutor(1), **options)
        server.add_generic_rpc_handlers(
            [
                grpc.method_handlers_generic_handler(
                    service, {"GetStatus": handler, "AddBot": handler}
                )
            ]
        )
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        servers.append(server)
        return f"127.0.0.1:{port}"

    yield start
    for server in servers:
        server.stop(None).wait()


def told(address: str) -> CommandError:
    with pytest.raises(CommandError) as caught, arena_at(address) as stub:
        stub.GetStatus(pb.GetStatusRequest())
    return caught.value


def test_nobody_listens() -> None:
    """Where nobody listens, that is said in words of our own, with exit code 4."""
    error = told("unix:///nowhere/a.sock")
    assert str(error) == "the arena does not answer; `knockbox status` says why"
    assert error.code is Exit.UNREACHABLE


@pytest.mark.parametrize(
    ("code", "details", "said", "exit_code"),
    [
        ("UNAVAILABLE", "the store does not answer: 111", "the store does not answer; `kn", 4),
        ("UNAVAILABLE", "recvmsg: connection reset", "the arena does not answer; `knock", 4),
        ("CANCELLED", "CANCELLED", "the arena does not answer; `knock", 4),
        ("UNKNOWN", "Exception calling application: 'x'", "the arena has failed at this", 1),
        ("INTERNAL", "the arena cannot use one of its", "the arena cannot use one of its", 1),
        ("RESOURCE_EXHAUSTED", "at most 3 are open at once", "at most 3 are open at once", 1),
        ("UNIMPLEMENTED", "Method not found!", "the arena is of an older version", 1),
        ("INVALID_ARGUMENT", "bots: no bot 'x'", "bots: no bot 'x'", 2),
        ("NOT_FOUND", "no bot 'x'", "no bot 'x'", 1),
    ],
)
def test_refusals_in_words(
    refusing: Refusing, code: str, details: str, said: str, exit_code: int
) -> None:
    """What the arena says is passed on; what gRPC says is put into words, with the exit code."""
    error = told(refusing(grpc.StatusCode[code], details))
    assert str(error).startswith(said)
    assert error.code == exit_code


def test_what_is_too_large_is_told_by_the_servers_own_limit(refusing: Refusing) -> None:
    """gRPC's refusal of a message's size names how much it may be where it was sent to."""
    small = [("grpc.max_receive_message_length", 2 << 20)]
    address = refusing(grpc.StatusCode.OK, "", options=small)
    with pytest.raises(CommandError) as caught, arena_at(address) as stub:
        stub.AddBot(pb.AddBotRequest(files=[pb.BotFile(content=bytes(3 << 20))]))
    assert str(caught.value) == "that is more than 2 MiB in one message"


def test_a_full_arena_is_no_matter_of_size(
    arena_store: Store, tmp_path: Path, short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has as many calls open as one may have is told that, in the arena's words."""
    with opened(arena_store, tmp_path, short_folder, calls_each=1) as door:
        token = arena_store.tokens.create("ada", "author")[1]
        known = {
            "KNOCKBOX_ARENA": door.address,
            "KNOCKBOX_TOKEN": token,
            "KNOCKBOX_TLS_FINGERPRINT": door.certificate.fingerprint,
        }
        for name, value in known.items():
            monkeypatch.setenv(name, value)
        spoken = threading.Event()

        def nothing() -> Iterator[sub.SendUploadRequest]:
            spoken.wait()
            yield sub.SendUploadRequest()

        with door.channel(token) as channel:
            held = ArenaServiceStub(channel).SendUpload.future(nothing())
            said: list[str] = []

            def turned_away() -> bool:
                try:
                    with arena(None) as stub:
                        stub.GetStatus(pb.GetStatusRequest())
                except CommandError as error:
                    said.append(str(error))
                return bool(said)

            until(turned_away)
            held.cancel()
            spoken.set()
    assert said == [MANY]


def test_a_server_full_of_calls_says_so(refusing: Refusing) -> None:
    """gRPC's own refusal of a call too many is put into words too."""
    address = refusing(grpc.StatusCode.OK, "", maximum_concurrent_rpcs=0)
    assert str(told(address)) == "so many calls are open at the arena already; try again later"
