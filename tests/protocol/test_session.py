"""The recorded session is true: the bot's messages in it get the referee's messages in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import record
from protocol_line import line, opponent
from protocol_session import BOT, CLOSED, LEG, LOST, REFEREE, Entry, read, write
from protocol_stage import played

from knockbox.v1 import play_pb2
from referee.verify import verify

pytestmark = pytest.mark.anyio


def legs(entries: list[Entry]) -> Iterator[list[Entry]]:
    """What was said in each leg."""
    starts = [at for at, entry in enumerate(entries) if entry.kind == LEG]
    for start, end in zip(starts, [*starts[1:], len(entries)], strict=True):
        yield entries[start + 1 : end]


async def test_the_session_repeats_itself(tmp_path: Path) -> None:
    """A bot that sends what the page says it sent hears, message by message, what the page says."""
    recorded = legs(read(record.PAGE.read_text()))

    async def scripted(address: str, ticket: str) -> None:
        script = next(recorded)
        async with line(address, ticket) as one:
            for kind, message in script:
                if kind == BOT:
                    assert isinstance(message, play_pb2.PlayRequest)
                    await one.say(message)
                elif kind == REFEREE:
                    await one.hear()
                    assert one.said[-1].message == message
                elif kind == LOST:
                    one.lose()
                elif kind == CLOSED:
                    await one.close()

    players = {"author": scripted, "opponent": opponent}
    attempt = await played(record.RULES, record.SEED, players, tmp_path)
    assert next(recorded, None) is None
    assert [bot.forfeits for bot in attempt.result.bots] == [0, 0]
    assert verify(attempt.replay_path).ok


async def test_the_page_is_what_is_recorded() -> None:
    """Recording anew gives the page as it stands, and reading it gives what was recorded."""
    entries = await record.record()
    assert write(entries, record.ABOUT) == record.PAGE.read_text()
    assert read(record.PAGE.read_text()) == entries
