"""Between the rules' values and the records of a replay: events, deals, results, both ways.

No files, no frames (`referee.replay`), no judgement of what is right (`referee.verify`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from knockbox.v1 import cards_pb2, play_pb2, replay_pb2
from referee.rules.cards import FULL, PACK
from referee.rules.deal import Dealing
from referee.rules.events import (
    DeclaredBigGin,
    Declined,
    Discarded,
    Drew,
    Event,
    Knocked,
    LaidOff,
    Reshuffled,
    Took,
)

if TYPE_CHECKING:
    from referee.rules.deal import Outcome
    from referee.rules.game import Game

ENDS: Final = {
    ("knock", ""): cards_pb2.DEAL_END_KNOCK,
    ("gin", ""): cards_pb2.DEAL_END_GIN,
    ("big_gin", ""): cards_pb2.DEAL_END_BIG_GIN,
    ("undercut", ""): cards_pb2.DEAL_END_UNDERCUT,
    ("void", "stock"): cards_pb2.DEAL_END_VOID_STOCK,
    ("void", "turn_cap"): cards_pb2.DEAL_END_VOID_TURN_CAP,
}

FORFEITS: Final = frozenset(
    {
        play_pb2.REASON_NO_SHOW,
        play_pb2.REASON_TIME,
        play_pb2.REASON_CRASH,
        play_pb2.REASON_MEMORY,
        play_pb2.REASON_ILLEGAL,
        play_pb2.REASON_FLOOD,
    }
)
NOT_COUNTED: Final = frozenset(
    {play_pb2.REASON_DOUBLE_FAULT, play_pb2.REASON_INFRA, play_pb2.REASON_WITHDRAWN}
)


def reason_word(reason: int) -> str:
    """A reason as people read it: REASON_NO_SHOW is "no_show". ValueError for no known number."""
    return _word(play_pb2.Reason.items(), "REASON_", reason)


def end_word(end: int) -> str:
    """How a deal ended: DEAL_END_BIG_GIN is "big_gin". ValueError for no known number."""
    return _word(cards_pb2.DealEnd.items(), "DEAL_END_", end)


def _word(values: Iterable[tuple[str, int]], prefix: str, number: int) -> str:
    for name, value in values:
        if value == number:
            return name.removeprefix(prefix).lower()
    raise ValueError(f"{prefix.strip('_').lower()}: {number} is no value that is known")


def event_to_proto(event: Event, note: str = "") -> replay_pb2.Event:
    """One event as a record, with the bot's note on the decision it came from."""
    match event:
        case Declined(seat):
            return replay_pb2.Event(seat=seat, declined=replay_pb2.Declined(), note=note)
        case Took(seat, card):
            return replay_pb2.Event(seat=seat, took=replay_pb2.Took(card=card), note=note)
        case Drew(seat, card):
            return replay_pb2.Event(seat=seat, drew=replay_pb2.Drew(card=card), note=note)
        case Discarded(seat, card):
            return replay_pb2.Event(seat=seat, discarded=replay_pb2.Discarded(card=card), note=note)
        case Knocked(seat, card, melds):
            knocked = replay_pb2.Knocked(card=card, melds=melds)
            return replay_pb2.Event(seat=seat, knocked=knocked, note=note)
        case DeclaredBigGin(seat, melds):
            big = replay_pb2.DeclaredBigGin(melds=melds)
            return replay_pb2.Event(seat=seat, declared_big_gin=big, note=note)
        case LaidOff(seat, melds, layoffs):
            pairs = [cards_pb2.Layoff(card=card, meld=meld) for card, meld in layoffs]
            laid = replay_pb2.LaidOff(melds=melds, layoffs=pairs)
            return replay_pb2.Event(seat=seat, laid_off=laid, note=note)
        case Reshuffled(seat, piles):
            shuffled = replay_pb2.Reshuffled(piles=[bytes(pile) for pile in piles])
            return replay_pb2.Event(seat=seat, reshuffled=shuffled, note=note)


def event_from_proto(message: replay_pb2.Event, players: int) -> Event:
    """The event of a record, of `players` seats. ValueError names a field that makes no sense.

    Judged are values alone, not whether the event could happen.
    """
    kind = message.WhichOneof("event")
    if kind is None:
        raise ValueError("event: none is set")
    if message.seat >= players:
        raise ValueError(f"seat: there is no seat {message.seat}")
    return _READERS[kind](message.seat, getattr(message, kind))


def _card(card: int) -> int:
    if card >= PACK:
        raise ValueError(f"card: {card} is no card")
    return card


def _melds(masks: Iterable[int]) -> tuple[int, ...]:
    melds = tuple(masks)
    if any(mask & ~FULL for mask in melds):
        raise ValueError("melds: a mask has bits beyond the 52 cards")
    return melds


def _laid_off(seat: int, message: replay_pb2.LaidOff) -> LaidOff:
    layoffs = tuple((_card(layoff.card), layoff.meld) for layoff in message.layoffs)
    return LaidOff(seat, _melds(message.melds), layoffs)


def _reshuffled(seat: int, message: replay_pb2.Reshuffled) -> Reshuffled:
    return Reshuffled(seat, tuple(tuple(map(_card, pile)) for pile in message.piles))


_READERS: Final[Mapping[str, Callable[[int, Any], Event]]] = MappingProxyType(
    {
        "declined": lambda seat, _: Declined(seat),
        "took": lambda seat, message: Took(seat, _card(message.card)),
        "drew": lambda seat, message: Drew(seat, _card(message.card)),
        "discarded": lambda seat, message: Discarded(seat, _card(message.card)),
        "knocked": lambda seat, message: Knocked(seat, _card(message.card), _melds(message.melds)),
        "declared_big_gin": lambda seat, message: DeclaredBigGin(seat, _melds(message.melds)),
        "laid_off": _laid_off,
        "reshuffled": _reshuffled,
    }
)


def dealing_from_proto(message: replay_pb2.DealRecord) -> Dealing:
    """The cards of a deal as they were dealt. ValueError names a field that makes no sense."""
    if any(mask & ~FULL for mask in message.hands):
        raise ValueError("hands: a mask has bits beyond the 52 cards")
    if message.upcard >= PACK:
        raise ValueError(f"upcard: {message.upcard} is no card")
    if any(card >= PACK for pile in message.piles for card in pile):
        raise ValueError("piles: there is a byte that is no card")
    piles = tuple(tuple(pile) for pile in message.piles)
    pile_of = tuple(seat % max(1, len(piles)) for seat in range(len(message.hands)))
    return Dealing(tuple(message.hands), message.upcard, piles, pile_of)


def outcome_to_proto(outcome: Outcome) -> replay_pb2.DealResult:
    """The result of a deal as a record."""
    return replay_pb2.DealResult(
        end=ENDS[outcome.end, outcome.reason],
        deadwood=bytes(outcome.deadwood),
        points=outcome.points,
        winner=outcome.winner,
    )


def game_result(
    game: Game,
    reason: play_pb2.Reason.ValueType,
    faulty: tuple[int, ...] = (),
    reasons: tuple[play_pb2.Reason.ValueType, ...] = (),
) -> replay_pb2.GameResult:
    """The result of a game as a record, however it ended.

    A game that was played to its end (`reason` PLAYED or DEAL_CAP must be its own) has the rules'
    result. A forfeited one has the totals it had; the sides of `faulty` seats (ascending, each
    with its own of `reasons`) share the last place, the others stand by totals, equal ones shared;
    equal at the top is a draw. What is nobody's fault, or everybody's, does not count.
    """
    result = game.result
    if reason in (play_pb2.REASON_PLAYED, play_pb2.REASON_DEAL_CAP):
        if result is None:
            raise ValueError("the game is not over")
        return replay_pb2.GameResult(
            reason=reason,
            winner=result.winner,
            totals=result.totals,
            points=result.points,
            places=result.places,
            counts=True,
        )
    totals = game.totals()
    record = replay_pb2.GameResult(reason=reason, totals=totals, points=game.points)
    record.faulty_seats.extend(faulty)
    record.faulty_reasons.extend(reasons)
    if reason in FORFEITS:
        places = _forfeit_places(game.rules.sides, totals, faulty)
        record.places.extend(places)
        record.counts = True
        if places.count(1) == 1:
            record.winner = places.index(1)
    return record


def _forfeit_places(
    sides: tuple[tuple[int, ...], ...], totals: tuple[int, ...], faulty: tuple[int, ...]
) -> list[int]:
    ranks = [
        -1 if any(seat in faulty for seat in side) else total
        for side, total in zip(sides, totals, strict=True)
    ]
    return [1 + sum(other > rank for other in ranks) for rank in ranks]
