"""What a worker asks to be played, checked field by field before anything is made for it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knockbox.v1 import match_pb2, play_pb2, replay_pb2, rules_pb2
from referee.bounds import BOARDS_MOST, UNITS_MOST
from referee.clock import ClockRules
from referee.deck import SECRET_BYTES, Decks, commitment
from referee.rules.ruleset import Ruleset, RulesetError
from referee.wire.rules import from_proto, to_proto

_NONCE_BYTES = 32
_ID = re.compile(r"[a-z0-9._-]{1,64}")


class OpenError(ValueError):
    """An Open that cannot be played: which field, and why."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field


@dataclass(frozen=True)
class Order:
    """One attempt at one match, checked; `opening` is the message it came from."""

    opening: match_pb2.Open
    rules: Ruleset
    clock: ClockRules

    @property
    def match_id(self) -> str:
        """The match."""
        return self.opening.match_id

    @property
    def fence(self) -> int:
        """The attempt, from 1."""
        return self.opening.fence

    @property
    def units(self) -> int:
        """Units, which is also the games of a leg."""
        return self.opening.plan.units

    @property
    def boards(self) -> int:
        """Most games in flight."""
        return min(self.opening.plan.boards, self.units)

    @property
    def seats(self) -> int:
        """Seats, bots and legs are equally many."""
        return self.rules.players

    @property
    def nonces(self) -> tuple[bytes, ...] | None:
        """The bots' nonces as far as they are known; None: they are still to be asked for."""
        if self.opening.seeded:
            return ()
        return tuple(self.opening.nonces) or None

    def bot_on(self, seat: int, leg: int) -> int:
        """The number of the bot that has a seat in a leg."""
        return (seat - leg) % self.seats

    @property
    def from_afar(self) -> bool:
        """Whether any of the bots dials in."""
        return any(bot.dial_in for bot in self.opening.bots)

    def dials_in(self, seat: int, leg: int) -> bool:
        """Whether the bot that has a seat in a leg dials in."""
        return self.opening.bots[self.bot_on(seat, leg)].dial_in

    def cut(self, seat: int, leg: int) -> int:
        """After how many messages of questions a seat's connection is lost on purpose; 0: never."""
        drill = self.opening.drill
        return drill.messages if drill.bot == self.bot_on(seat, leg) else 0

    def decks(self, nonces: tuple[bytes, ...]) -> Decks:
        """The match's decks."""
        return Decks(self.opening.secret, nonces, self.rules, self.opening.plan.pairing)

    def welcome(self, seat: int, protocol: int) -> play_pb2.Welcome:
        """The match as a seat may know it."""
        return play_pb2.Welcome(
            protocol=protocol,
            rules=to_proto(self.rules),
            seat=seat,
            clock=self.opening.plan.clock,
            commitment=commitment(self.opening.secret),
            games=self.units,
        )

    def header(self) -> replay_pb2.ReplayHeader:
        """The first record of the replay."""
        opening = self.opening
        return replay_pb2.ReplayHeader(
            format=1,
            match_id=opening.match_id,
            tournament_id=opening.tournament_id,
            rules=to_proto(self.rules),
            plan=opening.plan,
            bots=opening.bots,
            commitment=commitment(opening.secret),
            seeded=opening.seeded,
            sandboxed=opening.sandboxed,
            commitments=opening.commitments,
        )


def check(opening: match_pb2.Open) -> Order:
    """The order that an Open stands for. Raises OpenError with the name of the field."""
    plan = opening.plan
    _need(_ID.fullmatch(opening.match_id) is not None, "match_id", "not 1-64 of [a-z0-9._-]")
    _need(opening.fence >= 1, "fence", "below 1")
    rules = _rules(opening.rules)
    _need(1 <= plan.units <= UNITS_MOST, "plan.units", f"not 1-{UNITS_MOST}")
    _need(1 <= plan.boards <= BOARDS_MOST, "plan.boards", f"not 1-{BOARDS_MOST}")
    pairings = (replay_pb2.PAIRING_UNITS, replay_pb2.PAIRING_INDEPENDENT)
    _need(plan.pairing in pairings, "plan.pairing", "not set")
    clock = plan.clock
    timed = clock.untimed or clock.bank_per_game_ms > 0
    _need(timed, "plan.clock.bank_per_game_ms", "0 without untimed")
    bots = len(opening.bots)
    _need(bots == rules.players, "bots", f"{bots} for {rules.players} players")
    _need(len(opening.secret) == SECRET_BYTES, "secret", f"not {SECRET_BYTES} bytes")
    _need(len(opening.nonces) in (0, bots), "nonces", f"neither none nor {bots}")
    short = all(len(nonce) <= _NONCE_BYTES for nonce in opening.nonces)
    _need(short, "nonces", f"one has more than {_NONCE_BYTES} bytes")
    _check_dial_in(opening)
    return Order(opening, rules, _clock(clock))


def _check_dial_in(opening: match_pb2.Open) -> None:
    """A bot that may remember gets no cards twice: not in another leg, not in another attempt."""
    independent = opening.plan.pairing == replay_pb2.PAIRING_INDEPENDENT
    commitments = opening.commitments
    own = commitment(opening.secret)
    known = not commitments or (len(commitments) == opening.fence and commitments[-1] == own)
    _need(known, "commitments", f"not {opening.fence} with this attempt's last")
    if any(bot.dial_in for bot in opening.bots):
        _need(independent, "plan.pairing", "a bot dials in, and its legs have the same cards")
        _need(len(commitments) > 0, "commitments", "a bot dials in, and attempts share a secret")


def _rules(message: rules_pb2.Ruleset) -> Ruleset:
    try:
        return from_proto(message)
    except RulesetError as error:
        raise OpenError("rules", str(error)) from error


def _clock(message: play_pb2.ClockSettings) -> ClockRules:
    return ClockRules(
        bank_per_game=message.bank_per_game_ms / 1000,
        increment=message.increment_ms / 1000,
        cap=message.cap_ms / 1000,
        untimed=message.untimed,
    )


def _need(holds: bool, field: str, why: str) -> None:
    if not holds:
        raise OpenError(field, why)
