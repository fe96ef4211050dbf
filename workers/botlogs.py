"""What bots printed, as it lies in the data folder: found by bot, match and leg, and read harmless.

Names and ids are checked before they become part of a path. Nothing is written here.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from workers.folders import Folders
from workers.names import complaint, split_match_id
from workers.sandbox.capture import printable

MOST = 4 << 20
"""Bytes of a log that are read: what is kept of an output, escaped, is less."""

_NAME = re.compile(r"(?P<attempt>[0-9]{1,18})-leg(?P<leg>[0-9]{1,4})")
"""What stands before the bot's name in the name of a log."""


class BotLog(NamedTuple):
    """What a bot printed in one leg of one attempt at a match."""

    match_id: str
    attempt: int
    leg: int
    path: Path

    def text(self) -> str:
        """All that was kept, made harmless once more: the file may be anybody's. Raises OSError."""
        with self.path.open("rb") as file:
            return printable(file.read(MOST)).expandtabs()

    def lines(self, tail: int = 0) -> list[str]:
        """Its lines, or the last `tail` of them. Raises OSError."""
        lines = self.text().split("\n")
        if lines[-1] == "":
            del lines[-1]
        return lines[-tail:] if tail else lines


def find(
    folders: Folders,
    name: str,
    match_id: str = "",
    leg: int | None = None,
    shown: Callable[[str], bool] = lambda _: True,
) -> list[BotLog]:
    """A bot's logs of a match, or of the newest match with one, by attempt and leg.

    Only matches that are `shown`, by their ids. Raises ValueError, written for people, for what is
    no name or no match.
    """
    if wrong := complaint(name):
        raise ValueError(f"{printable(name)[:40]!r} is no bot's name: {wrong}")
    if match_id and split_match_id(match_id) is None:
        raise ValueError(f"{printable(match_id)[:40]!r} is no match: like t1.6")
    ending = f"-{name}.log"
    found: list[BotLog] = []
    for path in (folders.data / "logs").glob(f"{match_id or '*'}/*{ending}"):
        place = _NAME.fullmatch(path.name.removesuffix(ending))
        if place and leg in (None, int(place["leg"])):
            attempt = int(place["attempt"])
            found.append(BotLog(path.parent.name, attempt, int(place["leg"]), path))
    found.sort(key=lambda log: log.path.stat().st_mtime_ns, reverse=True)
    newest = next(filter(shown, dict.fromkeys(log.match_id for log in found)), None)
    return sorted(log for log in found if log.match_id == newest)
