"""What a bot answers, and what it hears when the answer cannot be.

Actions are made by the state that asks (`state.discard("KC")`), which knows what is legal; this
module holds their shape and their way onto the wire.
"""

from collections.abc import Iterable
from typing import NamedTuple

from .cards import ALL, CARDS, names, number
from .stubs import play_pb2


class IllegalAction(ValueError):  # noqa: N818 - reads as what it is where it is raised
    """The action cannot be: the text names the card, where it is, and what would be legal."""


class Action(NamedTuple):
    """One answer to one question. `card` and the cards of `melds` are numbers and masks."""

    decision: int
    kind: str
    card: int = -1
    melds: tuple[int, ...] = ()
    layoffs: tuple[tuple[int, int], ...] = ()
    declared: bool = False
    note: str = ""

    def __str__(self) -> str:
        words = [self.kind] + [_name(self.card)] * (self.card >= 0)
        words += [f"[{' '.join(names(meld & ALL))}]" for meld in self.melds]
        words += [f"{_name(card)}>{meld}" for card, meld in self.layoffs]
        return " ".join(words)


def _name(card: int) -> str:
    return CARDS[card] if 0 <= card < len(CARDS) else f"card {card}"


def checked_note(note: str) -> str:
    """The note, if it fits into 200 bytes."""
    size = len(note.encode())
    if size > 200:
        raise IllegalAction(f"a note has at most 200 bytes, this one has {size}: {note[:40]!r}…")
    return note


def meld_masks(melds: Iterable[Iterable[str]], hand: int, without: int = -1) -> tuple[int, ...]:
    """Melds given as lists of cards, as masks. Raises IllegalAction for a card that is not there.

    Whether they are sets and runs is for the referee to say.
    """
    masks: list[int] = []
    used = 0
    for meld in melds:
        if isinstance(meld, str):
            raise IllegalAction(f"a meld is a list of cards like ['4C', '4D', '4S'], not {meld!r}")
        mask = 0
        for card in meld:
            bit = 1 << number(card)
            if not hand & bit:
                raise IllegalAction(f"{card} is not in your hand: {' '.join(names(hand))}")
            if without >= 0 and bit == 1 << without:
                raise IllegalAction(f"{card} is the card you discard; it cannot be in a meld")
            if used & bit:
                raise IllegalAction(f"{card} is in two melds")
            used |= bit
            mask |= bit
        masks.append(mask)
    return tuple(masks)


def write(action: Action, out: play_pb2.Actions) -> None:
    """Add the action to the message that answers a batch."""
    message = out.actions.add()
    message.decision = action.decision
    kind = action.kind
    if kind == "discard":
        message.discard.card = action.card
    elif kind == "draw":
        message.draw.SetInParent()
    elif kind == "take":
        message.take.SetInParent()
    elif kind == "decline":
        message.decline.SetInParent()
    elif kind == "knock":
        message.knock.card = action.card
        message.knock.melds.extend(action.melds)
    elif kind == "big_gin":
        message.big_gin.SetInParent()
        message.big_gin.melds.extend(action.melds)
    else:
        _write_layoff(action, message.lay_off)
    if action.note:
        message.note = action.note


def _write_layoff(action: Action, message: play_pb2.LayOff) -> None:
    message.SetInParent()
    message.melds.extend(action.melds)
    for card, meld in action.layoffs:
        message.layoffs.add(card=card, meld=meld)
    message.as_declared = action.declared
