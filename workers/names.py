"""The rule of names for bots and tournaments, of the ids made from them, and of what people write
in a line, such as a seed. Pure."""

import re
import unicodedata

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,30}[a-z0-9]")
"""2 to 32 characters, ASCII, safe in a path, a key and a URL."""

MATCH_ID = re.compile(r"(?P<tournament>[a-z0-9][a-z0-9_-]{0,30}[a-z0-9])\.(?P<number>[1-9]\d{0,8})")

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

SEED_MOST = 64
"""Characters of a seed; it is a line."""

_FOLD = str.maketrans({"-": "_", "o": "0", "l": "1"})


def complaint(name: object) -> str:
    """What is wrong with a name, for people; empty when nothing is."""
    if not isinstance(name, str):
        return "it is not text"
    if not 2 <= len(name) <= 32:
        return "it must have 2 to 32 characters"
    if not NAME.fullmatch(name):
        return "only a-z, 0-9, - and _ are allowed, beginning and ending with a letter or digit"
    return ""


def line_complaint(text: str, most: int) -> str:
    """What is wrong with a line of 1 to `most` characters, for people; empty when nothing is."""
    if not 1 <= len(text) <= most:
        return f"it must have 1 to {most} characters in one line"
    unseen = next((char for char in text if not char.isprintable()), "")
    if unseen:
        name = unicodedata.name(unseen, "a control character")
        return f"nobody could see the U+{ord(unseen):04X} in it ({name}): leave it out"
    return ""


def fold(name: str) -> str:
    """The same text for names that people could mistake for each other (- and _, 0 and o, 1 and l).

    Two names with equal folds cannot both exist.
    """
    return name.translate(_FOLD)


def match_id(tournament_id: str, number: int) -> str:
    """The id of match `number` (from 1) of a tournament."""
    return f"{tournament_id}.{number}"


def split_match_id(text: object) -> tuple[str, int] | None:
    """Tournament and number of a match id; None for anything that is not one."""
    if not isinstance(text, str) or len(text) > 64:
        return None
    found = MATCH_ID.fullmatch(text)
    return (found["tournament"], int(found["number"])) if found else None
