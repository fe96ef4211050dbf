"""Cards, melds, arrangements and layoffs: each found by its definition, by trying everything.

A card is a string of rank and suit ("KC"), a meld a frozen set of cards. Nothing is fast here, and
nothing may come from the engine.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, TypeVar

from tests.rules.model.rulesets import Rules

RANKS = "A23456789TJQK"
SUITS = "CDHS"
PACK = [rank + suit for suit in SUITS for rank in RANKS]

Meld = frozenset[str]
Choice = TypeVar("Choice")


class RefusedError(Exception):
    """An action that the rules do not allow now; the state of the deal is as before."""


class AmbiguousError(Exception):
    """The rules as written leave more than one best choice: a gap in the rules."""


def in_pack_order(cards: Iterable[str]) -> list[str]:
    """§5: the order of the pack: clubs, diamonds, hearts, spades, ace to king in each."""
    return sorted(cards, key=PACK.index)


def count(cards: Iterable[str]) -> int:
    """§1: deadwood: ace 1, number cards their pips, T J Q K ten."""
    return sum(10 if card[0] in "TJQK" else RANKS.index(card[0]) + 1 for card in cards)


def is_set(cards: Iterable[str]) -> bool:
    """§1: three or four cards of one rank."""
    cards = set(cards)
    return len(cards) in (3, 4) and len({card[0] for card in cards}) == 1


def running_order(cards: Iterable[str], ace_high: bool) -> list[str] | None:
    """§1: the cards of a run from its lowest, or None if they are no run.

    The ace stands below the 2; under the house rule it may stand above the king instead.
    """
    cards = set(cards)
    if len(cards) < 3 or len({card[1] for card in cards}) != 1:
        return None
    for ladder in (RANKS, RANKS[1:] + "A") if ace_high else (RANKS,):
        steps = sorted(ladder.index(card[0]) for card in cards)
        if steps == list(range(steps[0], steps[0] + len(steps))):
            return sorted(cards, key=lambda card: ladder.index(card[0]))
    return None


def is_meld(cards: Iterable[str], ace_high: bool) -> bool:
    """§1: a set or a run."""
    cards = list(cards)
    return is_set(cards) or running_order(cards, ace_high) is not None


def melds_in(cards: Iterable[str], ace_high: bool) -> list[Meld]:
    """§1: every meld that these cards hold, overlapping ones among them."""
    cards = in_pack_order(cards)
    found: list[Meld] = []
    for rank in RANKS:
        same_rank = [card for card in cards if card[0] == rank]
        found += [frozenset(some) for size in (3, 4) for some in combinations(same_rank, size)]
    for suit in SUITS:
        for ladder in (RANKS, RANKS[1:] + "A") if ace_high else (RANKS,):
            for low in range(len(ladder)):
                run: list[str] = []
                for rank in ladder[low:]:
                    if rank + suit not in cards:
                        break
                    run.append(rank + suit)
                    if len(run) >= 3:
                        found.append(frozenset(run))
    return list(dict.fromkeys(found))


@lru_cache(maxsize=100_000)
def arrangements(cards: Meld, ace_high: bool) -> list[tuple[Meld, ...]]:
    """§1: every choice of melds that share no card, from no meld at all upwards."""

    def choices(left: list[Meld]) -> Iterator[tuple[Meld, ...]]:
        yield ()
        for place, meld in enumerate(left):
            apart = [other for other in left[place + 1 :] if not other & meld]
            for more in choices(apart):
                yield (meld, *more)

    return list(choices(melds_in(cards, ace_high)))


def unmatched(cards: Iterable[str], melds: Iterable[Meld]) -> list[str]:
    """The cards that are in none of the melds."""
    melded = set().union(*melds)
    return [card for card in cards if card not in melded]


@lru_cache(maxsize=100_000)
def _least(cards: Meld, ace_high: bool) -> int:
    return min(count(unmatched(cards, melds)) for melds in arrangements(cards, ace_high))


def least_deadwood(cards: Iterable[str], rules: Rules) -> int:
    """§1: the exact least deadwood of these cards."""
    return _least(frozenset(cards), rules["ace_high_runs"])


def runs_are_whole(melds: Sequence[Meld], ace_high: bool) -> bool:
    """§5: no two runs of the arrangement could be one."""
    runs = [meld for meld in melds if not is_set(meld)]
    return not any(running_order(a | b, ace_high) for a, b in combinations(runs, 2))


def rank_of_arrangement(melds: Sequence[Meld], ace_high: bool) -> tuple[Any, ...]:
    """§5, among equal deadwood: fewest cards in sets, first set cards, the ace low."""
    set_cards = sorted(PACK.index(card) for meld in melds if is_set(meld) for card in meld)
    runs = [running_order(meld, ace_high) for meld in melds if not is_set(meld)]
    high_aces = sum(1 for run in runs if run and run[-1][0] == "A")
    return len(set_cards), set_cards, high_aces


def numbered(melds: Iterable[Meld], ace_high: bool) -> list[Meld]:
    """§5: sets first, then runs, each by its first card (a run by its lowest)."""

    def number(meld: Meld) -> tuple[bool, int]:
        run = running_order(meld, ace_high)
        first = run[0] if run else in_pack_order(meld)[0]
        return run is not None, PACK.index(first)

    return sorted(melds, key=number)


def only_best(choices: Iterable[Choice], key: Callable[[Choice], tuple[Any, ...]]) -> Choice:
    """The one choice of the least key; two of them are a gap in the rules."""
    ranked = [(key(choice), choice) for choice in choices]
    least = min(rank for rank, _ in ranked)
    best = [choice for rank, choice in ranked if rank == least]
    if len(best) > 1:
        raise AmbiguousError(f"{best[0]} or {best[1]}")
    return best[0]


def arrange(cards: Iterable[str], rules: Rules) -> list[Meld]:
    """§5: the arrangement that the referee makes where nobody declared one."""
    ace_high = rules["ace_high_runs"]
    cards = frozenset(cards)
    whole = [melds for melds in arrangements(cards, ace_high) if runs_are_whole(melds, ace_high)]
    best = only_best(
        whole,
        lambda melds: (count(unmatched(cards, melds)), *rank_of_arrangement(melds, ace_high)),
    )
    return numbered(best, ace_high)


def check_arrangement(cards: Iterable[str], melds: Sequence[Meld], rules: Rules) -> None:
    """§1, §5: declared melds are melds of one's own cards, and no card is in two."""
    named = [card for meld in melds for card in meld]
    if len(named) != len(set(named)) or not set(named) <= set(cards):
        raise RefusedError("a card that is not there, or named twice")
    if not all(is_meld(meld, rules["ace_high_runs"]) for meld in melds):
        raise RefusedError("neither a set nor a run")


def layoff_choices(
    cards: Iterable[str], targets: Sequence[Meld], ace_high: bool, first: int = 0
) -> Iterator[dict[str, int]]:
    """§5: every way to lay some of these cards on the melds: card -> number of the meld."""
    if first == len(targets):
        yield {}
        return
    target = targets[first]
    for grown in melds_in({*cards, *target}, ace_high):
        if target <= grown:  # the meld as it is among them
            added = grown - target
            rest = [card for card in cards if card not in added]
            for more in layoff_choices(rest, targets, ace_high, first + 1):
                yield dict.fromkeys(added, first) | more


def arrange_and_lay_off(
    cards: Iterable[str], targets: Sequence[Meld], rules: Rules
) -> tuple[list[Meld], dict[str, int]]:
    """§5: the referee's joint choice of own melds and layoffs."""
    ace_high = rules["ace_high_runs"]
    cards = frozenset(cards)

    def key(choice: tuple[tuple[Meld, ...], dict[str, int]]) -> tuple[Any, ...]:
        melds, laid = choice
        left = [card for card in unmatched(cards, melds) if card not in laid]
        numbers = [laid[card] for card in in_pack_order(laid)]
        return count(left), len(laid), *rank_of_arrangement(melds, ace_high), numbers

    melds, laid = only_best(
        (
            (melds, laid)
            for melds in arrangements(cards, ace_high)
            if runs_are_whole(melds, ace_high)
            for laid in layoff_choices(unmatched(cards, melds), targets, ace_high)
        ),
        key,
    )
    return numbered(melds, ace_high), laid
