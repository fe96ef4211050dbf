"""Non-interference: what a seat is shown does not depend on what it cannot know.

A deal is played, and at some moment every card whose place a seat cannot know is exchanged at
random with the others of its kind: in hands, piles, later reshuffles and the hidden discard. The
deal is played again, and nothing that the seat is shown or told may differ: sight, question,
refusals, and every message on the wire byte for byte, hence in its length as well.
"""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from rules_models import every_action

from referee.board import Board
from referee.rules.actions import Action, BigGin, Discard, Knock, LayOff
from referee.rules.cards import PACK, mask, members
from referee.rules.deal import Deal, Dealing, Illegal, Phase, decide
from referee.rules.fields import Ruleset
from referee.rules.view import seen, view
from referee.wire.turns import deals_over, deals_started, turn
from tests.rules.proof_play import TABLES, Dealt, rich_deal, seeds, some_action, some_rules, tried

Swap = dict[int, int]


class Rigged:
    """Decks of one given deal, as a board asks for them."""

    def __init__(self, dealt: Dealt) -> None:
        self.dealt = dealt

    def dealing(self, unit: int, leg: int, deal: int) -> Dealing:
        return self.dealt.dealing

    def first_dealer(self, unit: int, leg: int) -> int:
        return self.dealt.dealer

    def reshuffle(self, unit: int, leg: int, deal: int) -> Callable[..., Any]:
        return self.dealt.shuffle


class Knowledge:
    """Of every card whose place a seat cannot know: the shuffle that it lies hidden since.

    Kept by what the rules say that everybody sees, and not by what the engine makes public: a leak
    there would else count as knowledge.
    """

    def __init__(self, deal: Deal, seat: int) -> None:
        self.seat = seat
        self.shuffles = 0
        self.since = dict.fromkeys(range(PACK), 0)
        self.forget(deal.hands[seat] | 1 << deal.upcard)

    def forget(self, cards: int) -> None:
        """These cards are known now."""
        for card in members(cards):
            self.since.pop(card, None)

    def learn(self, deal: Deal, who: int, action: Action) -> None:
        """Take in what `who` did; `deal` is as it stands after that.

        What is taken from the pile was known before, and what others draw stays unknown.
        """
        self.forget(deal.hands[self.seat])
        if isinstance(action, (Knock, BigGin, LayOff)):
            self.forget(deal.hands[who])
        face_down = isinstance(action, Knock) and deal.rules.knock_discard_face_down
        if isinstance(action, (Discard, Knock)) and not face_down:
            self.forget(1 << action.card)
        if deal.outcome is not None and deal.outcome.end != "void":
            for hand in (*deal.hands, mask(deal.discards)):
                self.forget(hand)
        if deal.shuffles > self.shuffles:
            self.shuffles = deal.shuffles
            stock = [card for pile in deal.piles for card in pile]
            self.since.update(dict.fromkeys(stock, deal.shuffles))

    def swaps(self, chance: Random) -> dict[int, Swap]:
        """By shuffle, the hidden cards exchanged at random among their places."""
        swaps: dict[int, Swap] = {}
        for shuffle in set(self.since.values()):
            cards = sorted(card for card, since in self.since.items() if since == shuffle)
            swaps[shuffle] = dict(zip(cards, chance.sample(cards, len(cards)), strict=True))
        return swaps


def exchanged(dealt: Dealt, swaps: dict[int, Swap]) -> Dealt:
    """The same deal with the cards of each shuffle exchanged."""

    def piles(of: tuple[tuple[int, ...], ...], shuffle: int) -> tuple[tuple[int, ...], ...]:
        swap = swaps.get(shuffle, {})
        return tuple(tuple(swap.get(card, card) for card in pile) for pile in of)

    first = swaps.get(0, {})
    hands = tuple(
        sum(1 << first.get(card, card) for card in members(hand)) for hand in dealt.dealing.hands
    )
    dealing = dealt.dealing._replace(hands=hands, piles=piles(dealt.dealing.piles, 0))
    # The first reshuffle is number 0 to the function that makes it, and shuffle 1 here.
    return Dealt(dealt.dealer, dealing, lambda k, cards: piles(dealt.shuffle(k, cards), k + 1))


def opened(rules: Ruleset, dealt: Dealt) -> Board:
    board = Board(rules, Rigged(dealt), 3, 0, 0, 8)  # pyright: ignore[reportArgumentType]
    board.start_deal()
    if board.deal.turn >= 0:
        board.ask()
    return board


def translated(action: Action, swaps: dict[int, Swap], shuffles: int) -> Action:
    """The same decision where the hidden cards of the shuffles so far are exchanged."""
    if not isinstance(action, (Knock, Discard)):
        return action
    card = action.card
    for shuffle in range(shuffles + 1):
        card = swaps.get(shuffle, {}).get(action.card, card)
    return action._replace(card=card)


def step(board: Board, action: Action) -> None:
    board.play(action, "")
    if board.deal.outcome is None:
        board.ask()


class Shown(NamedTuple):
    """All that a seat is shown of a board, in memory and on the wire."""

    sight: Any
    question: Any
    turns: tuple[bytes, ...]
    started: bytes
    over: bytes
    refusals: tuple[str, ...]


def shown(board: Board, seat: int, refuse: bool) -> Shown:
    deal = board.deal
    question, turns, refusals = None, [], []
    if deal.turn == seat:
        question = view(deal, seat, 0, True)
        for wanted in (False, True):
            turns.append(turn(board, seat, wanted))
        for action in every_action() if refuse else ():
            try:
                decide(deal, action)
            except Illegal as illegal:
                refusals.append(f"{action} {illegal.code} {illegal.message}")
    return Shown(
        seen(deal, seat),
        question,
        tuple(turns),
        *deals_started(board, [seat]),
        *deals_over(board, [seat]),
        tuple(refusals),
    )


def moment(deal: Deal, seat: int) -> str:
    """What kind of moment it is for the seat."""
    if deal.outcome is not None:
        return f"end, {deal.outcome.end}"
    who = "asked" if deal.turn == seat else "waiting"
    if deal.phase is Phase.LAYOFF and deal.hidden:
        return f"layoff, face down, {who}"
    if deal.phase is Phase.LAYOFF:
        return f"layoff, {len(deal.spreads)} shown, {who}"
    return f"{deal.phase.name.lower()}{' after a reshuffle' if deal.shuffles else ''}, {who}"


class Trial:
    """One deal, kept so that it can be played again with hidden cards exchanged."""

    def __init__(self, chance: Random, rules: Ruleset) -> None:
        self.chance, self.rules = chance, rules
        self.dealt = rich_deal(chance, rules)
        self.board = opened(rules, self.dealt)
        self.actions: list[Action] = []
        self.known = [Knowledge(self.board.deal, seat) for seat in range(rules.players)]
        self.eager = chance.choice(("greedy", "eager", "random"))

    def forward(self) -> bool:
        """One decision more; whether there was one."""
        deal = self.board.deal
        if deal.outcome is not None:
            return False
        action = some_action(self.chance, deal, self.eager)
        who = deal.turn
        step(self.board, action)
        self.actions.append(action)
        for known in self.known:
            known.learn(deal, who, action)
        return True

    def compare(self, cases: Counter[str], seen_moments: Counter[str]) -> None:
        """Every seat is shown the same with hidden cards exchanged as without."""
        for seat, known in enumerate(self.known):
            swaps = known.swaps(self.chance)
            every = {card: to for swap in swaps.values() for card, to in swap.items()}
            other = opened(self.rules, exchanged(self.dealt, swaps))
            for action in self.actions:
                step(other, translated(action, swaps, other.deal.shuffles))
            refuse = self.chance.random() < 0.1
            note = f"{self.rules}\n{self.dealt}\n{self.actions}\nseat {seat}, {every}"
            assert shown(other, seat, refuse) == shown(self.board, seat, refuse), note
            cases["seats shown the same with hidden cards exchanged"] += 1
            cases["hidden cards exchanged"] += sum(card != to for card, to in every.items())
            seen_moments[moment(self.board.deal, seat)] += any(c != to for c, to in every.items())


def watch(chance: Random, rules: Ruleset, cases: Counter[str], moments: Counter[str]) -> None:
    """One deal, compared at three moments on its way and at its end."""
    trial = Trial(chance, rules)
    often = chance.choice((0.05, 0.2, 0.5))
    left = 3
    going = True
    while going:
        late = trial.board.deal.phase is Phase.LAYOFF
        if late or (left and chance.random() < often):
            left -= not late
            trial.compare(cases, moments)
        going = trial.forward()
    trial.compare(cases, moments)


@pytest.mark.parametrize("table", TABLES)
@tried(100)
@given(seed=seeds)
def test_hidden_cards_leave_no_trace(table: str, seed: int, cases: Counter[str]) -> None:
    """Sight, questions, refusals and messages are the same bytes whatever the hidden cards are."""
    chance = Random(seed)
    watch(chance, some_rules(chance, table), cases, Counter())


EVERYWHERE = {
    "offer, asked",
    "offer, waiting",
    "draw, asked",
    "draw, waiting",
    "discard, asked",
    "discard, waiting",
    "discard after a reshuffle, waiting",
    "draw after a reshuffle, asked",
    "layoff, 1 shown, asked",
    "layoff, 1 shown, waiting",
    "layoff, face down, asked",
    "layoff, face down, waiting",
    "end, knock",
    "end, gin",
    "end, undercut",
    "end, void",
}
MORE = {"layoff, 2 shown, asked", "layoff, 2 shown, waiting"}
# With two players the second hand is shown as the deal ends; with four one of three waits longest.
MOMENTS = {
    "two": EVERYWHERE,
    "three": EVERYWHERE | MORE,
    "four": EVERYWHERE | MORE | {"layoff, 3 shown, asked"},
    "partners": EVERYWHERE | MORE | {"layoff, 3 shown, asked"},
}


@pytest.mark.parametrize("table", TABLES)
def test_every_moment_of_a_deal_is_among_them(table: str, cases: Counter[str]) -> None:
    """At every phase, asked or waiting, and at every end, hidden cards were in fact exchanged."""
    chance = Random(f"moments {table}")
    moments: Counter[str] = Counter()
    for _ in range(1500):
        watch(chance, some_rules(chance, table), cases, moments)
        if all(moments[wanted] >= 3 for wanted in MOMENTS[table]):
            return
    raise AssertionError(f"never met: {[one for one in MOMENTS[table] if moments[one] < 3]}")
