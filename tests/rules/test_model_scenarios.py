"""The model by itself: scenarios with results that were worked out by hand.

Where the rules refuse, the model knows that they do; codes and messages are the engine's.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rules.case_file import Check, all_scenarios
from tests.rules.model.cards import (
    PACK,
    RefusedError,
    arrange,
    arrange_and_lay_off,
    count,
    in_pack_order,
    least_deadwood,
    unmatched,
)
from tests.rules.model.deal import BadDealError, ModelDeal, Piles
from tests.rules.model.game import ModelGame
from tests.rules.model.rulesets import PRESETS, faults, ruleset
from tests.rules.model.scoring import score_deal, void_deal

WORKED = Path(__file__).with_name("scenarios.jsonl")


def cards(text: str | list[str]) -> list[str]:
    """`KC QD` as cards."""
    return text.split() if isinstance(text, str) else text


def melds(text: str) -> list[frozenset[str]]:
    """`AD 2D 3D | QC QD QH` as melds."""
    return [frozenset(cards(part)) for part in text.split("|") if part.strip()]


def decisions(deal: ModelDeal, script: list[str]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """The decisions of a script with the index of its line; `xN throw` follows the deal."""
    for index, text in enumerate(script):
        verb, _, rest = text.partition(" ")
        head, colon, tail = text.partition(":")
        if text.endswith("throw"):
            for _ in range(int(verb[1:])):
                yield index, ("draw",)
                yield index, ("discard", deal.hands[deal.turn][-1])
        elif verb == "discard":
            yield index, ("discard", rest)
        elif verb == "knock":
            yield index, ("knock", head.split()[1], melds(tail) if colon else None)
        elif head == "big gin":
            yield index, ("big gin", melds(tail) if colon else None)
        elif verb.startswith("layoff"):
            own, _, laid = tail.partition(";")
            pairs = [(pair[:2], int(pair[3:])) for pair in laid.split()]
            yield index, ("layoff", melds(own) if colon else None, pairs)
        else:
            yield index, (text,)


def dealt(line: dict[str, Any]) -> ModelDeal:
    """The deal that a line sets up."""
    hands = [cards(hand) for hand in line["hands"]]
    used = {*line["upcard"].split(), *(card for hand in hands for card in hand)}
    first = cards(line.get("stock", ""))
    rest = [card for card in PACK if card not in used and card not in first]
    piles = [cards(pile) for pile in line["piles"]] if "piles" in line else [first + rest]
    made = [cards(stock) for stock in line.get("reshuffles", [])]

    def reshuffle(number: int, left: list[str]) -> Piles:
        first = made[number] if number < len(made) else []
        return [first + [card for card in in_pack_order(left) if card not in first]]

    rules = ruleset(line["rules"])
    return ModelDeal(rules, line["dealer"], hands, line["upcard"], piles, reshuffle)


def play(line: dict[str, Any]) -> dict[str, Any]:
    """One deal by its script."""
    try:
        deal = dealt(line)
    except BadDealError as wrong:
        return {"error": {"field": str(wrong)}}
    refused = {}
    for index, action in decisions(deal, line.get("actions", [])):
        try:
            deal.play(action)
        except RefusedError:
            refused = {"refused": index}
            break
    outcome = deal.outcome or dict.fromkeys(
        ("end", "reason", "winner", "deadwood", "points", "next_dealer")
    )
    pile = deal.open_pile()
    return outcome | refused | {
        "limit": deal.limit, "multiplier": deal.multiplier, "phase": deal.phase,
        "turn": deal.turn, "stock": deal.stock, "turns": deal.turns,
        "top": pile[-1] if pile else None, "pile": len(pile),
    }  # fmt: skip


def score(line: dict[str, Any]) -> dict[str, Any]:
    """A game from the outcomes of its deals."""
    rules = ruleset(line["rules"])
    game = ModelGame(rules, line["first_dealer"])
    points: list[list[int]] = []
    dealers = [game.dealer]
    for deal in (told for told in line["deals"] for _ in range(told.get("x", 1))):
        if game.over:
            break
        if deal.get("void"):
            outcome = void_deal(rules, game.dealer, "stock")
        else:
            outcome = score_deal(
                rules, game.dealer, deal["up"], deal["by"], deal["dw"], deal.get("big", False)
            )
        game.record(outcome)
        points.append(outcome["points"])
        dealers.append(game.dealer)
    winner = "draw" if game.over and game.winner is None else game.winner
    answer = {
        "points": points, "dealers": dealers, "over": game.over, "winner": winner,
        "reason": game.reason, "places": game.places, "next_dealer": dealers[-1],
        "points of the last deal": points[-1] if points else None,
    }  # fmt: skip
    if rules["columns"] == 1:
        if rules["target"] is not None:
            answer["boxes"] = game.boxes
        return answer | {"totals": game.sums()}
    return answer | {
        "closed": [sheet.closed_by for sheet in game.sheets],
        "columns": [sheet.points for sheet in game.sheets],
        "column_boxes": [sheet.boxes for sheet in game.sheets],
        "column_totals": game.column_totals(),
        "sums": game.sums(),
    }


def check(line: dict[str, Any]) -> dict[str, Any]:
    """A ruleset; the answer names the field at fault."""
    if line["rules"]["preset"] not in PRESETS:
        return {"error": {"field": "preset"}}
    wrong = sorted(faults(ruleset(line["rules"])))
    return {"error": {"field": wrong[0]}} if wrong else {"ok": True}


def deadwood(line: dict[str, Any]) -> dict[str, Any]:
    """Least deadwood; of eleven cards after the best discard, the first in the pack."""
    rules, hand = ruleset(line.get("rules", "german")), in_pack_order(line["cards"])
    thrown = None
    if len(hand) == 11:
        thrown = min(hand, key=lambda card: least_deadwood([c for c in hand if c != card], rules))
        hand.remove(thrown)
    return {
        "deadwood": least_deadwood(hand, rules),
        "melds": [sorted(meld) for meld in arrange(hand, rules)],
        "discard": thrown,
    }


def layoff(line: dict[str, Any]) -> dict[str, Any]:
    """A hand in answer to one knocker's melds, which are gin or not."""
    rules = ruleset(line.get("rules", "german"))
    on = [] if line["gin"] else [frozenset(meld) for meld in line["knocker_melds"]]
    own, laid = arrange_and_lay_off(line["cards"], on, rules)
    loose = [card for card in unmatched(line["cards"], own) if card not in laid]
    return {
        "deadwood": count(loose),
        "melds": [sorted(meld) for meld in own],
        "layoffs": [[card, laid[card]] for card in in_pack_order(laid)],
    }


VERBS = {"play": play, "score": score, "check": check, "deadwood": deadwood, "layoff": layoff}


def worked() -> list[Any]:
    """Every run of the worked scenarios: the set-up with the run's own fields over it."""
    lines = [json.loads(line) for line in WORKED.read_text("utf-8").splitlines()]
    return [
        pytest.param(line | run, run["expect"], id=f"{line['id']}-{number}")
        for line in lines
        for number, run in enumerate(line.get("runs", []))
    ]


def judged() -> list[Any]:
    """Every ruleset of the worked scenarios, with the field that its refusal names."""
    lines = [json.loads(line) for line in WORKED.read_text("utf-8").splitlines()]
    return [pair for line in lines for pair in line.get("rulesets", [])]


@pytest.mark.parametrize(("line", "expect"), worked())
def test_the_model_plays_and_scores_every_worked_run(
    line: dict[str, Any], expect: dict[str, Any]
) -> None:
    """The model's answer holds every value that was worked out by hand."""
    answer = (score if "deals" in line else play)(line)
    assert {key: answer.get(key) for key in expect} == expect


@pytest.mark.parametrize(("rules", "field"), judged())
def test_the_model_refuses_what_makes_no_sense(rules: dict[str, Any], field: str | None) -> None:
    """The model finds the field that makes no sense, and nothing in rulesets that are sound."""
    assert faults(ruleset(rules)) == ({field} if field else set())


@pytest.mark.parametrize(
    "checks", [one.checks for one in all_scenarios().values()], ids=list(all_scenarios())
)
def test_the_model_answers_every_scenario(checks: list[Check]) -> None:
    """The model's answer holds every value of the scenario's own text, codes aside."""
    for check in checks:
        answer = VERBS[check.verb](check.line)
        keys = [key for key in check.expect if key != "code"]
        if "error" in keys and check.verb != "check":
            assert "error" in answer, check.where
        else:
            expect = {key: check.expect[key] for key in keys}
            assert {key: answer.get(key) for key in keys} == expect, check.where
