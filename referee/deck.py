"""Decks out of secrets: who holds which card follows from 32 bytes, and from nothing else.

No I/O, no clock, no ambient chance (`fresh_secret` apart). Whoever knows a match's secret and the
bots' nonces can recompute every deck with HMAC-SHA256 alone; the encoding, complete:

- `text(s)` is the length of the UTF-8 bytes of s as 2 bytes, then the bytes; `blob(b)` the same for
  bytes; `num(n)` is 4 bytes. All numbers are unsigned, big-endian.
- commitment of a secret: SHA-256(secret), no label.
- secret of a seed: SHA-256(text("knockbox/1 seed") + the seed's UTF-8 bytes).
- secret of a match: HMAC(tournament secret, text("knockbox/1 match") + text(number)); the number is
  what follows the last dot of the match's id, all of the id where there is none.
- secret of one attempt at a match whose bots may remember an earlier one: HMAC(tournament secret,
  text("knockbox/1 attempt") + text(number) + num(attempt, from 1)).
- key of a match's decks: HMAC(match secret, text("knockbox/1 decks") + num(number of nonces) +
  blob(nonce) for each bot in order). In seeded matches there are no nonces.
- where legs have decks of their own, a leg's key is HMAC(key, text("knockbox/1 leg") + num(leg));
  else every leg uses the match's key.
- a stream for (label, numbers): the blocks HMAC(key, text("knockbox/1 " + label) + num(...) for
  each number + num(i)), i = 0, 1, 2 ...; each block is read as eight numbers of 32 bits.
- below(n): the next number w of the stream with w < 2^32 - (2^32 mod n) gives w mod n; others are
  thrown away, so that every value is exactly equally likely.
- shuffle(list): for i from the last index down to 1, swap the items i and below(i + 1).

| purpose | key | label | numbers | drawn |
|---|---|---|---|---|
| a deal's pack | leg's | deck | unit, deal | shuffle of 0..51 |
| k-th reshuffle | leg's | reshuffle | unit, deal, k | shuffle of the cards, ascending |
| first dealer | leg's | first dealer | unit | below(players) |
| order of boards | match's | board order | leg | shuffle of 0..units-1 |

Cards go **by seat number, whoever deals**: with h cards a hand and p seats, seat s holds the cards
s*h to s*h+h-1 of the shuffled pack, the next card is the upcard, the rest is the stock. The stock
is dealt round p hidden piles, seat 0 first: the card i of the stock lies in pile i mod p; each pile
is drawn from in that order. Sizes differ by one at most (two seats: 16 and 15), and a seat's n-th
draw is the same whatever the others drew. The piles of a reshuffle are cut in the same way.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from knockbox.v1 import replay_pb2
from referee.rules.cards import mask
from referee.rules.deal import Dealing
from referee.rules.ruleset import Ruleset

SECRET_BYTES = 32
_DOMAIN = b"knockbox/1 "
_WORDS = struct.Struct(">8I")
_NUM = struct.Struct(">I")
_SPAN = 1 << 32
# Below this a number is fair to choose among up to 65,536 with: no need to work out its limit.
_SURE = _SPAN - (1 << 16)
_INNER_PAD = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD = bytes(byte ^ 0x5C for byte in range(256))

Piles = tuple[tuple[int, ...], ...]


def fresh_secret() -> bytes:
    """A new secret of 256 bits from the operating system."""
    return secrets.token_bytes(SECRET_BYTES)


def commitment(secret: bytes) -> bytes:
    """What may be published before anything is dealt: SHA-256 of `secret`, 32 bytes."""
    return hashlib.sha256(_checked(secret)).digest()


def seed_secret(seed: str) -> bytes:
    """The tournament secret that a public seed stands for. Anybody who knows the seed has it."""
    return hashlib.sha256(_label(b"seed") + seed.encode()).digest()


def match_secret(tournament_secret: bytes, match_id: str) -> bytes:
    """The secret of one match; it tells nothing about the tournament's or another match's.

    A match of a tournament is named `<tournament>.<number>`, and the number alone takes part: so
    a seed deals the same decks whatever its tournament is called.
    """
    message = _label(b"match") + _blob(match_id.rpartition(".")[2].encode())
    return hmac.digest(_checked(tournament_secret), message, "sha256")


def attempt_secret(tournament_secret: bytes, match_id: str, attempt: int) -> bytes:
    """The secret of one attempt at a match, from 1, where each has its own; the id as above."""
    message = _label(b"attempt") + _blob(match_id.rpartition(".")[2].encode())
    return hmac.digest(_checked(tournament_secret), message + _NUM.pack(attempt), "sha256")


def attempt_commitments(
    tournament_secret: bytes, match_id: str, attempts: int
) -> tuple[bytes, ...]:
    """The commitments of the first so many attempts at a match, in order."""
    numbers = range(1, attempts + 1)
    return tuple(commitment(attempt_secret(tournament_secret, match_id, n)) for n in numbers)


class Decks:
    """All that is random in one match.

    `nonces` are the bots' in the order of their numbers, () in a seeded match; of `rules` the
    number of players and the size of a hand count. With PAIRING_INDEPENDENT every leg has decks
    and first dealers of its own. Raises ValueError for a secret that is not 32 bytes long.
    """

    def __init__(
        self,
        secret: bytes,
        nonces: Sequence[bytes],
        rules: Ruleset,
        pairing: replay_pb2.Pairing.ValueType = replay_pb2.PAIRING_UNITS,
    ) -> None:
        if pairing not in (replay_pb2.PAIRING_UNITS, replay_pb2.PAIRING_INDEPENDENT):
            raise ValueError(f"pairing {pairing} is unknown")
        parts = [_label(b"decks"), _NUM.pack(len(nonces)), *map(_blob, nonces)]
        self._key = _Key(hmac.digest(_checked(secret), b"".join(parts), "sha256"))
        self._independent = pairing == replay_pb2.PAIRING_INDEPENDENT
        self._players = rules.players
        self._hand_size = rules.hand_size
        self._pile_of = tuple(range(rules.players))

    def dealing(self, unit: int, leg: int, deal: int) -> Dealing:
        """The cards of deal number `deal` (from 1) of a unit's game in one leg."""
        pack = list(range(52))
        _shuffle(pack, _words(self._leg_key(leg), b"deck", unit, deal))
        size, dealt = self._hand_size, self._hand_size * self._players
        hands = tuple([mask(pack[start : start + size]) for start in range(0, dealt, size)])
        return Dealing(hands, pack[dealt], self._cut(pack[dealt + 1 :]), self._pile_of)

    def first_dealer(self, unit: int, leg: int) -> int:
        """The seat that deals a game's first deal."""
        return _below(self._players, _words(self._leg_key(leg), b"first dealer", unit))

    def reshuffle(self, unit: int, leg: int, deal: int) -> Callable[[int, Iterable[int]], Piles]:
        """How a deal's discard pile becomes a stock: a function of k and the cards, to piles.

        k numbers the reshuffles of the deal as the rules count them; of the cards only the set
        matters, not how they lay.
        """
        key = self._leg_key(leg)

        def shuffle(k: int, cards: Iterable[int]) -> Piles:
            pack = sorted(cards)
            _shuffle(pack, _words(key, b"reshuffle", unit, deal, k))
            return self._cut(pack)

        return shuffle

    def board_order(self, leg: int, units: int) -> tuple[int, ...]:
        """The units in the order in which the leg opens them: board b plays unit `order[b]`.

        So the number of a board says nothing about the unit, hence nothing about another leg.
        """
        order = list(range(units))
        _shuffle(order, _words(self._key, b"board order", leg))
        return tuple(order)

    def _leg_key(self, leg: int) -> _Key:
        if not self._independent:
            return self._key
        return _Key(self._key.hmac(_label(b"leg") + _NUM.pack(leg)))

    def _cut(self, stock: list[int]) -> Piles:
        return tuple([tuple(stock[seat :: self._players]) for seat in range(self._players)])


class _Key:
    """A key of HMAC-SHA256 whose own two blocks are hashed once: a third of the cost a message."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        block = key.ljust(hashlib.sha256().block_size, b"\0")
        self._inner = hashlib.sha256(block.translate(_INNER_PAD))
        self._outer = hashlib.sha256(block.translate(_OUTER_PAD))

    def hmac(self, message: bytes) -> bytes:
        """HMAC-SHA256 of `message`, 32 bytes."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()


def _words(key: _Key, label: bytes, *numbers: int) -> Iterator[int]:
    prefix = _label(label) + b"".join(map(_NUM.pack, numbers))
    blocks = (key.hmac(prefix + _NUM.pack(number)) for number in range(_SPAN))
    return chain.from_iterable(map(_WORDS.unpack, blocks))


def _below(n: int, words: Iterator[int]) -> int:
    limit = _SPAN - _SPAN % n
    for word in words:
        if word < limit:
            return word % n
    raise AssertionError("a stream has no end")


def _shuffle(items: list[int], words: Iterator[int]) -> None:
    # As `_below(i + 1, words)` for each i, without the calls: a pack takes 51 of them.
    for i in range(len(items) - 1, 0, -1):
        n = i + 1
        word = next(words)
        while word >= _SURE and word >= _SPAN - _SPAN % n:
            word = next(words)
        j = word % n
        items[i], items[j] = items[j], items[i]


def _label(name: bytes) -> bytes:
    return _blob(_DOMAIN + name)


def _blob(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def _checked(secret: bytes) -> bytes:
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {SECRET_BYTES} bytes, not {len(secret)}")
    return secret
