"""Players of mixed styles: sensible, eager, random, and wrong.

Everything is drawn from one `random.Random`, so that a seed is a test case.
"""

from random import Random
from typing import Any

from tests.rules.model.cards import (
    PACK,
    Meld,
    arrangements,
    count,
    layoff_choices,
    least_deadwood,
    unmatched,
)
from tests.rules.model.deal import ModelDeal

Action = tuple[Any, ...]
STYLES = ("random", "greedy", "eager", "eager")


def some_decision(chance: Random, deal: ModelDeal, style: str, noise: float) -> Action:
    """What a player of this style does, or with the chance of `noise` any action at all."""
    if chance.random() < noise:
        return any_action(chance, deal)
    legal = deal.legal()
    hand = deal.hands[deal.turn]
    if deal.phase == "offer":
        return chance.choice((("pass",), ("take",)))
    if deal.phase == "draw":
        return ("take",) if legal["take"] and chance.random() < 0.4 else ("draw",)
    if deal.phase == "layoff":
        return some_layoff(chance, deal)
    if legal["big gin"] and chance.random() < 0.6:
        return ("big gin", chance.choice((None, some_arrangement(chance, deal, hand, 0))))
    if legal["knocks"] and chance.random() < (0.9 if style == "eager" else 0.25):
        card = chance.choice(sorted(legal["knocks"]))
        rest = [held for held in hand if held != card]
        declared = chance.random() < 0.5
        return (
            "knock",
            card,
            some_arrangement(chance, deal, rest, deal.limit) if declared else None,
        )
    if style == "random":
        return ("discard", chance.choice(sorted(legal["discards"])))
    after = {
        card: least_deadwood([held for held in hand if held != card], deal.rules)
        for card in sorted(legal["discards"])
    }
    return ("discard", min(after, key=after.__getitem__))


def some_arrangement(chance: Random, deal: ModelDeal, hand: list[str], limit: int) -> list[Meld]:
    """Melds of this hand that leave at most `limit`, not always the best, in any order."""
    found = [
        melds
        for melds in arrangements(frozenset(hand), deal.rules["ace_high_runs"])
        if count(unmatched(hand, melds)) <= limit
    ]
    melds = list(chance.choice(found)) if found else []
    return chance.sample(melds, len(melds))


def some_layoff(chance: Random, deal: ModelDeal) -> Action:
    """The referee's choice, or own melds and layoffs at random."""
    if chance.random() < 0.5:
        return ("layoff", None, [])
    hand = deal.hands[deal.turn]
    own = some_arrangement(chance, deal, hand, chance.choice((20, 100)))
    on = [deal.melds[owner][place] for owner, place in deal.targets(deal.turn)]
    found = list(layoff_choices(unmatched(hand, own), on, deal.rules["ace_high_runs"]))
    laid = list(chance.choice(found).items())
    return ("layoff", own, chance.sample(laid, len(laid)))


def any_action(chance: Random, deal: ModelDeal) -> Action:
    """An action that is nearly right, or not right at all."""
    hand = deal.hands[deal.turn]
    card = chance.choice((*hand, *hand, chance.choice(PACK)))
    rest = [held for held in hand if held != card]
    melds = some_arrangement(chance, deal, rest, chance.choice((0, 10, 100)))
    if chance.random() < 0.5:
        melds = spoilt(chance, melds, hand)
    laid = [
        (chance.choice(hand), chance.randint(-1, 4)) for _ in range(chance.choice((0, 0, 1, 2)))
    ]
    declared = chance.choice((None, melds, melds))
    actions: list[Action] = [
        ("pass",), ("take",), ("draw",), ("discard", card), ("knock", card, declared),
        ("big gin", declared), ("layoff", declared, laid),
    ]  # fmt: skip
    fitting = {"discard": actions[3:6], "layoff": actions[6:]}.get(deal.phase, actions[:3])
    return chance.choice((*actions, *fitting, *fitting))


def spoilt(chance: Random, melds: list[Meld], hand: list[str]) -> list[Meld]:
    """Melds with a card more or less, one meld twice or with a stranger."""
    melds = list(melds)
    kind = chance.randrange(5)
    if kind == 0 or not melds:
        return [*melds, frozenset(chance.sample(hand, min(len(hand), chance.randint(0, 4))))]
    at = chance.randrange(len(melds))
    if kind == 1:
        melds.append(melds[at])
    elif kind == 2:
        melds[at] |= {chance.choice(PACK)}
    elif kind == 3:
        melds[at] -= {chance.choice(sorted(melds[at]))}
    else:
        del melds[at]
    return melds
