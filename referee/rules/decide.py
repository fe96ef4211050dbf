"""Actions into events: what the seat to decide may do, and what comes of it.

`decide` changes nothing. It accepts exactly what `view.options_of` offers, and what a refusal says
never depends on a card that the seat does not hold.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from referee.rules.actions import (
    Action,
    BigGin,
    Decline,
    Discard,
    Draw,
    Knock,
    LayOff,
    Take,
)
from referee.rules.cards import PACK
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
from referee.rules.fold import source, void_reason
from referee.rules.layoff import best_answer, extended
from referee.rules.melds import are_melds, arrange, lay_out
from referee.rules.state import Deal, Phase


class Illegal(Exception):  # noqa: N818 - it is what the action is
    """An action that the rules do not allow now. `code` is one stable word."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def decide(deal: Deal, action: Action) -> list[Event]:
    """What `action` by the seat `deal.turn` brings about; Illegal when the rules forbid it."""
    phases, rule = _TABLE[type(action)]
    if deal.phase not in phases:
        if deal.phase is Phase.OVER:
            raise Illegal("over", "the deal is over")
        raise Illegal("phase", f"asked is: {_ASKED[deal.phase]}")
    return rule(deal, action)


def _decline(deal: Deal, _: Decline) -> list[Event]:
    return [Declined(deal.turn)]


def _take(deal: Deal, _: Take) -> list[Event]:
    if deal.must_draw:
        raise Illegal("must_draw", "everybody left the upcard: this turn draws from the stock")
    return [_took(deal.turn, deal.discards[-1])]


def _draw(deal: Deal, _: Draw) -> list[Event]:
    pile, at = source(deal, deal.turn)
    return [_drew(deal.turn, deal.piles[pile][at])]


def _discard(deal: Deal, action: Discard) -> list[Event]:
    card = _discardable(deal, action.card)
    events: list[Event] = [_discarded(deal.turn, card)]
    if not deal.stock_count and not void_reason(deal, deal.turns + 1):
        assert deal.shuffle is not None
        piles = deal.shuffle(deal.shuffles, tuple(deal.discards))
        events.append(Reshuffled(deal.turn, piles))
    return events


def _knock(deal: Deal, action: Knock) -> list[Event]:
    card = _discardable(deal, action.card)
    hand = deal.hands[deal.turn] ^ 1 << card
    if action.melds is None:
        shown = arrange(hand, deal.book)
    else:
        _check_melds(deal, hand, action.melds)
        shown = lay_out(hand, action.melds, deal.book)
    if shown.deadwood > deal.limit:
        limit = f"the limit is {deal.limit}" if deal.limit else "only gin ends this deal"
        raise Illegal("limit", f"deadwood {shown.deadwood} is too much: {limit}")
    return [Knocked(deal.turn, card, shown.melds)]


def _big_gin(deal: Deal, action: BigGin) -> list[Event]:
    if deal.rules.big_gin_bonus is None:
        raise Illegal("big_gin", "these rules know no big gin")
    hand = deal.hands[deal.turn]
    if action.melds is None:
        shown = arrange(hand, deal.book)
    else:
        _check_melds(deal, hand, action.melds)
        shown = lay_out(hand, action.melds, deal.book)
    if shown.deadwood:
        raise Illegal("big_gin", f"deadwood {shown.deadwood}: big gin melds every card")
    return [DeclaredBigGin(deal.turn, shown.melds)]


def _lay_off(deal: Deal, action: LayOff) -> list[Event]:
    seat = deal.turn
    hand = deal.hands[seat]
    spreads = deal.open_spreads(seat)
    open_melds = [meld for at in spreads for meld in deal.spreads[at].melds]
    if action.melds is None:
        if action.layoffs:
            raise Illegal("layoffs", "layoffs come with the own melds")
        best = best_answer(hand, open_melds, deal.book)
        return [LaidOff(seat, best.melds, best.layoffs)]
    if action.layoffs and not open_melds:
        raise Illegal("layoffs", "there is no meld to lay off on")
    for card, number in action.layoffs:
        if not 0 <= card < PACK or not hand >> card & 1:
            raise Illegal("not_held", "a card to lay off is not in the hand, or named twice")
        if not 0 <= number < len(open_melds):
            raise Illegal("layoffs", "there is no meld of that number")
        hand ^= 1 << card
    if extended(open_melds, action.layoffs, deal.book) is None:
        raise Illegal("layoffs", "with the cards laid on it a meld is no set and no run")
    _check_melds(deal, hand, action.melds)
    return [LaidOff(seat, action.melds, action.layoffs)]


def _discardable(deal: Deal, card: int) -> int:
    """`card`, if this turn may discard it."""
    if not 0 <= card < PACK or not deal.hands[deal.turn] >> card & 1:
        raise Illegal("not_held", "the card is not in the hand")
    if card == deal.taken and not deal.rules.may_return_taken_card:
        raise Illegal("taken", "the card just taken may not be discarded in the same turn")
    return card


def _check_melds(deal: Deal, hand: int, melds: tuple[int, ...]) -> None:
    if not are_melds(hand, melds, deal.book):
        raise Illegal("melds", "melds are sets and runs of own cards, each card in one at most")


# The events of nearly every turn, each made once: there are few.
_took, _drew, _discarded = cache(Took), cache(Drew), cache(Discarded)
_ASKED: Final = {
    Phase.OFFER: "take the upcard, or leave it",
    Phase.DRAW: "draw from the stock, or take the top of the discard pile",
    Phase.DISCARD: "discard, or knock",
    Phase.LAYOFF: "arrange the hand after the knock",
}
_TABLE: Final[dict[type[Action], tuple[tuple[Phase, ...], Callable[[Deal, Any], list[Event]]]]] = {
    Decline: ((Phase.OFFER,), _decline),
    Take: ((Phase.OFFER, Phase.DRAW), _take),
    Draw: ((Phase.DRAW,), _draw),
    Discard: ((Phase.DISCARD,), _discard),
    Knock: ((Phase.DISCARD,), _knock),
    BigGin: ((Phase.DISCARD,), _big_gin),
    LayOff: ((Phase.LAYOFF,), _lay_off),
}
