"""Decks are fair: uniform at every place and in pairs, the same in all legs, with piles as without.

Every sample is fixed by a seed, so a run repeats itself. A statistic may exceed its bound in one of
a hundred thousand cases (one of a thousand for the few of self-play) if decks are fair; the bounds
are quantiles of the chi-squared distribution.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from random import Random
from statistics import NormalDist

import numpy as np
import pytest

from referee.deck import Decks, seed_secret
from referee.rules.cards import PACK, members
from referee.rules.deal import Deal, Dealing, act, start
from referee.rules.fields import Ruleset
from referee.rules.ruleset import PRESETS, resolve
from referee.selfplay import greedy
from tests.rules.proof_play import SHARE, shuffle_of

SEATS = (2, 3, 4)
DECKS = round(6_000 * SHARE)
DEALS = round(1_500 * SHARE)


def quantile(degrees: int, beyond: float) -> float:
    """What a chi-squared of so many degrees exceeds with this chance (Wilson and Hilferty)."""
    spread = 2 / (9 * degrees)
    return degrees * (1 - spread + NormalDist().inv_cdf(1 - beyond) * spread**0.5) ** 3


def uneven(counts: np.ndarray, per_draw: int = 1) -> float:
    """Chi-squared over its bound against equally likely values; above 1 is unfair.

    With `per_draw` different values drawn at a time the statistic is smaller by the part drawn.
    """
    values = len(counts)
    expected = counts.sum() / values
    statistic = float(((counts - expected) ** 2 / expected).sum())
    statistic *= (values - 1) / (values - per_draw)
    return statistic / quantile(values - 1, 1e-5)


def rules_of(players: int) -> Ruleset:
    return replace(PRESETS["german"], players=players)


def dealt(players: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Hands as 0 and 1 by deck, seat and card; then upcard and draws by deck, in pack order."""
    decks = Decks(seed_secret(name), (), rules_of(players))
    hands = np.zeros((DECKS, players, PACK), np.int32)
    draws = np.empty((DECKS, PACK - 10 * players), np.int64)
    for unit in range(DECKS):
        dealing = decks.dealing(unit, 0, 1)
        for seat, hand in enumerate(dealing.hands):
            hands[unit, seat, list(members(hand))] = 1
        draws[unit, 0] = dealing.upcard
        for seat, pile in enumerate(dealing.piles):
            draws[unit, 1 + seat :: players] = pile
    return hands, draws


@pytest.mark.parametrize("players", SEATS)
def test_every_place_is_uniform(players: int, cases: Counter[str]) -> None:
    """Each card is equally likely in each seat's hand, as upcard, and as each seat's n-th draw."""
    hands, draws = dealt(players, "places")
    found = {f"hand {seat}": uneven(hands[:, seat].sum(0), 10) for seat in range(players)}
    for at in range(draws.shape[1]):
        place = f"draw {(at - 1) // players} of seat {(at - 1) % players}" if at else "upcard"
        found[place] = uneven(np.bincount(draws[:, at], minlength=PACK))
    assert {place: over for place, over in found.items() if over > 1} == {}
    cases["places of a deck found uniform"] += len(found)
    cases["decks dealt for them"] += DECKS


@pytest.mark.parametrize("players", SEATS)
def test_every_pair_of_places_is_uniform(players: int, cases: Counter[str]) -> None:
    """Of two draws, or upcard and draw, each distance between the cards is equally likely."""
    _, draws = dealt(players, "pairs")
    found = {}
    for one, two in combinations(range(draws.shape[1]), 2):
        distance = (draws[:, one] - draws[:, two]) % PACK
        found[one, two] = uneven(np.bincount(distance, minlength=PACK)[1:])
    assert {pair: over for pair, over in found.items() if over > 1} == {}
    cases["pairs of places found uniform"] += len(found)


@pytest.mark.parametrize("players", SEATS)
def test_no_hand_tells_of_another_card(players: int, cases: Counter[str]) -> None:
    """What lies in a hand says nothing about upcard and draws, nor about another hand."""
    hands, draws = dealt(players, "hands")
    found = {}
    rolled = np.arange(PACK)
    for seat in range(players):
        for at in range(draws.shape[1]):
            # Distances from the card at this place to each of the ten in the hand.
            turned = np.take_along_axis(hands[:, seat], (rolled + draws[:, at, None]) % PACK, 1)
            found[seat, at] = uneven(turned.sum(0)[1:], 10)
    for one, two in combinations(range(players), 2):
        held = hands[:, one].T @ hands[:, two]
        # A pair of different cards is in two given hands in 100 of 52 * 51 decks.
        expected = DECKS * 100 / (PACK * (PACK - 1))
        worst = float(np.abs(held[~np.eye(PACK, dtype=bool)] - expected).max())
        assert not held.diagonal().any()
        found[one, two, "hands"] = worst / (expected**0.5 * NormalDist().inv_cdf(1 - 1e-9))
    assert {pair: over for pair, over in found.items() if over > 1} == {}
    cases["hands found to tell nothing of a place or a hand"] += len(found)


@pytest.mark.parametrize("players", SEATS)
def test_reshuffled_stocks_are_uniform(players: int, cases: Counter[str]) -> None:
    """Each card of a discard pile is equally likely at each place of the new stock."""
    decks = Decks(seed_secret("reshuffles"), (), rules_of(players))
    pack = range(7, 30)
    counts = np.zeros((len(pack), len(pack)))
    for unit in range(DECKS):
        piles = decks.reshuffle(unit, 0, 1)(0, pack)
        flat = [card for pile in piles for card in pile]
        counts[np.arange(len(pack)), np.array(flat) - 7] += 1
    assert max(map(uneven, counts)) <= 1
    cases["places of a reshuffled stock found uniform"] += len(pack)


@pytest.mark.parametrize("players", SEATS)
def test_all_legs_of_a_unit_are_the_same(players: int, cases: Counter[str]) -> None:
    """Every leg has the cards, piles, reshuffles and first dealers of every other."""
    decks = Decks(seed_secret("legs"), (b"one", b"two"), rules_of(players))
    for unit in range(round(200 * SHARE)):
        legs = [
            (
                decks.first_dealer(unit, leg),
                *(decks.dealing(unit, leg, deal) for deal in (1, 2, 50)),
                *(decks.reshuffle(unit, leg, 1)(k, range(9)) for k in range(2)),
            )
            for leg in range(players)
        ]
        assert len(set(legs)) == 1
        cases["units with all legs the same"] += 1


# ---------------------------------------------------------------- piles


def shared(dealing: Dealing, stock: Iterable[int]) -> Dealing:
    """The same hands with one pile for all."""
    return dealing._replace(piles=(tuple(stock),), pile_of=(0,) * len(dealing.hands))


def interleaved(dealing: Dealing) -> list[int]:
    """The stock as it came out of the pack, before it was cut into piles."""
    piles = dealing.piles
    size = sum(map(len, piles))
    return [piles[at % len(piles)][at // len(piles)] for at in range(size)]


def played(rules: Ruleset, dealer: int, dealing: Dealing, seed: int) -> tuple[Deal, list[int]]:
    """Greedy seats to the end; the deal, and the stock's cards in the order they were drawn."""
    deal = start(rules, 1, dealer, dealing, shuffle_of(seed, len(dealing.piles)))
    drawn: list[int] = []
    while deal.outcome is None:
        seat = deal.turn
        held, action = deal.hands[seat], greedy(deal, Random(0).randrange)
        act(deal, action)
        if type(action).__name__ == "Draw":
            drawn += members(deal.hands[seat] & ~held)
    return deal, drawn


@pytest.mark.parametrize("players", SEATS)
def test_a_deal_on_piles_is_a_deal_on_one_pile(players: int, cases: Counter[str]) -> None:
    """Each deal on piles goes card by card as one on a single pile in the order of the draws.

    Which card of the piles comes next never depends on cards that still lie there. So that order is
    as uniform as the piles are, and whole deals have the same distribution.
    """
    rules = rules_of(players)
    decks = Decks(seed_secret("coupled"), (), rules)
    for unit in range(round(400 * SHARE)):
        dealing, dealer = decks.dealing(unit, 0, 1), decks.first_dealer(unit, 0)
        apart, drawn = played(rules, dealer, dealing, unit)
        rest = [card for card in interleaved(dealing) if card not in drawn]
        together, again = played(rules, dealer, shared(dealing, drawn + rest), unit)
        assert again == drawn
        assert (together.outcome, together.hands) == (apart.outcome, apart.hands)
        assert (together.public, together.discards) == (apart.public, apart.discards)
        cases["deals on piles found again on one pile"] += 1


def kind(deal: Deal) -> str:
    """A deal by its end, who won, and how long it took."""
    outcome = deal.outcome
    assert outcome is not None
    if outcome.winner is None:
        return f"void {outcome.reason}"
    turns = min(deal.turns // (2 * len(deal.hands)), 4)
    return f"{outcome.end} {(outcome.winner - deal.dealer) % len(deal.hands)} {turns}"


def differ(one: Counter[str], two: Counter[str]) -> tuple[float, float]:
    """Chi-squared that two samples are of one distribution, and its bound of one in a thousand.

    Kinds that are met fewer than twenty times in all count as one kind.
    """
    table: Counter[str] = one + two
    names = {name: name if table[name] >= 20 else "rare" for name in table}
    sums = [Counter[str](), Counter[str]()]
    for name, to in names.items():
        sums[0][to] += one[name]
        sums[1][to] += two[name]
    whole = [of.total() for of in sums]
    statistic = 0.0
    for name in set(names.values()):
        both = sums[0][name] + sums[1][name]
        for of, size in zip(sums, whole, strict=True):
            expected = both * size / sum(whole)
            statistic += (of[name] - expected) ** 2 / expected
    return statistic, quantile(len(set(names.values())) - 1, 1e-3)


@pytest.mark.parametrize("rules", [*SEATS, "standard"])
def test_piles_leave_whole_deals_as_they_were(rules: int | str, cases: Counter[str]) -> None:
    """Ends, winners and lengths of many deals are spread on piles as they are on one pile."""
    ruleset = resolve(rules) if isinstance(rules, str) else rules_of(rules)
    kinds = {"piles": Counter[str](), "one pile": Counter[str]()}
    for how, counts in kinds.items():
        decks = Decks(seed_secret(f"stock as {how}"), (), ruleset)
        for unit in range(DEALS):
            dealing = decks.dealing(unit, 0, 1)
            if how == "one pile":
                dealing = shared(dealing, interleaved(dealing))
            deal, _ = played(ruleset, decks.first_dealer(unit, 0), dealing, unit)
            counts[kind(deal)] += 1
            cases[f"deals with the stock as {how}"] += 1
    statistic, bound = differ(kinds["piles"], kinds["one pile"])
    assert statistic < bound, kinds


def test_the_bounds_would_tell() -> None:
    """A shuffle with a small fault, and a worse player, are both found by these statistics."""
    chance = Random(1)
    lazy = [chance.choice((chance.randrange(PACK), chance.randrange(26))) for _ in range(DECKS)]
    assert uneven(np.bincount(lazy, minlength=PACK)) > 1
    fair = [chance.randrange(PACK) for _ in range(DECKS)]
    assert uneven(np.bincount(fair, minlength=PACK)) < 1
    one, two = Counter({"knock": 1200, "gin": 800}), Counter({"knock": 1300, "gin": 700})
    statistic, bound = differ(one, two)
    assert statistic > bound * 0.9
    assert quantile(51, 1e-3) == pytest.approx(87.97, abs=0.1)
