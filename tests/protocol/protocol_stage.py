"""A whole seeded match in one process: a real referee, the real driver, bots as coroutines."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

import grpc.aio
import structlog

from knockbox.v1 import play_pb2
from referee import service
from referee.deck import seed_secret
from referee.rules.ruleset import Ruleset
from referee.settings import Settings
from workers.attempt import Attempt, BotSpec, MatchOrder
from workers.host import host_match
from workers.sandbox.capture import Log
from workers.sandbox.launcher import Event, Exited, Output, Spec, Started

Player = Callable[[str, str], Awaitable[None]]
"""Plays one leg, given address and ticket."""


class Playing:
    """A bot that is a task; its exception ends the match."""

    def __init__(self, task: "asyncio.Future[None]") -> None:
        self._task = task

    async def events(self) -> AsyncIterator[Event]:
        yield Started()
        await self._task
        yield Output(Log(b"", b"", 0))
        yield Exited(0)

    async def stop(self, grace: float = 0.5) -> None:
        self._task.cancel()


class Inside:
    """A launcher whose bots run in this process, each known by its name."""

    sandboxed = False

    def __init__(self, players: Mapping[str, Player]) -> None:
        self._players = players

    async def start(self, spec: Spec) -> Playing:
        address, ticket = (spec.variables[f"KNOCKBOX_{what}"] for what in ("REFEREE", "TICKET"))
        return Playing(asyncio.ensure_future(self._players[spec.name](address, ticket)))


async def played(rules: Ruleset, seed: str, players: Mapping[str, Player], out: Path) -> Attempt:
    """One unit between the players, in their order; the replay comes to lie in the folder `out`."""
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        order = _order(rules, seed, tuple(players), Path(folder))
        control = f"unix://{folder}/c/s.sock"
        settings = Settings(control=control, run_dir=Path(folder, "r"), half_close=0.05)
        shutdown, ready = asyncio.Event(), asyncio.Event()
        log = structlog.wrap_logger(
            structlog.ReturnLogger(), wrapper_class=structlog.make_filtering_bound_logger(50)
        )
        serving = asyncio.ensure_future(service.serve(settings, shutdown, ready.set, log))
        try:
            async with grpc.aio.insecure_channel(control) as channel:
                await asyncio.wait(
                    [serving, asyncio.ensure_future(ready.wait())],
                    return_when=asyncio.FIRST_COMPLETED,
                )
                return await host_match(channel, Inside(players), order, _kept, _progress, out)
        finally:
            shutdown.set()
            await serving


def _order(rules: Ruleset, seed: str, names: tuple[str, ...], folder: Path) -> MatchOrder:
    bots: list[BotSpec] = []
    for name in names:
        (folder / name).mkdir()
        (folder / name / "knockbox.toml").write_text(f'[bot]\nname = "{name}"\ncommand = ["x"]\n')
        bots.append(BotSpec(name, "sha256:" + "0" * 64, folder / name))
    return MatchOrder(
        match_id="session",
        fence=1,
        tournament_id="",
        rules=rules,
        units=1,
        boards=1,
        bots=tuple(bots),
        secret=seed_secret(seed),
        seeded=True,
        clock=play_pb2.ClockSettings(bank_per_game_ms=60_000, increment_ms=50, cap_ms=20_000),
    )


async def _kept(_: object) -> None:
    """A seeded match has no nonces to keep."""


async def _progress(_: object) -> None:
    """Nobody watches."""
