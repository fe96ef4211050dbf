"""One game in flight: its deals one after the other, and whose decision is due.

Pure: no I/O, no clock. The rules decide what is legal; here stands only what the referee adds, the
ids of decisions, what each seat has been told, and the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from knockbox.v1 import play_pb2, replay_pb2
from referee.rules.actions import Action
from referee.rules.deal import Deal, Illegal, act, start
from referee.rules.game import Game
from referee.wire import packing
from referee.wire.game_log import GameLog
from referee.wire.replay import game_result

if TYPE_CHECKING:
    from referee.deck import Decks
    from referee.rules.deal import Dealing
    from referee.rules.ruleset import Ruleset

_IDS = 1 << 32

__all__ = ["Board", "Illegal"]


class Board:
    """The game of one unit in one leg of `games` games, as board `number` of the leg.

    A decision's id is made of the board's number and of how many decisions its seat has had there:
    it says nothing about cards. `decision` and `seat` are the one that is due, `asked` whether it
    has been written; `told` is by seat how much of the deal's public events the seat knows; `tag`
    is the number as a field of Turn.
    """

    __slots__ = (
        "_counts",
        "_decks",
        "_games",
        "_ids",
        "_leg",
        "_log",
        "asked",
        "deal",
        "dealing",
        "decision",
        "faults",
        "game",
        "number",
        "reason",
        "seat",
        "tag",
        "told",
        "unit",
    )

    deal: Deal
    dealing: Dealing

    def __init__(
        self, rules: Ruleset, decks: Decks, number: int, unit: int, leg: int, games: int
    ) -> None:
        dealer = decks.first_dealer(unit, leg)
        self.number = number
        self.tag = packing.number(2, number)
        self.unit = unit
        self.game = Game(rules, dealer)
        self.reason: play_pb2.Reason.ValueType = play_pb2.REASON_UNSPECIFIED
        self.faults: dict[int, play_pb2.Reason.ValueType] = {}
        self.asked = False
        self.decision = 0
        self.seat = -1
        self.told = [0] * rules.players
        self._counts = [0] * rules.players
        self._decks = decks
        self._games = games
        self._ids = _IDS - _IDS % games
        self._leg = leg
        self._log = GameLog(unit, leg, dealer)

    @property
    def over(self) -> bool:
        """The game has ended, one way or another."""
        return self.reason != play_pb2.REASON_UNSPECIFIED

    def start_deal(self) -> None:
        """Deal the game's next deal."""
        game, unit, leg = self.game, self.unit, self._leg
        number = game.deals + 1
        self.dealing = self._decks.dealing(unit, leg, number)
        shuffle = self._decks.reshuffle(unit, leg, number)
        self.deal = start(game.rules, number, game.dealer, self.dealing, shuffle)
        self._log.deal_started(number, game.dealer, self.dealing)
        self.told = [0] * game.rules.players

    def ask(self) -> int:
        """Whose decision is due now; it gets its id."""
        seat = self.deal.turn
        count = self._counts[seat]
        self._counts[seat] = count + 1
        self.decision = (count * self._games + self.number) % self._ids
        self.seat = seat
        self.asked = False
        return seat

    def play(self, action: Action, note: str) -> None:
        """Let the seat that is due do `action`. Raises Illegal and changes nothing."""
        deal = self.deal
        known = len(deal.public)
        events = act(deal, action)
        self.told[self.seat] = known
        self._log.decided(events, note)

    def end_deal(self) -> None:
        """Enter the deal that is over into the game."""
        outcome = self.deal.outcome
        if outcome is None:
            raise ValueError("the deal is not over")
        self._log.deal_over(outcome)
        self.game.record(outcome)
        result = self.game.result
        if result is not None:
            capped = result.reason == "deal_cap"
            self.reason = play_pb2.REASON_DEAL_CAP if capped else play_pb2.REASON_PLAYED

    def break_off(
        self,
        reason: play_pb2.Reason.ValueType,
        faults: Mapping[int, play_pb2.Reason.ValueType],
    ) -> None:
        """End the game by `faults`: the seats at fault, and why each of them is."""
        self.reason = reason
        self.faults = dict(sorted(faults.items()))
        self.seat = -1

    def result(self) -> replay_pb2.GameResult:
        """The result of the game, once it is over."""
        return game_result(self.game, self.reason, *self._blame())

    def record(self) -> replay_pb2.GameRecord:
        """The game as it is kept, once it is over."""
        return self._log.over(self.game, self.reason, *self._blame())

    def _blame(self) -> tuple[tuple[int, ...], tuple[play_pb2.Reason.ValueType, ...]]:
        return tuple(self.faults), tuple(self.faults.values())
