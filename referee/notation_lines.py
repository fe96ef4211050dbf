"""Lines of a match's text and what stands in one: tags, numbers, words, pairs.

Every refusal is a ValueError; whoever reads the lines adds the number of the line.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from referee.notation import NOTHING

_TAG: Final = re.compile(r'\[([A-Za-z]+) ("(?:[^"\\]|\\.)*")\]')
NUMBER: Final = re.compile(r"-?[0-9]{1,20}")


class NotationError(ValueError):
    """A text that is no match; `line` is the number of the line, from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class Lines:
    """The lines that say something, one after the other; `number` is that of the last one taken."""

    def __init__(self, text: str) -> None:
        rows = (
            (at, line.strip()) for at, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1)
        )
        self._rows = [(at, line) for at, line in rows if line and not line.startswith(";")]
        self._at = 0
        self.number = 1

    def next_is(self, start: str) -> bool:
        """Whether the next line starts so."""
        return self._at < len(self._rows) and self._rows[self._at][1].startswith(start)

    def take(self, what: str) -> str:
        """The next line; `what` it should be, for the error where there is none."""
        if self._at == len(self._rows):
            raise NotationError(self.number, f"the text ends where {what} should follow")
        self.number, line = self._rows[self._at]
        self._at += 1
        return line

    def match(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """The next line, which must be `what`."""
        found = pattern.fullmatch(self.take(what))
        if found is None:
            raise NotationError(self.number, f"this is not {what}")
        return found

    def tag(self, key: str) -> str:
        """The value of the next line, which must be the tag `key`."""
        found = self.match(_TAG, f'the tag [{key} "…"]')
        if found[1] != key:
            raise NotationError(self.number, f"the tag {key} should be here, not {found[1]}")
        return string_of(found[2])

    def tags(self, key: str) -> Iterator[str]:
        """The values of the tags `key` that follow."""
        while self.next_is(f"[{key} "):
            yield self.tag(key)

    def end(self) -> None:
        """Nothing may follow."""
        if self._at < len(self._rows):
            self.take("nothing")
            raise NotationError(self.number, "the match is over; nothing may follow")


def string_of(quoted: str) -> str:
    """What a quoted string stands for: it is one of JSON."""
    value: object = json.loads(quoted)
    assert isinstance(value, str)
    return value


def number_of(text: str) -> int:
    """A whole number."""
    if NUMBER.fullmatch(text) is None:
        raise ValueError(f"{text[:20]!r} is no number")
    return int(text)


def numbers_of(text: str) -> list[int]:
    """Whole numbers with spaces between, or a dash for none."""
    return [] if text == NOTHING else [number_of(word) for word in text.split()]


def switch_of(text: str) -> bool:
    """yes or no."""
    if text not in ("yes", "no"):
        raise ValueError(f"{text[:20]!r} is neither yes nor no")
    return text == "yes"


def pairs_of(text: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """`key=value` for these keys in this order; the last value goes to the end of the text."""
    found: dict[str, Any] = {}
    for place, key in enumerate(keys):
        word, _, rest = (text, "", "") if place == len(keys) - 1 else text.partition(" ")
        name, equals, value = word.partition("=")
        if name != key or not equals:
            raise ValueError(f"{key}=… should be here, not {word[:20]!r}")
        found[key] = value if key == "sdk" else _value(value)
        text = rest
    return found


def _value(text: str) -> int | bool:
    return switch_of(text) if text in ("yes", "no") else number_of(text)


def key_of(words: Mapping[Any, str], word: str) -> Any:
    """The key that has this word."""
    for key, known in words.items():
        if known == word:
            return key
    raise ValueError(f"{word[:20]!r} is none of {', '.join(words.values())}")


def enum_of(kind: Any, prefix: str, word: str) -> Any:
    """The number that an enum has for a word, as `reason_word` and `end_word` make it."""
    if re.fullmatch("[a-z_]+", word) is None or prefix + word.upper() not in dict(kind.items()):
        raise ValueError(f"{word[:20]!r} is no word for this")
    return kind.Value(prefix + word.upper())


def parts_of(line: str, keys: tuple[str, ...]) -> dict[str, str]:
    """`key value; key value; …` with these keys in this order."""
    parts = [part.partition(" ") for part in line.split("; ")]
    if tuple(key for key, _, _ in parts) != keys:
        raise ValueError(f"this should be: {' …; '.join(keys)} …")
    return {key: value for key, _, value in parts}
