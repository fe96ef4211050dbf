"""A replay as JSON for people and scripts: complete, cards as "KC", bytes in hexadecimal.

Nothing is judged beyond what can be said at all; `referee.verify` judges.
"""

from collections.abc import Iterable
from typing import Any

from google.protobuf.message import Message

from knockbox.v1 import replay_pb2
from referee.frames import game_name
from referee.notation import PAIRINGS
from referee.replay import Replay, ReplayError
from referee.results import bot_scores, rules_of, seat_of
from referee.rules.cards import members, name
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
from referee.rules.ruleset import to_json as rules_to_json
from referee.wire.replay import dealing_from_proto, end_word, event_from_proto, reason_word

Json = dict[str, Any]


def to_json(replay: Replay) -> Json:
    """The whole replay. A ReplayError names what cannot be said."""
    return {
        "digest": replay.digest.hex(),
        **_header(replay.header),
        "games": [game_json(replay, unit, leg) for unit, leg in replay.games],
        "seal": _seal(replay.seal),
        "side": {
            **_scalars(replay.side, "clocks", "slow"),
            "clocks": [_scalars(clock) for clock in replay.side.clocks],
            "slow": [_scalars(slow) for slow in replay.side.slow],
        },
    }


def match_json(replay: Replay) -> Json:
    """The match without its cards: header, every game's result, what it came to for each bot."""
    games: list[Json] = []
    for unit, leg in replay.games:
        game = game_json(replay, unit, leg)
        games.append({**game, "deals": len(game["deals"])})
    return {
        "digest": replay.digest.hex(),
        **_header(replay.header),
        "games": games,
        "scores": [score._asdict() for score in bot_scores(replay)],
    }


def deal_json(replay: Replay, leg: int, unit: int, deal: int) -> Json:
    """One deal, `deal` from 1; `seats` are the names of the bots by seat."""
    game = replay.game(unit, leg)
    where = f"{game_name(leg, unit)} deal {deal}"
    if not 1 <= deal <= len(game.deals):
        raise ReplayError(where, "is not in the file")
    seats = _seats(replay, leg)
    place: Json = {"match_id": replay.header.match_id, "leg": leg, "unit": unit, "seats": seats}
    return {**place, **_deal(game.deals[deal - 1], len(seats), where)}


def game_json(replay: Replay, unit: int, leg: int) -> Json:
    """One game: `seats` are the names of the bots by seat."""
    game = replay.game(unit, leg)
    where = game_name(leg, unit)
    seats = _seats(replay, leg)
    deals = [
        _deal(deal, len(seats), f"{where} deal {place}") for place, deal in enumerate(game.deals, 1)
    ]
    try:
        result = _result(game.result)
    except ValueError as error:
        raise ReplayError(where, f"result.{error}") from None
    return {
        "unit": unit,
        "leg": leg,
        "seats": seats,
        "first_dealer": game.first_dealer,
        "deals": deals,
        "result": result,
    }


def event_to_json(event: Event, note: str = "") -> Json:
    """One event under its kind, the note where there is one."""
    said: Json = {"seat": event.seat, **_facts(event)}
    if note:
        said["note"] = note
    return said


def _seats(replay: Replay, leg: int) -> list[str]:
    bots = replay.header.bots
    names = {seat_of(bot, leg, len(bots)): identity.name for bot, identity in enumerate(bots)}
    return [names[seat] for seat in range(len(bots))]


def _facts(event: Event) -> Json:
    match event:
        case Declined():
            return {"event": "declined"}
        case Took(_, card):
            return {"event": "took", "card": name(card)}
        case Drew(_, card):
            return {"event": "drew", "card": name(card)}
        case Discarded(_, card):
            return {"event": "discarded", "card": name(card)}
        case Knocked(_, card, melds):
            return {"event": "knocked", "card": name(card), "melds": _sets(melds)}
        case DeclaredBigGin(_, melds):
            return {"event": "declared_big_gin", "melds": _sets(melds)}
        case LaidOff(_, melds, layoffs):
            laid = [[name(card), meld] for card, meld in layoffs]
            return {"event": "laid_off", "melds": _sets(melds), "layoffs": laid}
        case Reshuffled(_, piles):
            return {"event": "reshuffled", "piles": [[name(c) for c in pile] for pile in piles]}


def _deal(deal: replay_pb2.DealRecord, players: int, where: str) -> Json:
    events: list[Json] = []
    here = where
    try:
        dealing = dealing_from_proto(deal)
        for place, message in enumerate(deal.events, 1):
            here = f"{where} event {place}"
            events.append(event_to_json(event_from_proto(message, players), message.note))
        here = where
        result = _deal_result(deal.result) if deal.HasField("result") else None
    except ValueError as error:
        raise ReplayError(here, str(error)) from None
    return {
        "number": deal.number,
        "dealer": deal.dealer,
        "hands": _sets(dealing.hands),
        "upcard": name(dealing.upcard),
        "piles": [[name(card) for card in pile] for pile in dealing.piles],
        "events": events,
        "result": result,
    }


def _deal_result(result: replay_pb2.DealResult) -> Json:
    return {
        "end": end_word(result.end),
        "winner": result.winner if result.HasField("winner") else None,
        "deadwood": list(result.deadwood),
        "points": list(result.points),
    }


def _result(result: replay_pb2.GameResult) -> Json:
    return {
        "reason": reason_word(result.reason),
        "counts": result.counts,
        "winner": result.winner if result.HasField("winner") else None,
        "totals": list(result.totals),
        "points": list(result.points),
        "places": list(result.places),
        "faulty_seats": list(result.faulty_seats),
        "faulty_reasons": list(map(reason_word, result.faulty_reasons)),
    }


def _header(header: replay_pb2.ReplayHeader) -> Json:
    pairing = PAIRINGS.get(header.plan.pairing)
    if pairing is None:
        raise ReplayError("the header", f"plan.pairing: {header.plan.pairing} is no known value")
    return {
        "format": header.format,
        "match_id": header.match_id,
        "tournament_id": header.tournament_id,
        "rules": rules_to_json(rules_of(header)),
        "plan": {
            "units": header.plan.units,
            "boards": header.plan.boards,
            "pairing": pairing,
            "clock": _scalars(header.plan.clock) if header.plan.HasField("clock") else None,
        },
        "bots": [_scalars(bot) for bot in header.bots],
        "commitment": header.commitment.hex(),
        "seeded": header.seeded,
        "sandboxed": header.sandboxed,
        "commitments": [commitment.hex() for commitment in header.commitments],
    }


def _seal(seal: replay_pb2.ReplaySeal) -> Json:
    try:
        legs = [
            {"leg": leg.leg, "reasons": [reason_word(reason) for reason in leg.reasons]}
            for leg in seal.legs
        ]
    except ValueError as error:
        raise ReplayError("the seal", f"legs: {error}") from None
    return {
        "secret": seal.secret.hex(),
        "nonces": [nonce.hex() for nonce in seal.nonces],
        "legs": legs,
    }


def _scalars(message: Message, *without: str) -> Json:
    """The plain fields of a message, each under its name, unset ones too."""
    fields = message.DESCRIPTOR.fields
    return {
        field.name: getattr(message, field.name) for field in fields if field.name not in without
    }


def _sets(masks: Iterable[int]) -> list[list[str]]:
    return [[name(card) for card in members(mask)] for mask in masks]
