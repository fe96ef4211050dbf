"""Laying off: what may be added to melds on the table, and the best joint choice.

A hand that answers a knock is split three ways: own melds, cards laid off, the rest. Who may lay
off on whose melds is decided elsewhere; here the open melds are a plain list.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from referee.rules.cards import members
from referee.rules.counts import deadwood
from referee.rules.melds import arrange_by_order
from referee.rules.tables import Book


class Answer(NamedTuple):
    """A hand in answer to a knock: own melds, layoffs as (card, open meld's number), points."""

    melds: tuple[int, ...]
    layoffs: tuple[tuple[int, int], ...]
    deadwood: int


def extended(
    open_melds: Sequence[int], layoffs: Iterable[tuple[int, int]], book: Book
) -> tuple[int, ...] | None:
    """The open melds with everything laid on them; None when one is then no set and no run.

    Layoffs must name melds that there are; the order of the cards does not matter.
    """
    melds = list(open_melds)
    for card, number in layoffs:
        if melds[number] >> card & 1:
            return None
        melds[number] |= 1 << card
    return tuple(melds) if all(meld in book.melds for meld in melds) else None


def best_answer(hand: int, open_melds: Sequence[int], book: Book) -> Answer:
    """The joint choice of own melds and layoffs that leaves least deadwood.

    Of equal ones: fewest cards laid off, then the own arrangement by its own order, then the list
    of meld numbers, cards in the order of the pack, that comes first.
    """
    choices = _choices(hand, open_melds, book)
    if len(choices) == 1:
        own = arrange_by_order(hand, book)[1]
        return Answer(own.melds, (), own.deadwood)
    counts = [(deadwood(hand ^ laid, book), laid.bit_count()) for laid, _ in choices]
    fewest = min(counts)
    best = None
    for (laid, on), count in zip(choices, counts, strict=True):
        if count != fewest:
            continue
        order, own = arrange_by_order(hand ^ laid, book)
        layoffs = sorted((card, number) for number, cards in on for card in members(cards))
        key = (order, [number for _, number in layoffs], layoffs)
        if best is None or key < best[0]:
            best = key, Answer(own.melds, tuple(layoffs), own.deadwood)
    assert best is not None
    return best[1]


def _choices(
    hand: int, open_melds: Sequence[int], book: Book
) -> list[tuple[int, tuple[tuple[int, int], ...]]]:
    """Every way to lay off, none at all first: the cards in all, and (meld number, cards) pairs."""
    choices: list[tuple[int, tuple[tuple[int, int], ...]]] = [(0, ())]
    for number, meld in enumerate(open_melds):
        fits = _additions(hand, meld, book)
        choices += [
            (laid | cards, (*on, (number, cards)))
            for laid, on in choices
            for cards in fits
            if not laid & cards
        ]
    return choices


def _additions(hand: int, meld: int, book: Book) -> list[int]:
    """The sets of cards out of `hand` that can be laid on one meld together.

    Every such set can be built up card by card, each step a meld: a run grows at its ends.
    """
    melds = book.melds
    found: list[int] = []
    grown = [0]
    while grown:
        laid = grown.pop()
        fits = melds[meld | laid] & hand
        while fits:
            low = fits & -fits
            fits ^= low
            if laid | low not in found:
                found.append(laid | low)
                grown.append(laid | low)
    return found
