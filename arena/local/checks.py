"""How a service shows that it serves: questions that a supervisor asks again and again."""

from collections.abc import Awaitable, Callable
from pathlib import Path


class LogSays:
    """Whether a service's log holds a mark since its last start.

    For services without a socket of their own; that they live, the supervisor sees itself.
    """

    def __init__(self, log: Path, mark: bytes) -> None:
        self._log = log
        self._mark = mark
        self._from = 0
        self._said = False

    def begin(self) -> None:
        """A new start: what was said before does not count."""
        self._from = self._log.stat().st_size if self._log.exists() else 0
        self._said = False

    async def __call__(self) -> bool:
        """Whether it was said."""
        if not self._said and self._log.exists():
            with self._log.open("rb") as file:
                if file.seek(0, 2) < self._from:  # put aside in between
                    self._from = 0
                file.seek(self._from)
                self._said = self._mark in file.read()
        return self._said


def grpc_serves(address: str) -> Callable[[], Awaitable[bool]]:
    """A check by grpc.health.v1 on a unix socket."""

    async def serves() -> bool:
        import grpc
        from grpc_health.v1 import health_pb2, health_pb2_grpc

        async with grpc.aio.insecure_channel(address) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            try:
                # Its package has no types.
                answer = await stub.Check(  # pyright: ignore[reportAttributeAccessIssue]
                    health_pb2.HealthCheckRequest(), timeout=2
                )
            except grpc.aio.AioRpcError:
                return False
            return answer.status == health_pb2.HealthCheckResponse.SERVING

    return serves
