"""A match's records out of the JSON that `referee.replay_json` makes of them.

What cannot be read is a FieldError that names its place, such as "games.3.deals.0.upcard". Whether
a match is right is `referee.verify`.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from google.protobuf.message import Message

from knockbox.v1 import cards_pb2, play_pb2, replay_pb2
from referee.notation import PAIRINGS
from referee.reading import FieldError, Json, as_bool, as_card, as_list, as_object, as_set
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
from referee.rules.fields import FIELDS, Ruleset, validate
from referee.wire.replay import event_to_proto
from referee.wire.rules import to_proto


def from_json(value: object) -> replay_pb2.ReplayMatch:
    """The records of a match. Raises FieldError."""
    whole = as_object(value, "match")
    match = replay_pb2.ReplayMatch(header=_header(whole))
    for at, game in enumerate(_list(whole, "games")):
        with _within(f"games.{at}"):
            match.games.append(_game(as_object(game, "game")))
    with _within("seal"):
        match.seal.CopyFrom(_seal(as_object(_get(whole, "seal"), "seal")))
    with _within("side"):
        side = as_object(_get(whole, "side"), "side")
        _scalars(match.side, side, "clocks", "slow")
        for at, clock in enumerate(_list(side, "clocks")):
            with _within(f"clocks.{at}"):
                _scalars(match.side.clocks.add(), as_object(clock, "clock"))
        for at, slow in enumerate(_list(side, "slow") if "slow" in side else ()):
            with _within(f"slow.{at}"):
                _scalars(match.side.slow.add(), as_object(slow, "slow answer"))
    return match


@contextmanager
def _within(place: str) -> Generator[None]:
    """Put `place` before the field that an error names."""
    try:
        yield
    except FieldError as error:
        raise FieldError(f"{place}.{error.field}", error.message) from None
    except (ValueError, TypeError) as error:
        raise FieldError(place, str(error)) from None


def _get(line: Mapping[str, Any], field: str) -> Any:
    if field not in line:
        raise FieldError(field, "it is missing")
    return line[field]


def _list(line: Mapping[str, Any], field: str) -> list[Any]:
    return as_list(_get(line, field), field)


def _scalars(message: Message, line: Json, *without: str) -> None:
    """Every plain field of a message from the value under its name."""
    for field in message.DESCRIPTOR.fields:
        if field.name not in without:
            _set(message, field.name, _get(line, field.name))


def _set(message: Message, field: str, value: object) -> None:
    try:
        # protobuf takes true for 1 and 1 for true.
        if isinstance(value, bool) != isinstance(getattr(message, field), bool):
            raise TypeError(f"{value!r} is of another type")
        setattr(message, field, value)
    except (ValueError, TypeError) as error:
        raise FieldError(field, str(error)) from None


def _extend(message: Message, field: str, values: list[Any]) -> None:
    try:
        if any(isinstance(value, bool) for value in values):
            raise TypeError("numbers are no switches")
        getattr(message, field).extend(values)
    except (ValueError, TypeError) as error:
        raise FieldError(field, str(error)) from None


def _hex(line: Json, field: str) -> bytes:
    return _bytes(_get(line, field), field)


def _bytes(value: object, field: str) -> bytes:
    try:
        if not isinstance(value, str):
            raise ValueError("hexadecimal digits in a string")
        return bytes.fromhex(value)
    except ValueError as error:
        raise FieldError(field, str(error)) from None


def _enum(kind: Any, prefix: str, word: object, field: str) -> Any:
    names = dict(kind.items())
    number = names.get(f"{prefix}{word}".upper()) if isinstance(word, str) else None
    if number is None:
        raise FieldError(field, f"{str(word)[:20]!r} is no word for this")
    return number


def _header(line: Json) -> replay_pb2.ReplayHeader:
    header = replay_pb2.ReplayHeader()
    for field in ("format", "match_id", "tournament_id", "seeded", "sandboxed"):
        _set(header, field, _get(line, field))
    header.commitment = _hex(line, "commitment")
    with _within("rules"):
        header.rules.CopyFrom(to_proto(_rules(as_object(_get(line, "rules"), "rules"))))
    with _within("plan"):
        plan = as_object(_get(line, "plan"), "plan")
        _set(header.plan, "units", _get(plan, "units"))
        _set(header.plan, "boards", _get(plan, "boards"))
        pairings = {word: number for number, word in PAIRINGS.items()}
        pairing = pairings.get(_get(plan, "pairing"))
        if pairing is None:
            raise FieldError("pairing", f"one of {', '.join(pairings)}")
        header.plan.pairing = pairing
        if _get(plan, "clock") is not None:
            with _within("clock"):
                _scalars(header.plan.clock, as_object(plan["clock"], "clock"))
    for at, bot in enumerate(_list(line, "bots")):
        with _within(f"bots.{at}"):
            # Texts of versions that knew no such bots do not say it.
            _scalars(header.bots.add(), {"dial_in": False, **as_object(bot, "bot")})
    attempts = as_list(line.get("commitments", []), "commitments")
    header.commitments.extend(_bytes(commitment, "commitments") for commitment in attempts)
    return header


def _rules(line: Json) -> Ruleset:
    rules = Ruleset(**{field: _get(line, field) for field in FIELDS})
    if not isinstance(rules.preset, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise FieldError("preset", "a string")
    validate(rules)
    return rules


def _game(line: Json) -> replay_pb2.GameRecord:
    game = replay_pb2.GameRecord()
    for field in ("unit", "leg", "first_dealer"):
        _set(game, field, _get(line, field))
    for at, deal in enumerate(_list(line, "deals")):
        with _within(f"deals.{at}"):
            game.deals.append(_deal(as_object(deal, "deal")))
    with _within("result"):
        result = as_object(_get(line, "result"), "result")
        game.result.reason = _enum(play_pb2.Reason, "REASON_", _get(result, "reason"), "reason")
        game.result.counts = as_bool(_get(result, "counts"), "counts")
        _winner(game.result, result)
        for field in ("totals", "points", "places", "faulty_seats"):
            _extend(game.result, field, _list(result, field))
        # Older lines have none.
        reasons = as_list(result.get("faulty_reasons", []), "faulty_reasons")
        game.result.faulty_reasons.extend(
            _enum(play_pb2.Reason, "REASON_", word, "faulty_reasons") for word in reasons
        )
    return game


def _winner(message: Message, line: Json) -> None:
    if _get(line, "winner") is not None:
        _set(message, "winner", line["winner"])


def _deal(line: Json) -> replay_pb2.DealRecord:
    deal = replay_pb2.DealRecord(upcard=as_card(_get(line, "upcard"), "upcard"))
    _set(deal, "number", _get(line, "number"))
    _set(deal, "dealer", _get(line, "dealer"))
    deal.hands.extend(as_set(as_list(hand, "hands"), "hands") for hand in _list(line, "hands"))
    deal.piles.extend(_pile(pile) for pile in _list(line, "piles"))
    for at, entry in enumerate(_list(line, "events")):
        with _within(f"events.{at}"):
            deal.events.append(_event(as_object(entry, "event")))
    if _get(line, "result") is not None:
        with _within("result"):
            result = as_object(line["result"], "result")
            deal.result.end = _enum(cards_pb2.DealEnd, "DEAL_END_", _get(result, "end"), "end")
            _winner(deal.result, result)
            _extend(deal.result, "points", _list(result, "points"))
            deal.result.deadwood = bytes(_list(result, "deadwood"))
    return deal


def _pile(value: object) -> bytes:
    return bytes([as_card(card, "piles") for card in as_list(value, "piles")])


def _event(line: Json) -> replay_pb2.Event:
    make = _EVENTS.get(str(_get(line, "event")))
    if make is None:
        raise FieldError("event", f"one of {', '.join(_EVENTS)}")
    message = event_to_proto(make(0, line))
    _set(message, "seat", _get(line, "seat"))
    _set(message, "note", line.get("note", ""))
    return message


def _card(line: Json) -> int:
    return as_card(_get(line, "card"), "card")


def _melds(line: Json) -> tuple[int, ...]:
    return tuple(as_set(as_list(meld, "melds"), "melds") for meld in _list(line, "melds"))


def _layoffs(line: Json) -> tuple[tuple[int, int], ...]:
    return tuple((as_card(card, "layoffs"), meld) for card, meld in _list(line, "layoffs"))


_EVENTS: Mapping[str, Callable[[int, Json], Event]] = {
    "declined": lambda seat, _: Declined(seat),
    "took": lambda seat, line: Took(seat, _card(line)),
    "drew": lambda seat, line: Drew(seat, _card(line)),
    "discarded": lambda seat, line: Discarded(seat, _card(line)),
    "knocked": lambda seat, line: Knocked(seat, _card(line), _melds(line)),
    "declared_big_gin": lambda seat, line: DeclaredBigGin(seat, _melds(line)),
    "laid_off": lambda seat, line: LaidOff(seat, _melds(line), _layoffs(line)),
    "reshuffled": lambda seat, line: Reshuffled(
        seat, tuple(tuple(_pile(pile)) for pile in _list(line, "piles"))
    ),
}


def _seal(line: Json) -> replay_pb2.ReplaySeal:
    seal = replay_pb2.ReplaySeal(secret=_hex(line, "secret"))
    seal.nonces.extend(_bytes(nonce, "nonces") for nonce in _list(line, "nonces"))
    for at, entry in enumerate(_list(line, "legs")):
        with _within(f"legs.{at}"):
            leg = as_object(entry, "leg")
            message = seal.legs.add()
            _set(message, "leg", _get(leg, "leg"))
            reasons = _list(leg, "reasons")
            message.reasons.extend(
                _enum(play_pb2.Reason, "REASON_", word, "reasons") for word in reasons
            )
    return seal
