"""`knockbox rules`: JSON lines in and out; a bad line is answered, and the next one read.

Exit code 0 where every line has its answer: `{"error": …}` is one.
"""

import json
import sys
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO

from cyclopts import App, Parameter

from arena.cli import output
from arena.cli.options import Json
from arena.cli.rulesets import SPARE, presets_table
from arena.cli.selfplay import selfplay
from arena.cli.words import fit, room

app = App(name="rules")
app.command(selfplay)

LINE_MOST = 1 << 20
"""Bytes in a line, without its end."""


@app.command
def deadwood() -> None:
    """Least deadwood and melds of a hand.

    Lines: `{"cards": ["AS", …]}`, 10 or 11 cards, optional "rules".

    Example: knockbox rules deadwood < hands.jsonl
    """
    _answer_lines("deadwood")


@app.command
def layoff() -> None:
    """Best layoff on a knocker's melds.

    Lines: `{"knocker_melds": [["AS", …], …], "cards": [ten], "gin": false}`.

    Example: knockbox rules layoff < questions.jsonl
    """
    _answer_lines("layoff")


@app.command
def play(
    *,
    view: Annotated[
        int | None, Parameter(help="Add what this seat sees when the script ends.")
    ] = None,
) -> None:
    """One deal by a script.

    Lines with rules, dealer, hands, upcard, stock, actions.

    Example: knockbox rules play --view 1 < deals.jsonl
    """
    _answer_lines("play", view)


@app.command
def score() -> None:
    """A game from the outcomes of its deals.

    Example: knockbox rules score < games.jsonl
    """
    _answer_lines("score")


@app.command
def check() -> None:
    """Whether a ruleset is accepted: `{"rules": …}`.

    Example: echo '{"rules": "german"}' | knockbox rules check
    """
    _answer_lines("check")


@app.command
def presets(*, json: Json = False) -> None:
    """All presets, with what most people ask of them.

    With --json every field of each, as one JSON object.

    Example: knockbox rules presets
    """
    from referee.scenario import answer

    found = answer("presets", {})
    if json:
        output.as_json(found)
        return
    head, *rows = presets_table(found["presets"])
    output.table(*fit(head, rows, SPARE, room(), left=4))
    output.next_step("knockbox rules presets --json", "every field of each")
    output.next_step("knockbox match BOT_A BOT_B --rules german", "plays by one of them")


def _answer_lines(verb: str, view: int | None = None) -> None:
    """An answer to each line that is not empty. That all were answered is success, whatever the
    answers say: one that begins with "error" is an answer too.
    """
    from referee.scenario import answer

    for line in _lines(sys.stdin.buffer):
        try:
            found = _read(line)
        except ValueError as error:
            output.as_json({"error": {"field": "", "message": str(error)}})
        else:
            output.as_json(answer(verb, found, view))


def _lines(source: BinaryIO) -> Iterator[bytes | None]:
    """Each line as soon as it is there, without empty ones; None for one that is too long."""
    while line := source.readline(LINE_MOST + 1):
        if len(line) > LINE_MOST and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = source.readline(LINE_MOST)
            yield None
        elif line.strip():
            yield line


def _read(line: bytes | None) -> dict[str, Any]:
    """The object in a line. Raises ValueError, written for people."""
    if line is None:
        raise ValueError(f"a line may have {LINE_MOST} bytes at most")
    try:
        found = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    return found
