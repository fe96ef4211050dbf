"""Deals and games for the proofs: random rulesets by table, decks made by hand, players of styles.

Everything is drawn from one `random.Random`, so that a seed is a test case.
"""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import NamedTuple

from hypothesis import Phase as Step
from hypothesis import settings
from hypothesis import strategies as st

from referee.rules.actions import Action, BigGin, Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.cards import PACK, mask, members, parse
from referee.rules.deal import Deal, Dealing, Phase, act, start
from referee.rules.fields import Ruleset, RulesetError
from referee.rules.game import Game
from referee.rules.ruleset import resolve, to_json
from referee.rules.view import options_of
from tests.rules import chance as chances
from tests.rules.model.rulesets import ruleset

Shuffle = Callable[[int, tuple[int, ...]], tuple[tuple[int, ...], ...]]

TABLES = {"two": (2, False), "three": (3, False), "four": (4, False), "partners": (4, True)}
STYLES = ("greedy", "greedy", "eager", "random", "trader")

SHARE = settings().max_examples / 100
"""1, or more where hypothesis is asked for more examples than by default."""

seeds = st.integers(0, 2**32 - 1)


def tried(times: int) -> settings:
    """This many seeds, or in proportion to the profile. A smaller seed is no simpler case."""
    steps = (Step.explicit, Step.reuse, Step.generate)
    return settings(max_examples=max(1, round(times * SHARE)), phases=steps)


class Dealt(NamedTuple):
    """All that chance decides in a deal."""

    dealer: int
    dealing: Dealing
    shuffle: Shuffle


def some_rules(chance: Random, table: str, changes: float | None = None) -> Ruleset:
    """A sound ruleset for one of TABLES, its other fields varied together."""
    players, partners = TABLES[table]
    share = chance.choice((0, 0.2, 0.5)) if changes is None else changes
    while True:
        asked = chances.some_ruleset(chance, share)
        asked |= {"players": players, "partnership": partners}
        if partners:
            asked["layoff"] = chance.choice(("knockers_partner", "all", "defenders", "off"))
        elif ruleset(asked)["layoff"] in ("knockers_partner", "all"):
            asked["layoff"] = "defenders"
        try:
            return resolve(asked)
        except RulesetError:
            continue


def rich_deal(chance: Random, rules: Ruleset) -> Dealt:
    """A deal of the generator that makes hands rich in melds, short stocks and one pile or many."""
    made = chances.some_deal(chance, to_json(rules))
    piles = tuple(tuple(map(parse, pile)) for pile in made["piles"])
    hands = tuple(mask(map(parse, hand)) for hand in made["hands"])
    pile_of = tuple(seat % len(piles) for seat in range(rules.players))
    dealing = Dealing(hands, parse(made["upcard"]), piles, pile_of)
    return Dealt(made["dealer"], dealing, shuffle_of(chance.randrange(1 << 32), len(piles)))


def plain_deal(chance: Random, rules: Ruleset, dealer: int) -> Dealt:
    """A shuffled pack, dealt with a pile for each seat."""
    pack = chance.sample(range(PACK), PACK)
    size, players = rules.hand_size, rules.players
    hands = tuple(mask(pack[seat * size : (seat + 1) * size]) for seat in range(players))
    rest = pack[size * players :]
    piles = tuple(tuple(rest[1 + seat :: players]) for seat in range(players))
    dealing = Dealing(hands, rest[0], piles, tuple(range(players)))
    return Dealt(dealer, dealing, shuffle_of(chance.randrange(1 << 32), players))


def shuffle_of(seed: int, piles: int) -> Shuffle:
    """Reshuffles that follow from the seed and from which cards there are."""

    def shuffle(k: int, cards: Iterable[int]) -> tuple[tuple[int, ...], ...]:
        pack = sorted(cards)
        Random(f"{seed} {k} {pack}").shuffle(pack)
        return tuple(tuple(pack[pile::piles]) for pile in range(piles))

    return shuffle


def some_action(chance: Random, deal: Deal, style: str) -> Action:
    """A legal decision. A trader never ends a deal and would rather swap cards on the pile."""
    may = options_of(deal, deal.turn, want_deadwood=True)
    if deal.phase is Phase.LAYOFF:
        return LayOff() if chance.random() < 0.6 else LayOff((), ())
    if deal.phase is not Phase.DISCARD:
        return _draw(chance, deal, style)
    eager = {"greedy": 1.0, "eager": 0.9, "random": 0.2, "trader": 0.0}[style]
    if may.may_big_gin and chance.random() < eager:
        return BigGin()
    if may.knocks and chance.random() < eager:
        return Knock(chance.choice(members(may.knocks)))
    cards = members(may.discards)
    if style in ("random", "trader"):
        return Discard(chance.choice(cards))
    return Discard(min(zip(may.discard_deadwood, cards, strict=True))[1])


def _draw(chance: Random, deal: Deal, style: str) -> Action:
    may = options_of(deal, deal.turn, want_deadwood=True)
    wanted = may.deadwood_if_taken < may.deadwood
    if style == "random":
        wanted = chance.random() < 0.5
    if may.may_take and (wanted or style == "trader"):
        return Take()
    return Draw() if may.may_draw else Decline()


def some_styles(chance: Random, rules: Ruleset) -> list[str]:
    return [chance.choice(STYLES) for _ in range(rules.players)]


def played(chance: Random, rules: Ruleset, dealt: Dealt, styles: list[str]) -> Iterator[Deal]:
    """A deal as it stands before each decision and at its end."""
    deal = start(rules, 1, *dealt)
    yield deal
    while deal.outcome is None:
        act(deal, some_action(chance, deal, styles[deal.turn]))
        yield deal


def game_of(
    chance: Random, rules: Ruleset, styles: list[str], watch: Callable[[Deal], None]
) -> Game:
    """A game from its first deal to its end; `watch` sees every state of every deal."""
    game = Game(rules, chance.randrange(rules.players))
    while not game.over:
        deal = None
        dealt = plain_deal(chance, rules, game.dealer)
        for deal in played(chance, rules, dealt, styles):
            watch(deal)
        assert deal is not None and deal.outcome is not None
        game.record(deal.outcome)
    return game
