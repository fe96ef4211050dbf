"""Is a replay right? Every deck is dealt again, every event replayed, every result counted again.

A replay may come from anybody: whatever is in it, the answer is a Verdict that names the first
record that is wrong. Files and checksums are `referee.replay`, the rules `referee.rules`.
"""

import os
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import NamedTuple

from knockbox.v1 import play_pb2, replay_pb2
from referee import deck
from referee.frames import game_name
from referee.replay import Replay, ReplayError
from referee.results import BotScore, GameFact, bot_scores, game_fact, results, rules_of
from referee.rules.deal import Deal, Dealing, Illegal, action_of, apply, decide, start
from referee.rules.events import Event
from referee.rules.game import Game
from referee.rules.ruleset import Ruleset
from referee.wire.replay import (
    FORFEITS,
    NOT_COUNTED,
    event_from_proto,
    game_result,
    outcome_to_proto,
)

__all__ = [
    "BotScore",
    "GameFact",
    "Verdict",
    "bot_scores",
    "check",
    "playback",
    "results",
    "verify",
]

_NONCE_LIMIT = 32
_REASONS = FORFEITS | NOT_COUNTED | {play_pb2.REASON_PLAYED}


class Verdict(NamedTuple):
    """`ok`, or `error` naming the first wrong record. `records` is how many the file has, as far as
    its index can be read; `digest` that of the sealed part (32 bytes), empty where not `ok`."""

    ok: bool
    records: int
    error: str | None
    digest: bytes


def verify(
    source: str | os.PathLike[str] | bytes, tournament_secret: bytes | None = None
) -> Verdict:
    """Check a replay file, or bytes that are one.

    With `tournament_secret` the match's secret must also be the one that follows from it.
    """
    records = 0
    try:
        replay = Replay.open(source)
        records = replay.records
        check(replay, tournament_secret)
        return Verdict(True, records, None, replay.digest)
    except ReplayError as error:
        return Verdict(False, records, str(error), b"")


def check(replay: Replay, tournament_secret: bytes | None = None) -> list[GameFact]:
    """The games of a replay that is open, if all of it is right; else a ReplayError."""
    rules = _check_header(replay.header)
    decks = _check_seal(replay, rules, tournament_secret)
    _check_complete(replay, rules)
    facts: list[GameFact] = []
    for unit, leg in replay.games:
        record = replay.game(unit, leg)
        _check_game(record, rules, decks)
        facts.append(game_fact(record))
    _check_legs(replay.seal, facts, rules)
    _ = replay.side
    return facts


def _check_header(header: replay_pb2.ReplayHeader) -> Ruleset:
    rules, where = rules_of(header), "the header"
    if not header.plan.units:
        raise ReplayError(where, "plan.units: there is none")
    if header.plan.pairing not in (replay_pb2.PAIRING_UNITS, replay_pb2.PAIRING_INDEPENDENT):
        raise ReplayError(where, f"plan.pairing: {header.plan.pairing} is no value that is known")
    if header.commitments and header.commitments[-1] != header.commitment:
        raise ReplayError(where, "commitments: the last one is not this match's")
    if (
        any(bot.dial_in for bot in header.bots)
        and header.plan.pairing != replay_pb2.PAIRING_INDEPENDENT
    ):
        raise ReplayError(where, "bots: one dials in, and its legs have the same cards")
    return rules


def _check_seal(replay: Replay, rules: Ruleset, tournament_secret: bytes | None) -> deck.Decks:
    header, seal, where = replay.header, replay.seal, "the seal"
    if len(seal.secret) != deck.SECRET_BYTES:
        raise ReplayError(where, f"secret: {len(seal.secret)} bytes and not {deck.SECRET_BYTES}")
    if deck.commitment(seal.secret) != header.commitment:
        raise ReplayError(where, "secret: is not the one that the header's commitment names")
    if tournament_secret is not None:
        _check_link(header, seal.secret, tournament_secret)
    if len(seal.nonces) != (0 if header.seeded else rules.players):
        raise ReplayError(where, f"nonces: {len(seal.nonces)} of them, seeded: {header.seeded}")
    if any(len(nonce) > _NONCE_LIMIT for nonce in seal.nonces):
        raise ReplayError(where, f"nonces: one is longer than {_NONCE_LIMIT} bytes")
    return deck.Decks(seal.secret, tuple(seal.nonces), rules, header.plan.pairing)


def _check_link(header: replay_pb2.ReplayHeader, secret: bytes, tournament_secret: bytes) -> None:
    """That secret and commitments follow from the tournament's secret."""
    where, attempts = "the seal", len(header.commitments)
    due = b""
    if len(tournament_secret) == deck.SECRET_BYTES:
        due = deck.match_secret(tournament_secret, header.match_id)
        if attempts:
            due = deck.attempt_secret(tournament_secret, header.match_id, attempts)
    if secret != due:
        raise ReplayError(where, "secret: does not follow from the tournament's")
    known = deck.attempt_commitments(tournament_secret, header.match_id, attempts)
    if tuple(header.commitments) != known:
        raise ReplayError("the header", "commitments: do not follow from the tournament's secret")


def _check_complete(replay: Replay, rules: Ruleset) -> None:
    units, legs = replay.header.plan.units, rules.players
    # The file's own games are counted first: a header may claim four thousand million units.
    for place, (unit, leg) in enumerate(replay.games):
        if place >= units * legs or (leg, unit) != divmod(place, units):
            expected = game_name(*divmod(place, units)) if place < units * legs else "nothing"
            raise ReplayError(game_name(leg, unit), f"stands where {expected} should be")
    if len(replay.games) < units * legs:
        raise ReplayError(game_name(*divmod(len(replay.games), units)), "is missing")


def _check_game(record: replay_pb2.GameRecord, rules: Ruleset, decks: deck.Decks) -> None:
    where = game_name(record.leg, record.unit)
    dealer = decks.first_dealer(record.unit, record.leg)
    if record.first_dealer != dealer:
        raise ReplayError(where, f"first_dealer: {record.first_dealer} and not {dealer}")
    game = Game(rules, dealer)
    for place, deal in enumerate(record.deals, 1):
        here = f"{where} deal {place}"
        if game.over:
            raise ReplayError(here, "follows the end of the game")
        if (deal.number, deal.dealer) != (place, game.dealer):
            said = f"is number {deal.number} with dealer {deal.dealer}"
            raise ReplayError(here, f"{said}, not {place} with {game.dealer}")
        dealing = decks.dealing(record.unit, record.leg, place)
        shuffle = decks.reshuffle(record.unit, record.leg, place)
        _check_cards(deal, dealing, here)
        state = start(rules, place, game.dealer, dealing, shuffle)
        deque(playback(deal, state, here), maxlen=0)
        broken = not deal.HasField("result") and place == len(record.deals)
        _check_outcome(deal, state, broken, here)
        if state.outcome is not None:
            game.record(state.outcome)
    _check_result(record, game, where)


def _check_cards(record: replay_pb2.DealRecord, dealing: Dealing, where: str) -> None:
    same = (
        tuple(record.hands) == dealing.hands
        and record.upcard == dealing.upcard
        and list(record.piles) == [bytes(pile) for pile in dealing.piles]
    )
    if not same:
        raise ReplayError(where, "cards: are not those that follow from the secret")


def playback(record: replay_pb2.DealRecord, state: Deal, where: str) -> Iterator[tuple[Event, str]]:
    """Let everything of a deal happen again in `state`: each event with its note, once applied.

    An event must be what the rules make of its own action, else a ReplayError.
    """
    due: list[Event] = []
    for place, message in enumerate(record.events, 1):
        here = f"{where} event {place}"
        try:
            event = event_from_proto(message, state.rules.players)
        except ValueError as error:
            raise ReplayError(here, str(error)) from None
        if not due:
            due = _decided(state, event, here)
        expected = due.pop(0)
        if event != expected:
            raise ReplayError(here, f"{_said(event)}; the rules make it {_said(expected)}")
        apply(state, event)
        yield event, message.note
    if due:
        raise ReplayError(f"{where} event {len(record.events)}", "what follows from it is missing")


def _decided(state: Deal, event: Event, where: str) -> list[Event]:
    action = action_of(event)
    if action is None:
        raise ReplayError(where, f"{_said(event)}; nothing brings it about")
    try:
        return list(decide(state, action))
    except Illegal as error:
        raise ReplayError(where, f"{_said(event)}; not allowed: {error}") from None


def _said(event: Event) -> str:
    return str(event)[:200]


def _check_outcome(record: replay_pb2.DealRecord, state: Deal, broken: bool, where: str) -> None:
    if state.outcome is None:
        if not broken:
            raise ReplayError(where, "is not over, but the record goes on")
    elif not record.HasField("result"):
        raise ReplayError(where, "result: is missing, though the deal is over")
    elif record.result != outcome_to_proto(state.outcome):
        raise ReplayError(where, "result: is not the one that the events lead to")


def _check_result(record: replay_pb2.GameRecord, game: Game, where: str) -> None:
    result = record.result
    faulty = tuple(result.faulty_seats)
    if game.result is not None:
        reason = (
            play_pb2.REASON_DEAL_CAP if game.result.reason == "deal_cap" else play_pb2.REASON_PLAYED
        )
        if result.reason != reason:
            name = play_pb2.Reason.Name(reason)
            raise ReplayError(where, f"result.reason: the game was played, it should be {name}")
    elif result.reason not in FORFEITS | NOT_COUNTED:
        raise ReplayError(where, f"result.reason: {result.reason} though the game is not over")
    if faulty != tuple(sorted(set(faulty))) or any(seat >= game.rules.players for seat in faulty):
        raise ReplayError(where, "result.faulty_seats: are no seats in order")
    sides = {game.rules.side_of[seat] for seat in faulty}
    if result.reason in FORFEITS and not 0 < len(sides) < len(game.rules.sides):
        raise ReplayError(where, f"result.faulty_seats: {len(sides)} sides lose by a fault")
    if result.reason == play_pb2.REASON_DOUBLE_FAULT and len(sides) < len(game.rules.sides):
        raise ReplayError(where, "result.faulty_seats: every side must be at fault")
    reasons = tuple(result.faulty_reasons)
    if reasons and not _explain(reasons, faulty, result.reason):
        raise ReplayError(where, "result.faulty_reasons: are not those of the faulty seats")
    if result != game_result(game, result.reason, faulty, reasons):
        raise ReplayError(where, "result: is not the one that the deals lead to")


def _explain(reasons: tuple[int, ...], faulty: tuple[int, ...], reason: int) -> bool:
    """There is a fault for each seat, and where they are not everybody's the game's among them."""
    whole = len(reasons) == len(faulty) and FORFEITS.issuperset(reasons)
    return whole and (reason not in FORFEITS or reason in reasons)


def _check_legs(seal: replay_pb2.ReplaySeal, facts: list[GameFact], rules: Ruleset) -> None:
    where = "the seal"
    if [leg.leg for leg in seal.legs] != list(range(rules.players)):
        raise ReplayError(where, f"legs: are not 0 to {rules.players - 1}")
    faults: dict[tuple[int, int], set[int]] = defaultdict(set)
    for fact in facts:
        for seat in fact.faulty:
            faults[fact.leg, seat].add(fact.reason)
    for leg in seal.legs:
        if len(leg.reasons) != rules.players:
            raise ReplayError(where, f"legs: leg {leg.leg} has not a reason for every seat")
        for seat, reason in enumerate(leg.reasons):
            here = f"legs: leg {leg.leg} seat {seat}"
            if reason not in _REASONS:
                raise ReplayError(where, f"{here}: reason {reason} is no reason of a leg")
            lost = faults[leg.leg, seat]
            if (reason == play_pb2.REASON_PLAYED) != (not lost) and reason not in NOT_COUNTED:
                raise ReplayError(where, f"{here}: the reason is not that of its games")
