"""Hands counted and deals played, against OpenSpiel's gin rummy in the same run.

`pip install 'knockbox[bench]'` brings OpenSpiel. Rounds are interleaved and timed in CPU seconds
of this process; read the ratios, medians over the rounds. Hands are random, or meld-rich: ten or
eleven cards of four neighbouring ranks, where sets and runs compete for cards. Whole deals: our
greedy policy against itself, and OpenSpiel's own simple bots, both under Oklahoma rules and stepped
from Python. Their `min_deadwood` of eleven cards is the least over every discard too.
"""

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from referee import selfplay
from referee.deck import Decks, seed_secret
from referee.rules.counts import deadwood
from referee.rules.discards import best_discard
from referee.rules.ruleset import resolve
from referee.rules.tables import book

_HANDS = 2_000
_DEALS = 400
_THEIR_DEALS = 20
_TABLES = 5
# The aims: time of ours by time of theirs, at most; deals a second, at least so many times theirs.
_AIMS = {
    "least deadwood, random": 0.5,
    "least deadwood, meld-rich": 0.5,
    "best of eleven discards, random": 0.7,
    "best of eleven discards, meld-rich": 0.7,
    "whole deals": 12.0,
    "tables": 20.0,
}


def measure(rounds: int = 5) -> dict[str, Any]:
    """All figures: `hands`, a row for each question; `deals`; `tables_ms`, to build a book."""
    import pyspiel

    theirs = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10).min_deadwood
    tables = book(ace_high=False)
    rows: list[dict[str, Any]] = []
    for what, cards, ours in (
        ("least deadwood", 10, deadwood),
        ("best of eleven discards", 11, best_discard),
    ):
        for kind in ("random", "meld-rich"):
            hands = [_hand(kind, cards, seed) for seed in range(_HANDS)]
            masks = [sum(1 << card for card in hand) for hand in hands]
            pairs = [
                (
                    _each(ours, [(mask, tables) for mask in masks]),
                    _each(theirs, [(h,) for h in hands]),
                )
                for _ in range(rounds)
            ]
            question = f"{what}, {kind}"
            rows.append({"question": question, **_compared(pairs), "aim": _AIMS[question]})
    deals = [(_our_deals(seed), _their_deals(pyspiel, seed)) for seed in range(rounds)]
    return {
        "hands": rows,
        "deals": {
            "ours_per_second": round(statistics.median(a for a, _ in deals)),
            "theirs_per_second": round(statistics.median(b for _, b in deals)),
            "ratio": round(statistics.median(a / b for a, b in deals), 1),
            "aim": _AIMS["whole deals"],
        },
        "tables_ms": round(statistics.median(_table_ms() for _ in range(_TABLES)), 1),
    }


def table(measured: dict[str, Any]) -> str:
    """The figures for people."""
    lines = ["Rules against OpenSpiel's gin rummy, CPU time, medians of interleaved rounds"]
    for row in measured["hands"]:
        lines.append(
            f"  {row['question']:<36}{row['ours_us']:7.2f} µs{row['theirs_us']:8.2f} µs"
            f"{row['ratio']:7.2f} x   aim at most {row['aim']}"
        )
    deals = measured["deals"]
    lines.append(
        f"  {'whole deals, greedy in process':<36}{deals['ours_per_second']:7,}/s"
        f"{deals['theirs_per_second']:8,}/s{deals['ratio']:7.1f} x   aim at least {deals['aim']:g}"
    )
    lines.append(
        f"  {'tables of one reading of the ace':<36}{measured['tables_ms']:7.1f} ms"
        f"{'':18}aim at most {_AIMS['tables']:g}"
    )
    return "\n".join(lines)


def _compared(pairs: list[tuple[float, float]]) -> dict[str, Any]:
    return {
        "ours_us": round(statistics.median(a for a, _ in pairs) * 1e6, 2),
        "theirs_us": round(statistics.median(b for _, b in pairs) * 1e6, 2),
        "ratio": round(statistics.median(a / b for a, b in pairs), 2),
    }


def _each(question: Callable[..., object], hands: Sequence[tuple[Any, ...]]) -> float:
    begin = time.process_time()
    for hand in hands:
        question(*hand)
    return (time.process_time() - begin) / len(hands)


def _hand(kind: str, cards: int, seed: int) -> list[int]:
    chance = random.Random(seed)
    low = chance.randrange(10)
    ranks = range(13) if kind == "random" else range(low, low + 4)
    return chance.sample([suit * 13 + rank for suit in range(4) for rank in ranks], cards)


def _our_deals(seed: int) -> float:
    rules = resolve("spanish")
    decks = Decks(seed_secret(str(seed)), (), rules)
    begin = time.process_time()
    selfplay.deals(rules, decks, _DEALS, [selfplay.greedy] * 2, random.Random(seed).randrange)
    return _DEALS / (time.process_time() - begin)


def _their_deals(pyspiel: Any, seed: int) -> float:
    chance = random.Random(seed)
    game = pyspiel.load_game("gin_rummy(oklahoma=true)")
    parameters = game.get_parameters()
    begin = time.process_time()
    for _ in range(_THEIR_DEALS):
        bots = [pyspiel.make_simple_gin_rummy_bot(parameters, seat) for seat in range(2)]
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(chance.choice(state.legal_actions()))
            else:
                state.apply_action(bots[state.current_player()].step(state))
    return _THEIR_DEALS / (time.process_time() - begin)


def _table_ms() -> float:
    begin = time.process_time()
    book.__wrapped__(False)
    return (time.process_time() - begin) * 1000


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rules_speed", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds to take medians of")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    asked = parser.parse_args()
    found = measure(asked.rounds)
    print(json.dumps(found) if asked.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
