"""All that is tried, area by area."""

import asyncio
from collections.abc import AsyncIterator, Collection

from docker import DockerClient

from tests.hostile.rows import BOTS, Bot, Got
from tests.hostile.rows_gates import gated
from tests.hostile.rows_probes import probed
from tests.hostile.stage import AT_ONCE, Stage, stage, verdict


async def tried(engine: DockerClient, areas: Collection[str] = ()) -> AsyncIterator[Got]:
    """Each row, of all areas or those named: probe, bot, gate, left."""
    wanted = areas or ("probe", "bot", "gate", "left")
    with stage(engine) as made:
        if "probe" in wanted:
            async for row in _probes(made):
                yield row
        if "bot" in wanted:
            async for row in bots(made):
                yield row
        if "gate" in wanted:
            for row in await asyncio.to_thread(lambda: list(gated(made.launcher))):
                yield row
        if "left" in wanted:
            for row in await asyncio.to_thread(left, made):
                yield row


async def _probes(stage: Stage) -> AsyncIterator[Got]:
    played = await stage.play("probes.py", against="careless.py", seconds=30)
    yield Got("bot", "tries every door", "played: none", verdict(played))
    for row in probed(played):
        yield row


async def bots(stage: Stage) -> AsyncIterator[Got]:
    """Each bot in a match of its own, some at once."""
    limit = asyncio.Semaphore(AT_ONCE)

    async def one(bot: Bot) -> Got:
        async with limit:
            return Got("bot", bot.name, bot.expected, await _played(stage, bot))

    running = [asyncio.ensure_future(one(bot)) for bot in BOTS]
    for each in running:
        yield await each


async def _played(stage: Stage, bot: Bot) -> str:
    try:
        played = await stage.play(*bot.words, lines=bot.lines, seconds=bot.seconds)
    except Exception as error:  # noqa: BLE001 - it is shown as what came of it
        return repr(error)
    silent = [text for text in played.texts if bot.said not in text]
    return verdict(played) + (f" BUT IT SAID {silent[0][-300:]!r}" if silent else "")


def left(stage: Stage) -> list[Got]:
    """What is there afterwards. Blocking."""
    return [
        Got("left", f"{kind} of any bot", "none", ", ".join(found) or "none")
        for kind, found in stage.leftovers.left().items()
    ]
