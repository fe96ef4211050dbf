"""What bots answer, out of their messages into the rules' actions.

What bots are asked and told is `referee.wire.turns`.
"""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import DecodeError

from knockbox.v1 import play_pb2
from referee.rules.actions import Action, BigGin, Decline, Discard, Draw, Knock, LayOff, Take

NOTE_BYTES = 200
LEG_NOTE_BYTES = 1 << 20
"""Of all notes of one seat in one leg; what does not fit is left out."""
_CARDS = 52
_FULL = (1 << _CARDS) - 1
_MOST_MELDS = 4
_MOST_LAYOFFS = 11
_DECLINE, _TAKE, _DRAW = Decline(), Take(), Draw()
_DISCARDS = tuple(Discard(card) for card in range(_CARDS))


def actions_of(data: bytes) -> play_pb2.Actions | None:
    """The Actions in a bot's message, or None where it is something else."""
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return None
    return request.actions if request.WhichOneof("message") == "actions" else None


def action_of(message: play_pb2.Action) -> Action | None:
    """What a bot asks for, or None where the message can be no legal action in any deal."""
    choice = message.WhichOneof("choice")
    if message.note and len(message.note.encode()) > NOTE_BYTES:
        return None
    if choice == "discard":
        card = message.discard.card
        return _DISCARDS[card] if card < _CARDS else None
    if choice == "draw":
        return _DRAW
    if choice == "take":
        return _TAKE
    if choice == "decline":
        return _DECLINE
    return _showdown_of(message, choice)


def _showdown_of(message: play_pb2.Action, choice: str | None) -> Action | None:
    if choice == "knock":
        card, melds = message.knock.card, _melds(message.knock.melds)
        return None if melds is None or card >= _CARDS else Knock(card, melds or None)
    if choice == "big_gin":
        melds = _melds(message.big_gin.melds)
        return None if melds is None else BigGin(melds or None)
    if choice == "lay_off":
        return _lay_off(message.lay_off)
    return None


def _lay_off(message: play_pb2.LayOff) -> LayOff | None:
    melds = _melds(message.melds)
    if melds is None or len(message.layoffs) > _MOST_LAYOFFS:
        return None
    layoffs = tuple((layoff.card, layoff.meld) for layoff in message.layoffs)
    if any(card >= _CARDS for card, _ in layoffs):
        return None
    declared = message.as_declared or bool(melds) or bool(layoffs)
    return LayOff(melds, layoffs) if declared else LayOff()


def _melds(masks: Sequence[int]) -> tuple[int, ...] | None:
    if len(masks) > _MOST_MELDS or any(mask > _FULL for mask in masks):
        return None
    return tuple(masks)
