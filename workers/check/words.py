"""A question and an answer in words, for whoever wrote the bot. Cards are written as "KC"."""

from collections.abc import Iterable

from knockbox.v1 import cards_pb2, match_pb2, play_pb2
from referee.rules.cards import FULL, PACK, name, show
from workers.sandbox.capture import printable


def phase(turn: play_pb2.Turn) -> str:
    """What is asked for, in a word: offer, draw, discard, layoff."""
    return named(turn.phase)


def named(phase: cards_pb2.Phase.ValueType) -> str:
    """A phase in a word."""
    return cards_pb2.Phase.Name(phase).removeprefix("PHASE_").lower()


def legal(turn: play_pb2.Turn) -> str:
    """The answers that a question takes."""
    may = turn.options
    choices = [
        word
        for word, allowed in (
            ("decline", may.may_decline),
            ("take", may.may_take),
            ("draw", may.may_draw),
            ("big_gin", may.may_big_gin),
        )
        if allowed
    ]
    if may.discards:
        choices.append(f"discard one of {show(may.discards)}")
    if may.knocks:
        choices.append(f"knock with one of {show(may.knocks)}")
    if turn.phase == cards_pb2.PHASE_LAYOFF:
        choices.append("lay_off")
    return ", or ".join(choices)


def answer(action: play_pb2.Action) -> str:
    """What a bot answered."""
    kind = action.WhichOneof("choice")
    if kind is None:
        return "no choice"
    if kind == "discard":
        said = f"discard {_card(action.discard.card)}"
    elif kind == "knock":
        said = f"knock {_card(action.knock.card)}{_melds(action.knock.melds)}"
    elif kind == "big_gin":
        said = f"big_gin{_melds(action.big_gin.melds)}"
    elif kind == "lay_off":
        laid = [f"{_card(each.card)} on meld {each.meld}" for each in action.lay_off.layoffs]
        said = " ".join([f"lay_off{_melds(action.lay_off.melds)}", ", ".join(laid)]).rstrip()
    else:
        said = kind  # decline, take, draw
    return said


def mishap(told: match_pb2.Mishap) -> str:
    """What went wrong: which question, what was answered, why that cannot be, what was legal."""
    if not told.HasField("turn"):
        if not told.size:
            return f"a message of it was refused: {told.why}"
        begins = printable(told.begins).replace("\n", "\\n")
        return f"a message of {told.size:,} bytes was refused: {told.why}; it begins {begins!r}"
    said = answer(told.action) if told.HasField("action") else "more than 1,024 bytes"
    return f"{asked(told)} it answered {said}: {told.why}. Legal: {legal(told.turn)}"


def asked(told: match_pb2.Mishap) -> str:
    """When it was asked what."""
    turn = told.turn
    return (
        f"in deal {told.deal} (decision {turn.decision}, phase {phase(turn)}, hand "
        f"{show(turn.hand)})"
    )


def listed(items: Iterable[str]) -> str:
    """Words with commas between, and "and" before the last."""
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


def _card(card: int) -> str:
    return name(card) if card < PACK else f"card {card}, which there is not"


def _melds(masks: Iterable[int]) -> str:
    melds = [show(mask & FULL) for mask in masks]
    return f" with the melds {'; '.join(melds)}" if melds else ""
