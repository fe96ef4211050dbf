"""Between a ruleset of the rules core and a ruleset on the wire, both ways.

What makes sense is `referee.rules.ruleset`; here is only which number stands for which word.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from knockbox.v1 import rules_pb2 as pb
from referee.rules.ruleset import FIELDS, Ruleset, RulesetError, validate

# By field: word -> number on the wire. None is the word of a field that is taken away.
_WORDS: Final[Mapping[str, Mapping[str | None, int]]] = MappingProxyType(
    {
        "knock_limit": {
            "upcard": pb.KNOCK_LIMIT_UPCARD,
            "fixed": pb.KNOCK_LIMIT_FIXED,
            "gin_only": pb.KNOCK_LIMIT_GIN_ONLY,
        },
        "ace_upcard": {
            None: pb.ACE_UPCARD_UNSPECIFIED,
            "gin_only": pb.ACE_UPCARD_GIN_ONLY,
            "limit_one": pb.ACE_UPCARD_LIMIT_ONE,
        },
        "first_turn": {"offer": pb.FIRST_TURN_OFFER, "normal": pb.FIRST_TURN_NORMAL},
        "stock_end": {
            "void_at_two": pb.STOCK_END_VOID_AT_TWO,
            "reshuffle": pb.STOCK_END_RESHUFFLE,
        },
        "next_dealer": {
            "winner_deals": pb.NEXT_DEALER_WINNER_DEALS,
            "rotate": pb.NEXT_DEALER_ROTATE,
        },
        "void_dealer": {"same": pb.VOID_DEALER_SAME, "next": pb.VOID_DEALER_NEXT},
        "layoff": {
            "defenders": pb.LAYOFF_RULE_DEFENDERS,
            "off": pb.LAYOFF_RULE_OFF,
            "knockers_partner": pb.LAYOFF_RULE_KNOCKERS_PARTNER,
            "all": pb.LAYOFF_RULE_ALL,
        },
        "shutout": {"none": pb.SHUTOUT_NONE, "double_total": pb.SHUTOUT_DOUBLE_TOTAL},
    }
)
_OPTIONAL: Final = ("big_gin_bonus", "target")


def to_proto(rules: Ruleset) -> pb.Ruleset:
    """The ruleset on the wire, every field set."""
    message = pb.Ruleset()
    for field in FIELDS:
        value: str | int | None = getattr(rules, field)
        if field in _WORDS:
            setattr(message, field, _WORDS[field][value if value is None else str(value)])
        elif value is not None:
            setattr(message, field, value)
    return message


def from_proto(message: pb.Ruleset) -> Ruleset:
    """The ruleset of a message. RulesetError names a field that makes no sense."""
    values: dict[str, object] = {}
    for field in FIELDS:
        value: object = getattr(message, field)
        if field in _WORDS:
            values[field] = _word(field, value)
        elif (field in _OPTIONAL and not message.HasField(field)) or (field, value) == (
            "fixed_limit",
            0,
        ):
            values[field] = None
        else:
            values[field] = value
    rules = Ruleset(**values)  # pyright: ignore[reportArgumentType]  # `validate` judges the values
    validate(rules)
    return rules


def _word(field: str, number: object) -> str | None:
    for word, value in _WORDS[field].items():
        if value == number:
            return word
    raise RulesetError(field, f"{number} is no value that is known")
