"""What each discard of a hand would leave, and the best of them.

Exact for every hand of up to eleven cards, in the same search as `counts`: the best discard lowers
the count of its suit most (tables of drops), or is a card that a set can spare.
"""

from typing import Final

from referee.rules.cards import COLUMN, PACK, RANK_VALUE, members
from referee.rules.counts import HALF, NEVER, without_sets
from referee.rules.tables import NO_DROP, PLUS, SUIT, Book

# For each card to keep: the shifts of the four suits, its own first, and its rank. The entry at the
# end, reached by -1, is for none.
_KEEPING: Final = (
    *(
        (13 * s, 13 * (s ^ 1), 13 * (s ^ 2), 13 * (s ^ 3), rank)
        for s in range(4)
        for rank in range(13)
    ),
    (0, 13, 26, 39, -1),
)

# For each rank its four cards, each as its bit and the mask of the cards before it.
_OF_RANK: Final = tuple(
    tuple((1 << card, (1 << card) - 1) for card in range(rank, PACK, 13)) for rank in range(13)
)

# Four suits, and what their sets can give away: NO_DROP less what it costs (0: none), the card.
_Way = tuple[int, int, int, int, int, int]


def least_after_discard(hand: int, book: Book, keep: int = -1) -> int:
    """Least deadwood after the best discard; the card `keep` of the hand is not discarded."""
    net, drop, dropped, next_drop = book.net, book.drop, book.dropped, book.next_drop
    # Suits are alike here: the one of the card to keep comes first.
    one, two, three, four, rank = _KEEPING[keep]
    a = hand >> one & SUIT
    b = hand >> two & SUIT
    c = hand >> three & SUIT
    d = hand >> four & SUIT
    ranks = a & b & (c | d) | c & d & (a | b)
    if not ranks:
        first = drop[a] if dropped[a] != rank else next_drop[a]
        fall = max(first, drop[b], drop[c], drop[d])
        return net[a] + net[b] + net[c] + net[d] + NO_DROP - fall
    in_run = book.in_run
    tied = ranks & (in_run[a] | in_run[b] | in_run[c] | in_run[d])
    free = ranks ^ tied
    floor = 0
    if free:
        floor = _spared(free, a & b & c & d, book)
        a &= ~free
        b &= ~free
        c &= ~free
        d &= ~free
    if not tied:
        first = drop[a] if dropped[a] != rank else next_drop[a]
        fall = max(first, drop[b], drop[c], drop[d], floor)
        return net[a] + net[b] + net[c] + net[d] + NO_DROP - fall
    ways = _ways_giving([(a, b, c, d, floor, PACK)], tied, a & b & c & d, in_run)
    return NO_DROP + min(
        [
            net[a]
            + net[b]
            + net[c]
            + net[d]
            - max(drop[a] if dropped[a] != rank else next_drop[a], drop[b], drop[c], drop[d], floor)
            for a, b, c, d, floor, _ in ways
        ]
    )


def after_discards(hand: int, book: Book) -> bytes:
    """Least deadwood after the discard of each card of `hand`, cards ascending."""
    low = hand & HALF
    high = hand >> 26
    a = low & SUIT
    b = low >> 13
    c = high & SUIT
    d = high >> 13
    ranks = a & b & (c | d) | c & d & (a | b)
    if not ranks:
        return _after_runs(a, b, c, d, 0, book)[0]
    in_run = book.in_run
    tied = ranks & (in_run[a] | in_run[b] | in_run[c] | in_run[d])
    free = ranks ^ tied
    fours = a & b & c & d
    loose = book.loose
    # Sets that no run competes with are taken whole: their cards count as loose, less all of them.
    saved = 3 * loose[free] + loose[free & fours]
    if tied:
        counts, least = _after_tied(a, b, c, d, tied, saved, book)
    else:
        counts, least = _after_runs(a, b, c, d, saved, book)
    return _with_sets(hand, free, fours, counts, least) if free else counts


def best_discard(hand: int, book: Book, keep: int = -1) -> tuple[int, int]:
    """(least deadwood, card) over every discard but the card `keep`; ties: first in the pack."""
    net = book.net
    drop = book.drop
    low = hand & HALF
    high = hand >> 26
    a = low & SUIT
    b = low >> 13
    c = high & SUIT
    d = high >> 13
    ranks = a & b & (c | d) | c & d & (a | b)
    floor = tied = free = 0
    if ranks:
        in_run = book.in_run
        tied = ranks & (in_run[a] | in_run[b] | in_run[c] | in_run[d])
        free = ranks ^ tied
        if free:
            floor = _spared(free, a & b & c & d, book)
            a &= ~free
            b &= ~free
            c &= ~free
            d &= ~free
    if tied:
        least, card = _best_of_ways(a, b, c, d, tied, _given(hand, free), book)
    else:
        suit, fall, first = a, drop[a], 0
        if drop[b] > fall:
            suit, fall, first = b, drop[b], 13
        if drop[c] > fall:
            suit, fall, first = c, drop[c], 26
        if drop[d] > fall:
            suit, fall, first = d, drop[d], 39
        card = first + book.dropped[suit]
        if floor >= fall:
            given = _given(hand, free)[1]
            card = given if floor > fall or given < card else card
            fall = floor
        least = net[a] + net[b] + net[c] + net[d] + NO_DROP - fall
    return (least, card) if card != keep else _best_but(hand, book, keep)


def _best_but(hand: int, book: Book, keep: int) -> tuple[int, int]:
    """`best_discard` where the card to keep is the best, or the first of equally good ones."""
    counts = after_discards(hand, book)
    cards = members(hand)
    at = cards.index(keep)
    counts = counts[:at] + counts[at + 1 :]
    cards = cards[:at] + cards[at + 1 :]
    least = min(counts)
    return least, cards[counts.index(least)]


def _best_of_ways(
    a: int, b: int, c: int, d: int, tied: int, given: tuple[int, int], book: Book
) -> tuple[int, int]:
    """`best_discard` where sets of the ranks `tied` compete with runs for cards."""
    net, drop, dropped = book.net, book.drop, book.dropped
    least, best = NEVER, PACK
    ways = _ways_giving([(a, b, c, d, *given)], tied, a & b & c & d, book.in_run)
    for a, b, c, d, floor, card in ways:
        da, db, dc, dd = drop[a], drop[b], drop[c], drop[d]
        fall = max(da, db, dc, dd, floor)
        left = net[a] + net[b] + net[c] + net[d] + NO_DROP - fall
        if left > least:
            continue
        if fall != floor:
            card = PACK
        if da == fall:
            card = min(card, dropped[a])
        elif db == fall:
            card = min(card, 13 + dropped[b])
        elif dc == fall:
            card = min(card, 26 + dropped[c])
        elif dd == fall:
            card = min(card, 39 + dropped[d])
        if left < least or card < best:
            least, best = left, card
    return least, best


def _ways_giving(ways: list[_Way], ranks: int, fours: int, in_run: tuple[int, ...]) -> list[_Way]:
    """`without_sets` for a hand that discards a card: four of a rank can give one for nothing."""
    a, b, c, d, _, _ = ways[0]
    runs = (in_run[a], in_run[b], in_run[c], in_run[d])
    while ranks:
        bit = ranks & -ranks
        ranks ^= bit
        keep = ~bit
        taken = [(a & keep, b & keep, c & keep, d & keep, g, x) for a, b, c, d, g, x in ways]
        if not fours & bit:
            ways += taken
            continue
        rank = bit.bit_length() - 1
        ways += [
            (a, b, c, d, NO_DROP, x if g == NO_DROP and x < rank else rank)
            for a, b, c, d, g, x in taken
        ]
        if runs[0] & bit:
            ways += [(a | bit, b, c, d, g, x) for a, b, c, d, g, x in taken]
        if runs[1] & bit:
            ways += [(a, b | bit, c, d, g, x) for a, b, c, d, g, x in taken]
        if runs[2] & bit:
            ways += [(a, b, c | bit, d, g, x) for a, b, c, d, g, x in taken]
        if runs[3] & bit:
            ways += [(a, b, c, d | bit, g, x) for a, b, c, d, g, x in taken]
    return ways


def _given(hand: int, ranks: int) -> tuple[int, int]:
    """What sets of `ranks` that no run competes with can give: NO_DROP less its cost, the card."""
    floor, first = 0, PACK
    while ranks:
        rank = (ranks & -ranks).bit_length() - 1
        ranks &= ranks - 1
        worth = NO_DROP - _broken(hand, rank)
        if worth >= floor:
            held = hand & COLUMN << rank
            card = (held & -held).bit_length() - 1
            if worth > floor or card < first:
                floor, first = worth, card
    return floor, first


def _after_runs(a: int, b: int, c: int, d: int, saved: int, book: Book) -> tuple[bytes, int]:
    """`after_discards` and the deadwood of four suits whose sets save nothing but `saved`."""
    net, after = book.net, book.after
    na, nb, nc, nd = net[a], net[b], net[c], net[d]
    least = na + nb + nc + nd - saved
    counts = (
        after[a].translate(PLUS[least - na])
        + after[b].translate(PLUS[least - nb])
        + after[c].translate(PLUS[least - nc])
        + after[d].translate(PLUS[least - nd])
    )
    return counts, least


def _after_tied(
    a: int, b: int, c: int, d: int, tied: int, saved: int, book: Book
) -> tuple[bytes, int]:
    """`_after_runs` where sets of the ranks `tied` compete with runs.

    A card of a set is discarded where the set is not taken, or is four: that can spare it.
    """
    hand = a | b << 13 | c << 26 | d << 39
    fours = a & b & c & d
    rows: list[bytes | bytearray] = []
    least = NEVER
    choices = without_sets(a, b, c, d, tied, book.in_run)
    for a, b, c, d in choices:
        row, left = _after_runs(a, b, c, d, saved, book)
        taken = hand ^ (a | b << 13 | c << 26 | d << 39)
        if taken:
            row = bytearray(row)
            spare = COLUMN * (fours & ~(a | b | c | d))
            while taken:
                low = taken & -taken
                taken ^= low
                row.insert((hand & low - 1).bit_count(), left if low & spare else NEVER)
        rows.append(row)
        least = min(least, left)
    return bytes(map(min, *rows)), least


def _with_sets(hand: int, free: int, fours: int, counts: bytes, least: int) -> bytes:
    """`counts`, right for the cards in the sets of the ranks `free` too, which are in no run.

    `least` is the deadwood of the whole hand; four of a rank can spare a card.
    """
    row = bytearray(counts)
    while free:
        bit = free & -free
        free ^= bit
        rank = bit.bit_length() - 1
        count = least if fours & bit else least + 2 * RANK_VALUE[rank]
        for card, below in _OF_RANK[rank]:
            if hand & card:
                row[(hand & below).bit_count()] = count
    return bytes(row)


def _spared(free: int, fours: int, book: Book) -> int:
    """The best that sets of the ranks `free` give away: NO_DROP less its cost.

    A set of four gives a card for nothing; of a set of three two loose cards are left.
    """
    return NO_DROP if free & fours else NO_DROP - 2 * book.loose[free & -free]


def _broken(hand: int, rank: int) -> int:
    """What it costs to take one card out of a set that no run competes with.

    A set of four becomes one of three; of a set of three two loose cards are left.
    """
    return 0 if (hand >> rank & COLUMN).bit_count() == 4 else 2 * RANK_VALUE[rank]
