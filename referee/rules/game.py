"""A game: deals up to a target, their points on one score sheet or on three columns.

It is fed with outcomes and knows who deals next, who has won, and how the sides are placed. It
knows no cards.
"""

from collections.abc import Sequence
from typing import NamedTuple

from referee.rules.fields import Ruleset
from referee.rules.scoring import Outcome


class GameResult(NamedTuple):
    """How a game ended; all tuples by side."""

    reason: str  # "played", "deal_cap"
    winner: int | None  # None: a draw
    totals: tuple[int, ...]  # bonuses included
    points: tuple[int, ...]  # of all scored deals, before bonuses
    places: tuple[int, ...]  # from 1, equal ones shared


class Sheet:
    """One column: points and boxes by side, and the side that closed it by reaching the target."""

    __slots__ = ("boxes", "closed", "entered", "points")

    def __init__(self, sides: int) -> None:
        self.points = [0] * sides
        self.boxes = [0] * sides
        self.entered = [False] * sides
        self.closed: int | None = None

    def totals(self, rules: Ruleset, final: bool) -> tuple[int, ...]:
        """Points with bonuses, by side; plain points in an open column before the end.

        At the end (`final`) an open column has its boxes added, but no game bonus and no shutout:
        nobody reached its target.
        """
        if rules.target is None or not (final or self.closed is not None):
            return tuple(self.points)
        totals = [
            points + boxes * rules.box_bonus
            for points, boxes in zip(self.points, self.boxes, strict=True)
        ]
        winner = self.closed
        if winner is not None:
            totals[winner] += rules.game_bonus
            others = self.points[:winner] + self.points[winner + 1 :]
            if rules.shutout == "double_total" and not any(others):
                totals[winner] *= 2
        return tuple(totals)


class Game:
    """A game in progress. Read anything; `record` alone changes it.

    dealer: of the deal that is on or comes next. deals: number finished, void ones included.
    points: of all scored deals by side. boxes: deals won by side.
    """

    __slots__ = ("boxes", "dealer", "deals", "points", "result", "rules", "sheets")

    def __init__(self, rules: Ruleset, first_dealer: int) -> None:
        sides = len(rules.sides)
        self.rules = rules
        self.dealer = first_dealer
        self.deals = 0
        self.points = [0] * sides
        self.boxes = [0] * sides
        self.sheets = [Sheet(sides) for _ in range(rules.columns)]
        self.result: GameResult | None = None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.result is not None

    @property
    def scores(self) -> tuple[int, ...]:
        """Points by side as they count towards the target, column after column."""
        return tuple(points for sheet in self.sheets for points in sheet.points)

    def totals(self) -> tuple[int, ...]:
        """Totals by side, bonuses included as far as they are earned; with columns their sums."""
        by_sheet = [sheet.totals(self.rules, self.over) for sheet in self.sheets]
        return tuple(map(sum, zip(*by_sheet, strict=True)))

    def record(self, outcome: Outcome) -> None:
        """Count one more deal. A game that is over counts none."""
        if self.over:
            raise ValueError("the game is over")
        self.deals += 1
        self.dealer = outcome.next_dealer
        if outcome.winner is not None:
            self._enter(outcome.winner, outcome.points)
        rules = self.rules
        if rules.target is None or all(sheet.closed is not None for sheet in self.sheets):
            self._finish("played", outcome.winner)
        elif self.deals >= rules.deal_cap:
            self._finish("deal_cap", None)

    def _enter(self, winner: int, points: Sequence[int]) -> None:
        self.boxes[winner] += 1
        for side, more in enumerate(points):
            self.points[side] += more
        open_sheets = [sheet for sheet in self.sheets if sheet.closed is None]
        for sheet in open_sheets:
            if not sheet.entered[winner]:
                sheet.entered[winner] = True
                break
        target = self.rules.target
        for sheet in open_sheets:
            if not sheet.entered[winner]:
                continue
            sheet.boxes[winner] += 1
            for side, more in enumerate(points):
                sheet.points[side] += more
            if target is not None and sheet.points[winner] >= target:
                sheet.closed = winner

    def _finish(self, reason: str, last_winner: int | None) -> None:
        by_sheet = [sheet.totals(self.rules, final=True) for sheet in self.sheets]
        totals = tuple(map(sum, zip(*by_sheet, strict=True)))
        if len(self.sheets) > 1:
            ranks, winner = totals, _leader(totals)
        elif reason == "deal_cap":
            ranks, winner = tuple(self.points), _leader(self.points)
        else:
            ranks, winner = totals, last_winner
        self.result = GameResult(reason, winner, totals, tuple(self.points), _places(ranks, winner))


def _leader(ranks: Sequence[int]) -> int | None:
    """The side that alone has the highest rank."""
    best = max(ranks)
    return ranks.index(best) if list(ranks).count(best) == 1 else None


def _places(ranks: Sequence[int], winner: int | None) -> tuple[int, ...]:
    """Places by rank, the winner first whatever its rank, equal ranks shared."""
    return tuple(
        1
        if side == winner
        else 1
        + sum(
            other != side and (other == winner or more > rank) for other, more in enumerate(ranks)
        )
        for side, rank in enumerate(ranks)
    )
