"""The same bot in each language: decisions a second at 64 boards, and how soon it decides.

The sample bot `greedy` of each language in its container, hardened as in a match, against a server
that writes ready-made messages of 64 decisions, one after the other, and does not look at what is
answered. Rounds are interleaved; read the multiples, medians over the rounds. The processor time is
the container's. A start runs from the order to start the container to its first answer.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from docker import DockerClient
from docker.errors import DockerException
from grpc import aio

from arena.cli import templates
from knockbox.v1 import play_pb2
from referee.board import Board
from referee.deck import Decks, seed_secret
from referee.rules.ruleset import resolve
from referee.wire.play import action_of
from referee.wire.rules import to_proto
from referee.wire.turns import deals_over, deals_started, turn, turns_message
from tests.sdk import programs_kit as kit
from workers.sandbox.images.refusal import ImageError

BOARDS = 64
MESSAGES = 120
WARM_S = 0.7
STEADY_S = 1.0
BASE = "python"


class Run(NamedTuple):
    """One container: seconds to its first answer, decisions and seconds after that, and how much
    of a processor it took."""

    start: float
    decisions: int
    seconds: float
    processor: float


def script() -> tuple[bytes, list[bytes]]:
    """Welcome, and messages of real games for seat 0, each a question for every board."""
    rules = resolve({"preset": "danish", "target": 5000})
    decks = Decks(seed_secret("bench"), (), rules)
    games = [Board(rules, decks, number, number, 0, BOARDS) for number in range(BOARDS)]
    started: list[bytes] = []
    over: list[bytes] = []

    def go_on(game: Board) -> None:
        """Until seat 0 is asked."""
        while game.deal.turn < 0 or game.ask():
            if game.deal.turn < 0:
                over.extend(deals_over(game, [0]))
                game.end_deal()
                game.start_deal()
                started.extend(deals_started(game, [0]))
            else:
                _play(game, turn(game, game.seat, True))

    for game in games:
        game.start_deal()
        started += deals_started(game, [0])
        go_on(game)
    messages: list[bytes] = []
    for _ in range(MESSAGES):
        questions = [turn(game, 0, True) for game in games]
        messages.append(turns_message(300_000, (), started, over, questions))
        started, over = [], []
        for game, question in zip(games, questions, strict=True):
            _play(game, question)
            go_on(game)
    welcome = play_pb2.Welcome(protocol=1, rules=to_proto(rules), games=BOARDS)
    return play_pb2.PlayResponse(welcome=welcome).SerializeToString(), messages
