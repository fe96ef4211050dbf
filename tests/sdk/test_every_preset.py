"""The sample bots, as they are, under every named ruleset: each question through the real messages.

What the referee would send is made from the rules, goes through bytes, and meets the bot's own
function through the SDK; only sockets and processes are left out. Every match becomes a replay that
must verify and come back from every form it is exported in.
"""

import importlib
import runpy
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

from arena.cli.notation import Format, export, import_
from knockbox.v1 import play_pb2 as referee_pb2
from knockbox.v1 import replay_pb2
from referee.board import Board as Game
from referee.deck import Decks, commitment, match_secret, seed_secret
from referee.replay import ReplayFile, ReplayWriter
from referee.rules.fields import Ruleset
from referee.rules.ruleset import PRESETS
from referee.verify import verify
from referee.wire.play import action_of
from referee.wire.rules import to_proto
from referee.wire.turns import deals_over, deals_started, turn
from sample_bots.python.knockbox_sdk import actions
from sample_bots.python.knockbox_sdk.board import Board, result_of
from sample_bots.python.knockbox_sdk.state import State
from sample_bots.python.knockbox_sdk.stubs import play_pb2, rules_pb2
from sample_bots.python.knockbox_sdk.view import Seat

FOLDERS = Path(__file__).parents[2] / "sample_bots" / "python"
FORMS: tuple[Format, ...] = get_args(Format)
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
        runpy.run_path(str(FOLDERS / name / "bot.py"), run_name="__main__")
    finally:
        del sys.modules["knockbox_sdk"]
    bot = handed[0]
    return bot if isinstance(bot, type) else lambda: bot


class Player:
    """A sample bot on one seat of one game."""

    def __init__(self, name: str, seat: Seat) -> None:
        self.board = Board(load(name)())
        self.seat = seat

    def begin(self, message: bytes) -> None:
        self.board.begin(play_pb2.DealStarted.FromString(message))

    def answer(self, question: bytes) -> referee_pb2.Action:
        asked = play_pb2.Turn.FromString(question)
        self.board.hear(asked)
        out = play_pb2.Actions()
        actions.write(self.board.bot(State(self.seat, self.board, asked)), out)
        return referee_pb2.Actions.FromString(out.SerializeToString()).actions[0]

    def hear(self, message: bytes) -> None:
        hook = getattr(self.board.bot, "deal_over", None)
        if hook is not None:
            hook(result_of(play_pb2.DealOver.FromString(message)))


def play_game(game: Game, players: list[Player]) -> None:
    """A game to its end, the players by seat."""
    while not game.over:
        game.start_deal()
        seats = range(len(players))
        for player, told in zip(players, deals_started(game, seats), strict=True):
            player.begin(told)
        while game.deal.turn >= 0:
            seat = game.ask()
            action = action_of(players[seat].answer(turn(game, seat, True)))
            assert action is not None
            game.play(action, "")
        game.end_deal()
        for player, told in zip(players, deals_over(game, seats), strict=True):
            player.hear(told)
    assert game.result().counts


def play_match(rules: Ruleset, names: tuple[str, ...], match_id: str) -> ReplayFile:
    """A seeded match of one unit between sample bots, every rotation of the seats, as a file."""
    told = rules_pb2.Ruleset.FromString(to_proto(rules).SerializeToString())
    secret = match_secret(seed_secret(rules.preset), match_id)
    decks = Decks(secret, (), rules)
    header = replay_pb2.ReplayHeader(
        format=1,
        match_id=match_id,
        tournament_id=match_id.partition(".")[0],
        rules=to_proto(rules),
        plan=replay_pb2.Plan(units=1, boards=1, pairing=replay_pb2.PAIRING_UNITS),
        bots=[replay_pb2.BotIdentity(name=name, version="sha256:" + "0" * 64) for name in names],
        commitment=commitment(secret),
        seeded=True,
    )
    writer = ReplayWriter(header)
    seal = replay_pb2.ReplaySeal(secret=secret)
    for leg in range(rules.players):
        players = [
            Player(names[(seat - leg) % rules.players], Seat(seat, told, False))
            for seat in range(rules.players)
        ]
        game = Game(rules, decks, 0, 0, leg, 1)
        play_game(game, players)
        writer.add_game(game.record())
        seal.legs.add(leg=leg, reasons=[referee_pb2.REASON_PLAYED] * rules.players)
    return writer.finish(seal, replay_pb2.ReplaySide(fence=1, referee="in memory"))


@pytest.mark.parametrize("preset", PRESETS)
def test_sample_bots_play_every_preset(preset: str, tmp_path: Path, cases: Counter[str]) -> None:
    """Matches of the sample bots, unchanged, end; their replays verify and go round every form.

    Each bot answers legally to the end of each of its games. Text, JSON and protobuf, as `replay
    export` writes them, make the same file byte for byte by `replay import`.
    """
    rules = PRESETS[preset]
    for turned in range(0, len(NAMES), rules.players):
        names = (NAMES[turned:] + NAMES)[: rules.players]
        made = play_match(rules, names, f"{preset}.{turned}")
        file = tmp_path / f"{turned}.kbr"
        made.write(file)
        verdict = verify(file)
        assert verdict.ok, verdict.error
        for form in FORMS:
            exported, again = file.with_suffix(f".{form}"), file.with_suffix(f".{form}.kbr")
            export(str(file), format=form, out=exported)
            import_(exported, out=again)
            assert again.read_bytes() == file.read_bytes()
            cases["replays exported, imported and the same byte for byte"] += 1
        cases["matches of sample bots played and verified"] += 1
