"""A referee whose time stands still until a test moves it, and a table that can be waited for."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import structlog
from grpc import aio

from knockbox.v1 import match_pb2_grpc
from referee.host import Host
from referee.settings import Settings
from referee.table import Table

DEADLINE_S = 20.0


class FrozenLoop(asyncio.SelectorEventLoop):
    """An event loop on whose clock every timer waits for `advance`."""

    now = 1024.0

    def __init__(self) -> None:
        super().__init__()
        self.waits: Counter[float] = Counter()
        """Timers made so far, by their delay in seconds."""

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, *arguments: Any, **more: Any) -> asyncio.TimerHandle:
        self.waits[delay] += 1
        return super().call_later(delay, *arguments, **more)


async def until(holds: Callable[[], bool]) -> None:
    """Let everything run until this holds; real time bounds the waiting."""
    end = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0)
        time.sleep(0.0002)


class WatchedTable(Table):
    """A table that counts what it has been told, so that a test knows when it has been heard."""

    made: list["WatchedTable"]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.calls: Counter[tuple[str, int]] = Counter()
        self.base = [0] * len(self.lines)
        self.made.append(self)

    def connected(self, seat: int) -> None:
        self.base[seat] = self.leg.accounts[seat].messages
        super().connected(seat)
        self.calls["connected", seat] += 1

    def heard(self, seat: int, data: bytes) -> None:
        super().heard(seat, data)
        self.calls["heard", seat] += 1

    def hung_up(self, seat: int) -> None:
        super().hung_up(seat)
        self.calls["hung_up", seat] += 1

    def exited(self, seat: int, reason: Any) -> None:
        super().exited(seat, reason)
        self.calls["exited", seat] += 1

    @property
    def at_rest(self) -> bool:
        """Nobody is about to be asked."""
        return not self._alarm.near

    def told(self, seat: int) -> int:
        """Questions written to the seat's present connection."""
        return self.leg.accounts[seat].messages - self.base[seat]


class FrozenReferee:
    """MatchService on a unix socket in `folder`, on the loop's own time."""

    def __init__(self, folder: Path, **durations: Any) -> None:
        self.settings = Settings(
            control=f"unix://{folder}/s.sock", run_dir=folder / "r", **durations
        )
        quiet = structlog.wrap_logger(structlog.ReturnLogger())
        self.host = Host(self.settings, asyncio.get_running_loop().time, quiet)
        self.server = aio.server()

    async def start(self) -> None:
        self.settings.run_dir.mkdir()
        match_pb2_grpc.add_MatchServiceServicer_to_server(self.host, self.server)
        self.server.add_insecure_port(self.settings.control)
        await self.server.start()

    async def stop(self) -> None:
        self.host.end()
        await self.server.stop(0.2)
