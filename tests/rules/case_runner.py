"""Asks the rules what a scenario asks, through the same door as `knockbox rules`."""

from typing import Any

from case_file import Check

from referee.scenario import answer


def wrongs(check: Check) -> list[str]:
    """What the rules answer otherwise than expected, one line each."""
    found = answer(check.verb, check.line)
    if check.verb == "score" and found.get("points"):
        found["points of the last deal"] = found["points"][-1]
        found["next_dealer"] = found["dealers"][-1]
    told = found.get("error") or found.get("message")
    found = [
        f"{check.where}: {key} is {_shape(key, found)!r}, not {wanted!r}"
        for key, wanted in check.expect.items()
        if _shape(key, found) != wanted
    ]
    for seat, cards, visible in check.sights:
        seen = set(_strings(answer(check.verb, check.line, view_seat=seat)["view"]))
        wrong = cards - seen if visible else cards & seen
        if wrong:
            verb = "does not see" if visible else "sees"
            found.append(f"{check.where}: seat {seat} {verb} {' '.join(sorted(wrong))}")
    return [f"{line} [{told}]" if told else line for line in found]


def _shape(key: str, found: dict[str, Any]) -> Any:
    """The answer's value under `key`.

    Of an error the field alone, its words are free; melds with their cards in alphabetical order.
    """
    value = found.get(key)
    if key == "melds" and value:
        return [sorted(meld) for meld in value]
    return {"field": value["field"]} if key == "error" and value else value


def _strings(value: Any) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for part in value for text in _strings(part)] if isinstance(value, list) else []
