"""What a command says of an answer that is none: never what gRPC says."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from arena.cli.client import arena_at
from arena.cli.errors import CommandError, Exit
from knockbox.v1 import arena_pb2 as pb

Refusing = Callable[[grpc.StatusCode, str], str]


@pytest.fixture
def refusing() -> Iterator[Refusing]:
    """Starts an arena that answers everything with one status; where it listens."""
    servers: list[grpc.Server] = []

    def start(code: grpc.StatusCode, details: str) -> str:
        def answer(_: bytes, context: grpc.ServicerContext) -> bytes:
            context.abort(code, details)
            return b""

        handler: Any = grpc.unary_unary_rpc_method_handler(answer)
        service = "knockbox.v1.ArenaService"
        server = grpc.server(ThreadPoolExecutor(1))
        server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(service, {"GetStatus": handler})]
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
        ("RESOURCE_EXHAUSTED", "Received message larger", "that is more than 20 MiB", 1),
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
