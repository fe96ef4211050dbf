"""One deal, from dealt cards to its outcome: the door to `state`, `decide` and `fold`.

A deal is a fold over events: live play, replays and tests decide actions into events and apply
them, and nothing else ever changes one.
"""

from referee.rules.actions import Action, BigGin, Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.decide import Illegal, decide
from referee.rules.events import (
    DeclaredBigGin,
    Declined,
    Discarded,
    Drew,
    Event,
    Knocked,
    LaidOff,
    Reshuffled,
    Took,
)
from referee.rules.fold import apply
from referee.rules.scoring import Outcome
from referee.rules.state import Deal, DealError, Dealing, Phase, Spread, start

__all__ = [
    "Deal",
    "DealError",
    "Dealing",
    "Illegal",
    "Outcome",
    "Phase",
    "Spread",
    "act",
    "action_of",
    "apply",
    "decide",
    "start",
]


def act(deal: Deal, action: Action) -> list[Event]:
    """Decide `action` for the seat whose turn it is and apply all that comes of it; or Illegal."""
    events = decide(deal, action)
    for event in events:
        apply(deal, event)
    return events


def action_of(event: Event) -> Action | None:
    """The action that an event came of; None for what follows by itself (a reshuffle).

    Deciding it in the same state gives the same event: this is how a replay is judged.
    """
    match event:
        case Declined():
            return Decline()
        case Took():
            return Take()
        case Drew():
            return Draw()
        case Discarded(_, card):
            return Discard(card)
        case Knocked(_, card, melds):
            return Knock(card, melds)
        case DeclaredBigGin(_, melds):
            return BigGin(melds)
        case LaidOff(_, melds, layoffs):
            return LayOff(melds, layoffs)
        case Reshuffled():
            return None
