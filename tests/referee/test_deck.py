"""Decks: known answers, a second derivation written from the documentation, and fairness."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knockbox.v1.replay_pb2 import PAIRING_INDEPENDENT, PAIRING_UNITS
from referee.deck import Decks, commitment, fresh_secret, match_secret, seed_secret
from referee.rules.cards import members, show
from referee.rules.ruleset import PRESETS

GERMAN = PRESETS["german"]
SECRET = bytes(range(32))
NONCES = (b"north", b"")


class Documented:
    """docs/replay-format.md, "From the secret to the cards", word for word and slow."""

    def __init__(self, secret: bytes, nonces: tuple[bytes, ...], leg: int | None = None) -> None:
        text = self.text("knockbox/1 decks") + self.num(len(nonces))
        for nonce in nonces:
            text += len(nonce).to_bytes(2, "big") + nonce
        self.match_key = self.hmac(secret, text)
        self.leg_key = self.match_key
        if leg is not None:
            message = self.text("knockbox/1 leg") + self.num(leg)
            self.leg_key = self.hmac(self.match_key, message)

    @staticmethod
    def hmac(key: bytes, message: bytes) -> bytes:
        return hmac.new(key, message, hashlib.sha256).digest()

    @staticmethod
    def num(number: int) -> bytes:
        return number.to_bytes(4, "big")

    @staticmethod
    def text(string: str) -> bytes:
        return len(string.encode()).to_bytes(2, "big") + string.encode()

    def stream(self, key: bytes, label: str, *numbers: int) -> Iterator[int]:
        block = 0
        while True:
            message = self.text("knockbox/1 " + label)
            for number in (*numbers, block):
                message += self.num(number)
            digest = self.hmac(key, message)
            for start in range(0, 32, 4):
                yield int.from_bytes(digest[start : start + 4], "big")
            block += 1

    @staticmethod
    def below(n: int, stream: Iterator[int]) -> int:
        while True:
            w = next(stream)
            if w < 2**32 - 2**32 % n:
                return w % n

    def shuffle(self, items: list[int], stream: Iterator[int]) -> list[int]:
        for i in reversed(range(1, len(items))):
            j = self.below(i + 1, stream)
            swapped = items[i]
            items[i] = items[j]
            items[j] = swapped
        return items

    def deal(
        self, unit: int, deal: int, p: int, h: int
    ) -> tuple[list[set[int]], int, list[list[int]]]:
        pack = self.shuffle(list(range(52)), self.stream(self.leg_key, "deck", unit, deal))
        hands = [{pack[s * h + n] for n in range(h)} for s in range(p)]
        piles: list[list[int]] = [[] for _ in range(p)]
        for i, card in enumerate(pack[p * h + 1 :]):
            piles[i % p].append(card)
        return hands, pack[p * h], piles


def test_known_answers() -> None:
    """Decks are the same for ever: these values never change within format 1."""
    tournament = seed_secret("knockbox")
    assert tournament.hex() == "69ba8a134d01f365eeaa874e9f6a16f479bb296842d54cdd91c715cd3517feaa"
    assert (
        match_secret(tournament, "m-0001").hex()
        == "f0f7aedf58216844ac5d1bd0758f23c07dc0abc80d977fbc3f87ce9b49f891ba"
    )
    assert commitment(SECRET).hex() == (
        "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    )
    decks = Decks(SECRET, NONCES, GERMAN)
    dealing = decks.dealing(3, 0, 1)
    assert [show(hand) for hand in dealing.hands] == [
        "2C 3D JD 2H 5H 8H 3S 7S 9S TS",
        "AC 6C TC JC KC 6D 7D TD AH QH",
    ]
    assert dealing.upcard == 2
    assert dealing.piles == (
        (7, 44, 38, 3, 31, 14, 16, 49, 39, 20, 51, 36, 24, 4, 6, 40),
        (11, 29, 50, 32, 42, 21, 35, 25, 17, 8, 13, 43, 34, 46, 28),
    )
    assert [decks.first_dealer(unit, 0) for unit in range(12)] == [
        0,
        0,
        1,
        1,
        1,
        0,
        0,
        0,
        1,
        1,
        0,
        1,
    ]
    assert decks.board_order(0, 12) == (0, 9, 4, 3, 5, 10, 1, 2, 7, 11, 8, 6)
    assert decks.board_order(1, 12) == (9, 5, 1, 10, 11, 6, 0, 8, 4, 7, 3, 2)
    assert decks.reshuffle(3, 0, 1)(1, range(12)) == ((0, 3, 9, 2, 10, 7), (4, 1, 5, 11, 6, 8))
    assert Decks(SECRET, (), GERMAN).dealing(0, 0, 1).upcard == 24
    apart = Decks(SECRET, NONCES, GERMAN, PAIRING_INDEPENDENT)
    assert [apart.dealing(3, leg, 1).upcard for leg in range(2)] == [49, 42]


@given(
    secret=st.binary(min_size=32, max_size=32),
    nonces=st.lists(st.binary(max_size=32), max_size=4).map(tuple),
    unit=st.integers(0, 2**32 - 1),
    leg=st.integers(0, 3),
    deal=st.integers(1, 10_000),
    players=st.integers(2, 4),
    hand=st.integers(7, 10),
    independent=st.booleans(),
)
@settings(max_examples=60)
def test_decks_as_documented(
    secret: bytes,
    nonces: tuple[bytes, ...],
    unit: int,
    leg: int,
    deal: int,
    players: int,
    hand: int,
    independent: bool,
) -> None:
    """Every deck, dealer, order and reshuffle is what the documentation derives."""
    rules = replace(GERMAN, players=players, hand_size=hand)
    pairing = PAIRING_INDEPENDENT if independent else PAIRING_UNITS
    decks = Decks(secret, nonces, rules, pairing)
    slow = Documented(secret, nonces, leg if independent else None)
    hands, upcard, piles = slow.deal(unit, deal, players, hand)
    dealing = decks.dealing(unit, leg, deal)
    assert hands == [set(members(mask)) for mask in dealing.hands]
    assert upcard == dealing.upcard
    assert piles == [list(pile) for pile in dealing.piles]
    dealer = slow.below(players, slow.stream(slow.leg_key, "first dealer", unit))
    assert dealer == decks.first_dealer(unit, leg)
    order = slow.shuffle(list(range(9)), slow.stream(slow.match_key, "board order", leg))
    assert order == list(decks.board_order(leg, 9))
    cards = slow.shuffle([3, 17, 40, 51], slow.stream(slow.leg_key, "reshuffle", unit, deal, 2))
    again = decks.reshuffle(unit, leg, deal)(2, [51, 3, 40, 17])
    assert [tuple(cards[seat::players]) for seat in range(players)] == list(again)


@given(secret=st.binary(min_size=32, max_size=32), name=st.text(max_size=64))
def test_secrets_as_documented(secret: bytes, name: str) -> None:
    """Secrets of matches and seeds are what the documentation derives."""
    text = Documented.text
    match = Documented.hmac(secret, text("knockbox/1 match") + text(name.split(".")[-1]))
    assert match == match_secret(secret, name)
    assert hashlib.sha256(text("knockbox/1 seed") + name.encode()).digest() == seed_secret(name)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("hand", [7, 8, 9, 10])
def test_the_pack_is_whole(players: int, hand: int) -> None:
    """Hands, upcard and piles are 52 different cards, and the piles differ by one card at most."""
    rules = replace(GERMAN, players=players, hand_size=hand)
    dealing = Decks(SECRET, (), rules).dealing(0, 0, 1)
    held = [card for mask in dealing.hands for card in members(mask)]
    stock = [card for pile in dealing.piles for card in pile]
    assert list(range(52)) == sorted([*held, dealing.upcard, *stock])
    assert [hand] * players == [mask.bit_count() for mask in dealing.hands]
    sizes = [len(pile) for pile in dealing.piles]
    assert len(sizes) == players
    assert max(sizes) - min(sizes) <= 1
    assert tuple(range(players)) == dealing.pile_of


def test_legs_of_a_unit_share_everything() -> None:
    """All legs of a unit have the same hands, draws and first dealer."""
    decks = Decks(SECRET, NONCES, replace(GERMAN, players=4))
    for unit in range(6):
        for deal in range(1, 4):
            assert len({decks.dealing(unit, leg, deal) for leg in range(4)}) == 1
            shuffles = [decks.reshuffle(unit, leg, deal) for leg in range(4)]
            assert len({shuffle(1, range(20)) for shuffle in shuffles}) == 1
        assert len({decks.first_dealer(unit, leg) for leg in range(4)}) == 1


def test_independent_legs_share_nothing() -> None:
    """Where legs have decks of their own, no leg's cards tell another's."""
    decks = Decks(SECRET, NONCES, GERMAN, PAIRING_INDEPENDENT)
    dealt = {decks.dealing(unit, leg, 1) for unit in range(8) for leg in range(2)}
    assert len(dealt) == 16
    assert len({tuple(decks.first_dealer(u, leg) for u in range(20)) for leg in range(2)}) == 2


def test_everything_that_goes_in_counts() -> None:
    """Another secret, nonce, order of nonces, unit, deal or purpose gives other cards."""
    other = bytes(31) + b"\1"
    makers = [
        Decks(SECRET, NONCES, GERMAN),
        Decks(other, NONCES, GERMAN),
        Decks(SECRET, (b"", b"north"), GERMAN),
        Decks(SECRET, (b"nort", b"h"), GERMAN),
        Decks(SECRET, (b"north",), GERMAN),
        Decks(SECRET, (), GERMAN),
        Decks(SECRET, (b"",), GERMAN),
        Decks(SECRET, (b"", b""), GERMAN),
    ]
    dealt = [decks.dealing(u, 0, d) for decks in makers for u in (0, 1, 256) for d in (1, 2)]
    assert len(dealt) == len(set(dealt))
    shuffle = makers[0].reshuffle(0, 0, 1)
    assert len({shuffle(k, range(52)) for k in range(5)}) == 5


def test_a_reshuffle_depends_on_the_set_alone() -> None:
    """How the discards lay on the pile does not matter."""
    shuffle = Decks(SECRET, NONCES, GERMAN).reshuffle(0, 0, 1)
    assert shuffle(1, range(20)) == shuffle(1, reversed(range(20)))


def test_order_of_boards() -> None:
    """Every unit is opened once a leg, in another order in each leg."""
    decks = Decks(SECRET, NONCES, GERMAN)
    orders = [decks.board_order(leg, 64) for leg in range(2)]
    assert [list(range(64))] * 2 == [sorted(order) for order in orders]
    assert orders[0] != orders[1]
    assert decks.board_order(0, 0) == ()


def chi_squared(counts: Counter[int], values: int) -> float:
    """Pearson's statistic against the uniform distribution on `values` values."""
    expected = counts.total() / values
    return sum((counts[value] - expected) ** 2 / expected for value in range(values))


def test_cards_are_uniform() -> None:
    """Every card is equally likely at every place, by chi-squared over 6,000 decks."""
    decks = Decks(seed_secret("uniform"), (), GERMAN)
    upcards: Counter[int] = Counter()
    first_draws: Counter[int] = Counter()
    last_draws: Counter[int] = Counter()
    held: Counter[int] = Counter()
    for unit in range(6_000):
        dealing = decks.dealing(unit, 0, 1)
        upcards[dealing.upcard] += 1
        first_draws[dealing.piles[0][0]] += 1
        last_draws[dealing.piles[0][-1]] += 1
        held.update(members(dealing.hands[1]))
    # 99.9 % of 51 degrees of freedom lie below 87.97; a hand's ten cards vary less than ten draws.
    for counts in (upcards, first_draws, last_draws, held):
        assert chi_squared(counts, 52) < 87.97


def test_pairs_of_neighbours_are_uniform() -> None:
    """What the first draw is says nothing about the upcard."""
    decks = Decks(seed_secret("pairs"), (), GERMAN)
    seen: Counter[int] = Counter()
    for unit in range(6_000):
        dealing = decks.dealing(unit, 0, 1)
        seen[(dealing.piles[0][0] - dealing.upcard) % 52 - 1] += 1
    assert chi_squared(seen, 51) < 86.66


def test_dealers_are_uniform() -> None:
    """Every seat is equally likely to deal first, with two, three and four seats."""
    for players, bound in ((2, 10.83), (3, 13.82), (4, 16.27)):
        decks = Decks(seed_secret("dealers"), (), replace(GERMAN, players=players))
        counts = Counter(decks.first_dealer(unit, 0) for unit in range(3_000))
        assert chi_squared(counts, players) < bound


def test_every_order_of_boards_is_as_likely() -> None:
    """All six orders of three units are equally likely."""
    decks = Decks(seed_secret("orders"), (), GERMAN)
    orders = Counter(decks.board_order(leg, 3) for leg in range(3_000))
    assert chi_squared(Counter(dict(enumerate(orders.values()))), 6) < 20.52


def test_secrets_are_checked() -> None:
    """A secret of another length than 32 bytes is refused everywhere."""
    for wrong in (b"", bytes(31), bytes(33)):
        with pytest.raises(ValueError, match="32 bytes"):
            commitment(wrong)
        with pytest.raises(ValueError, match="32 bytes"):
            match_secret(wrong, "m")
        with pytest.raises(ValueError, match="32 bytes"):
            Decks(wrong, (), GERMAN)
    with pytest.raises(ValueError, match="pairing 0 is unknown"):
        Decks(SECRET, (), GERMAN, 0)  # pyright: ignore[reportArgumentType]


def test_secrets_differ() -> None:
    """Fresh secrets, seeds and matches do not repeat."""
    assert len({fresh_secret() for _ in range(50)}) == 50
    assert len({seed_secret(seed) for seed in ("", "1", "01", "ä")}) == 4
    assert len({match_secret(SECRET, name) for name in ("", "a", "b", "ab")}) == 4
    assert match_secret(SECRET, "monday.3") == match_secret(SECRET, "cup.3")
