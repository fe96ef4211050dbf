"""One deal, decision by decision: the rules once more, slow and obviously right."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.rules.model.cards import (
    PACK,
    Meld,
    RefusedError,
    arrange,
    arrange_and_lay_off,
    check_arrangement,
    count,
    in_pack_order,
    is_meld,
    least_deadwood,
    unmatched,
)
from tests.rules.model.rulesets import Rules, from_left, side_of
from tests.rules.model.scoring import knock_limit, multiplier, score_deal, void_deal

Piles = list[list[str]]


class BadDealError(Exception):
    """Cards that cannot be dealt so."""


def in_pack_order_again(_number: int, cards: list[str]) -> Piles:
    """A reshuffle that leaves the order of the pack."""
    return [in_pack_order(cards)]


class ModelDeal:
    """§4: one deal, from the cards as dealt to its outcome.

    `piles` are the stock in draw order: one that all share, or one a seat. `reshuffle` makes the
    piles of the n-th new stock, from 0, out of the cards for it.
    """

    def __init__(
        self,
        rules: Rules,
        dealer: int,
        hands: Sequence[Iterable[str]],
        upcard: str,
        piles: Piles,
        reshuffle: Callable[[int, list[str]], Piles] = in_pack_order_again,
    ) -> None:
        self.rules, self.dealer, self.upcard, self.reshuffle = rules, dealer, upcard, reshuffle
        self.hands = [list(hand) for hand in hands]
        self.piles = [list(pile) for pile in piles]
        self._check_cards()
        self.discards = [upcard]
        self.limit = knock_limit(rules, upcard)
        self.multiplier = multiplier(rules, upcard)
        self.turns = self.reshuffles = 0
        self.outcome: dict[str, Any] | None = None
        self.taken: str | None = None  # the card taken from the discard pile in this turn
        self.must_draw = False  # everybody has passed
        self.log: list[tuple[Any, ...]] = []
        self.knocker: int | None = None
        self.hidden: str | None = None  # the knocker's discard while it lies face down
        self.to_ask: list[int] = []
        self.melds: dict[int, list[Meld]] = {}  # as declared, with everything laid on since
        self.left_over: dict[int, list[str]] = {}  # the unmatched cards of who has answered
        self.turn = from_left(rules, dealer)[0]
        self.phase = "offer" if rules["first_turn"] == "offer" else "draw"

    def _check_cards(self) -> None:
        """§2, §4: hands of the size, no card twice, enough stock."""
        cards = [c for pile in [*self.hands, *self.piles, [self.upcard]] for c in pile]
        if len(self.hands) != self.rules["players"] or any(
            len(hand) != self.rules["hand_size"] for hand in self.hands
        ):
            raise BadDealError("hands")
        if len(cards) != len(set(cards)) or not set(cards) <= set(PACK):
            raise BadDealError("cards")
        if self.stock < (3 if self.rules["stock_end"] == "void_at_two" else 1):
            raise BadDealError("stock")

    @property
    def stock(self) -> int:
        """§4: the number of cards in the stock."""
        return sum(len(pile) for pile in self.piles)

    def may_take(self) -> bool:
        """§4: the top of the discard pile is there to take, save where all have passed."""
        return self.phase in ("offer", "draw") and not self.must_draw

    def discards_allowed(self) -> list[str]:
        """§4: every card but the one taken from the discard pile in this turn."""
        if self.phase != "discard":
            return []
        free = self.rules["may_return_taken_card"]
        return [card for card in self.hands[self.turn] if free or card != self.taken]

    def knocks_allowed(self) -> dict[str, int]:
        """§5: discards after which the best arrangement may knock or is gin, with its count."""
        hand = self.hands[self.turn]
        after = {
            card: least_deadwood([c for c in hand if c != card], self.rules)
            for card in self.discards_allowed()
        }
        return {card: left for card, left in after.items() if left <= self.limit}

    def may_big_gin(self) -> bool:
        """§6: all eleven cards melded, where the ruleset knows it."""
        return (
            self.phase == "discard"
            and self.rules["big_gin_bonus"] is not None
            and least_deadwood(self.hands[self.turn], self.rules) == 0
        )

    def legal(self) -> dict[str, Any]:
        """All that the seat to decide may do; declared melds and layoffs aside."""
        return {
            "pass": self.phase == "offer",
            "take": self.may_take(),
            "draw": self.phase == "draw",
            "discards": set(self.discards_allowed()),
            "knocks": self.knocks_allowed(),
            "big gin": self.may_big_gin(),
            "arrange": self.phase == "layoff",
            "lay off": self.phase == "layoff" and self.may_lay_off(self.turn),
        }

    def play(self, action: tuple[Any, ...]) -> None:
        """One decision of the seat to decide.

        ("pass",) ("take",) ("draw",) ("discard", card) ("knock", card, melds or None)
        ("big gin", melds or None) ("layoff", melds or None, [(card, number), ...])
        """
        match action:
            case ("pass",) if self.phase == "offer":
                self._pass()
            case ("take",) if self.may_take():
                self.taken = self.discards.pop()
                self.hands[self.turn].append(self.taken)
                self.log.append(("take", self.turn, self.taken))
                self.phase = "discard"
            case ("draw",) if self.phase == "draw":
                self.hands[self.turn].append(self._draw())
                self.log.append(("draw", self.turn))
                self.phase, self.must_draw = "discard", False
            case ("discard", card) if card in self.discards_allowed():
                self._discard(card)
            case ("knock", card, melds) if card in self.discards_allowed():
                self._knock(card, melds)
            case ("big gin", melds) if self.phase == "discard":
                self._big_gin(melds)
            case ("layoff", melds, layoffs) if self.phase == "layoff":
                self._layoff(melds, layoffs)
            case _:
                raise RefusedError("not now")

    def _pass(self) -> None:
        """§4: the offer goes to the left, the dealer last; then the left of the dealer draws."""
        self.log.append(("pass", self.turn))
        if self.turn == self.dealer:
            self.phase, self.must_draw = "draw", True
        self.turn = from_left(self.rules, self.turn)[0]

    def _draw(self) -> str:
        """§4: the first card of one's pile, else the end of the next pile to the left."""
        if len(self.piles) == 1:
            return self.piles[0].pop(0)
        if self.piles[self.turn]:
            return self.piles[self.turn].pop(0)
        seats = from_left(self.rules, self.turn)
        return next(self.piles[seat] for seat in seats if self.piles[seat]).pop()

    def _discard(self, card: str) -> None:
        """§4: a discard that is no knock ends the turn; stock and turn cap are looked at."""
        self.hands[self.turn].remove(card)
        self.discards.append(card)
        self.log.append(("discard", self.turn, card))
        self.taken = None
        self.turns += 1
        if self.rules["stock_end"] == "void_at_two" and self.stock <= 2:
            self._end(void_deal(self.rules, self.dealer, "stock"))
        elif self.turns >= self.rules["turn_cap"]:
            self._end(void_deal(self.rules, self.dealer, "turn_cap"))
        else:
            if self.stock == 0:
                under = self.discards[:-1]
                del self.discards[:-1]
                self.piles = [list(pile) for pile in self.reshuffle(self.reshuffles, under)]
                self.reshuffles += 1
                self.log.append(("reshuffle", self.turn))
            self.turn = from_left(self.rules, self.turn)[0]
            self.phase = "draw"

    def _knock(self, card: str, melds: Sequence[Meld] | None) -> None:
        """§5: a knock or gin, scored as declared."""
        hand = [held for held in self.hands[self.turn] if held != card]
        if melds is None:
            melds = arrange(hand, self.rules)
        check_arrangement(hand, melds, self.rules)
        deadwood = count(unmatched(hand, melds))
        if deadwood > self.limit:
            raise RefusedError("over the limit")
        self.hands[self.turn] = hand
        self.discards.append(card)
        self.log.append(("knock", self.turn, card))
        if self.rules["knock_discard_face_down"]:
            self.hidden = card
        self._show_knocker(melds, gin=deadwood == 0)

    def _big_gin(self, melds: Sequence[Meld] | None) -> None:
        """§6: all eleven cards melded, instead of a discard."""
        hand = self.hands[self.turn]
        if self.rules["big_gin_bonus"] is None:
            raise RefusedError("not in this ruleset")
        if melds is None:
            melds = arrange(hand, self.rules)
        check_arrangement(hand, melds, self.rules)
        if unmatched(hand, melds):
            raise RefusedError("not all are melded")
        self.log.append(("big gin", self.turn))
        self._show_knocker(melds, gin=True)

    def _show_knocker(self, melds: Sequence[Meld], gin: bool) -> None:
        """§5, §9: the knocker's cards are shown; then the others are asked, or counted."""
        self.knocker = self.turn
        self.turns += 1
        self.taken = None
        self._answered(self.turn, melds)
        others = from_left(self.rules, self.turn)
        if gin or self.rules["layoff"] == "off":
            for seat in others:
                self._answered(seat, arrange(self.hands[seat], self.rules))
            self._score()
        else:
            self.to_ask = list(others)
            if self.rules["partnership"]:  # the partner, who sits across, comes last
                self.to_ask.append(self.to_ask.pop(1))
            self.turn, self.phase = self.to_ask[0], "layoff"

    def may_lay_off(self, seat: int) -> bool:
        """§5, §9: whether this seat may lay off at all after this knock."""
        if self.knocker is None or seat == self.knocker:
            return False
        if side_of(self.rules, seat) != side_of(self.rules, self.knocker):
            return self.rules["layoff"] in ("defenders", "all")
        return self.rules["layoff"] in ("knockers_partner", "all")

    def targets(self, seat: int) -> list[tuple[int, int]]:
        """§5, §9: the melds that this seat may lay off on, in the order of their numbers.

        Each is the seat whose meld it is and the meld's place in that seat's arrangement. A
        partner's are those of the opponent on the knocker's left, then the other's.
        """
        if self.knocker is None or not self.may_lay_off(seat):
            return []
        owners = [self.knocker]
        if side_of(self.rules, seat) == side_of(self.rules, self.knocker):
            left, _across, right = from_left(self.rules, self.knocker)
            owners = [left, right]
        return [(owner, place) for owner in owners for place in range(len(self.melds[owner]))]

    def _layoff(self, melds: Sequence[Meld] | None, layoffs: Sequence[tuple[str, int]]) -> None:
        """§5: a hand is arranged and laid off as declared, or by the referee's joint choice."""
        seat, hand = self.turn, self.hands[self.turn]
        targets = self.targets(seat)
        on = [self.melds[owner][place] for owner, place in targets]
        if melds is None:
            if layoffs:
                raise RefusedError("layoffs without melds")
            melds, chosen = arrange_and_lay_off(hand, on, self.rules)
            layoffs = [(card, chosen[card]) for card in in_pack_order(chosen)]
        check_arrangement(hand, melds, self.rules)
        named = [card for card, _ in layoffs]
        if len(named) != len(set(named)) or not set(named) <= set(unmatched(hand, melds)):
            raise RefusedError("a card that is not there to lay off")
        if any(not 0 <= number < len(on) for _, number in layoffs):
            raise RefusedError("no such meld")
        for number, meld in enumerate(on):
            on[number] = meld | {card for card, target in layoffs if target == number}
            if not is_meld(on[number], self.rules["ace_high_runs"]):
                raise RefusedError("it does not fit")
        for (owner, place), meld in zip(targets, on, strict=True):
            self.melds[owner][place] = meld
        self.log.append(
            ("layoff", seat, tuple(sorted(layoffs, key=lambda pair: PACK.index(pair[0]))))
        )
        self._answered(seat, melds, named)
        self.to_ask.pop(0)
        if self.to_ask:
            self.turn = self.to_ask[0]
        else:
            self._score()

    def _answered(self, seat: int, melds: Sequence[Meld], laid: Sequence[str] = ()) -> None:
        """§4: cards, arrangement and layoffs of `seat` lie open from now on."""
        self.melds[seat] = list(melds)
        left = unmatched(self.hands[seat], melds)
        self.left_over[seat] = [card for card in left if card not in laid]

    def _score(self) -> None:
        """§6: the deal is scored, and a hidden discard is shown."""
        assert self.knocker is not None
        deadwood = [count(self.left_over[seat]) for seat in range(self.rules["players"])]
        big = self.log[-1][0] == "big gin"
        self._end(score_deal(self.rules, self.dealer, self.upcard, self.knocker, deadwood, big))

    def _end(self, outcome: dict[str, Any]) -> None:
        self.outcome, self.phase, self.turn, self.hidden = outcome, "over", -1, None

    def open_pile(self) -> list[str]:
        """§4: the discard pile as everybody sees it."""
        return self.discards[:-1] if self.hidden else self.discards

    def sees(self, seat: int) -> dict[str, Any]:
        """§4: all that `seat` may know now, and nothing else."""
        log = [
            (*entry[:2], None)
            if self.hidden and entry[0] == "knock" and seat != self.knocker
            else entry
            for entry in self.log
        ]
        return {
            "hand": set(self.hands[seat]),
            "upcard": self.upcard,
            "limit": self.limit,
            "multiplier": self.multiplier,
            "log": log,
            "pile": list(self.open_pile()),
            "stock": self.stock,
            "phase": self.phase,
            "turn": self.turn,
            "shown": {
                shown: (list(self.melds[shown]), set(self.left_over[shown]))
                for shown in self.left_over
            },
        }
