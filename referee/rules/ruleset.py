"""Rulesets by name: each preset is a value made from another with `replace`.

A source text is a preset, a house rule is an override. Which of the sources says what: docs/rules.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from referee.rules.fields import (
    FIELDS,
    Ruleset,
    RulesetError,
    to_json,
    validate,
)

__all__ = [
    "FIELDS",
    "PRESETS",
    "Ruleset",
    "RulesetError",
    "resolve",
    "to_json",
    "validate",
]

_DANISH: Final = Ruleset(
    preset="danish",
    knock_limit="upcard",
    fixed_limit=None,
    ace_upcard="limit_one",
    first_turn="offer",
    gin_bonus=25,
    undercut_bonus=10,
    spade_multiplier=1,
    stock_end="void_at_two",
    next_dealer="winner_deals",
    void_dealer="same",
    target=100,
    game_bonus=0,
    box_bonus=0,
    shutout="none",
    knock_discard_face_down=False,
)
_SPANISH: Final = replace(
    _DANISH,
    preset="spanish",
    ace_upcard="gin_only",
    undercut_bonus=25,
    spade_multiplier=2,
    next_dealer="rotate",
)
_GERMAN: Final = replace(
    _SPANISH,
    preset="german",
    first_turn="normal",
    void_dealer="next",
    target=200,
    game_bonus=100,
    box_bonus=25,
    shutout="double_total",
    knock_discard_face_down=True,
)
_STANDARD: Final = replace(
    _SPANISH,
    preset="standard",
    knock_limit="fixed",
    fixed_limit=10,
    ace_upcard=None,
    spade_multiplier=1,
    stock_end="reshuffle",
)

PRESETS: Final[Mapping[str, Ruleset]] = MappingProxyType(
    {
        rules.preset: rules
        for rules in (
            _DANISH,
            replace(_DANISH, preset="danish_20", gin_bonus=20),
            _SPANISH,
            replace(_SPANISH, preset="spanish_single", target=None),
            replace(_SPANISH, preset="spanish_250", target=250),
            replace(_SPANISH, preset="hollywood", columns=3),
            _GERMAN,
            replace(_GERMAN, preset="german_150", target=150),
            replace(_GERMAN, preset="german_250", target=250),
            replace(_GERMAN, preset="german_300", target=300),
            replace(_GERMAN, preset="german_hollywood", columns=3),
            replace(_GERMAN, preset="no_layoff", layoff="off"),
            replace(_GERMAN, preset="double_oklahoma", spade_multiplier=3),
            replace(_GERMAN, preset="three_handed", players=3),
            replace(_GERMAN, preset="four_handed", players=4),
            replace(
                _GERMAN,
                preset="partnership",
                players=4,
                partnership=True,
                layoff="knockers_partner",
            ),
            _STANDARD,
            replace(
                _STANDARD,
                preset="straight",
                knock_limit="gin_only",
                fixed_limit=None,
                undercut_bonus=0,
            ),
        )
    }
)


def resolve(named: object) -> Ruleset:
    """The ruleset that `named` stands for: a preset's name, or {"preset": name, field: value, …}.

    Judged as resolved, inherited values too; None takes a field away. RulesetError names the field
    of what is unknown or makes no sense.
    """
    if isinstance(named, str):
        named = {"preset": named}
    if not isinstance(named, Mapping):
        raise RulesetError("rules", "a preset's name, or an object with a preset and its changes")
    changes: dict[Any, Any] = dict(named)  # pyright: ignore[reportUnknownArgumentType]
    preset = changes.pop("preset", None)
    if not isinstance(preset, str) or preset not in PRESETS:
        wrong = "is missing" if preset is None else f"{str(preset)[:40]!r} is none"
        raise RulesetError("preset", f"{wrong}; one of {', '.join(PRESETS)}")
    for field in changes:
        if field not in FIELDS:
            raise RulesetError(str(field)[:64], "there is no such field")
    rules = replace(PRESETS[preset], **changes)
    validate(rules)
    return rules
