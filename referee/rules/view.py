"""What one seat may see, and what it may do: built by inclusion, from nothing but that.

`view` is the question to the seat whose turn it is; `seen` is all that a seat may know at any time.
Neither reads another hand, a pile, or the hidden discard of a knock.
"""

from functools import cache
from typing import NamedTuple

from referee.rules.cards import members
from referee.rules.counts import deadwood
from referee.rules.discards import after_discards, least_after_discard
from referee.rules.scoring import Outcome
from referee.rules.state import Deal, Phase, Spread

# Named once: looking a member up in its class is slow on the way of every question.
_OFFER, _DISCARD, _LAYOFF = Phase.OFFER, Phase.DISCARD, Phase.LAYOFF


class Options(NamedTuple):
    """The legal answers, as Options in play.proto; counts by card are bytes, cards ascending."""

    may_decline: bool = False
    may_take: bool = False
    may_draw: bool = False
    discards: int = 0
    knocks: int = 0
    knock_deadwood: bytes = b""
    may_big_gin: bool = False
    discard_deadwood: bytes = b""
    deadwood: int = 0
    deadwood_if_taken: int = 0
    may_lay_off: bool = False


class View(NamedTuple):
    """One question: a snapshot of all that changes in a deal, for the seat that decides."""

    phase: Phase
    hand: int
    top: int  # -1: no card
    stock: int
    events: bytes  # public events, as Turn.events in play.proto
    options: Options
    spreads: tuple[Spread, ...]  # those that may be laid off on first, as meld numbers count


class Seen(NamedTuple):
    """All that a seat may know of a deal. Cards are numbers, hands and melds masks."""

    seat: int
    phase: Phase
    turn: int
    dealer: int
    hand: int
    upcard: int
    limit: int
    multiplier: int
    pile: tuple[int, ...]  # bottom to top
    stock: int
    turns: int
    events: bytes
    spreads: tuple[Spread, ...]
    outcome: Outcome | None


def view(deal: Deal, seat: int, since: int, want_deadwood: bool) -> View:
    """The question to `seat`, whose turn it is; `since` is the length of `deal.public` it knows."""
    hand = deal.hands[seat]
    at = len(deal.discards) - deal.hidden
    return View(
        deal.phase,
        hand,
        deal.discards[at - 1] if at else -1,
        deal.stock_count,
        deal.public[since:],
        options_of(deal, seat, want_deadwood),
        _spreads_for(deal, seat) if deal.spreads else (),
    )


def seen(deal: Deal, seat: int) -> Seen:
    """Everything that `seat` may know now, whoever is to decide, and when the deal is over."""
    return Seen(
        seat,
        deal.phase,
        deal.turn,
        deal.dealer,
        deal.hands[seat],
        deal.upcard,
        deal.limit,
        deal.multiplier,
        deal.pile,
        deal.stock_count,
        deal.turns,
        deal.public,
        tuple(deal.spreads),
        deal.outcome,
    )


def options_of(deal: Deal, seat: int, want_deadwood: bool) -> Options:
    """What `seat`, whose turn it is, may do; `decide` accepts this and nothing else."""
    phase = deal.phase
    if phase is _DISCARD:
        return _discard_options(deal, deal.hands[seat], want_deadwood)
    if phase is _LAYOFF:
        return Options(may_lay_off=bool(deal.open_spreads(seat)))
    offer = phase is _OFFER
    may_take = not deal.must_draw
    if not want_deadwood:
        return _beginning(offer, may_take)
    hand = deal.hands[seat]
    now = deadwood(hand, deal.book)
    taken = _deadwood_if_taken(deal, hand) if may_take else 0
    return _beginning(offer, may_take, now, taken)


@cache
def _beginning(offer: bool, may_take: bool, now: int = 0, taken: int = 0) -> Options:
    """What a turn may begin with, and the deadwood where it is wanted; there are few, made once."""
    return Options(offer, may_take, not offer, deadwood=now, deadwood_if_taken=taken)


def _discard_options(deal: Deal, hand: int, want_deadwood: bool) -> Options:
    discards = hand
    taken = -1 if deal.rules.may_return_taken_card else deal.taken
    if taken >= 0:
        discards ^= 1 << taken
    book = deal.book
    no_big_gin = deal.rules.big_gin_bonus is None
    if not want_deadwood and no_big_gin and least_after_discard(hand, book, taken) > deal.limit:
        # Most turns are like this: no knock, and nobody wants the counts.
        return Options(False, False, False, discards)
    counts = after_discards(hand, book)
    if taken >= 0:
        at = (hand & (1 << taken) - 1).bit_count()
        counts = counts[:at] + counts[at + 1 :]
    limit = deal.limit
    knocks = 0
    knock_deadwood = b""
    if min(counts) <= limit:
        pairs = [
            (card, count)
            for card, count in zip(members(discards), counts, strict=True)
            if count <= limit
        ]
        for card, _ in pairs:
            knocks |= 1 << card
        knock_deadwood = bytes([count for _, count in pairs])
    may_big_gin = not no_big_gin and not deadwood(hand, book)
    return Options(
        False,
        False,
        False,
        discards,
        knocks,
        knock_deadwood,
        may_big_gin,
        counts if want_deadwood else b"",
    )


def _deadwood_if_taken(deal: Deal, hand: int) -> int:
    """Least deadwood after taking the top of the pile and the best discard that is then legal."""
    card = deal.discards[-1]
    keep = -1 if deal.rules.may_return_taken_card else card
    return least_after_discard(hand | 1 << card, deal.book, keep)


def _spreads_for(deal: Deal, seat: int) -> tuple[Spread, ...]:
    first = deal.open_spreads(seat)
    rest = [at for at in range(len(deal.spreads)) if at not in first]
    return tuple(deal.spreads[at] for at in (*first, *rest))
