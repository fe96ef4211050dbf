"""Deals and games played in this process by built-in policies, and the mix of what came of them.

For whoever wants to see how a ruleset plays, or a thousand deals a moment. No bots, no clocks, no
I/O: cards come from `referee.deck`, and a policy's chance is handed in.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from referee.deck import Decks
from referee.rules.actions import Action, BigGin, Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.cards import members
from referee.rules.counts import deadwood
from referee.rules.deal import Deal, Outcome, Phase, act, start
from referee.rules.discards import best_discard
from referee.rules.game import Game
from referee.rules.ruleset import Ruleset
from referee.rules.view import options_of

Below = Callable[[int], int]
"""Chance: `below(n)` is a whole number from 0 to n - 1."""

Policy = Callable[[Deal, Below], Action]
"""What the seat `deal.turn` does. It reads its own hand, and what everybody sees."""

_OFFER, _DISCARD, _LAYOFF = Phase.OFFER, Phase.DISCARD, Phase.LAYOFF
_TAKE, _DRAW, _DECLINE, _LAY_OFF = Take(), Draw(), Decline(), LayOff()


def greedy(deal: Deal, _: Below) -> Action:
    """The least deadwood now: takes what lowers it at once, knocks as soon as it may."""
    phase, book = deal.phase, deal.book
    hand = deal.hands[deal.turn]
    if phase is _DISCARD:
        rules = deal.rules
        keep = -1 if rules.may_return_taken_card else deal.taken
        least, card = best_discard(hand, book, keep)
        if least > deal.limit:
            return Discard(card)
        if rules.big_gin_bonus is not None and not least and not deadwood(hand, book):
            return BigGin()
        return Knock(card)
    if phase is _LAYOFF:
        return _LAY_OFF
    if not deal.must_draw:
        # Where the card itself would be the best discard, the count stays as it is.
        least, _card = best_discard(hand | 1 << deal.discards[-1], book)
        if least < deadwood(hand, book):
            return _TAKE
    return _DECLINE if phase is _OFFER else _DRAW


def uniform(deal: Deal, below: Below) -> Action:
    """Any legal action, each as likely; hands after a knock are left to the referee."""
    if deal.phase is _LAYOFF:
        return _LAY_OFF
    may = options_of(deal, deal.turn, want_deadwood=False)
    if deal.phase is not _DISCARD:
        plain = (
            (may.may_decline, _DECLINE),
            (may.may_take, _TAKE),
            (may.may_draw, _DRAW),
        )
        legal: list[Action] = [action for allowed, action in plain if allowed]
        return legal[below(len(legal))]
    discards, knocks = members(may.discards), members(may.knocks)
    at = below(len(discards) + len(knocks) + may.may_big_gin)
    if at < len(discards):
        return Discard(discards[at])
    at -= len(discards)
    return Knock(knocks[at]) if at < len(knocks) else BigGin()


POLICIES: Final[Mapping[str, Policy]] = MappingProxyType({"greedy": greedy, "random": uniform})


class Mix(NamedTuple):
    """What came of some deals, and of the games they belonged to (none for deals alone).

    `ends` counts deals by how they ended: knock, gin, big_gin, undercut, void_stock, void_turn_cap.
    `points` and `won` are by side, of deals; `games_won` by side, `reasons` of games by word.
    """

    deals: int
    turns: int
    decisions: int
    ends: Mapping[str, int]
    points: tuple[int, ...]
    won: tuple[int, ...]
    games: int
    games_won: tuple[int, ...]
    games_drawn: int
    reasons: Mapping[str, int]


def play_deal(deal: Deal, policies: Sequence[Policy], below: Below) -> int:
    """Play a deal to its end, the policies by seat; how many decisions it took."""
    decisions = 0
    while deal.outcome is None:
        act(deal, policies[deal.turn](deal, below))
        decisions += 1
    return decisions


def deals(
    rules: Ruleset, decks: Decks, count: int, policies: Sequence[Policy], below: Below
) -> Mix:
    """Play `count` deals that belong to no game, their first dealers drawn."""
    tally = _Tally(rules)
    for unit in range(count):
        dealer = decks.first_dealer(unit, 0)
        deal = _dealt(rules, decks, unit, 1, dealer)
        tally.deal(deal, play_deal(deal, policies, below))
    return tally.mix()


def games(
    rules: Ruleset, decks: Decks, count: int, policies: Sequence[Policy], below: Below
) -> Mix:
    """Play `count` games to their ends."""
    tally = _Tally(rules)
    for unit in range(count):
        game = Game(rules, decks.first_dealer(unit, 0))
        while not game.over:
            deal = _dealt(rules, decks, unit, game.deals + 1, game.dealer)
            outcome = tally.deal(deal, play_deal(deal, policies, below))
            game.record(outcome)
        tally.game(game)
    return tally.mix()


def shares(mix: Mix) -> Iterator[tuple[str, int, float]]:
    """How deals ended: the word, how often, and the share of all deals; the commonest first."""
    for end, count in sorted(mix.ends.items(), key=lambda item: (-item[1], item[0])):
        yield end, count, count / mix.deals


def to_json(mix: Mix) -> dict[str, Any]:
    """The mix for programs; shares, and means a deal and a game, are worked out."""
    found: dict[str, Any] = {
        "deals": mix.deals,
        "ends": {end: {"deals": count, "share": share} for end, count, share in shares(mix)},
        "turns_per_deal": mix.turns / mix.deals,
        "decisions_per_deal": mix.decisions / mix.deals,
        "points": list(mix.points),
        "won": list(mix.won),
    }
    if mix.games:
        found |= {
            "games": mix.games,
            "deals_per_game": mix.deals / mix.games,
            "games_won": list(mix.games_won),
            "games_drawn": mix.games_drawn,
            "reasons": dict(mix.reasons),
        }
    return found


class _Tally:
    def __init__(self, rules: Ruleset) -> None:
        sides = len(rules.sides)
        self._deals = self._turns = self._decisions = self._games = self._drawn = 0
        self._ends: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._points, self._won, self._games_won = [0] * sides, [0] * sides, [0] * sides

    def deal(self, deal: Deal, decisions: int) -> Outcome:
        outcome = deal.outcome
        assert outcome is not None
        self._deals += 1
        self._turns += deal.turns
        self._decisions += decisions
        self._ends[f"{outcome.end}_{outcome.reason}" if outcome.reason else outcome.end] += 1
        if outcome.winner is not None:
            self._won[outcome.winner] += 1
            self._points[outcome.winner] += outcome.points[outcome.winner]
        return outcome

    def game(self, game: Game) -> None:
        result = game.result
        assert result is not None
        self._games += 1
        self._reasons[result.reason] += 1
        if result.winner is None:
            self._drawn += 1
        else:
            self._games_won[result.winner] += 1

    def mix(self) -> Mix:
        return Mix(
            self._deals,
            self._turns,
            self._decisions,
            dict(self._ends),
            tuple(self._points),
            tuple(self._won),
            self._games,
            tuple(self._games_won),
            self._drawn,
            dict(self._reasons),
        )


def _dealt(rules: Ruleset, decks: Decks, unit: int, number: int, dealer: int) -> Deal:
    dealing = decks.dealing(unit, 0, number)
    return start(rules, number, dealer, dealing, decks.reshuffle(unit, 0, number))
