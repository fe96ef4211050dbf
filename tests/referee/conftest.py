"""Whole matches in memory: the rules play against themselves, and the records become a replay."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from knockbox.v1 import play_pb2, replay_pb2
from referee.deck import Decks, commitment, match_secret, seed_secret
from referee.replay import ReplayFile, ReplayWriter
from referee.rules.actions import Action, Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.cards import members
from referee.rules.deal import Phase, act, start
from referee.rules.game import Game
from referee.rules.ruleset import resolve
from referee.rules.view import View, view
from referee.wire.game_log import GameLog
from referee.wire.rules import to_proto


@dataclass(frozen=True)
class Break:
    """A fault that ends the game of (unit, leg) after `events` events."""

    unit: int
    leg: int
    events: int
    reason: play_pb2.Reason.ValueType
    faulty: tuple[int, ...]


@dataclass(frozen=True)
class Played:
    """The records of a match that was played."""

    header: replay_pb2.ReplayHeader
    games: dict[tuple[int, int], replay_pb2.GameRecord]
    seal: replay_pb2.ReplaySeal
    side: replay_pb2.ReplaySide

    def file(self) -> ReplayFile:
        """The file of the records as they are now, every checksum in order."""
        writer = ReplayWriter(self.header)
        for game in self.games.values():
            writer.add_game(game)
        return writer.finish(self.seal, self.side)

    def copy(self) -> "Played":
        """The same records, free to be changed."""
        return deepcopy(self)


@dataclass
class Table:
    """Plays games with a fixed seed; every choice is legal, few are clever."""

    rules: Any
    decks: Decks
    breaks: dict[tuple[int, int], Break] = field(default_factory=dict[tuple[int, int], Break])

    def game(self, unit: int, leg: int) -> replay_pb2.GameRecord:
        """One game to its end, or to its break."""
        chance = Random(1000 * leg + unit)
        log = GameLog(unit, leg, self.decks.first_dealer(unit, leg))
        game = Game(self.rules, self.decks.first_dealer(unit, leg))
        fault = self.breaks.get((unit, leg))
        left = fault.events if fault else 1 << 30
        while not game.over:
            if fault and left <= 0:
                return log.over(game, fault.reason, fault.faulty)
            number = game.deals + 1
            dealing = self.decks.dealing(unit, leg, number)
            shuffle = self.decks.reshuffle(unit, leg, number)
            deal = start(self.rules, number, game.dealer, dealing, shuffle)
            log.deal_started(number, game.dealer, dealing)
            while deal.outcome is None:
                if left <= 0 and fault:
                    return log.over(game, fault.reason, fault.faulty)
                left -= 1
                seen = view(deal, deal.turn, 0, want_deadwood=True)
                action = choose(seen, chance)
                note = f"seat {deal.turn}: {action}"[:200] if chance.random() < 0.1 else ""
                for event in act(deal, action):
                    log.event(event, note)
                    note = ""
            log.deal_over(deal.outcome)
            game.record(deal.outcome)
        assert game.result is not None
        capped = game.result.reason == "deal_cap"
        return log.over(game, play_pb2.REASON_DEAL_CAP if capped else play_pb2.REASON_PLAYED)


def choose(seen: View, chance: Random) -> Action:
    """A plausible action out of what a seat sees."""
    options = seen.options
    if seen.phase in (Phase.OFFER, Phase.DRAW):
        if options.may_take and options.deadwood_if_taken < options.deadwood - 2:
            return Take()
        return Decline() if options.may_decline else Draw()
    if seen.phase is Phase.LAYOFF:
        return LayOff() if chance.random() < 0.7 else LayOff((), ())
    if options.knocks and chance.random() < 0.8:
        least = min(zip(options.knock_deadwood, members(options.knocks), strict=True))
        return Knock(least[1])
    counts = zip(options.discard_deadwood, members(options.discards), strict=True)
    least = min((count + chance.random(), card) for count, card in counts)
    return Discard(least[1])


def play_match(
    preset: Any = "german_150",
    units: int = 2,
    *,
    seeded: bool = False,
    pairing: replay_pb2.Pairing.ValueType = replay_pb2.PAIRING_UNITS,
    breaks: tuple[Break, ...] = (),
) -> Played:
    """A match of bots called "north", "south", "east" and "west", with its replay."""
    rules = resolve(preset)
    secret = match_secret(seed_secret("tests"), "m-1")
    nonces = () if seeded else (b"n", b"", b"east", b"w" * 32)[: rules.players]
    table = Table(
        rules, Decks(secret, nonces, rules, pairing), {(b.unit, b.leg): b for b in breaks}
    )
    header = replay_pb2.ReplayHeader(
        format=1,
        match_id="m-1",
        tournament_id="t-1",
        rules=to_proto(rules),
        plan=replay_pb2.Plan(units=units, boards=64, pairing=pairing),
        bots=[
            replay_pb2.BotIdentity(name=name, version="sha256:" + "0" * 64)
            for name in ("north", "south", "east", "west")[: rules.players]
        ],
        commitment=commitment(secret),
        seeded=seeded,
    )
    legs = range(rules.players)
    games = {(unit, leg): table.game(unit, leg) for leg in legs for unit in range(units)}
    seal = replay_pb2.ReplaySeal(secret=secret, nonces=nonces)
    for leg in legs:
        reasons = [play_pb2.REASON_PLAYED] * rules.players
        for fault in breaks:
            for seat in fault.faulty:
                if fault.leg == leg:
                    reasons[seat] = fault.reason
        seal.legs.add(leg=leg, reasons=reasons)
    side = replay_pb2.ReplaySide(fence=1, started_ms=1, ended_ms=2, referee="tests")
    return Played(header, games, seal, side)


@pytest.fixture(scope="session")
def play() -> Callable[..., Played]:
    """`play_match`, for tests that want a match of their own."""
    return play_match


@pytest.fixture(scope="session")
def broken() -> type[Break]:
    """`Break`, to say where a match is broken off."""
    return Break


@pytest.fixture(scope="session")
def german() -> Played:
    """One German match of two units; nobody may change its records."""
    return play_match()
