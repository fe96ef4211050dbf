"""One match between bot folders in this process: the referee beside the driver, no store.

The same referee, launcher and driver as in an arena; only schedule, record and rating are missing.
"""

import asyncio
import hashlib
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import grpc
import grpc.aio
import structlog

from knockbox.v1 import match_pb2, play_pb2
from referee import deck, service
from referee.replay import Replay
from referee.results import bot_scores
from referee.rules.ruleset import Ruleset
from referee.settings import Settings as RefereeSettings
from workers.attempt import CLOCK, Attempt, AttemptVoid, BotSpec, MatchOrder, SeatLog
from workers.host import host_match
from workers.sandbox import manifest
from workers.sandbox.manifest import BotFolder
from workers.sandbox.processes import ProcessLauncher

LAST_LINES = 20
UNTIMED = play_pb2.ClockSettings(bank_per_game_ms=0, increment_ms=0, cap_ms=0, untimed=True)

Progress = Callable[[match_pb2.Progress], None]


class Wish(NamedTuple):
    """What is to be played. `seed` None: decks drawn secretly."""

    bots: tuple[BotFolder, ...]
    rules: Ruleset
    units: int
    boards: int
    seed: str | None
    untimed: bool


class Row(NamedTuple):
    """One bot's part. `score` 0 to 1, `points` a deal; `reasons` by leg."""

    name: str
    score: float
    points: float
    won: int
    lost: int
    drawn: int
    forfeits: int
    reasons: list[str]


class Fault(NamedTuple):
    """One bot's fault in one leg. `exit` says how its program ended, for people.

    `number` is the bot's place in the match.
    """

    number: int
    bot: str
    leg: int
    reason: str
    exit: str
    last_lines: list[str]


class Played(NamedTuple):
    """A match that was played. `elapsed` in seconds; `void` games do not count."""

    match_id: str
    digest: bytes
    replay: Path
    rules: str
    units: int
    seed: str | None
    elapsed: float
    void: int
    bots: list[Row]
    faults: list[Fault]


class SingleError(Exception):
    """The match could not be played; `logs` are (bot, last lines)."""

    def __init__(self, message: str, logs: tuple[tuple[str, list[str]], ...] = ()) -> None:
        super().__init__(message)
        self.logs = logs


def play(wish: Wish, out: Path | None, runtime_base: Path, progress: Progress) -> Played:
    """Play it, and put the replay at `out` (a folder, or a file; None: ./replays).

    `runtime_base` is a short folder for sockets. Raises SingleError.
    """
    match_id = name_of(wish)
    target = _target(out, match_id)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        runtime_base.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SingleError(f"cannot make {error.filename}: {error.strerror}") from None
    with (
        tempfile.TemporaryDirectory(prefix="m-", dir=runtime_base) as sockets,
        tempfile.TemporaryDirectory(prefix="knockbox-match-") as work,
    ):
        began = time.monotonic()
        order = _order(wish, match_id, Path(work))
        attempt = asyncio.run(_play(order, Path(sockets), Path(work), progress))
        elapsed = time.monotonic() - began
        shutil.move(attempt.replay_path, target)
    return _played(wish, match_id, target, elapsed, attempt)


def name_of(wish: Wish) -> str:
    """The match's id. With a seed it follows from what is played, so that all of it repeats."""
    if wish.seed is None:
        tail = deck.fresh_secret().hex()[:8]
    else:
        versions = [manifest.digest(bot.files) for bot in wish.bots]
        told = repr((wish.seed, versions, wish.rules, wish.units))
        tail = hashlib.sha256(told.encode()).hexdigest()[:8]
    return "-".join([*(bot.name[:24] for bot in wish.bots), tail])


def _target(out: Path | None, match_id: str) -> Path:
    if out is None:
        return Path("replays") / f"{match_id}.kbr"
    return out / f"{match_id}.kbr" if out.is_dir() else out


def _order(wish: Wish, match_id: str, work: Path) -> MatchOrder:
    bots: list[BotSpec] = []
    for number, bot in enumerate(wish.bots):
        snapshot = work / "bots" / str(number)
        manifest.unpack(bot.files, snapshot)
        bots.append(BotSpec(bot.name, manifest.digest(bot.files), snapshot))
    seeded = wish.seed is not None
    whole = deck.fresh_secret() if wish.seed is None else deck.seed_secret(wish.seed)
    return MatchOrder(
        match_id=match_id,
        fence=1,
        tournament_id="",
        rules=wish.rules,
        units=wish.units,
        boards=wish.boards,
        bots=tuple(bots),
        secret=deck.match_secret(whole, match_id),
        seeded=seeded,
        clock=UNTIMED if wish.untimed else CLOCK,
    )


async def _play(order: MatchOrder, sockets: Path, work: Path, progress: Progress) -> Attempt:
    """Referee and driver, side by side, until the match is over."""
    shutdown, ready = asyncio.Event(), asyncio.Event()
    control = f"unix://{sockets / 'c.sock'}"
    settings = RefereeSettings(control=control, run_dir=sockets / "r")
    silent = structlog.wrap_logger(
        structlog.ReturnLogger(), wrapper_class=structlog.make_filtering_bound_logger(50)
    )
    referee = asyncio.create_task(service.serve(settings, shutdown, ready.set, silent))
    try:
        await _either(referee, ready.wait())
        async with grpc.aio.insecure_channel(control) as channel:
            launcher = ProcessLauncher(work / "homes")

            async def told(message: match_pb2.Progress) -> None:
                progress(message)

            async def kept(_: tuple[bytes, ...]) -> None:
                """Nobody tries again here: there is nothing to keep the nonces for."""

            return await host_match(channel, launcher, order, kept, told, work)
    except AttemptVoid as void:
        raise SingleError(
            f"the match was broken off: {void}", _last_words(order, void.logs)
        ) from None
    finally:
        shutdown.set()
        await referee


async def _either(referee: asyncio.Task[None], ready: Awaitable[object]) -> None:
    """Wait for the referee to be ready; raise what it ended with if it never is."""
    waiting = asyncio.ensure_future(ready)
    await asyncio.wait([referee, waiting], return_when=asyncio.FIRST_COMPLETED)
    if referee.done():
        waiting.cancel()
        referee.result()


def _played(wish: Wish, match_id: str, target: Path, elapsed: float, attempt: Attempt) -> Played:
    replay = Replay.open(target)
    legs = replay.seal.legs
    scores = bot_scores(replay)
    rows = [
        Row(
            name=score.name,
            score=score.score,
            points=score.points,
            won=score.won,
            lost=score.lost,
            drawn=score.drawn,
            forfeits=score.forfeits,
            reasons=[_reason(leg.reasons[(number + leg.leg) % len(leg.reasons)]) for leg in legs],
        )
        for number, score in enumerate(scores)
    ]
    return Played(
        match_id=match_id,
        digest=replay.digest,
        replay=target,
        rules=wish.rules.preset,
        units=wish.units,
        seed=wish.seed,
        elapsed=elapsed,
        void=scores[0].not_counted,
        bots=rows,
        faults=_faults(rows, attempt.logs),
    )


def _reason(number: play_pb2.Reason.ValueType) -> str:
    return play_pb2.Reason.Name(number).removeprefix("REASON_").lower()


def _faults(rows: list[Row], logs: tuple[SeatLog, ...]) -> list[Fault]:
    found: list[Fault] = []
    for log in logs:
        row = rows[log.bot]
        reason = row.reasons[log.leg] if log.leg < len(row.reasons) else log.reason
        if reason != "played":
            last = log.output.last_lines(LAST_LINES)
            found.append(Fault(log.bot, row.name, log.leg, reason, _exit(log), last))
    return found


def _exit(log: SeatLog) -> str:
    if log.exited is None or log.exited.stopped:
        return ""
    if log.exited.memory:
        return ", out of memory"
    if log.exited.signal:
        return f", ended by signal {log.exited.signal}"
    return f", exit code {log.exited.code}"


def _last_words(order: MatchOrder, logs: tuple[SeatLog, ...]) -> tuple[tuple[str, list[str]], ...]:
    return tuple((order.bots[log.bot].name, log.output.last_lines(LAST_LINES)) for log in logs)
