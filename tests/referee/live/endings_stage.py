"""Plays one scripted ending against a referee and says in one line what came of it."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import grpc
from grpc import aio

from knockbox.v1 import match_pb2, play_pb2, replay_pb2
from referee.bots import NOT_ADMITTED, REPLACED, WRONG_PROTOCOL
from referee.replay import Replay
from referee.rules.ruleset import resolve
from referee.verify import verify
from tests.referee.live.endings_play import PLAYS
from tests.referee.live.endings_script import Player, Script
from tests.referee.live.live_kit import Bot, Kit, Worker

Code = grpc.StatusCode
WORDS = {
    Code.OK: "",
    Code.UNAUTHENTICATED: NOT_ADMITTED,
    Code.FAILED_PRECONDITION: WRONG_PROTOCOL,
    Code.ABORTED: REPLACED,
    Code.INTERNAL: "Internal error from Core",  # the bot's own end: it wrote to a closed stream
}
"""What a bot may be told at the end of a connection."""
TRANSPORT = (Code.RESOURCE_EXHAUSTED, Code.UNAVAILABLE, Code.CANCELLED)
"""Ends that are the transport's, in its own words."""
FINISHED = (play_pb2.REASON_PLAYED, play_pb2.REASON_DEAL_CAP)


class AttemptEndsError(Exception):
    """The attempt has ended in the middle of a leg."""


class Case(NamedTuple):
    """One ending. Role r has the script r of leg 0, and sits r seats left of the one under test;
    roles without a script play well. `expected` is what `ending` says.

    `then` is the script that the bot of role 0 has in leg 1; `every_leg` gives it the first one in
    all legs. `match` are fields of `Kit.opening`, `settings` those of the referee.
    """

    phase: str
    name: str
    scripts: tuple[Script, ...]
    expected: str
    match: Mapping[str, Any] = MappingProxyType({})
    settings: Mapping[str, Any] = MappingProxyType({})
    then: Script = PLAYS
    every_leg: bool = False

    @property
    def seats(self) -> int:
        return resolve(self.match.get("rules", "spanish_single")).players

    @property
    def all_settings(self) -> dict[str, Any]:
        """The referee's settings, the time to come among them."""
        connect = 0.5 if "no_show" in self.expected else 5.0
        return {"connect": connect, **self.settings}

    def script(self, leg: int, role: int) -> Script:
        """What the bot of a role does in a leg."""
        if leg == 1 and role == 0 and not self.every_leg:
            return self.then
        if (leg == 0 or self.every_leg) and role < len(self.scripts):
            return self.scripts[role]
        return PLAYS


async def ending(kit: Kit, case: Case, seat: int) -> str:
    """What came of a case whose role 0 sits on `seat` in the first leg.

    `REASON REASON: SCOPE`, reasons by role, and what the referee counted against role 0 if
    anything. Scopes: `none` (all games were played to their end), `leg` (all were lost by the
    roles at fault), `owed` (exactly those of the question that lapsed), `void` (none counts),
    `attempt CODE`, or how many of which.
    """
    worker = await kit.host(**case.match)
    legs: list[list[Player]] = []
    for leg in range(case.seats):
        try:
            legs.append(await play_leg(worker, case, leg, seat, legs[-1] if legs else None))
        except AttemptEndsError:
            return f"attempt {(await worker.call.code()).name}"
    result = await worker.done()
    replay = read(worker.replay)
    assert replay.digest == result.digest
    check_result(result, replay, case.seats)
    said = [told(worker, replay, case, leg, players) for leg, players in enumerate(legs)]
    good = " ".join(["played"] * case.seats) + ": none"
    if case.every_leg:
        return " / ".join(dict.fromkeys(said))
    return "; then ".join([said[0], *(line for line in said[1:] if line != good)])


def check_result(result: match_pb2.Result, replay: Replay, seats: int) -> None:
    """Each bot has forfeited what it failed in; where no unit counts the match is void."""
    games = [replay.game(unit, leg) for unit, leg in replay.games]
    forfeits = [
        sum(
            game.result.counts and (bot + game.leg) % seats in game.result.faulty_seats
            for game in games
        )
        for bot in range(seats)
    ]
    assert [bot.forfeits for bot in result.bots] == forfeits
    void = {game.unit for game in games if not game.result.counts}
    whole = {game.unit for game in games} - void
    reason = play_pb2.REASON_PLAYED if whole else play_pb2.REASON_DOUBLE_FAULT
    assert result.reason == reason


async def play_leg(
    worker: Worker, case: Case, leg: int, seat: int, former: list[Player] | None
) -> list[Player]:
    """Play one leg; gives its players by role."""
    doors = await worker.leg()
    scripts = [case.script(leg, role) for role in range(case.seats)]
    barrier = asyncio.Barrier(len(case.scripts))
    players = [
        Player(worker, leg, doors, (seat + leg + role) % case.seats, barrier)
        for role in range(case.seats)
    ]
    for role, player in enumerate(players):
        player.table = players
        player.former = former[role].door if former else None
    await worker.started(leg, *range(case.seats))
    running = [
        asyncio.ensure_future(perform(player, script))
        for player, script in zip(players, scripts, strict=True)
    ]
    try:
        await leg_over(worker)
        await asyncio.gather(*running)
    except AttemptEndsError:
        await asyncio.wait(running)
        assert not any(player.over for player in players)
        await gone(Path(doors[0].address.removeprefix("unix://")).parents[1])
        raise
    finally:
        for task in running:
            task.cancel()
        await asyncio.wait(running)
        for player in players:
            for bot in player.bots:
                await check_words(bot)
                await bot.drop()
    return players


async def leg_over(worker: Worker) -> None:
    """Wait until the leg is over."""
    try:
        await worker.leg_over()
    except asyncio.CancelledError:
        if worker.call.cancelled():
            raise AttemptEndsError from None
        raise
    except aio.AioRpcError:
        raise AttemptEndsError from None


async def gone(folder: Path) -> None:
    """Wait until the doors of a leg are gone."""
    async with asyncio.timeout(10):
        while folder.exists():
            await asyncio.sleep(0.005)


async def perform(player: Player, script: Script) -> None:
    """Do what the script says, then what any bot does at the end of a leg."""
    for step in script:
        await step(player)
    await player.part()


async def check_words(bot: Bot) -> None:
    """A connection that has ended did so in words that are known."""
    if not bot.gone and bot.call.done():
        code, text = await bot.status()
        assert text == WORDS[code] if code in WORDS else code in TRANSPORT, (code, text)
        assert "Traceback" not in text, (code, text)


def read(data: bytes) -> Replay:
    """A replay that has been verified."""
    with tempfile.NamedTemporaryFile(suffix=".kbr") as file:
        Path(file.name).write_bytes(data)
        verdict = verify(Path(file.name))
        assert verdict.ok, verdict.error
    return Replay.open(data)


def told(worker: Worker, replay: Replay, case: Case, leg: int, players: list[Player]) -> str:
    """One leg in one line, after what each seat was told about it was found to be so."""
    units = range(worker.opening.plan.units)
    games = [replay.game(unit, leg).result for unit in units]
    reasons = [name_of(worker.reasons[leg][player.seat]) for player in players]
    for player in players:
        check_told(player, games, worker.reasons[leg][player.seat])
    [counted] = [
        clock for clock in replay.side.clocks if (clock.leg, clock.seat) == (leg, players[0].seat)
    ]
    sins = [
        f"{number} {what}"
        for number, what in ((counted.strikes, "strikes"), (counted.stale, "stale"))
        if number
    ]
    line = f"{' '.join(reasons)}: {scope(games, players)}"
    return f"{line} ({', '.join(sins)})" if sins else line


def name_of(reason: play_pb2.Reason.ValueType) -> str:
    """A reason's word."""
    return play_pb2.Reason.Name(reason).removeprefix("REASON_").lower()


def check_told(player: Player, games: list[replay_pb2.GameResult], reason: int) -> None:
    """A seat that heard MatchOver heard the truth; a seat that never came saw no card."""
    over = player.over
    if over is None:
        return
    side = next(i for i, seats in enumerate(sides(player)) if player.seat in seats)
    winners = [game.winner if game.HasField("winner") else -1 for game in games if game.counts]
    won, drawn = winners.count(side), winners.count(-1)
    lost = len(winners) - won - drawn
    assert over.reason == reason
    assert (over.won, over.lost, over.drawn) == (won, lost, drawn)
    assert over.not_counted == len(games) - len(winners)
    absent = play_pb2.REASON_NO_SHOW in player.worker.reasons[player.leg]
    assert not absent or not over.deals_started


def sides(player: Player) -> tuple[tuple[int, ...], ...]:
    """The sides of the player's match."""
    return resolve(player.worker.opening.rules.preset).sides


def scope(games: list[replay_pb2.GameResult], players: list[Player]) -> str:
    """What of the leg was lost, see `ending`."""
    role = {player.seat: number for number, player in enumerate(players)}
    kinds = Counter(kind(game, role) for game in games)
    lost = sum(kinds.values()) - kinds["finished"] - kinds["void"]
    if kinds["finished"] == len(games):
        return "none"
    if kinds["void"] == len(games):
        return "void"
    if len(kinds) == 1:
        return f"leg{next(iter(kinds)).removeprefix('lost')}"
    if players[0].owed and (lost, kinds["void"]) == (players[0].owed, 0):
        return "owed"
    return ", ".join(f"{number} {what}" for what, number in sorted(kinds.items()))


def kind(game: replay_pb2.GameResult, role: dict[int, int]) -> str:
    """How one game ended; a game lost by others than role 0 alone names the roles."""
    if game.reason in FINISHED:
        return "finished"
    if not game.counts:
        return "void"
    faulty = sorted(role[seat] for seat in game.faulty_seats)
    lost = {side_of(game, seat, len(role)) for seat in game.faulty_seats}
    assert {game.places[side] for side in lost} == {max(game.places)}
    if len(lost) == len(game.places) - 1:
        assert game.winner not in lost
    return "lost" if faulty == [0] else f"lost by {'+'.join(map(str, faulty))}"


def side_of(game: replay_pb2.GameResult, seat: int, seats: int) -> int:
    """The place of a seat's side in the lists of a game."""
    return seat % len(game.places) if len(game.places) < seats else seat
