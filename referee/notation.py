"""A whole match as text, in the manner of chess's PGN: tags, deals, moves, results.

Nothing is left out: `referee.notation_read` makes the same records of it again, byte for byte. Text
is written for people and judged by nobody here. The grammar: docs/notation.
"""

import json
from collections.abc import Iterable, Iterator

from knockbox.v1 import replay_pb2
from referee.frames import game_name
from referee.replay import Replay, ReplayError, ReplayFile, ReplayWriter
from referee.results import rules_of
from referee.rules.cards import name, show
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
from referee.rules.ruleset import FIELDS, PRESETS, Ruleset
from referee.wire.replay import dealing_from_proto, end_word, event_from_proto, reason_word

PAIRINGS = {replay_pb2.PAIRING_UNITS: "units", replay_pb2.PAIRING_INDEPENDENT: "independent"}
CLOCK = ("bank_per_game_ms", "increment_ms", "cap_ms", "untimed")
SEAT_CLOCK = (
    "leg",
    "seat",
    "used_ms",
    "slowest_ms",
    "decisions",
    "messages",
    "strikes",
    "stale",
    "connections",
    "sdk",
)
SLOW_ANSWER = ("leg", "seat", "ms", "decisions", "unit", "deal")
NOTHING = "-"
NONE = "none"


def match_of(replay: Replay) -> replay_pb2.ReplayMatch:
    """All records of a replay as one message."""
    return replay_pb2.ReplayMatch(
        header=replay.header,
        games=[replay.game(unit, leg) for unit, leg in replay.games],
        seal=replay.seal,
        side=replay.side,
    )


def file_of(match: replay_pb2.ReplayMatch) -> ReplayFile:
    """The replay file of these records. ValueError where a game is there twice, or too large."""
    writer = ReplayWriter(match.header)
    for game in match.games:
        writer.add_game(game)
    return writer.finish(match.seal, match.side)


def write(match: replay_pb2.ReplayMatch) -> str:
    """The text of a match. A ReplayError names what cannot be said."""
    rules = rules_of(match.header)
    lines = [*_header(match.header, rules), ""]
    for game in match.games:
        lines += [*_game(game, rules.players), ""]
    lines += [*_seal(match.seal), "", *_side(match.side)]
    return "\n".join(lines) + "\n"


def base_of(preset: str) -> Ruleset | None:
    """The named ruleset that the tags of fields change; None where the name stands for none."""
    return PRESETS.get(preset)


def _tag(key: str, value: object) -> str:
    return f"[{key} {json.dumps(str(value))}]"


def _value(value: object) -> str:
    if value is None:
        return NONE
    return _yes(value) if isinstance(value, bool) else str(value)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _header(header: replay_pb2.ReplayHeader, rules: Ruleset) -> Iterator[str]:
    plan = header.plan
    pairing = PAIRINGS.get(plan.pairing)
    if pairing is None:
        raise ReplayError("the header", f"plan.pairing: {plan.pairing} is no known value")
    yield _tag("Knockbox", header.format)
    yield _tag("Match", header.match_id)
    yield _tag("Tournament", header.tournament_id)
    yield _tag("Rules", rules.preset)
    base = base_of(rules.preset)
    for field in FIELDS:
        value = getattr(rules, field)
        if field != "preset" and (base is None or value != getattr(base, field)):
            yield _tag("Rule", f"{field} {_value(value)}")
    yield _tag("Units", plan.units)
    yield _tag("Boards", plan.boards)
    yield _tag("Pairing", pairing)
    clock = plan.clock
    said = _pairs((key, getattr(clock, key)) for key in CLOCK)
    yield _tag("Clock", said if plan.HasField("clock") else NOTHING)
    for bot in header.bots:
        yield _tag("Bot", bot.name)
        yield _tag("Version", bot.version)
        if bot.dial_in:
            yield _tag("DialIn", _yes(True))
    yield _tag("Commitment", header.commitment.hex())
    yield _tag("Seeded", _yes(header.seeded))
    yield _tag("Sandboxed", _yes(header.sandboxed))
    for commitment in header.commitments:
        yield _tag("Attempt", commitment.hex())


def _pairs(pairs: Iterable[tuple[str, object]]) -> str:
    """Keys and values in one line; a switch is yes or no."""
    return " ".join(f"{key}={_value(value)}" for key, value in pairs)


def _game(game: replay_pb2.GameRecord, players: int) -> Iterator[str]:
    where = game_name(game.leg, game.unit)
    if not game.HasField("result"):
        raise ReplayError(where, "result: is missing")
    yield f"Game leg {game.leg} unit {game.unit} dealer {game.first_dealer}"
    for place, deal in enumerate(game.deals, 1):
        yield ""
        yield from _deal(deal, players, f"{where} deal {place}")
    yield ""
    result = game.result
    try:
        reason = reason_word(result.reason)
        reasons = " ".join(map(reason_word, result.faulty_reasons))
    except ValueError as error:
        raise ReplayError(where, f"result.{error}") from None
    winner = result.winner if result.HasField("winner") else NOTHING
    yield (
        f"Over {reason}; counts {_yes(result.counts)}; winner {winner}; "
        f"totals {_numbers(result.totals)}; points {_numbers(result.points)}; "
        f"places {_numbers(result.places)}; faulty {_numbers(result.faulty_seats)}"
        f"{'; reasons ' if reasons else ''}{reasons}"
    )


def _deal(deal: replay_pb2.DealRecord, players: int, where: str) -> Iterator[str]:
    here = where
    try:
        dealing = dealing_from_proto(deal)
        yield f"Deal {deal.number} dealer {deal.dealer} upcard {name(dealing.upcard)}"
        for hand in dealing.hands:
            yield f"Hand {show(hand) or NOTHING}"
        for pile in dealing.piles:
            yield f"Pile {_row(pile)}"
        events: list[tuple[Event, str]] = []
        for place, message in enumerate(deal.events, 1):
            here = f"{where} event {place}"
            events.append((event_from_proto(message, players), message.note))
        yield from _moves(events)
        here = f"{where} result"
        yield _result(deal.result) if deal.HasField("result") else "Broken off"
    except ValueError as error:
        raise ReplayError(here, str(error)) from None


def _result(result: replay_pb2.DealResult) -> str:
    winner = result.winner if result.HasField("winner") else NOTHING
    return (
        f"Result {end_word(result.end)}; winner {winner}; points {_numbers(result.points)}; "
        f"deadwood {_numbers(result.deadwood)}"
    )


def _moves(events: list[tuple[Event, str]]) -> Iterator[str]:
    """A line a turn, numbered by its draw; what is no turn has no number."""
    turn, begun, seat = 0, "", -1
    for event, note in events:
        said = move(event) + (f" {json.dumps(note)}" if note else "")
        ends = isinstance(event, Discarded | Knocked | DeclaredBigGin)
        if begun and ends and event.seat == seat:
            yield f"{begun}, {said}"
            begun = ""
            continue
        if begun:
            yield begun
            begun = ""
        if isinstance(event, Drew | Took):
            turn += 1
            begun, seat = f"{turn}. {event.seat} {said}", event.seat
        else:
            yield f"{event.seat} {said}"
    if begun:
        yield begun


def move(event: Event) -> str:
    """One event in words, without its seat."""
    match event:
        case Declined():
            return "pass"
        case Took(_, card):
            return f"take {name(card)}"
        case Drew(_, card):
            return f"draw {name(card)}"
        case Discarded(_, card):
            return f"discard {name(card)}"
        case Knocked(_, card, melds):
            return f"knock {name(card)}: {_melds(melds)}"
        case DeclaredBigGin(_, melds):
            return f"big gin: {_melds(melds)}"
        case LaidOff(_, melds, layoffs):
            laid = " ".join(f"{name(card)}>{meld}" for card, meld in layoffs)
            return f"layoff: {_melds(melds)}" + (f" ; {laid}" if laid else "")
        case Reshuffled(_, piles):
            return f"shuffle: {' | '.join(map(_row, piles)) or NONE}"


def _melds(melds: tuple[int, ...]) -> str:
    # No meld at all is another thing than a meld of no card, however senseless that one is.
    return " | ".join(show(meld) or NOTHING for meld in melds) or NONE


def _row(cards: Iterable[int]) -> str:
    return " ".join(map(name, cards)) or NOTHING


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers)) or NOTHING


def _seal(seal: replay_pb2.ReplaySeal) -> Iterator[str]:
    yield _tag("Secret", seal.secret.hex())
    for nonce in seal.nonces:
        yield _tag("Nonce", nonce.hex())
    for leg in seal.legs:
        try:
            reasons = [reason_word(reason) for reason in leg.reasons]
        except ValueError as error:
            raise ReplayError("the seal", f"legs: {error}") from None
        yield _tag("Leg", " ".join([str(leg.leg), *reasons]))


def _side(side: replay_pb2.ReplaySide) -> Iterator[str]:
    yield _tag("Fence", side.fence)
    yield _tag("Started", side.started_ms)
    yield _tag("Ended", side.ended_ms)
    yield _tag("Referee", side.referee)
    for clock in side.clocks:
        yield _tag("SeatClock", _pairs((key, getattr(clock, key)) for key in SEAT_CLOCK))
    for slow in side.slow:
        yield _tag("SlowAnswer", _pairs((key, getattr(slow, key)) for key in SLOW_ANSWER))
