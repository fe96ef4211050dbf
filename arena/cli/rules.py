"""`knockbox rules`: JSON lines in and out; a bad line is answered, and the next one read."""

import json
import sys
from typing import Annotated, Any

from cyclopts import App, Parameter

from arena.cli import output

app = App(name="rules")
app.command(
    "arena.cli.selfplay:selfplay",
    name="selfplay",
    help="Play deals or games in this process, and print the mix of outcomes.",
)

LINE_MOST = 1 << 20
"""Characters in a line."""


@app.command
def deadwood() -> None:
    """Least deadwood and melds: `{"cards": ["AS", …]}`, 10 or 11 cards, optional "rules"."""
    _answer_lines("deadwood")


@app.command
def layoff() -> None:
    """Best layoff: `{"knocker_melds": [["AS", …], …], "cards": [ten], "gin": false}`."""
    _answer_lines("layoff")


@app.command
def play(
    *,
    view: Annotated[
        int | None, Parameter(help="Add what this seat sees when the script ends.")
    ] = None,
) -> None:
    """One deal by a script: rules, dealer, hands, upcard, stock, actions."""
    _answer_lines("play", view)


@app.command
def score() -> None:
    """A game from the outcomes of its deals."""
    _answer_lines("score")


@app.command
def check() -> None:
    """Whether a ruleset is accepted: `{"rules": …}`."""
    _answer_lines("check")


@app.command
def presets() -> None:
    """All presets with every field, one JSON object."""
    from referee.scenario import answer

    output.as_json(answer("presets", {}))


def _answer_lines(verb: str, view: int | None = None) -> None:
    from referee.scenario import answer

    for text in sys.stdin:
        if not text.strip():
            continue
        line = _read(text)
        reply = line if "error" in line and len(line) == 1 else answer(verb, line, view)
        output.as_json(reply)


def _read(text: str) -> dict[str, Any]:
    """The object in a line; or an object with nothing but `error`."""
    if len(text) > LINE_MOST:
        return _error(f"a line may have {LINE_MOST} characters at most")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _error(f"not JSON: {error}")
    return found if isinstance(found, dict) else _error("not a JSON object")


def _error(message: str) -> dict[str, Any]:
    return {"error": {"field": "", "message": message}}
