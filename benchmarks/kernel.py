"""Least deadwood and the best of eleven discards, against the brute force of the tests.

Rounds are interleaved and timed in CPU seconds; read the ratios, medians over the rounds. Hands
are random, or meld-rich: of four neighbouring ranks, where sets and runs compete for cards.
"""

import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from referee.rules.counts import deadwood
from referee.rules.discards import best_discard
from referee.rules.tables import book
from tests.rules import slow_model

_HANDS = 2_000
_SLOW_HANDS = 60


def measure(rounds: int) -> list[dict[str, Any]]:
    """A row for each kind of hand and question: µs a call of both ways, and how they compare."""
    tables = book(ace_high=False)
    rows = []
    for kind in ("random", "meld-rich"):
        for what, cards, fast, slow in (
            ("least deadwood", 10, deadwood, slow_model.deadwood),
            ("best discard", 11, best_discard, _slow_best_discard),
        ):
            hands = [_hand(kind, cards, seed) for seed in range(_HANDS)]
            masks = [sum(1 << card for card in hand) for hand in hands]
            pairs = [
                (
                    _each(lambda mask, fast=fast: fast(mask, tables), masks),
                    _each(slow, hands[:_SLOW_HANDS]),
                )
                for _ in range(rounds)
            ]
            rows.append(
                {
                    "question": what,
                    "hands": kind,
                    "tables_us": round(statistics.median(a for a, _ in pairs) * 1e6, 2),
                    "brute_us": round(statistics.median(b for _, b in pairs) * 1e6, 1),
                    "times_faster": round(statistics.median(b / a for a, b in pairs)),
                }
            )
    return rows


def _each(question: Callable[[Any], object], hands: Sequence[Any]) -> float:
    begin = time.process_time()
    for hand in hands:
        question(hand)
    return (time.process_time() - begin) / len(hands)


def _hand(kind: str, cards: int, seed: int) -> list[int]:
    chance = random.Random(seed)
    low = chance.randrange(10)
    ranks = range(13) if kind == "random" else range(low, low + 4)
    return chance.sample([suit * 13 + rank for suit in range(4) for rank in ranks], cards)


def _slow_best_discard(hand: list[int]) -> int:
    return min(slow_model.deadwood([card for card in hand if card != away]) for away in hand)
