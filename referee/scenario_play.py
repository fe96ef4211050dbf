"""The verb `play`: a hand-made deal, a script of actions, and where they lead.

The answer knows every card; what one seat may see of it is added by `view_seat`, and is made of
`view.seen` alone.
"""

import re
from collections.abc import Mapping
from typing import Final

from referee.reading import (
    FieldError,
    Json,
    as_card,
    as_cards,
    as_int,
    as_list,
    as_set,
    card_list,
    required,
)
from referee.rules import script
from referee.rules.actions import Discard, Draw
from referee.rules.cards import PACK, name
from referee.rules.deal import Deal, Dealing, Illegal, Phase, act, start
from referee.rules.events import Drew
from referee.rules.ruleset import Ruleset, resolve
from referee.rules.state import Piles, Shuffle
from referee.rules.view import options_of, seen

_THROW: Final = re.compile(r"x([1-9][0-9]{0,5}) throw")
_EVENTS: Final[Mapping[int, str]] = {
    1: "declined",
    2: "took",
    3: "drew",
    4: "discarded",
    5: "reshuffled",
}


def play(line: Json, view_seat: int | None = None) -> Json:
    """Deal, follow the script, and say where the deal stands; FieldError for a bad field."""
    rules = resolve(required(line, "rules"))
    if view_seat is not None:
        as_int(view_seat, "view", 0, rules.players - 1)
    deal = deal_of(line, rules)
    found: Json | None = None
    for index, text in enumerate(as_list(line.get("actions", []), "actions")):
        try:
            _follow(deal, text)
        except Illegal as refusal:
            found = {"refused": index, "code": refusal.code, "message": refusal.message}
            break
        except script.ScriptError as error:
            raise FieldError("actions", str(error)) from None
    if found is None:
        found = _standing(deal)
    if view_seat is not None:
        found["view"] = _seen_by(deal, view_seat)
    return found


def deal_of(line: Json, rules: Ruleset) -> Deal:
    """The deal that a line sets up."""
    dealer = as_int(required(line, "dealer"), "dealer", 0, rules.players - 1)
    hands = tuple(as_set(hand, "hands") for hand in as_list(required(line, "hands"), "hands"))
    upcard = as_card(required(line, "upcard"), "upcard")
    if "piles" in line:
        if "stock" in line:
            raise FieldError("piles", "stock and piles are two ways to say the same")
        piles = tuple(as_cards(pile, "piles") for pile in as_list(line["piles"], "piles"))
        if len(piles) != rules.players:
            raise FieldError("piles", "a pile for each seat")
        pile_of = tuple(range(rules.players))
    else:
        dealt = 1 << upcard
        for hand in hands:
            dealt |= hand
        piles = (_stock(as_cards(line.get("stock", ""), "stock"), dealt),)
        pile_of = (0,) * rules.players
    return start(rules, 1, dealer, Dealing(hands, upcard, piles, pile_of), _shuffle(line))


def _stock(first: tuple[int, ...], dealt: int) -> tuple[int, ...]:
    """The stock that begins with `first` and goes on in the order of the pack."""
    if any(dealt >> card & 1 for card in first):
        raise FieldError("stock", "a card is dealt twice")
    return first + tuple(
        card for card in range(PACK) if not dealt >> card & 1 and card not in first
    )


def _shuffle(line: Json) -> Shuffle:
    stocks = [
        as_cards(stock, "reshuffles") for stock in as_list(line.get("reshuffles", []), "reshuffles")
    ]

    def shuffle(k: int, cards: tuple[int, ...]) -> Piles:
        first = stocks[k] if k < len(stocks) else ()
        if not set(first) <= set(cards):
            raise FieldError("reshuffles", "a stock holds a card that is not there to be shuffled")
        return (first + tuple(card for card in sorted(cards) if card not in first),)

    return shuffle


def _follow(deal: Deal, text: object) -> None:
    if not isinstance(text, str):
        raise FieldError("actions", "actions are strings")
    throw = _THROW.fullmatch(" ".join(text.split()))
    if throw is None:
        act(deal, script.read(text))
        return
    for _ in range(int(throw[1])):
        for event in act(deal, Draw()):
            if isinstance(event, Drew):
                act(deal, Discard(event.card))


def _standing(deal: Deal) -> Json:
    outcome = deal.outcome
    scored = outcome if outcome and outcome.winner is not None else None
    return {
        "end": outcome.end if outcome else None,
        "reason": outcome.reason or None if outcome else None,
        "limit": deal.limit,
        "multiplier": deal.multiplier,
        "deadwood": list(scored.deadwood) if scored else None,
        "points": list(outcome.points) if outcome else None,
        "winner": scored.winner if scored else None,
        "next_dealer": outcome.next_dealer if outcome else None,
        "phase": deal.phase.name.lower(),
        "turn": None if deal.phase is Phase.OVER else deal.turn,
        "stock": deal.stock_count,
        "turns": deal.turns,
        "top": _card_or_none(deal.top),
        "pile": len(deal.pile),
    }


def _seen_by(deal: Deal, seat: int) -> Json:
    sight = seen(deal, seat)
    outcome = sight.outcome
    found: Json = {
        "seat": seat,
        "phase": sight.phase.name.lower(),
        "turn": None if sight.phase is Phase.OVER else sight.turn,
        "dealer": sight.dealer,
        "hand": card_list(sight.hand),
        "upcard": name(sight.upcard),
        "limit": sight.limit,
        "multiplier": sight.multiplier,
        "pile": [name(card) for card in sight.pile],
        "stock": sight.stock,
        "turns": sight.turns,
        "events": _events(sight.events),
        "spreads": [
            {
                "seat": shown.seat,
                "melds": [card_list(meld) for meld in shown.melds],
                "unmatched": card_list(shown.unmatched),
                "deadwood": shown.deadwood,
            }
            for shown in sight.spreads
        ],
    }
    if outcome:
        found |= {"end": outcome.end, "points": list(outcome.points)}
    elif sight.turn == seat:
        options = options_of(deal, seat, want_deadwood=False)
        found |= {
            "may_decline": options.may_decline,
            "may_take": options.may_take,
            "may_draw": options.may_draw,
            "discards": card_list(options.discards),
            "knocks": card_list(options.knocks),
            "may_big_gin": options.may_big_gin,
            "may_lay_off": options.may_lay_off,
        }
    return found


def _events(public: bytes) -> list[Json]:
    """Public events, two bytes each, in words."""
    found: list[Json] = []
    for kind, card in zip(public[::2], public[1::2], strict=True):
        event: Json = {"seat": kind & 15, "event": _EVENTS[kind >> 4]}
        if card < PACK:
            event["card"] = name(card)
        found.append(event)
    return found


def _card_or_none(card: int) -> str | None:
    return None if card < 0 else name(card)
