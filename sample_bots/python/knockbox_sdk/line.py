"""A question as one line of JSON: for logs, for tests, and for programs behind the bridge.

Every SDK writes the very same bytes: ASCII without spaces, the keys in this order, each always
there.
"""

import json
from typing import TYPE_CHECKING, Any

from .cards import names

if TYPE_CHECKING:
    from .view import View


def of(state: "View") -> str:
    """The line, without its end."""
    return json.dumps({**_table(state), **_choices(state), **_seen(state)}, separators=(",", ":"))


def _table(state: "View") -> dict[str, Any]:
    return {
        "board": state.board,
        "deal": state.deal,
        "seat": state.seat,
        "dealer": state.dealer,
        "phase": state.phase,
        "hand": state.hand,
        "top": state.top,
        "pile": state.pile,
        "stock": state.stock,
        "upcard": state.upcard,
        "taken": state.taken,
        "limit": state.limit,
        "multiplier": state.multiplier,
        "scores": state.scores,
        "boxes": state.boxes,
    }


def _choices(state: "View") -> dict[str, Any]:
    """What is legal. Deadwood is null where the referee was not asked for it, or has none."""
    knocks = names(state.options.knocks)
    return {
        "may_take": state.may_take,
        "may_draw": state.may_draw,
        "may_decline": state.may_decline,
        "may_big_gin": state.may_big_gin,
        "may_lay_off": state.may_lay_off,
        "deadwood": state.deadwood,
        "deadwood_if_taken": state.deadwood_if_taken if state.may_take else None,
        "discards": {card: state.deadwood_after.get(card) for card in state.discards},
        "knocks": {card: state.knocks.get(card) for card in knocks},
        "best_discard": state.best_discard if state.discards else None,
        "best_knock": state.best_knock if state.knocks else None,
    }


def _seen(state: "View") -> dict[str, Any]:
    return {
        "known": [state.known(seat) for seat in range(state.rules.players or 2)],
        "spreads": [spread._asdict() for spread in state.spreads],
        "table": state.table,
        "history": state.history,
        "chance": state.chance,
        "clock_left_ms": None if state.me.untimed else state.clock_left_ms,
    }
