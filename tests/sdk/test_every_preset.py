"""The sample bots, as they are, under every named ruleset: each question through the real messages.

What the referee would send is made from the rules, goes through bytes, and meets the bot's own
function through the SDK; only sockets and processes are left out.
"""

import importlib
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from knockbox.v1 import play_pb2 as referee_pb2
from referee.board import Board as Game
from referee.deck import Decks, seed_secret
from referee.rules.ruleset import PRESETS
from referee.wire.play import action_of, deal_over, deal_started, put_turn
from referee.wire.rules import to_proto
from sample_bots.python.knockbox_sdk import actions
from sample_bots.python.knockbox_sdk.board import Board, result_of
from sample_bots.python.knockbox_sdk.state import State
from sample_bots.python.knockbox_sdk.stubs import play_pb2, rules_pb2
from sample_bots.python.knockbox_sdk.view import Seat

FOLDERS = Path(__file__).parents[2] / "sample_bots" / "python"
NAMES = ("greedy", "builder", "gin_hunter", "random")


def load(name: str) -> Callable[[], Callable[[State], Any]]:
    """What makes a sample bot for one game: what its file hands to `run`."""
    sdk = importlib.import_module("sample_bots.python.knockbox_sdk")
    handed: list[Any] = []
    double = ModuleType("knockbox_sdk")
    double.__dict__.update({key: getattr(sdk, key) for key in sdk.__all__})
    double.__dict__["run"] = handed.append
    sys.modules["knockbox_sdk"] = double
    try:
        runpy.run_path(str(FOLDERS / name / "bot.py"))
    finally:
        del sys.modules["knockbox_sdk"]
    bot = handed[0]
    return bot if isinstance(bot, type) else lambda: bot


class Player:
    """A sample bot on one seat of one game."""

    def __init__(self, name: str, seat: Seat) -> None:
        self.board = Board(load(name)())
        self.seat = seat

    def begin(self, message: referee_pb2.DealStarted) -> None:
        self.board.begin(play_pb2.DealStarted.FromString(message.SerializeToString()))

    def answer(self, turn: referee_pb2.Turn) -> referee_pb2.Action:
        asked = play_pb2.Turn.FromString(turn.SerializeToString())
        self.board.hear(asked)
        out = play_pb2.Actions()
        actions.write(self.board.bot(State(self.seat, self.board, asked)), out)
        return referee_pb2.Actions.FromString(out.SerializeToString()).actions[0]

    def hear(self, message: referee_pb2.DealOver) -> None:
        hook = getattr(self.board.bot, "deal_over", None)
        if hook is not None:
            hook(result_of(play_pb2.DealOver.FromString(message.SerializeToString())))


@pytest.mark.parametrize("preset", PRESETS)
def test_sample_bots_play_every_preset(preset: str) -> None:
    """Each sample bot, unchanged, answers legally to the end of each of its games."""
    rules = PRESETS[preset]
    told = rules_pb2.Ruleset.FromString(to_proto(rules).SerializeToString())
    decks = Decks(seed_secret(preset), (), rules)
    for turned in range(0, len(NAMES), rules.players):
        names = (NAMES[turned:] + NAMES)[: rules.players]
        players = [Player(name, Seat(seat, told, False)) for seat, name in enumerate(names)]
        game = Game(rules, decks, 0, 0, 0, 1)
        while not game.over:
            game.start_deal()
            for seat, player in enumerate(players):
                player.begin(deal_started(game, seat))
            while game.deal.turn >= 0:
                seat = game.ask()
                turn = referee_pb2.Turn()
                put_turn(turn, game, seat, True)
                action = action_of(players[seat].answer(turn))
                assert action is not None
                game.play(action, "")
            game.end_deal()
            for seat, player in enumerate(players):
                player.hear(deal_over(game, seat))
        assert game.result().counts
