"""The obvious way to arrange hands: try everything. It shares no code with the fast way."""

from itertools import combinations

RANKS = "A23456789TJQK"


def value(card: int) -> int:
    return min(card % 13 + 1, 10)


def total(cards) -> int:
    return sum(value(card) for card in cards)


def is_meld(cards, ace_high: bool = False) -> bool:
    """A set of three or four, or three or more in a row of one suit."""
    cards = sorted(cards)
    if len(set(cards)) != len(cards) or len(cards) < 3:
        return False
    if len({card % 13 for card in cards}) == 1:
        return True
    if len({card // 13 for card in cards}) != 1:
        return False
    ranks = [card % 13 for card in cards]
    rows = [ranks]
    if ace_high and ranks[0] == 0:
        rows.append([*ranks[1:], 13])
    return any(row == list(range(row[0], row[0] + len(row))) for row in rows)


def melds_in(hand, ace_high: bool = False):
    """Every meld that can be made of some cards of the hand."""
    hand = sorted(hand)
    found = []
    for rank in range(13):
        same = [card for card in hand if card % 13 == rank]
        for size in (3, 4):
            found += [frozenset(cards) for cards in combinations(same, size)]
    for suit in range(4):
        same = [card for card in hand if card // 13 == suit]
        for size in range(3, len(same) + 1):
            found += [
                frozenset(cards) for cards in combinations(same, size) if is_meld(cards, ace_high)
            ]
    return found


def arrangements(hand, ace_high: bool = False):
    """Every choice of disjoint melds, none included, as tuples of frozensets."""
    melds = melds_in(hand, ace_high)

    def extend(at, used, chosen):
        yield chosen
        for index in range(at, len(melds)):
            if not melds[index] & used:
                yield from extend(index + 1, used | melds[index], (*chosen, melds[index]))

    return list(extend(0, frozenset(), ()))


def left_over(hand, melds) -> int:
    return total(set(hand).difference(*melds))


def deadwood(hand, ace_high: bool = False) -> int:
    return min(left_over(hand, melds) for melds in arrangements(hand, ace_high))


def is_set(meld) -> bool:
    return len({card % 13 for card in meld}) == 1


def high_ace(meld) -> bool:
    ranks = {card % 13 for card in meld}
    return not is_set(meld) and 0 in ranks and 1 not in ranks


def first_of(meld) -> int:
    """The card that a meld is numbered by."""
    cards = sorted(meld)
    return cards[1] if high_ace(meld) else cards[0]


def order_of(hand, melds):
    """What arrangements are compared by: deadwood, set cards, runs whole, an ace low."""
    in_sets = sorted(card for meld in melds if is_set(meld) for card in meld)
    runs = [meld for meld in melds if not is_set(meld)]
    return (
        left_over(hand, melds),
        len(in_sets),
        in_sets,
        len(runs),  # taken whole: never two runs where one holds the same cards
        sum(high_ace(run) for run in runs),
    )


def numbered(melds):
    return tuple(sorted(melds, key=lambda meld: (not is_set(meld), first_of(meld))))


def arrange(hand, ace_high: bool = False):
    """The arrangement that comes first, as numbered melds."""
    return numbered(min(arrangements(hand, ace_high), key=lambda melds: order_of(hand, melds)))


def _could_fit(card, hand, open_melds, ace_high: bool) -> bool:
    """Whether some open meld could take the card, perhaps together with others of its suit."""
    suit = [other for other in hand if other // 13 == card // 13 and other != card]
    return any(
        is_meld({*meld, card, *more}, ace_high)
        for meld in open_melds
        for size in range(len(suit) + 1)
        for more in combinations(suit, size)
    )


def answers(hand, open_melds, ace_high: bool = False):
    """Every way to split a hand into melds, layoffs and the rest: (melds, {card: meld number})."""
    hand = frozenset(hand)

    def assign(cards, laid):
        if not cards:
            yield laid
            return
        yield from assign(cards[1:], laid)
        for number in range(len(open_melds)):
            yield from assign(cards[1:], {**laid, cards[0]: number})

    fitting = [card for card in sorted(hand) if _could_fit(card, hand, open_melds, ace_high)]
    for laid in assign(fitting, {}):
        grown = [
            set(meld) | {card for card, on in laid.items() if on == number}
            for number, meld in enumerate(open_melds)
        ]
        if all(is_meld(meld, ace_high) for meld in grown):
            rest = hand - laid.keys()
            for melds in arrangements(rest, ace_high):
                yield melds, laid


def best_answer(hand, open_melds, ace_high: bool = False):
    """The joint choice that comes first: (deadwood, melds, layoffs as (card, meld number))."""

    def key(answer):
        melds, laid = answer
        rest = set(hand) - laid.keys()
        count, *ties = order_of(rest, melds)
        return (count, len(laid), ties, [laid[card] for card in sorted(laid)], sorted(laid))

    melds, laid = min(answers(hand, open_melds, ace_high), key=key)
    rest = set(hand) - laid.keys()
    return left_over(rest, melds), numbered(melds), tuple(sorted(laid.items()))
