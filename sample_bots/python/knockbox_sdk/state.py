"""One question to a bot: what its seat sees, and the makers of legal answers."""

from collections.abc import Iterable, Mapping

from . import explain, line
from .actions import Action, IllegalAction, checked_note, meld_masks
from .cards import number
from .view import Lazy, View


class State(View):
    """What a bot is called with. Every answer is made by the state that it answers."""

    @Lazy
    def legal(self) -> list[Action]:
        """Every legal answer, where melds and layoffs are left to the referee."""
        options = self.options
        if self.phase == "layoff":
            return [self.lay_off()]
        simple = ("decline", options.may_decline), ("take", options.may_take), (
            "draw", options.may_draw), ("big_gin", options.may_big_gin)  # fmt: skip
        legal = [getattr(self, kind)() for kind, allowed in simple if allowed]
        legal += [self.discard(card) for card in self.discards]
        return legal + [self.knock(card) for card in self.knocks]

    def json(self) -> str:
        """All of the question as one line of JSON: the same bytes in every language."""
        return line.of(self)

    def decline(self, note: str = "") -> Action:
        """Leave the offered upcard."""
        return self._plain("decline", self.options.may_decline, note)

    def take(self, note: str = "") -> Action:
        """Take the top of the discard pile."""
        return self._plain("take", self.options.may_take, note)

    def draw(self, note: str = "") -> Action:
        """Draw from the stock."""
        return self._plain("draw", self.options.may_draw, note)

    def discard(self, card: str, note: str = "") -> Action:
        """Discard a card and play on."""
        at = number(card)
        if not self.options.discards >> at & 1:
            raise explain.refused_card(self, "discard", card)
        return Action(self.turn.decision, "discard", at, note=note and checked_note(note))

    def knock(
        self, card: str, melds: Iterable[Iterable[str]] | None = None, note: str = ""
    ) -> Action:
        """Discard a card and knock, or go gin. `melds` are lists of cards; None: the referee
        arranges for least deadwood."""
        at = number(card)
        if not self.options.knocks >> at & 1:
            raise explain.refused_card(self, "knock", card)
        masks = meld_masks(melds, self.turn.hand, at) if melds is not None else ()
        return Action(self.turn.decision, "knock", at, masks, note=note and checked_note(note))

    def big_gin(self, melds: Iterable[Iterable[str]] | None = None, note: str = "") -> Action:
        """Declare eleven melded cards."""
        self._plain("big_gin", self.options.may_big_gin, note)
        masks = meld_masks(melds, self.turn.hand) if melds is not None else ()
        return Action(self.turn.decision, "big_gin", melds=masks, note=note and checked_note(note))

    def lay_off(
        self,
        melds: Iterable[Iterable[str]] | None = None,
        layoffs: Mapping[str, int] | None = None,
        note: str = "",
    ) -> Action:
        """Arrange your hand after a knock. `layoffs` names for each card laid off its meld's number
        in `table`. Without both the referee chooses what leaves the least deadwood."""
        self._plain("lay_off", self.phase == "layoff", note)
        declared = melds is not None or layoffs is not None
        own = meld_masks(melds or (), self.turn.hand)
        laid = explain.checked_layoffs(self, layoffs or {}, own)
        return Action(
            self.turn.decision, "lay_off", -1, own, laid, declared, note and checked_note(note)
        )

    def otherwise(self, note: str = "") -> Action:
        """What is left when you do not want the pile's card: draw, decline, lay off at best, or
        (when a discard is asked) the best discard."""
        if self.options.may_draw:
            return self.draw(note)
        if self.options.may_decline:
            return self.decline(note)
        if self.phase == "layoff":
            return self.lay_off(note=note)
        return self.discard(self.best_discard, note) if self.discards else self.take(note)

    def _plain(self, kind: str, allowed: bool, note: str) -> Action:
        if not allowed:
            raise IllegalAction(f"{kind} is not legal now: {explain.choices(self)}")
        return Action(self.turn.decision, kind, note=note and checked_note(note))
