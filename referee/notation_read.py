"""The text of a match, read again: exactly the records that `referee.notation` wrote it from.

What does not follow the grammar is a NotationError with the number of its line. Whether a match is
right is `referee.verify`; whether a move was legal nobody asks here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from knockbox.v1 import cards_pb2, play_pb2, replay_pb2
from referee.notation import CLOCK, NONE, NOTHING, PAIRINGS, SEAT_CLOCK, SLOW_ANSWER, base_of
from referee.notation_lines import (
    NUMBER,
    Lines,
    NotationError,
    enum_of,
    key_of,
    number_of,
    numbers_of,
    pairs_of,
    parts_of,
    string_of,
    switch_of,
)
from referee.rules.cards import mask, parse
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
from referee.rules.ruleset import FIELDS, Ruleset, validate
from referee.wire.replay import event_to_proto
from referee.wire.rules import to_proto

_GAME: Final = re.compile(r"Game leg (\d+) unit (\d+) dealer (\d+)", re.ASCII)
_DEAL: Final = re.compile(r"Deal (\d+) dealer (\d+) upcard (\S+)", re.ASCII)
_MOVES: Final = re.compile(r"(?:(\d+)\. )?(\d+) (\S.*)", re.ASCII)
_MOVE: Final = re.compile(r'([^",]+?)(?: ("(?:[^"\\]|\\.)*"))?(?:, |$)')
_LAID: Final = re.compile(r"(\S+)>(\d+)", re.ASCII)
_NULLABLE: Final = frozenset(("target", "big_gin_bonus", "ace_upcard", "fixed_limit"))


def read(text: str) -> replay_pb2.ReplayMatch:
    """The match that a text tells. Raises NotationError."""
    lines = Lines(text)
    try:
        match = replay_pb2.ReplayMatch(header=_header(lines))
        known: set[tuple[int, int]] = set()
        while lines.next_is("Game "):
            game = _game(lines)
            if (game.leg, game.unit) in known:
                raise ValueError(f"the game of leg {game.leg} unit {game.unit} is there already")
            known.add((game.leg, game.unit))
            match.games.append(game)
        match.seal.CopyFrom(_seal(lines))
        match.side.CopyFrom(_side(lines))
        lines.end()
    except NotationError:
        raise
    except (ValueError, TypeError) as error:
        raise NotationError(lines.number, str(error)) from None
    return match


def _header(lines: Lines) -> replay_pb2.ReplayHeader:
    header = replay_pb2.ReplayHeader(
        format=number_of(lines.tag("Knockbox")),
        match_id=lines.tag("Match"),
        tournament_id=lines.tag("Tournament"),
        rules=to_proto(_rules(lines)),
    )
    header.plan.units = number_of(lines.tag("Units"))
    header.plan.boards = number_of(lines.tag("Boards"))
    pairing = lines.tag("Pairing")
    header.plan.pairing = key_of(PAIRINGS, pairing)
    clock = lines.tag("Clock")
    if clock != NOTHING:
        header.plan.clock.CopyFrom(play_pb2.ClockSettings(**pairs_of(clock, CLOCK)))
    for bot in lines.tags("Bot"):
        header.bots.add(name=bot, version=lines.tag("Version"))
        if lines.next_is("[DialIn "):
            header.bots[-1].dial_in = switch_of(lines.tag("DialIn"))
    header.commitment = bytes.fromhex(lines.tag("Commitment"))
    header.seeded = switch_of(lines.tag("Seeded"))
    header.sandboxed = switch_of(lines.tag("Sandboxed"))
    header.commitments.extend(bytes.fromhex(text) for text in lines.tags("Attempt"))
    return header


def _rules(lines: Lines) -> Ruleset:
    preset = lines.tag("Rules")
    changes: dict[str, Any] = {}
    for text in lines.tags("Rule"):
        field, _, value = text.partition(" ")
        if field not in FIELDS or field in changes or field == "preset":
            raise ValueError(f"{field[:20]!r} is no field, or is there twice")
        changes[field] = _field(field, value)
    base = base_of(preset)
    if base is None:
        missing = [field for field in FIELDS if field not in changes and field != "preset"]
        if missing:
            raise ValueError(
                f"rules {preset[:20]!r} have no name that is known, and {missing[0]} is missing"
            )
        rules = Ruleset(preset=preset, **changes)
    else:
        rules = replace(base, **changes)
    validate(rules)
    return rules


def _field(field: str, text: str) -> Any:
    if text == NONE and field in _NULLABLE:
        return None
    if text in ("yes", "no"):
        return text == "yes"
    return int(text) if NUMBER.fullmatch(text) else text


def _game(lines: Lines) -> replay_pb2.GameRecord:
    found = lines.match(_GAME, "the beginning of a game")
    leg, unit, dealer = map(number_of, found.groups())
    game = replay_pb2.GameRecord(leg=leg, unit=unit, first_dealer=dealer)
    while lines.next_is("Deal "):
        game.deals.append(_deal(lines))
    line, _, reasons = lines.take("the end of the game").partition("; reasons ")
    parts = parts_of(line, ("Over", "counts", "winner", "totals", "points", "places", "faulty"))
    game.result.reason = enum_of(play_pb2.Reason, "REASON_", parts["Over"])
    game.result.counts = switch_of(parts["counts"])
    if parts["winner"] != NOTHING:
        game.result.winner = number_of(parts["winner"])
    game.result.totals.extend(numbers_of(parts["totals"]))
    game.result.points.extend(numbers_of(parts["points"]))
    game.result.places.extend(numbers_of(parts["places"]))
    game.result.faulty_seats.extend(numbers_of(parts["faulty"]))
    game.result.faulty_reasons.extend(
        enum_of(play_pb2.Reason, "REASON_", word) for word in reasons.split()
    )
    return game


def _deal(lines: Lines) -> replay_pb2.DealRecord:
    found = lines.match(_DEAL, "the beginning of a deal")
    deal = replay_pb2.DealRecord(
        number=number_of(found[1]), dealer=number_of(found[2]), upcard=parse(found[3])
    )
    while lines.next_is("Hand "):
        deal.hands.append(_set(lines.take("a hand").removeprefix("Hand ")))
    while lines.next_is("Pile "):
        deal.piles.append(_row(lines.take("a pile").removeprefix("Pile ")))
    turns = 0
    while not lines.next_is("Result ") and not lines.next_is("Broken"):
        turns = _moves(lines, deal, turns)
    line = lines.take("the result of the deal")
    if line == "Broken off":
        return deal
    parts = parts_of(line, ("Result", "winner", "points", "deadwood"))
    deal.result.end = enum_of(cards_pb2.DealEnd, "DEAL_END_", parts["Result"])
    if parts["winner"] != NOTHING:
        deal.result.winner = number_of(parts["winner"])
    deal.result.points.extend(numbers_of(parts["points"]))
    deal.result.deadwood = bytes(numbers_of(parts["deadwood"]))
    return deal


def _moves(lines: Lines, deal: replay_pb2.DealRecord, turns: int) -> int:
    """Add the moves of a line; how many turns there are now."""
    found = lines.match(_MOVES, "a move, nor the result of the deal")
    seat, text, at = number_of(found[2]), found[3], 0
    draws = 0
    while at < len(text):
        one = _MOVE.match(text, at)
        if one is None:
            raise ValueError(f"{text[at : at + 40]!r} is no move")
        at = one.end()
        event = _event(seat, one[1])
        draws += isinstance(event, Drew | Took)
        deal.events.append(event_to_proto(event, string_of(one[2]) if one[2] else ""))
    turns += draws
    if (found[1] is None) != (draws == 0) or (draws and number_of(found[1]) != turns):
        raise ValueError(
            f"turn {turns} should have its number here" if draws else "this is no turn"
        )
    return turns


def _event(seat: int, text: str) -> Event:
    head, colon, body = text.partition(":")
    verb, _, card = head.partition(" ")
    body = body.strip()
    if not colon:
        if text == "pass":
            return Declined(seat)
        made = _PLAIN.get(verb)
        if made is not None:
            return made(seat, parse(card))
    elif verb == "knock":
        return Knocked(seat, parse(card), _sets(body))
    elif head == "big gin":
        return DeclaredBigGin(seat, _sets(body))
    elif head == "layoff":
        melds, _, laid = body.partition(";")
        return LaidOff(seat, _sets(melds.strip()), tuple(map(_laid, laid.split())))
    elif head == "shuffle":
        piles = () if body == NONE else tuple(tuple(_row(pile.strip())) for pile in body.split("|"))
        return Reshuffled(seat, piles)
    raise ValueError(f"{text[:40]!r} is no move")


_PLAIN: Final[Mapping[str, Callable[[int, int], Event]]] = MappingProxyType(
    {"take": Took, "draw": Drew, "discard": Discarded}
)


def _laid(text: str) -> tuple[int, int]:
    found = _LAID.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:20]!r} is no card > number of a meld")
    return parse(found[1]), number_of(found[2])


def _sets(text: str) -> tuple[int, ...]:
    return () if text == NONE else tuple(_set(part.strip()) for part in text.split("|"))


def _set(text: str) -> int:
    cards = _row(text)
    if len(set(cards)) != len(cards):
        raise ValueError("a card is named twice")
    return mask(cards)


def _row(text: str) -> bytes:
    if not text:
        raise ValueError(f"cards should be here, or {NOTHING}")
    return b"" if text == NOTHING else bytes(map(parse, text.split()))


def _seal(lines: Lines) -> replay_pb2.ReplaySeal:
    seal = replay_pb2.ReplaySeal(secret=bytes.fromhex(lines.tag("Secret")))
    seal.nonces.extend(map(bytes.fromhex, lines.tags("Nonce")))
    for text in lines.tags("Leg"):
        leg, *reasons = text.split()
        words = [enum_of(play_pb2.Reason, "REASON_", word) for word in reasons]
        seal.legs.add(leg=number_of(leg), reasons=words)
    return seal


def _side(lines: Lines) -> replay_pb2.ReplaySide:
    side = replay_pb2.ReplaySide(
        fence=number_of(lines.tag("Fence")),
        started_ms=number_of(lines.tag("Started")),
        ended_ms=number_of(lines.tag("Ended")),
        referee=lines.tag("Referee"),
    )
    for text in lines.tags("SeatClock"):
        side.clocks.add(**pairs_of(text, SEAT_CLOCK))
    for text in lines.tags("SlowAnswer"):
        side.slow.add(**pairs_of(text, SLOW_ANSWER))
    return side
