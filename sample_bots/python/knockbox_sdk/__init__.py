"""Play Oklahoma Gin on Knockbox. A bot is a function from a state to an action:

    from knockbox_sdk import run

    def bot(state):
        if state.knocks:
            return state.knock(state.best_knock)
        if state.discards:
            return state.discard(state.best_discard)
        if state.may_take and state.deadwood_if_taken < state.deadwood:
            return state.take()
        return state.otherwise()

    run(bot)

This folder is all there is: copy it beside the bot. It needs `pip install grpcio protobuf`.
What a state has: view.py. What a bot can answer: state.py. A state for a test: question.py.
"""

from .actions import Action, IllegalAction
from .board import DealResult, Spread
from .cards import CARDS, RANKS, SUITS, rank, suit
from .play import run
from .question import question
from .state import State

__all__ = [
    "CARDS",
    "RANKS",
    "SUITS",
    "Action",
    "DealResult",
    "IllegalAction",
    "Spread",
    "State",
    "question",
    "rank",
    "run",
    "suit",
]
