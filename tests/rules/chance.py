"""Random rulesets, dealings and results that reach the corners of the rules.

Everything is drawn from one `random.Random`, so that a seed is a test case.
"""

from random import Random
from typing import Any

from tests.rules.model.cards import (
    PACK,
    RANKS,
    SUITS,
    Meld,
    in_pack_order,
)
from tests.rules.model.deal import Piles
from tests.rules.model.rulesets import PRESETS, WORDS, Rules, faults, ruleset

_NUMBERS: dict[str, tuple[Any, ...]] = {
    "players": (2, 2, 3, 4),
    "hand_size": (7, 8, 9, 10, 10, 10),
    "fixed_limit": (None, 1, 2, 5, 10),
    "gin_bonus": (0, 20, 25),
    "undercut_bonus": (0, 10, 25),
    "big_gin_bonus": (None, 0, 31, 31),
    "spade_multiplier": (1, 2, 3),
    "target": (None, 1, 30, 100, 200, 300),
    "game_bonus": (0, 100),
    "box_bonus": (0, 25),
    "columns": (1, 3),
    "turn_cap": (1, 3, 8, 40, 200, 200),
    "deal_cap": (1, 2, 5, 12, 100),
}
_SENSELESS: tuple[Any, ...] = (
    None,
    -1,
    0,
    1,
    2,
    3,
    5,
    11,
    True,
    False,
    "off",
    "none",
    "upcard",
    "",
)


def some_ruleset(chance: Random, changes: float) -> Rules:
    """A sound ruleset: a preset with about this share of its other fields changed."""
    choices = _NUMBERS | WORDS
    while True:
        asked: Rules = {"preset": chance.choice(PRESETS)}
        for field, values in choices.items():
            if chance.random() < (changes if field != "big_gin_bonus" else 0.4):
                asked[field] = chance.choice(values)
        if asked.get("partnership"):
            asked["players"] = 4
        rules = ruleset(asked)
        if rules["knock_limit"] != "upcard":
            asked["ace_upcard"] = None
        elif rules["ace_upcard"] is None:
            asked["ace_upcard"] = "limit_one"
        if rules["knock_limit"] != "fixed":
            asked["fixed_limit"] = None
        elif rules["fixed_limit"] is None:
            asked["fixed_limit"] = chance.randint(1, 10)
        if rules["knock_limit"] == "gin_only":
            asked["undercut_bonus"] = 0
        if not faults(ruleset(asked)):
            return asked


def any_ruleset(chance: Random) -> Rules:
    """A preset with a few overrides that need not make sense."""
    asked: Rules = {"preset": chance.choice(PRESETS)}
    fields = list(ruleset("german"))
    for field in chance.sample(fields, chance.randint(1, 3)):
        values = (_NUMBERS | WORDS).get(field, ())
        asked[field] = chance.choice((*values, *_SENSELESS))
    return asked


def some_meld(chance: Random) -> list[str]:
    """A set or a run of three to six cards; now and then one that the ace ends above the king."""
    if chance.random() < 0.5:
        rank = chance.choice(RANKS)
        return [rank + suit for suit in chance.sample(SUITS, chance.choice((3, 3, 4)))]
    ladder = RANKS + "A"
    low = chance.randrange(len(ladder) - 2)
    suit = chance.choice(SUITS)
    return [rank + suit for rank in ladder[low : low + chance.randint(3, 6)]]


def neighbours(card: str) -> list[str]:
    """The cards that may share a meld with `card`: of its rank, or next to it in its suit."""
    rank, suit = card
    at = RANKS.index(rank)
    beside = [RANKS[near % 13] + suit for near in (at - 1, at + 1)]
    return [rank + other for other in SUITS if other != suit] + beside


def some_cards(
    chance: Random, size: int, left: set[str], dealt: list[str], melds: float
) -> list[str]:
    """`size` cards out of `left`, more of them in melds, low or near those dealt by `melds`."""
    hand: list[str] = []
    while len(hand) < size:
        more = [chance.choice(sorted(left))]
        if chance.random() < melds * 0.7:
            more = some_meld(chance)
        elif dealt and chance.random() < melds:
            more = [chance.choice(neighbours(chance.choice(dealt)))]
        elif chance.random() < melds:
            more = [chance.choice("A23") + chance.choice(SUITS)]
        if left.issuperset(more) and len(hand) + len(more) <= size:
            hand += more
            dealt += more
            left.difference_update(more)
    return hand


def some_hands(chance: Random, rules: Rules) -> list[list[str]]:
    """Hands from loose cards to nearly all melded, and cards that fit other seats' melds."""
    left, dealt = set(PACK), list[str]()
    melds = chance.choice((0.0, 0.4, 0.7, 1.0, 1.4))
    hands = [
        some_cards(chance, rules["hand_size"], left, dealt, melds) for _ in range(rules["players"])
    ]
    return chance.sample(hands, len(hands))


def some_table(chance: Random, size: int, open_melds: int) -> tuple[list[str], list[Meld]]:
    """A hand in the order of the pack, and melds of other cards that it often fits."""
    left, dealt = set(PACK), list[str]()
    melds: list[Meld] = []
    for _ in range(open_melds):
        meld = some_meld(chance)
        if left.issuperset(meld):
            melds.append(frozenset(meld))
            dealt += meld
            left.difference_update(meld)
    return in_pack_order(some_cards(chance, size, left, dealt, chance.random())), melds


def cut(chance: Random, cards: list[str], piles: int) -> Piles:
    """The cards as this many piles, as even as can be."""
    cards = chance.sample(cards, len(cards))
    return [cards[pile::piles] for pile in range(piles)]


def some_deal(chance: Random, rules: Rules) -> dict[str, Any]:
    """The arguments of a deal; its stock is sometimes short."""
    hands = some_hands(chance, rules)
    left = [card for card in PACK if not any(card in hand for hand in hands)]
    chance.shuffle(left)
    if chance.random() < 0.5:
        left.sort(key=lambda card: card[0] not in "89TJQK")
    upcard = left.pop(0)
    if chance.random() < 0.3:
        fewest = 3 if rules["stock_end"] == "void_at_two" else 1
        left = chance.sample(left, min(len(left), chance.randint(fewest, 9)))
    piles = chance.choice((1, rules["players"]))
    stock = cut(chance, left, piles)
    if chance.random() < 0.4:
        for hand, pile in zip(hands, stock, strict=False):
            pile.sort(key=lambda card: len(set(neighbours(card)).intersection(hand)), reverse=True)
    return {
        "dealer": chance.randrange(rules["players"]),
        "hands": hands,
        "upcard": upcard,
        "piles": stock,
        "reshuffle": lambda number, cards: cut(
            Random(f"{number} {sorted(cards)}"), sorted(cards), piles
        ),
    }


def spoilt_deal(chance: Random, dealt: dict[str, Any]) -> dict[str, Any]:
    """The same deal with something amiss in its cards, or nearly so."""
    hands, piles = [list(hand) for hand in dealt["hands"]], [list(p) for p in dealt["piles"]]
    seat = chance.randrange(len(hands))
    match chance.randrange(6):
        case 0:
            hands[seat].pop()
        case 1:
            hands[seat][0] = hands[seat][1]
        case 2:
            hands[seat][0] = dealt["upcard"]
        case 3 if piles[-1]:
            piles[-1][-1] = chance.choice(PACK)
        case 4:
            hands.pop()
        case _:
            few = chance.randrange(5)
            piles = cut(chance, [card for pile in piles for card in pile][:few], len(piles))
    return dealt | {"hands": hands, "piles": piles}


def some_result(
    chance: Random, rules: Rules, favourite: int | None
) -> tuple[str, int, list[int], bool] | None:
    """Upcard, knocker, counts after layoffs, whether big gin; None is a void deal.

    Against a favourite nobody wins more than what the bonuses give for equal counts.
    """
    if chance.random() < 0.15:
        return None
    high = chance.choice((3, 12, 60))
    counts = [chance.randint(0, high) for _ in range(rules["players"])]
    knocker = chance.randrange(rules["players"])
    counts[knocker] = chance.choice((0, 1, 1, 2, 5, 10))
    if favourite is not None:
        knocker = favourite
        level = chance.random() < 0.3
        counts = [1 if level or seat == knocker else 2 + high for seat in range(len(counts))]
    big = counts[knocker] == 0 and rules["big_gin_bonus"] is not None and chance.random() < 0.5
    return chance.choice(PACK), knocker, counts, big
