"""`--rules`: read as a preset, JSON or a file of JSON; and a ruleset named as people would."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from arena.cli.errors import CommandError, usage

if TYPE_CHECKING:
    from knockbox.v1 import rules_pb2
    from referee.rules.ruleset import Ruleset

HELP = 'A preset, or JSON: {"preset": name, field: value}, or a file FILE.json with it.'

Rules = Annotated[str, Parameter(name="--rules", help=HELP)]

COLUMNS = {
    "knock_limit": "knock limit",
    "first_turn": "first turn",
    "layoff": "layoff",
    "players": "players",
    "target": "target",
    "gin_bonus": "gin",
    "undercut_bonus": "undercut",
    "spade_multiplier": "spades x",
    "game_bonus": "game",
    "box_bonus": "box",
    "columns": "columns",
}
"""The fields of a ruleset that a table of presets shows, and their headers."""
SPARE = ("columns", "first turn", "layoff", "box", "game", "players")
"""What a narrow terminal does without, the first one first."""

MOST = 1 << 20
"""Bytes in a file of rules."""


def ruleset(text: str) -> "Ruleset":
    """The rules that `--rules` names. Raises CommandError that names the field."""
    from referee.rules.ruleset import PRESETS, RulesetError, resolve

    asked: object = text
    where = "--rules"
    if text.endswith(".json"):
        asked, where = _json(_content(text), text), f"--rules {text}"
    elif text.lstrip()[:1] in ("{", "[", '"'):
        asked = _json(text, "--rules")
    if not isinstance(asked, str | dict):
        raise usage(f'{where} is no JSON object: {{"preset": "danish", field: value, …}}')
    if isinstance(asked, dict) and "preset" not in asked:
        raise usage(f'{where}: "preset" is missing, one of {", ".join(PRESETS)}')
    try:
        return resolve(asked)
    except RulesetError as error:
        raise usage(f"{where}: {error}") from None


def _content(file: str) -> str:
    try:
        with Path(file).open("rb") as opened:
            content = opened.read(MOST + 1)
        if len(content) > MOST:
            raise usage(f"--rules {file} has more than {MOST:,} bytes")
        return content.decode()
    except OSError as error:
        raise CommandError(f"--rules: cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise usage(f"--rules {file} is no JSON: it is no UTF-8") from None


def _json(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise usage(f"{where} is no JSON: {error}") from None


def named(rules: "Ruleset") -> str:
    """A preset's name, and what differs from it: "german, target 150"."""
    from referee.rules.ruleset import PRESETS, to_json

    preset = PRESETS.get(rules.preset)
    if preset is None:
        return "custom"
    usual, own = to_json(preset), to_json(rules)
    changes = [f"{field} {_word(value)}" for field, value in own.items() if usual[field] != value]
    return ", ".join([rules.preset, *changes])


def named_message(message: "rules_pb2.Ruleset") -> str:
    """The same for rules as they came over the wire."""
    from referee.rules.ruleset import RulesetError
    from referee.wire.rules import from_proto

    try:
        return named(from_proto(message))
    except RulesetError:
        return "custom"


def presets_table(presets: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Headers and rows of a table of rulesets, each given with every field."""
    rows = [
        (name, *(_word(rules[field]).replace("_", " ") for field in COLUMNS))
        for name, rules in presets.items()
    ]
    return [("preset", *COLUMNS.values()), *rows]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
