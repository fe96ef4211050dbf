"""Questions about the rules as JSON objects, one answer each: what `knockbox rules` speaks.

Nothing is refereed here that the rules do not say; a line that cannot be read is answered with
{"error": {"field", "message"}} and nothing is ever raised for it. The verb `play` has a module of
its own.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from referee.reading import (
    FieldError,
    Json,
    as_bool,
    as_card,
    as_int,
    as_list,
    as_object,
    as_set,
    card_list,
    required,
)
from referee.rules.cards import name
from referee.rules.deal import DealError
from referee.rules.discards import best_discard
from referee.rules.game import Game
from referee.rules.layoff import best_answer
from referee.rules.melds import arrange
from referee.rules.ruleset import PRESETS, RulesetError, resolve, to_json
from referee.rules.scoring import Outcome, multiplier_of, settle, void
from referee.rules.tables import Book, book
from referee.scenario_play import play

# More deals than any game has; bounds what one line can cost.
_MOST_REPEATS: Final = 10_000
_MOST_DEADWOOD: Final = 200


def answer(verb: str, line: object, view_seat: int | None = None) -> Json:
    """The answer to one line of `knockbox rules VERB`; `view_seat` is for `play`.

    A line that cannot be read is answered with {"error": {"field": …, "message": …}}. Raises
    KeyError for a verb that there is not (VERBS holds them).
    """
    ask = VERBS[verb]
    try:
        question = as_object(line, "line")
        return play(question, view_seat) if verb == "play" else ask(question)
    except (FieldError, RulesetError, DealError) as error:
        return {"error": {"field": error.field, "message": error.message}}


def _deadwood(line: Json) -> Json:
    rules = resolve(line["rules"]) if "rules" in line else None
    size = rules.hand_size if rules else 10
    facts = book(rules.ace_high_runs if rules else False)
    hand = as_set(required(line, "cards"), "cards")
    if hand.bit_count() not in (size, size + 1):
        raise FieldError("cards", f"{size} cards, or {size + 1} before the discard")
    discard = None
    if hand.bit_count() > size:
        _, discard = best_discard(hand, facts)
        hand ^= 1 << discard
    shown = arrange(hand, facts)
    return {
        "deadwood": shown.deadwood,
        "melds": [card_list(meld) for meld in shown.melds],
        "discard": None if discard is None else name(discard),
    }


def _layoff(line: Json) -> Json:
    rules = resolve(line["rules"]) if "rules" in line else None
    size = rules.hand_size if rules else 10
    facts = book(rules.ace_high_runs if rules else False)
    gin = as_bool(line.get("gin", False), "gin")
    open_melds = _open_melds(line, facts)
    hand = as_set(required(line, "cards"), "cards")
    if hand.bit_count() != size:
        raise FieldError("cards", f"{size} cards")
    if any(meld & hand for meld in open_melds):
        raise FieldError("cards", "a card lies in the knocker's melds already")
    best = best_answer(hand, () if gin else open_melds, facts)
    return {
        "deadwood": best.deadwood,
        "melds": [card_list(meld) for meld in best.melds],
        "layoffs": [[name(card), number] for card, number in best.layoffs],
    }


def _open_melds(line: Json, facts: Book) -> tuple[int, ...]:
    listed = as_list(required(line, "knocker_melds"), "knocker_melds")
    melds = tuple(as_set(meld, "knocker_melds") for meld in listed)
    taken = 0
    for meld in melds:
        if meld not in facts.melds:
            raise FieldError("knocker_melds", "a meld is a set or a run")
        if meld & taken:
            raise FieldError("knocker_melds", "a card is named twice")
        taken |= meld
    return melds


def _score(line: Json) -> Json:
    rules = resolve(required(line, "rules"))
    last_seat = rules.players - 1
    game = Game(rules, as_int(required(line, "first_dealer"), "first_dealer", 0, last_seat))
    points: list[list[int]] = []
    dealers = [game.dealer]
    for outcome in _outcomes(line, game):
        game.record(outcome)
        points.append(list(outcome.points))
        dealers.append(game.dealer)
    result = game.result
    found: Json = {
        "points": points,
        "dealers": dealers,
        "over": game.over,
        "reason": result.reason if result else None,
        "winner": None if result is None else "draw" if result.winner is None else result.winner,
        "places": list(result.places) if result else None,
    }
    if rules.columns == 1:
        if rules.target is not None:
            found["boxes"] = list(game.boxes)
        found["totals"] = list(game.totals())
        return found
    return found | {
        "closed": [sheet.closed for sheet in game.sheets],
        "columns": [list(sheet.points) for sheet in game.sheets],
        "column_boxes": [list(sheet.boxes) for sheet in game.sheets],
        "column_totals": [list(sheet.totals(rules, game.over)) for sheet in game.sheets],
        "sums": list(game.totals()),
    }


def _outcomes(line: Json, game: Game) -> Iterator[Outcome]:
    """The outcome of each deal in turn, until the game is over."""
    for entry in as_list(required(line, "deals"), "deals"):
        deal = as_object(entry, "deals")
        for _ in range(as_int(deal.get("x", 1), "x", 1, _MOST_REPEATS)):
            if game.over:
                return
            yield _outcome(deal, game)


def _outcome(deal: Json, game: Game) -> Outcome:
    rules = game.rules
    if as_bool(deal.get("void", False), "void"):
        return void(rules, game.dealer, "stock")
    upcard = as_card(required(deal, "up"), "up")
    knocker = as_int(required(deal, "by"), "by", 0, rules.players - 1)
    listed = as_list(required(deal, "dw"), "dw")
    if len(listed) != rules.players:
        raise FieldError("dw", "the deadwood of every seat")
    deadwood = [as_int(count, "dw", 0, _MOST_DEADWOOD) for count in listed]
    big = as_bool(deal.get("big", False), "big")
    if big and rules.big_gin_bonus is None:
        raise FieldError("big", "these rules know no big gin")
    if big and deadwood[knocker]:
        raise FieldError("dw", "big gin leaves its player no deadwood")
    multiplier = multiplier_of(rules, upcard)
    return settle(rules, game.dealer, multiplier, knocker, deadwood, big)


def _check(line: Json) -> Json:
    resolve(required(line, "rules"))
    return {"ok": True}


def _presets(_: Json) -> Json:
    return {"presets": {preset: to_json(rules) for preset, rules in PRESETS.items()}}


VERBS: Final[Mapping[str, Callable[[Json], Json]]] = {
    "deadwood": _deadwood,
    "layoff": _layoff,
    "play": play,
    "score": _score,
    "check": _check,
    "presets": _presets,
}
