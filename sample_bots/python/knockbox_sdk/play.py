"""Plays one leg: connects, asks the bot, answers the referee.

The loop knows nothing of clocks and chance: the same questions get the same answers. Time is used
to wait for a referee that is not there yet, and the secrets module for the nonce of the shuffle.
"""

import inspect
import os
import secrets
import sys
import time
from collections.abc import Callable

from . import crash, explain
from .actions import Action, write
from .board import Board, result_of
from .state import State
from .stream import Ended, Stream
from .stubs import play_pb2
from .view import Seat

SDK = "knockbox-python/1"
PROTOCOL = 1
START_SECONDS = 10.0
RECONNECTIONS = 20

Bot = Callable[[State], Action]


def run(bot: Bot | Callable[[], Bot], *, max_boards: int = 0, want_deadwood: bool = True) -> None:
    """Play the leg that Knockbox started this program for, and return when it is over.

    `bot` is a function that takes the state and returns an action. Or it is a class, or a function
    without parameters: then it is called once a game, and what it makes plays that game (and, where
    it has a method `deal_over(result)`, hears how each deal ended). `max_boards` is the most games
    wanted at once, 0 for no limit; without `want_deadwood` the referee sends no deadwood.

    An exception of the bot passes through, so that the program ends with its traceback (printed
    without the frames of this SDK). Raises
    SystemExit with a message where the program was not started by Knockbox or the leg breaks off.
    """
    address, ticket = os.environ.get("KNOCKBOX_REFEREE"), os.environ.get("KNOCKBOX_TICKET")
    if not address or not ticket:
        raise SystemExit(
            "This program is a Knockbox bot: Knockbox starts it and tells it where the referee is\n"
            "(KNOCKBOX_REFEREE, KNOCKBOX_TICKET). To see it play:\n\n"
            "    knockbox match THIS_FOLDER OTHER_BOTS_FOLDER"
        )
    crash.install()
    ready = play_pb2.Ready(
        nonce=secrets.token_bytes(16), max_boards=max_boards, want_deadwood=want_deadwood
    )
    Leg(factory_of(bot), ready).play(address, ticket)


def factory_of(bot: Bot | Callable[[], Bot]) -> Callable[[], Bot]:
    """What makes the bot of each board. Raises TypeError for what is neither bot nor factory."""
    if not callable(bot):
        raise TypeError(f"run() takes a function or a class, not {bot!r}")
    if inspect.isclass(bot):
        return bot
    try:
        parameters = inspect.signature(bot).parameters
    except ValueError:
        parameters = {"state": None}
    if parameters:
        return lambda: bot  # pyright: ignore[reportReturnType]
    return bot  # pyright: ignore[reportReturnType]


class Leg:
    """One leg of a match for one seat, over as many connections as it takes."""

    def __init__(self, factory: Callable[[], Bot], ready: play_pb2.Ready) -> None:
        self.factory = factory
        self.ready = ready
        self.boards: dict[int, Board] = {}
        self.seat: Seat | None = None
        self.over: play_pb2.MatchOver | None = None
        self.last: dict[int, Action] = {}

    def play(self, address: str, ticket: str) -> None:
        """Play to the end. Raises SystemExit where there is none, and what the bot raises."""
        deadline = time.monotonic() + START_SECONDS
        lost = 0
        while self.over is None:
            try:
                self._connect(address, ticket)
                if self.over is None:
                    raise SystemExit("knockbox: the referee ended the leg without a result")
            except Ended as end:
                if self.over is not None:
                    return
                lost += self.seat is not None
                late = time.monotonic() > deadline if self.seat is None else lost > RECONNECTIONS
                if late or not end.lost:
                    raise SystemExit(f"knockbox: {end}") from None
                time.sleep(0.05 if self.seat is None else 0.1)

    def _connect(self, address: str, ticket: str) -> None:
        join = play_pb2.Join(ticket=ticket, sdk=SDK, protocol=PROTOCOL)
        request: play_pb2.PlayRequest | None = play_pb2.PlayRequest(join=join)
        with Stream(address) as stream:
            while (response := stream.exchange(request)) is not None:
                request = self._answer(response)

    def _answer(self, message: play_pb2.PlayResponse) -> play_pb2.PlayRequest | None:
        """The request that follows a response; None half-closes."""
        kind = message.WhichOneof("message")
        if kind == "turns":
            return play_pb2.PlayRequest(actions=self._decide(message.turns))
        if kind == "welcome":
            welcome = message.welcome
            self.seat = Seat(welcome.seat, welcome.rules, welcome.clock.untimed)
            return play_pb2.PlayRequest(ready=self.ready)
        if kind == "match_over":
            self._hear(message.match_over)
            self.over = message.match_over
            if self.over.reason != play_pb2.REASON_PLAYED:
                reason = play_pb2.Reason.Name(self.over.reason).removeprefix("REASON_").lower()
                print(f"knockbox: the leg ended by {reason}", file=sys.stderr, flush=True)
        return None

    def _decide(self, turns: play_pb2.Turns) -> play_pb2.Actions:
        for refused in turns.refused:
            name = play_pb2.RefusalCode.Name(refused.code).removeprefix("REFUSAL_CODE_").lower()
            answer = self.last.get(refused.decision) if refused.HasField("decision") else None
            print(explain.refusal(answer, name), file=sys.stderr, flush=True)
        self._hear(turns)
        assert self.seat is not None
        out = play_pb2.Actions()
        seat, boards, clock, last = self.seat, self.boards, turns.clock_left_ms, {}
        for turn in turns.turns:
            board = boards[turn.board]
            board.hear(turn)
            state = State(seat, board, turn, clock)
            action = ask(board.bot, state)
            last[action.decision] = action
            write(action, out)
        self.last = last
        return out

    def _hear(self, message: play_pb2.Turns | play_pb2.MatchOver) -> None:
        for deal in message.deals_started:
            board = self.boards.get(deal.board)
            if board is None:
                board = self.boards[deal.board] = Board(self.factory())
            board.begin(deal)
        for deal in message.deals_over:
            board = self.boards.get(deal.board)
            hook = getattr(board.bot, "deal_over", None) if board else None
            if hook is not None:
                hook(result_of(deal))


def ask(bot: Bot, state: State) -> Action:
    """The bot's answer, checked to be one. What the bot raises gets a note that says where."""
    try:
        action = bot(state)
        if type(action) is not Action or action.decision != state.turn.decision:
            raise explain.no_answer(state, action)
    except Exception as error:
        error.add_note(explain.context(state))
        raise
    return action
