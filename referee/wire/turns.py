"""What bots are asked and told, as bytes: the messages of a seat packed by hand.

This runs for every decision, and making protobuf objects would be most of its cost. Each function
gives the very bytes that protobuf writes for the fields named beside it. Turns are made out of
views alone, so that nothing hidden has a way in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import Struct
from typing import TYPE_CHECKING, Final, Protocol

from knockbox.v1 import cards_pb2, play_pb2
from referee.rules.cards import PACK
from referee.rules.view import Options, view
from referee.wire.packing import fixed64, heads, message, number, numbers, octets
from referee.wire.replay import ENDS

if TYPE_CHECKING:
    from referee.rules.deal import Deal, Dealing, Spread
    from referee.rules.game import Game

# Fields of Turn and Options that have few values, or few lengths: looked up, not made.
_PHASE_AND_HAND: Final = Struct("<BBBQ")
_TOPS: Final = (*(bytes((5 << 3, card)) for card in range(PACK)), b"")  # the last one, -1, is none
_STOCKS: Final = numbers(6)
_EVENTS: Final = heads(7)
_OPTIONS: Final = heads(8)
_DISCARDS: Final = Struct("<BQ")
_COUNTS: Final = heads(8)
_DEADWOODS: Final = numbers(9)
_DEADWOODS_IF_TAKEN: Final = numbers(10)
_EITHER: Final = (False, True)
_BEGINNINGS: Final = {
    (decline, take, draw): number(1, decline) + number(2, take) + number(3, draw)
    for decline in _EITHER
    for take in _EITHER
    for draw in _EITHER
}
_MAY_LAY_OFF: Final = number(11, True)
_TURNS: Final = heads(5)


class Board(Protocol):
    """A game in flight, as far as messages need it."""

    number: int
    tag: bytes
    """`number` as a field of Turn."""
    decision: int
    game: Game
    dealing: Dealing
    deal: Deal
    told: list[int]
    """By seat: how many bytes of the deal's public events it knows."""


def turns_message(
    left_ms: int,
    refused: Iterable[play_pb2.Refused],
    started: Iterable[bytes],
    over: Iterable[bytes],
    turns: Iterable[bytes],
) -> bytes:
    """A PlayResponse with these Turns; DealStarted, DealOver and Turn come as their bytes."""
    parts = [number(1, left_ms)]
    parts += [message(2, one.SerializeToString()) for one in refused]
    parts += [message(3, one) for one in started]
    parts += [message(4, one) for one in over]
    # A question has about 40 bytes; one with spreads may have more than 127.
    parts += [_TURNS[len(one)] + one if 0 < len(one) < 128 else message(5, one) for one in turns]
    return message(2, b"".join(parts))


def turn(board: Board, seat: int, want_deadwood: bool) -> bytes:
    """The question that `board` has for `seat`: Turn."""
    phase, hand, top, stock, events, options, spreads = view(
        board.deal, seat, board.told[seat], want_deadwood
    )
    may = _options(options)
    data = b"".join(
        (
            number(1, board.decision),
            board.tag,
            _PHASE_AND_HAND.pack(3 << 3, phase, 4 << 3 | 1, hand),
            _TOPS[top],
            _STOCKS[stock],
            _EVENTS[len(events)],
            events,
            _OPTIONS[len(may)],
            may,
        )
    )
    for spread in spreads:
        data += message(9, _spread(spread).SerializeToString())
    return data


def _options(may: Options) -> bytes:
    decline, take, draw, discards, knocks, knock_deadwood, big_gin, counts, now, taken, lay = may
    if discards:
        first = _DISCARDS.pack(4 << 3 | 1, discards)
        if knocks or big_gin:
            first += fixed64(5, knocks) + octets(6, knock_deadwood) + number(7, big_gin)
        return first + _COUNTS[len(counts)] + counts
    if lay:
        return _MAY_LAY_OFF
    return _BEGINNINGS[decline, take, draw] + _DEADWOODS[now] + _DEADWOODS_IF_TAKEN[taken]


def deals_started(board: Board, seats: Sequence[int]) -> list[bytes]:
    """The facts of a board's deal for each of `seats`, with the public events that it has been
    told: DealStarted.
    """
    deal, game = board.deal, board.game
    begin = number(1, board.number) + number(2, deal.number)
    facts = play_pb2.DealStarted(
        upcard=deal.upcard,
        knock_limit=deal.limit,
        multiplier=deal.multiplier,
        dealer=deal.dealer,
        scores=game.scores,
        boxes=game.boxes,
    ).SerializeToString()
    return [
        begin
        + fixed64(3, board.dealing.hands[seat])
        + facts
        + octets(10, deal.public[: board.told[seat]])
        for seat in seats
    ]


def deals_over(board: Board, seats: Sequence[int]) -> list[bytes]:
    """How a board's deal ended, for each of `seats`: DealOver. A deal that is not over was broken
    off.
    """
    deal = board.deal
    facts = _deal_over(board.number, deal).SerializeToString()
    return [facts + octets(8, deal.public[board.told[seat] :]) for seat in seats]


def _deal_over(board: int, deal: Deal) -> play_pb2.DealOver:
    outcome = deal.outcome
    if outcome is None:
        points = [0] * len(deal.rules.sides)
        end = cards_pb2.DEAL_END_BROKEN_OFF
        return play_pb2.DealOver(board=board, deal=deal.number, end=end, points=points)
    return play_pb2.DealOver(
        board=board,
        deal=deal.number,
        end=ENDS[outcome.end, outcome.reason],
        deadwood=bytes(outcome.deadwood),
        points=outcome.points,
        winner=outcome.winner,
        spreads=() if outcome.winner is None else map(_spread, deal.spreads),
    )


def _spread(spread: Spread) -> cards_pb2.Spread:
    return cards_pb2.Spread(
        seat=spread.seat,
        melds=spread.melds,
        unmatched=spread.unmatched,
        deadwood=spread.deadwood,
    )
