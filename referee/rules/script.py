"""Actions as a person writes them: "take", "discard KC", "knock KC: AD 2D 3D | QC QD QH".

`layoff: 4S 4C 4D | 5S 6S 7S ; 6H>0 5H>0` names own melds, then card > number of the open meld; a
bare `knock KC` or `layoff` leaves the choice to the referee.
"""

import re
from typing import Final

from referee.rules.actions import Action, BigGin, Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.cards import name, parse, show
from referee.rules.decide import Illegal

_WORDS: Final[dict[str, Action]] = {
    "pass": Decline(),
    "take": Take(),
    "draw": Draw(),
    "big gin": BigGin(),
    "layoff": LayOff(),
}
_LAYOFF: Final = re.compile(r"(\S+)>([0-9]{1,3})")


class ScriptError(ValueError):
    """A text that is no action."""


def read(text: str) -> Action:
    """The action that `text` names.

    ScriptError when it cannot be read; Illegal when it names a card twice, which no action can.
    """
    head, declared, body = text.partition(":")
    words = " ".join(head.split())
    verb, _, card = words.partition(" ")
    if not declared and words in _WORDS:
        return _WORDS[words]
    if verb == "discard" and not declared:
        return Discard(_card(card))
    if verb == "knock":
        return Knock(_card(card), _melds(body) if declared else None)
    if words == "big gin":
        return BigGin(_melds(body))
    if words == "layoff":
        melds, _, layoffs = body.partition(";")
        return LayOff(_melds(melds), tuple(_layoff(part) for part in layoffs.split()))
    raise ScriptError(f"{text[:60]!r} is no action")


def write(action: Action) -> str:
    """The text that `read` reads as `action`."""
    match action:
        case Discard(card):
            return f"discard {name(card)}"
        case Knock(card, melds):
            return f"knock {name(card)}" + ("" if melds is None else f": {_show(melds)}")
        case BigGin(melds) if melds is not None:
            return f"big gin: {_show(melds)}"
        case LayOff(melds, layoffs) if melds is not None:
            laid = " ".join(f"{name(card)}>{number}" for card, number in layoffs)
            return f"layoff: {_show(melds)}" + (f" ; {laid}" if laid else "")
        case _:
            return next(word for word, known in _WORDS.items() if type(known) is type(action))


def _card(text: str) -> int:
    try:
        return parse(text)
    except ValueError as error:
        raise ScriptError(str(error)) from None


def _melds(text: str) -> tuple[int, ...]:
    return tuple(_cards(part) for part in text.split("|")) if text.strip() else ()


def _cards(text: str) -> int:
    cards = 0
    for word in text.split():
        bit = 1 << _card(word)
        if cards & bit:
            raise Illegal("melds", "a meld names a card twice")
        cards |= bit
    return cards


def _layoff(text: str) -> tuple[int, int]:
    found = _LAYOFF.fullmatch(text)
    if found is None:
        raise ScriptError(f"{text[:20]!r} is no card > number of a meld")
    return _card(found[1]), int(found[2])


def _show(melds: tuple[int, ...]) -> str:
    return " | ".join(show(meld) for meld in melds)
