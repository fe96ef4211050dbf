"""Events into state: `apply` is the only thing that changes a deal.

Nothing is judged here: an event is taken to have happened. Whether it may is asked in `decide`.
"""

from collections.abc import Callable
from typing import Any, Final

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
from referee.rules.layoff import extended
from referee.rules.melds import Arrangement, arrange, lay_out
from referee.rules.scoring import Outcome, settle, void
from referee.rules.state import Deal, Phase, Spread

# Kinds of public events; the number times 16, plus the seat, is an event's first byte.
DECLINED: Final = 1 << 4
TOOK: Final = 2 << 4
DREW: Final = 3 << 4
DISCARDED: Final = 4 << 4
RESHUFFLED: Final = 5 << 4
NO_CARD: Final = 255
# Named once: looking a member up in its class is slow on the way of every turn.
_DRAW, _DISCARD = Phase.DRAW, Phase.DISCARD


def apply(deal: Deal, event: Event) -> None:
    """Change `deal` as `event` says. The event must be one that `decide` has given for it."""
    _FOLD[type(event)](deal, event)


def _declined(deal: Deal, event: Declined) -> None:
    deal.public += bytes((DECLINED | event.seat, NO_CARD))
    deal.turn = _left(deal, event.seat)
    if event.seat == deal.dealer:
        deal.phase = Phase.DRAW
        deal.must_draw = True


def _took(deal: Deal, event: Took) -> None:
    seat, card = event
    deal.hands[seat] |= 1 << card
    deal.discards.pop()
    deal.taken = card
    deal.phase = Phase.DISCARD
    deal.public += bytes((TOOK | seat, card))


def _drew(deal: Deal, event: Drew) -> None:
    seat, card = event
    deal.hands[seat] |= 1 << card
    own, at = source(deal, seat)
    deal.piles[own].pop(at)
    deal.stock_count -= 1
    deal.must_draw = False
    deal.phase = _DISCARD
    deal.public += bytes((DREW | seat, NO_CARD))


def _discarded(deal: Deal, event: Discarded) -> None:
    seat, card = event
    deal.hands[seat] ^= 1 << card
    deal.discards.append(card)
    deal.taken = -1
    deal.turns += 1
    deal.public += bytes((DISCARDED | seat, card))
    if deal.stock_count <= 2 or deal.turns >= deal.rules.turn_cap:
        reason = void_reason(deal, deal.turns)
        if reason:
            _end(deal, void(deal.rules, deal.dealer, reason))
            return
    deal.turn = (seat + 1) % len(deal.hands)
    deal.phase = _DRAW


def _knocked(deal: Deal, event: Knocked) -> None:
    seat, card, melds = event
    deal.hands[seat] ^= 1 << card
    deal.discards.append(card)
    if deal.rules.knock_discard_face_down:
        deal.hidden = 1
    else:
        deal.public += bytes((DISCARDED | seat, card))
    _show(deal, seat, lay_out(deal.hands[seat], melds, deal.book))
    _close(deal, seat, big_gin=False)


def _declared_big_gin(deal: Deal, event: DeclaredBigGin) -> None:
    seat, melds = event
    _show(deal, seat, lay_out(deal.hands[seat], melds, deal.book))
    _close(deal, seat, big_gin=True)


def _laid_off(deal: Deal, event: LaidOff) -> None:
    seat, melds, layoffs = event
    _extend(deal, seat, layoffs)
    hand = deal.hands[seat]
    for card, _ in layoffs:
        hand ^= 1 << card
    _show(deal, seat, lay_out(hand, melds, deal.book))
    deal.asked.pop(0)
    if deal.asked:
        deal.turn = deal.asked[0]
    else:
        _score(deal, big_gin=False)


def _reshuffled(deal: Deal, event: Reshuffled) -> None:
    del deal.discards[:-1]
    deal.piles = [list(reversed(pile)) for pile in event.piles]
    deal.stock_count = sum(map(len, event.piles))
    deal.shuffles += 1
    deal.public += bytes((RESHUFFLED | event.seat, NO_CARD))


def source(deal: Deal, seat: int) -> tuple[int, int]:
    """Where the next card of `seat` lies: pile, and index in it.

    A seat whose pile is empty draws from the end of the next pile to its left that is not.
    """
    piles = deal.piles
    own = deal.pile_of[seat]
    if own < len(piles) and piles[own]:
        return own, -1
    own %= len(piles)
    if piles[own]:
        return own, -1
    for step in range(1, len(piles)):
        other = (own + step) % len(piles)
        if piles[other]:
            return other, 0
    raise AssertionError("nobody is asked to draw from an empty stock")


def void_reason(deal: Deal, turns: int) -> str:
    """Why the deal is void by a discard that completes turn `turns` and is no knock; "" if not."""
    if deal.stock_count <= 2 and deal.rules.stock_end == "void_at_two":
        return "stock"
    return "turn_cap" if turns >= deal.rules.turn_cap else ""


def _left(deal: Deal, seat: int) -> int:
    return (seat + 1) % len(deal.hands)


def _show(deal: Deal, seat: int, shown: Arrangement) -> None:
    deal.spreads.append(Spread(seat, *shown))


def _close(deal: Deal, seat: int, big_gin: bool) -> None:
    """The last turn is over: ask the others, or show every hand at once."""
    rules = deal.rules
    deal.knocker = seat
    deal.taken = -1
    deal.turns += 1
    others = rules.left_of(seat)
    if rules.layoff != "off" and not big_gin and deal.spreads[0].deadwood:
        own = rules.side_of[seat]
        # Opponents first; a partner needs their arrangements.
        deal.asked = sorted(others, key=lambda other: rules.side_of[other] == own)
        deal.turn = deal.asked[0]
        deal.phase = Phase.LAYOFF
        return
    for other in others:
        _show(deal, other, arrange(deal.hands[other], deal.book))
    _score(deal, big_gin)


def _extend(deal: Deal, seat: int, layoffs: tuple[tuple[int, int], ...]) -> None:
    """Lay cards on the melds that are open to `seat`; each spread keeps its own melds."""
    if not layoffs:
        return
    spreads = deal.open_spreads(seat)
    melds = extended(
        [meld for at in spreads for meld in deal.spreads[at].melds], layoffs, deal.book
    )
    assert melds is not None
    for at in spreads:
        count = len(deal.spreads[at].melds)
        deal.spreads[at] = deal.spreads[at]._replace(melds=melds[:count])
        melds = melds[count:]


def _score(deal: Deal, big_gin: bool) -> None:
    deadwood = [0] * len(deal.hands)
    for shown in deal.spreads:
        deadwood[shown.seat] = shown.deadwood
    if deal.hidden:
        deal.hidden = 0
        deal.public += bytes((DISCARDED | deal.knocker, deal.discards[-1]))
    _end(
        deal,
        settle(deal.rules, deal.dealer, deal.multiplier, deal.knocker, deadwood, big_gin),
    )


def _end(deal: Deal, outcome: Outcome) -> None:
    deal.outcome = outcome
    deal.phase = Phase.OVER
    deal.turn = -1


_FOLD: Final[dict[type[Event], Callable[[Deal, Any], None]]] = {
    Declined: _declined,
    Took: _took,
    Drew: _drew,
    Discarded: _discarded,
    Knocked: _knocked,
    DeclaredBigGin: _declared_big_gin,
    LaidOff: _laid_off,
    Reshuffled: _reshuffled,
}
