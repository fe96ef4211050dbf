"""Records docs/protocol-session.txt anew: `python tests/protocol/record.py`.

The bot plays like the plain client, but for one illegal answer in the first leg and one lost
connection in the second, so that the session shows what comes of them.
"""

import asyncio
import tempfile
from pathlib import Path

import plain_client
from protocol_line import Line, line, opponent
from protocol_session import LEG, Entry, write
from protocol_stage import played

from knockbox.v1 import cards_pb2, play_pb2
from referee.rules.ruleset import resolve

PAGE = Path(__file__).parents[2] / "docs" / "protocol-session.txt"
RULES = resolve({"preset": "danish", "target": 20})
SEED = "session 14"
NONCE = b"chosen by chance"
ABOUT = """
One match of one unit (two legs of one game each) as one of its two bots saw it: docs/protocol.md
explains the messages. What stands under "bot:" was sent by the bot, what stands under "referee:"
came from the referee, in this order. The messages are protobuf text, and what follows a # is no
part of them. A field that is not there is zero, empty or absent.

The decks are fixed by a seed, and a test plays this file against a referee: the bot's messages as
they stand here get the referee's messages as they stand here. Only the ticket and the clock differ.
In the first leg the bot answers once what is not legal; in the second it loses its connection.

Made by `python tests/protocol/record.py`; do not edit.
"""


async def record(seed: str = SEED) -> list[Entry]:
    """Play the match, and give what was said."""
    entries: list[Entry] = []

    async def author(address: str, ticket: str) -> None:
        first_leg = not entries
        async with line(address, ticket) as one:
            await one.greet(NONCE)
            await (_with_a_mistake(one) if first_leg else _with_a_loss(one))
            await one.close()
        entries.append(Entry(LEG))
        entries.extend(one.said)

    with tempfile.TemporaryDirectory() as out:
        await played(RULES, seed, {"author": author, "opponent": opponent}, Path(out))
    return entries


async def _with_a_mistake(one: Line) -> None:
    due = True
    while (response := await one.hear()).HasField("turns"):
        turns = response.turns.turns
        if due and turns[0].phase == cards_pb2.PHASE_DISCARD:
            due = False
            action = play_pb2.Action(decision=turns[0].decision, draw=play_pb2.Draw())
            await one.say(play_pb2.PlayRequest(actions=play_pb2.Actions(actions=[action])))
        else:
            await _answer(one, response)


async def _with_a_loss(one: Line) -> None:
    asked = 0
    while (response := await one.hear()).HasField("turns"):
        asked += 1
        if asked == 4:
            one.lose()
            await one.greet(NONCE)
        else:
            await _answer(one, response)


async def _answer(one: Line, response: play_pb2.PlayResponse) -> None:
    request = plain_client.answer(response)
    assert request is not None
    await one.say(request)


if __name__ == "__main__":
    PAGE.write_text(write(asyncio.run(record()), ABOUT))
