"""The engine and the model in the same deal, compared after every decision."""

from typing import Any

from referee.rules.actions import Action, BigGin, Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.cards import mask, members, name, parse
from referee.rules.deal import Deal, Dealing, Illegal, Phase, act, start
from referee.rules.fields import Ruleset
from referee.rules.view import seen, view
from tests.rules.model.cards import RefusedError, count, in_pack_order, least_deadwood
from tests.rules.model.deal import ModelDeal
from tests.rules.model.rulesets import Rules

_KINDS = {"pass": 1, "take": 2, "draw": 3, "discard": 4, "knock": 4, "reshuffle": 5}


class DisagreementError(AssertionError):
    """The engine and the model do not agree."""


def same(what: str, engine: Any, model: Any) -> None:
    """Raise unless both say the same."""
    if engine != model:
        raise DisagreementError(f"{what}: the engine has {engine!r}, the model {model!r}")


def bits(cards: Any) -> int:
    """Cards by name as the engine's set."""
    return mask(map(parse, cards))


def names(cards: int) -> list[str]:
    """The engine's set as names in the order of the pack."""
    return [name(card) for card in members(cards)]


def for_engine(action: tuple[Any, ...]) -> Action:
    """A decision of the model's as the engine's."""

    def masks(melds: Any) -> tuple[int, ...] | None:
        return None if melds is None else tuple(map(bits, melds))

    match action:
        case ("pass",):
            return Decline()
        case ("take",):
            return Take()
        case ("draw",):
            return Draw()
        case ("discard", card):
            return Discard(parse(card))
        case ("knock", card, melds):
            return Knock(parse(card), masks(melds))
        case ("big gin", melds):
            return BigGin(masks(melds))
        case ("layoff", melds, layoffs):
            return LayOff(masks(melds), tuple((parse(card), on) for card, on in layoffs))
        case _:
            raise ValueError(action)


class Both:
    """One deal played twice. Every method raises DisagreementError where the two differ."""

    def __init__(self, rules: Rules, engine_rules: Ruleset, dealt: dict[str, Any]) -> None:
        self.model = ModelDeal(rules, **dealt)
        self.script: list[tuple[Any, ...]] = []
        self.engine = self.start_engine(engine_rules, dealt)
        self.compare()

    @staticmethod
    def start_engine(rules: Ruleset, dealt: dict[str, Any]) -> Deal:
        """The engine's deal of the same cards; DealError when it refuses them."""
        piles = dealt["piles"]
        dealing = Dealing(
            tuple(map(bits, dealt["hands"])),
            parse(dealt["upcard"]),
            tuple(tuple(map(parse, pile)) for pile in piles),
            tuple(seat % len(piles) for seat in range(rules.players)),
        )

        def shuffle(number: int, cards: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
            made = dealt["reshuffle"](number, list(map(name, cards)))
            return tuple(tuple(map(parse, pile)) for pile in made)

        return start(rules, 1, dealt["dealer"], dealing, shuffle)

    def play(self, action: tuple[Any, ...]) -> bool:
        """Both are asked for the same; whether both allowed it."""
        self.script.append(action)
        model = engine = ""
        try:
            self.model.play(action)
        except RefusedError as refused:
            model = str(refused)
        try:
            act(self.engine, for_engine(action))
        except Illegal as illegal:
            engine = str(illegal)
        same(f"refusal of {action} ({engine or model})", bool(engine), bool(model))
        self.compare()
        return not model

    def compare(self) -> None:
        """State, outcome, options, and all that each seat may see."""
        model, engine = self.model, self.engine
        same("hands", [names(hand) for hand in engine.hands], _sorted(model.hands))
        same("discards", [name(card) for card in engine.discards], model.discards)
        same("phase", engine.phase, Phase[model.phase.upper()])
        same("turn", engine.turn, model.turn)
        same("turns", engine.turns, model.turns)
        same("stock", engine.stock_count, model.stock)
        same("stock by pile", sum(map(len, engine.piles)), model.stock)
        same("limit", (engine.limit, engine.multiplier), (model.limit, model.multiplier))
        self._compare_outcome()
        for seat in range(model.rules["players"]):
            self._compare_sight(seat)
        if model.outcome is None:
            self._compare_options()

    def _compare_outcome(self) -> None:
        model, engine = self.model.outcome, self.engine.outcome
        same("over", engine is not None, model is not None)
        if model and engine:
            told = engine._asdict()
            told["deadwood"] = list(told["deadwood"]) or None
            told["points"] = list(told["points"])
            same("outcome", told, model)

    def _compare_sight(self, seat: int) -> None:
        """What `seat` sees: the same facts, events and hands in the same order."""
        sight, found = self.model.sees(seat), seen(self.engine, seat)
        events = b""
        for kind, who, *card in sight["log"]:
            hidden = kind == "knock" and self.model.hidden
            if kind in _KINDS and not hidden:
                shown = parse(card[0]) if card else 255
                events += bytes((_KINDS[kind] * 16 + who, shown))
        same("events", found.events, events)
        same("hand seen", names(found.hand), in_pack_order(sight["hand"]))
        same("pile seen", [name(card) for card in found.pile], sight["pile"])
        same("facts", (found.stock, name(found.upcard)), (sight["stock"], sight["upcard"]))
        shown = [
            (one.seat, list(map(names, one.melds)), names(one.unmatched), one.deadwood)
            for one in found.spreads
        ]
        same("spreads", shown, [
            (who, list(map(in_pack_order, melds)), in_pack_order(loose), count(loose))
            for who, (melds, loose) in sight["shown"].items()
        ])  # fmt: skip

    def _compare_options(self) -> None:
        """The same legal answers, with the same counts, and the melds that may be laid off on."""
        model, seat = self.model, self.model.turn
        legal = model.legal()
        question = view(self.engine, seat, 0, want_deadwood=True)
        options = question.options
        pile = model.open_pile()
        same("top", question.top, parse(pile[-1]) if pile else -1)
        same("flags", tuple(options)[:3], (legal["pass"], legal["take"], legal["draw"]))
        same("discards", names(options.discards), in_pack_order(legal["discards"]))
        same("may big gin", options.may_big_gin, legal["big gin"])
        same("may lay off", options.may_lay_off, legal["lay off"])
        knocks = zip(names(options.knocks), options.knock_deadwood, strict=True)
        same("knocks", dict(knocks), legal["knocks"])
        hand = model.hands[seat]
        after = [_without(hand, card, model.rules) for card in in_pack_order(legal["discards"])]
        same("after discards", list(options.discard_deadwood), after)
        if model.phase in ("offer", "draw"):
            same("deadwood", options.deadwood, least_deadwood(hand, model.rules))
        if legal["take"]:
            top = model.discards[-1]
            free = model.rules["may_return_taken_card"]
            leaves = [*hand, top] if free else hand
            best = min(_without([*hand, top], card, model.rules) for card in leaves)
            same("deadwood if taken", options.deadwood_if_taken, best)
        open_melds = [bits(model.melds[owner][place]) for owner, place in model.targets(seat)]
        found = [meld for spread in question.spreads for meld in spread.melds]
        same("open melds", found[: len(open_melds)], open_melds)


def _without(hand: list[str], card: str, rules: Rules) -> int:
    return least_deadwood([held for held in hand if held != card], rules)


def _sorted(hands: list[list[str]]) -> list[list[str]]:
    return [in_pack_order(hand) for hand in hands]
