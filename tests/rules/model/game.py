"""A game: score sheets, boxes, bonuses, columns, places."""

from collections.abc import Sequence
from typing import Any

from tests.rules.model.rulesets import Rules, sides


class Sheet:
    """§7: one score sheet: the whole game, or one of Hollywood's columns."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.points = [0] * len(sides(rules))
        self.boxes = [0] * len(sides(rules))
        self.entered: set[int] = set()
        self.closed_by: int | None = None

    def enter(self, side: int, points: int) -> None:
        """A won deal is written down; reaching the target closes the sheet."""
        self.points[side] += points
        self.boxes[side] += 1
        if self.points[side] >= self.rules["target"]:
            self.closed_by = side

    def totals(self, capped: bool = False) -> list[int]:
        """Plain points while it is open, with boxes where the deal cap ended it; else all."""
        if self.closed_by is None and not capped:
            return list(self.points)
        totals = [
            points + boxes * self.rules["box_bonus"]
            for points, boxes in zip(self.points, self.boxes, strict=True)
        ]
        if self.closed_by is not None:
            totals[self.closed_by] += self.rules["game_bonus"]
            others = [p for side, p in enumerate(self.points) if side != self.closed_by]
            if self.rules["shutout"] == "double_total" and not any(others):
                totals[self.closed_by] *= 2
        return totals


def places(values: Sequence[int], first: int | None = None) -> list[int]:
    """§7, §8: places by values, equal ones shared; `first` is first whatever its value."""
    if first is None:
        return [1 + sum(other > value for other in values) for value in values]
    rest = [value for side, value in enumerate(values) if side != first]
    return [
        1 if side == first else 2 + sum(other > value for other in rest)
        for side, value in enumerate(values)
    ]


class ModelGame:
    """§7: a game, told the outcome of each deal."""

    def __init__(self, rules: Rules, first_dealer: int) -> None:
        self.rules, self.dealer, self.deals = rules, first_dealer, 0
        self.sheets = [Sheet(rules) for _ in range(rules["columns"])]
        self.points = [0] * len(sides(rules))
        self.boxes = [0] * len(sides(rules))
        self.over, self.reason = False, ""
        self.winner: int | None = None  # None at the end: a draw
        self.places: list[int] | None = None

    def record(self, outcome: dict[str, Any]) -> None:
        """One deal is over."""
        assert not self.over
        self.deals += 1
        self.dealer = outcome["next_dealer"]
        side = outcome["winner"]
        if side is not None:
            self.points[side] += outcome["points"][side]
            self.boxes[side] += 1
        if self.rules["target"] is None:
            # One deal is the game: its winner wins, even at 0 points; a void deal is a draw.
            self._finish("played", side, places(self.points, side))
            return
        if side is not None:
            self._write(side, outcome["points"][side])
        if all(sheet.closed_by is not None for sheet in self.sheets):
            if len(self.sheets) == 1:
                winner = self.sheets[0].closed_by
                self._finish("played", winner, places(self.sums(), winner))
            else:
                self._finish_by("played", self.sums())
        elif self.deals >= self.rules["deal_cap"]:
            self.reason = "deal_cap"  # the totals that follow are those of the cap
            self._finish_by("deal_cap", self.points if len(self.sheets) == 1 else self.sums())

    def _write(self, side: int, points: int) -> None:
        """§7: one further column for the side, then every open one where it has an entry."""
        still_open = [sheet for sheet in self.sheets if sheet.closed_by is None]
        for sheet in still_open:
            if side not in sheet.entered:
                sheet.entered.add(side)
                break
        for sheet in still_open:
            if side in sheet.entered:
                sheet.enter(side, points)

    def _finish_by(self, reason: str, values: Sequence[int]) -> None:
        """The highest value wins; equal ones at the top are a draw."""
        top = [side for side, value in enumerate(values) if value == max(values)]
        self._finish(reason, top[0] if len(top) == 1 else None, places(values))

    def _finish(self, reason: str, winner: int | None, order: list[int]) -> None:
        self.over, self.reason, self.winner, self.places = True, reason, winner, order

    def column_totals(self) -> list[list[int]]:
        """§7: the totals of each sheet by side."""
        return [sheet.totals(capped=self.reason == "deal_cap") for sheet in self.sheets]

    def sums(self) -> list[int]:
        """§7: the totals by side; with columns their sum."""
        if self.rules["target"] is None:
            return list(self.points)
        return [sum(column) for column in zip(*self.column_totals(), strict=True)]
