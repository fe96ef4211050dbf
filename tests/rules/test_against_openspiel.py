"""Whole deals played in step with another engine: OpenSpiel's gin rummy under Oklahoma rules.

Both engines get the same cards and the same decisions. At every step what may be done must agree,
and in the end the points, but for the departures below: each is found by its cause, and counted.

- `equal counts`: there a knock that meets an equal count scores nothing; here it is an undercut.
- `knock refused`: its count of eleven cards drops the dearest loose card of one best arrangement,
  so that some legal knocks and gins are not offered.
- `wall`: with two cards left the next player may still knock there, with the last discard; here
  the deal is void at once.

The ruleset that is compared lets a taken card be thrown back, as OpenSpiel does. The policies never
do it, and take from the pile with restraint: that engine calls a deal a draw when one card is
thrown back twice, and after fifty takes.
"""

from collections import Counter
from random import Random

import pytest
from hypothesis import settings

from referee.rules.actions import Action, Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.cards import mask, members, parse
from referee.rules.counts import deadwood
from referee.rules.deal import Deal, Dealing, Phase, act, start
from referee.rules.layoff import best_answer
from referee.rules.melds import arrange
from referee.rules.ruleset import resolve
from referee.rules.view import options_of

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this machine")

RULES = resolve({"preset": "spanish", "spade_multiplier": 1, "may_return_taken_card": True})
TAKE, DRAW, PASS, KNOCK, MELDS = 52, 53, 54, 55, 56
UTILS = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
# 300, or more where hypothesis is asked for more.
DEALS = 3 * settings().max_examples


def theirs(card: int) -> int:
    """Our card as their number: suits S C D H."""
    return (card + 13) % 52


def ours(card: int) -> int:
    return (card - 13) % 52


class Pair:
    """One deal in both engines."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        pack = chance.sample(range(52), 52)
        self.stock = iter(pack[21:])
        hands = (mask(pack[:10]), mask(pack[10:20]))
        dealing = Dealing(hands, pack[20], (tuple(pack[21:]),), (0, 0))
        # There seat 0 always begins.
        self.deal: Deal = start(RULES, 1, 1, dealing)
        self.state = pyspiel.load_game("gin_rummy(oklahoma=true)").new_initial_state()
        for card in pack[:21]:
            self.state.apply_action(theirs(card))
        self.departures: Counter[str] = Counter()

    def play(self) -> None:
        """Play on until both are over, or the decisions can no longer be the same."""
        deal, state = self.deal, self.state
        while deal.outcome is None:
            assert not state.is_terminal()
            assert state.current_player() == deal.turn
            if deal.phase is Phase.LAYOFF:
                self.lay_off()
                continue
            self.compare()
            action = self.choice()
            if isinstance(action, Knock):
                self.knock(action)
            else:
                self.apply(action)
        self.compare_ends()

    def compare(self) -> None:
        """What may be done now is the same."""
        deal, state = self.deal, self.state
        may = options_of(deal, deal.turn, want_deadwood=False)
        legal = set(state.legal_actions())
        assert [theirs(card) for card in members(deal.hands[0])] == sorted_as(state.hands()[0])
        assert [theirs(card) for card in members(deal.hands[1])] == sorted_as(state.hands()[1])
        assert state.stock_size() == deal.stock_count
        assert state.knock_card() == deal.limit
        if deal.phase is not Phase.DISCARD:
            expected = {PASS} if may.may_decline else set()
            expected |= {TAKE} if may.may_take else set()
            expected |= {DRAW} if may.may_draw else set()
            assert legal == expected
            return
        assert legal - {KNOCK} == {theirs(card) for card in members(may.discards)}
        if KNOCK in legal:
            assert may.knocks
        elif may.knocks:
            # They count eleven cards too high; the cards left by a best discard they count right.
            self.departures["knock refused"] += 1
            hand = [theirs(card) for card in members(deal.hands[deal.turn])]
            assert UTILS.min_deadwood(hand) > deal.limit >= least(deal)

    def choice(self) -> Action:
        """An action that both engines know; greedy more often than not."""
        deal, chance = self.deal, self.chance
        may = options_of(deal, deal.turn, want_deadwood=True)
        if deal.phase is Phase.DISCARD:
            discards = members(may.discards)
            best = min(zip(may.discard_deadwood, discards, strict=True))[1]
            if KNOCK in self.state.legal_actions() and chance.random() < 0.5:
                return Knock(chance.choice(members(may.knocks)))
            other = [card for card in discards if card != deal.taken]
            return Discard(
                best if best != deal.taken and chance.random() < 0.7 else chance.choice(other)
            )
        if may.may_take and (may.deadwood_if_taken < may.deadwood or chance.random() < 0.05):
            return Take()
        return Decline() if may.may_decline else Draw()

    def apply(self, action: Action) -> None:
        """One plain action in both."""
        deal, state = self.deal, self.state
        act(deal, action)
        if isinstance(action, Discard):
            state.apply_action(theirs(action.card))
        else:
            state.apply_action({Decline: PASS, Take: TAKE, Draw: DRAW}[type(action)])
        if state.is_chance_node():
            state.apply_action(theirs(next(self.stock)))

    def knock(self, action: Knock) -> None:
        """A knock is several decisions there: to knock, the discard, each meld, enough."""
        deal, state = self.deal, self.state
        knocks = options_of(deal, deal.turn, want_deadwood=False).knocks
        hand = deal.hands[deal.turn] ^ 1 << action.card
        act(deal, action)
        state.apply_action(KNOCK)
        assert {ours(card) for card in state.legal_actions()} == set(members(knocks))
        state.apply_action(theirs(action.card))
        for meld in split(arrange(hand, deal.book).melds):
            state.apply_action(MELDS + UTILS.meld_to_int(meld))
        state.apply_action(PASS)

    def lay_off(self) -> None:
        """The layoffs first, then the own melds."""
        deal, state = self.deal, self.state
        hand = deal.hands[deal.turn]
        best = best_answer(hand, deal.spreads[0].melds, deal.book)
        act(deal, LayOff())
        left = [theirs(card) for card, _ in best.layoffs]
        while left:
            card = next(card for card in left if card in state.legal_actions())
            state.apply_action(card)
            left.remove(card)
        state.apply_action(PASS)
        for meld in split(best.melds):
            state.apply_action(MELDS + UTILS.meld_to_int(meld))
        state.apply_action(PASS)

    def compare_ends(self) -> None:
        """The points are the same, but for the departures."""
        deal, state = self.deal, self.state
        outcome = deal.outcome
        assert outcome is not None
        if outcome.end == "void":
            assert outcome.reason == "stock"
            assert state.current_phase() == pyspiel.gin_rummy.Phase.WALL
            self.departures["wall"] += 1
            state.apply_action(PASS)
        elif deal.spreads[0].deadwood and len(set(outcome.deadwood)) == 1:
            assert (outcome.end, max(outcome.points)) == ("undercut", RULES.undercut_bonus)
            assert state.returns() == [0, 0]
            self.departures["equal counts"] += 1
            return
        elif not deal.spreads[0].deadwood:
            while not state.is_terminal():
                # The other hand is still asked for its melds after gin.
                self.meld_after_gin()
        assert state.is_terminal()
        won, lost = outcome.points
        assert state.returns() == [won - lost, lost - won]

    def meld_after_gin(self) -> None:
        loser = self.state.current_player()
        for meld in split(arrange(self.deal.hands[loser], self.deal.book).melds):
            self.state.apply_action(MELDS + UTILS.meld_to_int(meld))
        self.state.apply_action(PASS)


def sorted_as(cards: list[int]) -> list[int]:
    """Their cards in our order."""
    return [theirs(card) for card in sorted(map(ours, cards))]


def least(deal: Deal) -> int:
    hand = deal.hands[deal.turn]
    return min(deadwood(hand ^ 1 << card, deal.book) for card in members(hand))


def split(melds: tuple[int, ...]) -> list[list[int]]:
    """Melds as their numbers; they know runs of three to five cards only."""
    found = []
    for meld in melds:
        cards = [theirs(card) for card in members(meld)]
        while len(cards) > 5:
            size = 5 if len(cards) >= 8 else 3
            found.append(cards[:size])
            cards = cards[size:]
        found.append(cards)
    return found


def test_whole_deals_agree_with_openspiel():
    """Every step and result of many deals agrees with OpenSpiel, but for what is named above."""
    chance = Random(20)
    ends: Counter[str] = Counter()
    departures: Counter[str] = Counter()
    for _ in range(DEALS):
        pair = Pair(chance)
        pair.play()
        outcome = pair.deal.outcome
        assert outcome is not None
        ends[outcome.end] += 1
        departures += pair.departures
    print(f"{DEALS} deals: {dict(ends)}; departures {dict(departures)}")
    assert min(ends[end] for end in ("knock", "gin", "undercut", "void")) > 0
    assert set(departures) <= {"equal counts", "knock refused", "wall"}
    assert departures["wall"] == ends["void"]


def test_a_gin_that_openspiel_refuses():
    """Eleven cards are gin by one discard, though the other engine counts one point."""
    hand = "2C 2D 2H 2S 3H 4C 4D 4S AC AH AS"
    cards = [theirs(parse(card)) for card in hand.split(" ")]
    assert UTILS.min_deadwood(cards) == 1
    exact = min(UTILS.min_deadwood([other for other in cards if other != card]) for card in cards)
    assert exact == 0
