"""One match of a check, played as any other, and broken off as soon as it has shown enough."""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import grpc.aio

from knockbox.v1 import match_pb2
from referee import deck
from referee.rules.ruleset import Ruleset
from workers.attempt import Attempt, BotSpec, MatchOrder, SeatLog
from workers.check.limits import Limits
from workers.host import host_match
from workers.sandbox.launcher import Launcher

GREEDY, RANDOM = "greedy", "random"
RIVALS = (GREEDY, RANDOM)
"""The packaged bots that a bot is checked against: one that knocks, and one to beat."""
SEED = "check"
"""The decks of every check are the same, so that its verdicts can be compared."""


class Place(NamedTuple):
    """Where a bot is checked: the referee's control channel, what starts programs, the packaged
    bots of `RIVALS` by their names, with their images where the launcher has containers, and the
    folder for replays (None: the system's for temporary files)."""

    channel: grpc.aio.Channel
    launcher: Launcher
    rivals: Mapping[str, BotSpec]
    scratch: Path | None = None


class Stage(NamedTuple):
    """What is to be played. `boards` are units and games at once; `rival` is one of RIVALS, or ""
    for the bot itself on all seats; `legs`: so many are enough, 0 for all; `cut`: its connection is
    lost after so many messages of questions, 0 for never."""

    name: str
    rules: Ruleset
    boards: int = 1
    rival: str = GREEDY
    legs: int = 0
    cut: int = 0


class Seen(NamedTuple):
    """What came of a stage. `logs` are those of the bot that is checked, leg by leg, `rivals` those
    of the others; `result` is None where it was broken off, and `broken` says why: "fault" or
    "enough" (a leg had shown it), "stall" or "overrun"."""

    stage: Stage
    logs: tuple[SeatLog, ...]
    rivals: tuple[SeatLog, ...]
    result: match_pb2.Result | None
    broken: str

    @property
    def fault(self) -> SeatLog | None:
        """The first leg in which the bot was at fault."""
        return next((log for log in self.logs if at_fault(log)), None)

    @property
    def reports(self) -> list[match_pb2.SeatReport]:
        """What the referee saw of the bot, by leg."""
        return [log.report for log in self.logs if log.report is not None]


def at_fault(log: SeatLog) -> bool:
    """The program was at fault in its leg."""
    return log.reason not in ("", "played", "deal_cap")


async def play(
    stage: Stage, subject: BotSpec, place: Place, limits: Limits, token: str, number: int
) -> Seen:
    """Play it. `token` sets this check's matches apart from those of others, and `number` counts
    them, from 1: one that was broken off may still be known to the referee.

    Raises AttemptVoid where the platform fails.
    """
    watch = _Watch(stage, limits)
    rival = place.rivals[stage.rival] if stage.rival else subject
    bots = (subject, *[rival] * (stage.rules.players - 1))
    order = MatchOrder(
        match_id=f"check-{token}-{stage.name.replace(' ', '-')}",
        fence=number,
        tournament_id="",
        rules=stage.rules,
        units=stage.boards,
        boards=stage.boards,
        bots=bots,
        secret=deck.seed_secret(SEED),
        seeded=True,
        clock=limits.clock,
        memory=limits.memory,
        longest_s=limits.stage,
        drill=match_pb2.Drill(bot=0, messages=stage.cut) if stage.cut else None,
    )
    playing = asyncio.create_task(
        host_match(
            place.channel,
            place.launcher,
            order,
            watch.nonces,
            watch.progress,
            place.scratch,
            limits.exit_grace,
            watch.leg,
        )
    )
    ending = asyncio.create_task(watch.ended.wait())
    try:
        await asyncio.wait(
            (playing, ending), timeout=limits.stage, return_when=asyncio.FIRST_COMPLETED
        )
        attempt = playing.result() if playing.done() else None
        if attempt is None and not watch.broken:
            watch.broken = "overrun"
    finally:
        playing.cancel()
        ending.cancel()
        # The programs are gone when the host has returned, not before.
        await asyncio.gather(playing, ending, return_exceptions=True)
    return watch.seen(attempt)


class _Watch:
    """Follows a match, and says when it has shown enough."""

    def __init__(self, stage: Stage, limits: Limits) -> None:
        self.ended = asyncio.Event()
        self.broken = ""
        self._stage = stage
        self._limits = limits
        self._logs: list[SeatLog] = []
        self._legs = 0
        self._heard = (0, 0)
        self._since = time.monotonic()

    async def nonces(self, nonces: tuple[bytes, ...]) -> None:
        """Nobody tries again here: there is nothing to keep them for."""

    async def progress(self, told: match_pb2.Progress) -> None:
        """It goes on, or stands still."""
        now, heard = time.monotonic(), (told.leg, told.decisions)
        if heard != self._heard or told.games_over == told.games:
            self._heard, self._since = heard, now
        elif now - self._since > self._limits.stall:
            self._break_off("stall")

    def leg(self, logs: tuple[SeatLog, ...]) -> None:
        """A leg is over, or broken off."""
        if self.broken in ("fault", "enough"):
            return
        self._logs += logs
        self._legs += 1
        if any(map(at_fault, logs)):
            self._break_off("fault")
        elif self._legs == self._stage.legs:
            self._break_off("enough")

    def seen(self, attempt: Attempt | None) -> Seen:
        """All of it, when it is over; the replay is not kept."""
        if attempt is not None:
            attempt.replay_path.unlink(missing_ok=True)
        mine = tuple(log for log in self._logs if log.bot == 0 or not self._stage.rival)
        rivals = tuple(log for log in self._logs if log.bot != 0 and self._stage.rival)
        return Seen(self._stage, mine, rivals, attempt and attempt.result, self.broken)

    def _break_off(self, why: str) -> None:
        self.broken = self.broken or why
        self.ended.set()
