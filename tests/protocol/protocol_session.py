"""A recorded session: what was said by whom, as text that explains itself and can be read back.

Messages are protobuf text; everything after a # is for people. The ticket and the clock differ
each time, so they are written as if they did not.
"""

import ast
import re
from typing import NamedTuple

from google.protobuf import text_format

from knockbox.v1 import play_pb2

Message = play_pb2.PlayRequest | play_pb2.PlayResponse
TICKET = "$KNOCKBOX_TICKET"
CLOCK_MS = 60_000
LEG, BOT, REFEREE, LOST, CLOSED = "leg", "bot", "referee", "lost", "closed"

_HEAD = {LEG: "=== A leg", LOST: "=== The connection is lost", CLOSED: "=== The bot closes its end"}
_CARDS = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
_VERBS = {1: "declined", 2: "took", 3: "drew", 4: "discarded", 5: "shuffled"}
_FIELD = re.compile(r"( *)(\w+): (.+)")
_MASKS = frozenset({"hand", "discards", "knocks", "melds", "unmatched"})
_ONE_CARD = frozenset({"upcard", "top", "card"})
_COUNTS = frozenset({"knock_deadwood", "discard_deadwood", "deadwood"})


class Entry(NamedTuple):
    """One thing that happened: a message, or a mark without one."""

    kind: str
    message: Message | None = None


def plain(message: Message) -> Message:
    """A copy without what differs each time."""
    if isinstance(message, play_pb2.PlayRequest):
        request = play_pb2.PlayRequest()
        request.CopyFrom(message)
        if request.HasField("join"):
            request.join.ticket = TICKET
        return request
    response = play_pb2.PlayResponse()
    response.CopyFrom(message)
    if response.HasField("turns"):
        response.turns.clock_left_ms = CLOCK_MS
    return response


def write(entries: list[Entry], about: str) -> str:
    """The session as text; `about` is its introduction."""
    parts = ["".join(f"# {line}".rstrip() + "\n" for line in about.strip().splitlines())]
    for kind, message in entries:
        if message is None:
            parts.append(f"{_HEAD[kind]}\n")
            continue
        lines = text_format.MessageToString(message, as_utf8=True).splitlines()
        parts.append(f"{kind}:\n" + "".join(f"{_explained(line)}\n" for line in lines))
    return "\n".join(parts)


def read(text: str) -> list[Entry]:
    """The entries of a session's text."""
    entries: list[Entry] = []
    marks = {head: kind for kind, head in _HEAD.items()}
    for block in text.split("\n\n"):
        head, _, body = block.strip().partition("\n")
        if head in marks:
            entries.append(Entry(marks[head]))
        elif head in (f"{BOT}:", f"{REFEREE}:"):
            kind = head[:-1]
            message = play_pb2.PlayRequest() if kind == BOT else play_pb2.PlayResponse()
            entries.append(Entry(kind, text_format.Parse(body, message)))
    return entries


def _explained(line: str) -> str:
    """A line with what its number stands for."""
    found = _FIELD.fullmatch(line)
    said = _meaning(found[2], found[3]) if found else ""
    return f"{line}  # {said}" if said else line


def _meaning(field: str, value: str) -> str:
    if field in _MASKS:
        mask = int(value)
        return " ".join(card for number, card in enumerate(_CARDS) if mask >> number & 1)
    if field in _ONE_CARD:
        return _CARDS[int(value)]
    if field == "events":
        return _story(_bytes(value))
    if field in _COUNTS and value.startswith('"'):
        return " ".join(map(str, _bytes(value)))
    if field == "clock_left_ms":
        return "differs each time"
    return ""


def _story(events: bytes) -> str:
    said: list[str] = []
    for code, card in zip(events[::2], events[1::2], strict=True):
        what = f" {_CARDS[card]}" if card < len(_CARDS) else ""
        said.append(f"seat {code & 15} {_VERBS[code >> 4]}{what}")
    return ", ".join(said)


def _bytes(quoted: str) -> bytes:
    value = ast.literal_eval("b" + quoted)
    assert isinstance(value, bytes)
    return value
