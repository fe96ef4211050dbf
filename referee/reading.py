"""Fields out of a JSON object, each checked, each refusal naming its field."""

from collections.abc import Mapping
from typing import Any, cast

from referee.rules.cards import mask, members, name, parse

Json = dict[str, Any]


class FieldError(ValueError):
    """A field that is missing or cannot be read."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def required(line: Mapping[str, Any], field: str) -> Any:
    """The value of a field that must be there."""
    if field not in line:
        raise FieldError(field, "it is missing")
    return line[field]


def as_int(value: object, field: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise FieldError(field, f"a whole number from {low} to {high}")
    return value


def as_bool(value: object, field: str) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise FieldError(field, "true or false")
    return value


def as_list(value: object, field: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise FieldError(field, "a list")
    return cast(list[Any], value)


def as_object(value: object, field: str) -> Json:
    """An object."""
    if not isinstance(value, dict):
        raise FieldError(field, "an object")
    return cast(Json, value)


def as_card(value: object, field: str) -> int:
    """One card, from its name."""
    if not isinstance(value, str):
        raise FieldError(field, "a card is a string such as KC")
    try:
        return parse(value)
    except ValueError as error:
        raise FieldError(field, str(error)) from None


def as_cards(value: object, field: str) -> tuple[int, ...]:
    """Cards in their order, from a string or a list of names; none twice."""
    words = value.split() if isinstance(value, str) else as_list(value, field)
    cards = tuple(as_card(word, field) for word in words)
    if len(set(cards)) != len(cards):
        raise FieldError(field, "a card is named twice")
    return cards


def as_set(value: object, field: str) -> int:
    """Cards as a mask."""
    return mask(as_cards(value, field))


def card_list(cards: int) -> list[str]:
    """The names of a set's cards, in the order of the pack."""
    return [name(card) for card in members(cards)]
