"""Why an answer cannot be, in words: where the card is, and what would be legal.

Works from what the seat sees alone, and only when something has gone wrong.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .actions import Action, IllegalAction
from .cards import number

if TYPE_CHECKING:
    from .view import View


def choices(state: "View") -> str:
    """What the state would take, in one line."""
    options = state.options
    legal = []
    if options.may_decline:
        legal.append("decline()")
    if options.may_take:
        legal.append(f"take() {state.top}")
    if options.may_draw:
        legal.append("draw()")
    if options.may_big_gin:
        legal.append("big_gin()")
    if state.discards:
        legal.append("discard() one of " + " ".join(state.discards))
    if state.knocks:
        legal.append("knock() with one of " + " ".join(state.knocks))
    if state.phase == "layoff":
        legal.append("lay_off()")
    return f"in phase {state.phase} you may " + ", or ".join(legal or ["do nothing"])


def where(state: "View", card: str) -> str:
    """Where a card is, as far as the seat knows."""
    if card == state.taken:
        return "was taken from the pile in this turn"
    if card in state.hand:
        return "is in your hand"
    pile = state.pile
    if card in pile:
        below = len(pile) - 1 - pile.index(card)
        return "is the top of the discard pile" if not below else f"lies {below} deep in the pile"
    if card in state.opponent_known:
        return "is in an opponent's hand, taken from the pile"
    return "is not in your hand, and you have not seen it"


def refused_card(state: "View", kind: str, card: str) -> IllegalAction:
    """Why this card cannot be discarded or knocked with."""
    text = f"cannot {kind} {card}: it {where(state, card)}"
    if kind == "knock" and card in state.discards:
        left = state.deadwood_after.get(card)
        limit = f"the limit is {state.limit}" if state.limit else "only gin ends this deal"
        text += f", and {limit}" + (f", it would leave {left}" if left is not None else "")
    return IllegalAction(f"{text}; {choices(state)}")


def checked_layoffs(
    state: "View", layoffs: Mapping[str, int], own: tuple[int, ...]
) -> tuple[tuple[int, int], ...]:
    """Layoffs as pairs of numbers. Raises IllegalAction for a card or a meld that is not there."""
    pairs = []
    for card, meld in layoffs.items():
        at = number(card)
        if not state.turn.hand >> at & 1:
            raise IllegalAction(f"cannot lay off {card}: it {where(state, card)}")
        if any(mask >> at & 1 for mask in own):
            raise IllegalAction(f"cannot lay off {card}: it is in one of your own melds")
        if not 0 <= meld < len(state.table):
            melds = "; ".join(f"{n}: {' '.join(cards)}" for n, cards in enumerate(state.table))
            raise IllegalAction(f"cannot lay off {card} on meld {meld}; on the table are {melds}")
        pairs.append((at, meld))
    return tuple(pairs)


def no_answer(state: "View", answer: Any) -> IllegalAction:
    """What a bot gave back is no answer to what it was asked."""
    if isinstance(answer, Action):
        what = f"an answer to another question ({answer})"
    else:
        what = repr(answer)[:80]
    return IllegalAction(
        f"the bot answered with {what}; give back what one of the state's makers makes, "
        f"like state.draw(): {choices(state)}"
    )


def context(state: "View") -> str:
    """Where a bot's exception happened, for the line below its traceback."""
    pile = " ".join(state.pile[-5:])
    return (
        f"(asked in deal {state.deal}, phase {state.phase}: hand {' '.join(state.hand)}; "
        f"pile …{pile}; {choices(state)})"
    )


def refusal(answer: Action | None, code: str) -> str:
    """The line that tells of an answer that the referee did not take."""
    what = f"answer {answer}" if answer else "message"
    melds = ""
    if answer and (answer.melds or answer.layoffs or answer.declared):
        melds = "; are its melds sets and runs, and do they leave as much as you think?"
    return f"knockbox: the referee refused the {what} ({code}){melds}"
