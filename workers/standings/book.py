"""From log entries to the sums that a table follows from. Pure; whole numbers only.

A match that a correction takes back is left out. So is a match of a bot against itself, which says
nothing about it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from workers import ledger
from workers.standings.fit import Units

COMMON = 24
"""What unit scores are out of here: whole for two, three and four seats, and for partners."""
SHARES = 6
"""Parts of a point here: a margin against the mean of one, two or three others is whole."""

Player: TypeAlias = tuple[str, str]
"""A bot's name and version."""
Entry: TypeAlias = Mapping[str, Any]


@dataclass(slots=True)
class Sums:
    """Sums over units. `score` and its `squares` are out of COMMON, margins in SHARES of a point.

    Units with a forfeit are not among the `clean` ones; `deals` and margins are of those alone.
    """

    units: int = 0
    score: int = 0
    squares: int = 0
    clean: int = 0
    deals: int = 0
    deals_squares: int = 0
    margin: int = 0
    margin_squares: int = 0
    margin_deals: int = 0

    def add(self, more: "Sums") -> None:
        """Add other units."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(more, field.name))


@dataclass(slots=True)
class Pair:
    """Two players against each other: the first one's sums, and games that either has forfeited."""

    sums: Sums
    forfeits: int = 0
    other_forfeits: int = 0


class Book:
    """Sums of entries, by player and by two of them. `entrants` are in it without a match too."""

    def __init__(self, entrants: Iterable[Player] = ()) -> None:
        self.players: dict[Player, int] = {}
        self.counts: list[Counter[str]] = []
        self.sums: list[Sums] = []
        self.pairs: dict[tuple[int, int], Pair] = {}
        self._matches: dict[tuple[tuple[int, ...], ...], Counter[tuple[int, ...]]] = {}
        for player in entrants:
            self._number(player)

    def extend(self, entries: Iterable[Entry]) -> None:
        """Add entries, all that there are where one takes back another."""
        for entry in ledger.counting(entries):
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Add the entry of a match that counts."""
        bots: Sequence[Mapping[str, Any]] = entry["bots"]
        numbers = [self._number((bot["name"], bot["version"])) for bot in bots]
        if len(set(numbers)) < len(numbers):
            return
        for number, bot in zip(numbers, bots, strict=True):
            self.counts[number].update(bot["add"])
        if not any(bot["units"] for bot in bots):
            return
        sides: Sequence[Sequence[int]] = entry["sides"]
        own = [_sums(entry, bot, len(sides)) for bot in bots]
        for number, sums in zip(numbers, own, strict=True):
            self.sums[number].add(sums)
        self._rated(entry, [[numbers[bot] for bot in side] for side in sides])
        for left, right, sums in _against(entry, own):
            for one in sides[left]:
                for other in sides[right]:
                    self._meet(numbers, bots, one, other, sums)

    def units(self) -> tuple[list[Player], Units]:
        """Everybody who was rated in a unit, by name; and the units, with their places there.

        Where games are single deals a unit here is a block of them, as the Elo has it.
        """
        there = {number for match in self._matches for side in match for number in side}
        by_name = sorted(player for player, number in self.players.items() if number in there)
        place = {self.players[player]: at for at, player in enumerate(by_name)}
        units: dict[tuple[tuple[int, ...], ...], dict[tuple[float, ...], int]] = {}
        for match, results in self._matches.items():
            sides = [tuple(sorted(place[number] for number in side)) for side in match]
            order = sorted(range(len(sides)), key=lambda at: sides[at])
            units[tuple(sides[at] for at in order)] = {
                tuple(scores[at] / COMMON for at in order): count
                for scores, count in results.items()
            }
        return by_name, units

    def _number(self, player: Player) -> int:
        if player not in self.players:
            self.players[player] = len(self.players)
            self.counts.append(Counter())
            self.sums.append(Sums())
        return self.players[player]

    def _rated(self, entry: Entry, sides: Sequence[Sequence[int]]) -> None:
        """Add rated units, sides in the order of their bots' numbers."""
        order = sorted(range(len(sides)), key=lambda side: sorted(sides[side]))
        match = tuple(tuple(sorted(sides[side])) for side in order)
        bots, factor = entry["bots"], COMMON // entry["scale"]
        first = [bots[entry["sides"][side][0]]["scores"] for side in order]
        if first[0]:
            units = zip(*([score * factor for score in scores] for scores in first), strict=True)
            self._matches.setdefault(match, Counter()).update(units)

    def _meet(
        self,
        numbers: Sequence[int],
        bots: Sequence[Mapping[str, Any]],
        one: int,
        other: int,
        sums: Sums,
    ) -> None:
        """Add what `one` has done against `other`, kept from the side of the lower number."""
        if numbers[one] > numbers[other]:
            one, other, sums = other, one, mirrored(sums)
        pair = self.pairs.setdefault((numbers[one], numbers[other]), Pair(Sums()))
        pair.sums.add(sums)
        pair.forfeits += bots[one]["add"].get("forfeits", 0)
        pair.other_forfeits += bots[other]["add"].get("forfeits", 0)


def mirrored(sums: Sums) -> Sums:
    """The same units from the other's side."""
    return Sums(
        units=sums.units,
        score=COMMON * sums.units - sums.score,
        squares=COMMON**2 * sums.units - 2 * COMMON * sums.score + sums.squares,
        clean=sums.clean,
        deals=sums.deals,
        deals_squares=sums.deals_squares,
        margin=-sums.margin,
        margin_squares=sums.margin_squares,
        margin_deals=-sums.margin_deals,
    )


def _sums(entry: Entry, bot: Mapping[str, Any], sides: int) -> Sums:
    """One bot's part in a match."""
    scores = [score * (COMMON // entry["scale"]) for score in bot["units"]]
    squares = sum(score * score for score in scores)
    played = (len(scores), sum(scores), squares)
    return _of(played, entry["clean"], bot["margins"], SHARES // (sides - 1))


def _against(entry: Entry, own: Sequence[Sums]) -> Iterable[tuple[int, int, Sums]]:
    """Each two sides of a match and the first one's sums against the other."""
    sides = entry["sides"]
    if len(sides) == 2:
        yield 0, 1, own[sides[0][0]]
        return
    units, factor = len(entry["bots"][0]["units"]), COMMON // (2 * len(entry["bots"]))
    for left, right, score, squares, *margins in entry["pairs"]:
        played = (units, factor * score, factor * factor * squares)
        yield left, right, _of(played, entry["clean"], margins, SHARES)


def _of(played: Sequence[int], clean: Sequence[int], margins: Sequence[int], share: int) -> Sums:
    """Sums out of their parts; margins come in parts of a point that are `share` of ours."""
    units, score, squares = played
    clean_units, deals, deals_squares = clean
    margin, margin_squares, products = margins
    return Sums(
        units=units,
        score=score,
        squares=squares,
        clean=clean_units,
        deals=deals,
        deals_squares=deals_squares,
        margin=share * margin,
        margin_squares=share * share * margin_squares,
        margin_deals=share * products,
    )
