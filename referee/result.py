"""What a match comes to for each bot, out of the records of its games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from knockbox.v1 import match_pb2, play_pb2, replay_pb2
from referee.opening import Order
from referee.wire.replay import FORFEITS

_MILLION = 1_000_000


class Tally:
    """Counts the games of a match; `result` is what they come to."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._bots = [match_pb2.BotResult() for _ in range(order.seats)]
        self._scores: dict[int, list[list[Fraction]]] = defaultdict(list)
        self._void: set[int] = set()

    def add(self, games: Iterable[replay_pb2.GameRecord]) -> None:
        """Count some games."""
        for game in games:
            self._add(game)

    def result(self, digest: bytes) -> match_pb2.Result:
        """The result. A unit counts when every leg of it does; a match when some unit does."""
        units = [legs for unit, legs in self._scores.items() if unit not in self._void]
        for bot, row in enumerate(self._bots):
            scores = [leg[bot] for legs in units for leg in legs]
            if scores:
                row.score_millionths = round(sum(scores, Fraction()) * _MILLION / len(scores))
        reason = play_pb2.REASON_PLAYED if units else play_pb2.REASON_DOUBLE_FAULT
        return match_pb2.Result(digest=digest, reason=reason, bots=self._bots)

    def _add(self, game: replay_pb2.GameRecord) -> None:
        result, order = game.result, self._order
        if not result.counts:
            self._void.add(game.unit)
            return
        by_side = _scores(list(result.places))
        scores = [Fraction()] * order.seats
        for side, seats in enumerate(order.rules.sides):
            for seat in seats:
                bot = order.bot_on(seat, game.leg)
                scores[bot] = by_side[side]
                row = self._bots[bot]
                if not result.HasField("winner"):
                    row.drawn += 1
                elif result.winner == side:
                    row.won += 1
                else:
                    row.lost += 1
        if result.reason in FORFEITS:
            for seat in result.faulty_seats:
                self._bots[order.bot_on(seat, game.leg)].forfeits += 1
        self._scores[game.unit].append(scores)


def _scores(places: list[int]) -> list[Fraction]:
    """By side, 1 for the first place, 0 for the last, equal steps between, shared ones halved."""
    steps = len(places) - 1
    return [
        Fraction(2 * (len(places) - place) - places.count(place) + 1, 2 * steps) for place in places
    ]
