"""One match between bot folders in this process: the referee beside the driver, no store.

The same referee, launcher and driver as in an arena; only schedule, record and rating are missing.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from arena.local import beside, boxes, ending, leftovers, places, played, targets
from arena.local.dial import DialIn, DialLauncher
from arena.local.played import LAST_LINES
from arena.local.sandbox import SandboxError
from knockbox.v1 import match_pb2, play_pb2
from referee import deck
from referee.rules.ruleset import Ruleset
from workers.attempt import CLOCK, Attempt, AttemptVoid, BotSpec, MatchOrder, SeatLog
from workers.host import host_match
from workers.sandbox import manifest
from workers.sandbox.launcher import Launcher
from workers.sandbox.manifest import BotFolder
from workers.sandbox.probe import ENGINE

UNTIMED = play_pb2.ClockSettings(bank_per_game_ms=0, increment_ms=0, cap_ms=0, untimed=True)

Progress = Callable[[match_pb2.Progress], None]
Tell = Callable[[DialIn], None]


class Wish(NamedTuple):
    """What is to be played. `seed` None: decks drawn secretly. `by_hand`: the places in `bots` of
    those that are not started here. `sandbox`: auto, container or process, with the engine at
    `engine`.
    """

    bots: tuple[BotFolder, ...]
    rules: Ruleset
    units: int
    boards: int
    seed: str | None
    untimed: bool
    by_hand: frozenset[int] = frozenset()
    sandbox: str = "process"
    engine: str = ENGINE


class SingleError(Exception):
    """The match could not be played; `logs` are (bot, last lines)."""

    def __init__(self, message: str, logs: tuple[tuple[str, list[str]], ...] = ()) -> None:
        super().__init__(message)
        self.logs = logs


class Hear(NamedTuple):
    """Who hears of what happens: how far it is; leg by leg, how the bots that are started by hand
    come in; in words, how bots run; the first Ctrl-C, which ends nothing where somebody hears it;
    and each fault as soon as its leg is over.
    """

    progress: Progress
    tell: Tell
    note: boxes.Note = print
    asked: Callable[[], None] | None = None
    fault: Callable[[played.LegFault], None] | None = None


def play(wish: Wish, out: Path | None, runtime_base: Path, hear: Hear) -> played.Played:
    """Play it, and put the replay at `out` (a folder, or a file; None: ./replays).

    `runtime_base` is a short folder for sockets. Raises SingleError; Ended where a signal came.
    """
    match_id = name_of(wish)
    try:
        target = targets.target(out, match_id)
        with (
            targets.place(target) as place,
            ending.ends(hear.asked) as end,
            leftovers.room(runtime_base) as (sockets, work),
        ):
            order = _order(wish, match_id, work)
            bots = boxes.Bots(wish.bots, order.bots, wish.by_hand)
            chosen = boxes.choice(wish.sandbox, wish.engine, bots)
            if chosen.words:
                hear.note(chosen.words)
            by_hand = [order.bots[number].folder for number in wish.by_hand]
            room = boxes.Places(sockets, work)
            with boxes.launcher(chosen, wish.engine, bots, room, hear.note) as (inner, ready):
                launcher = DialLauncher(inner, by_hand, hear.tell) if by_hand else inner
                began = time.monotonic()
                playing = _play(order._replace(bots=ready), launcher, room, hear)
                attempt = asyncio.run(end.cancels(playing))
            elapsed = time.monotonic() - began
            place(attempt.replay_path)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise SingleError(f"{where}{error.strerror or error}") from None
    except (targets.TargetError, places.PlaceError, SandboxError) as error:
        raise SingleError(str(error)) from None
    return played.read(target, attempt.logs, wish.seed, elapsed)


def name_of(wish: Wish) -> str:
    """The match's id. With a seed it follows from what is played, so that all of it repeats.

    It ends like that of a seeded tournament's first match: the decks follow from that end and the
    seed alone, so other bots, and other versions of a bot, are dealt the same.
    """
    if wish.seed is None:
        tail = deck.fresh_secret().hex()[:8]
    else:
        versions = [manifest.digest(bot.files) for bot in wish.bots]
        told = repr((wish.seed, versions, wish.rules, wish.units))
        tail = f"{hashlib.sha256(told.encode()).hexdigest()[:8]}.1"
    return "-".join([*(bot.name[:24] for bot in wish.bots), tail])


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


async def _play(order: MatchOrder, launcher: Launcher, room: boxes.Places, hear: Hear) -> Attempt:
    """Referee and driver, side by side, until the match is over."""

    async def told(message: match_pb2.Progress) -> None:
        hear.progress(message)

    async def kept(_: tuple[bytes, ...]) -> None:
        """Nobody tries again here: there is nothing to keep the nonces for."""

    def leg_over(logs: tuple[SeatLog, ...]) -> None:
        for fault in played.leg_faults([bot.name for bot in order.bots], logs):
            if hear.fault is not None:
                hear.fault(fault)

    try:
        async with beside.referee(room.sockets) as channel:
            return await host_match(
                channel, launcher, order, kept, told, room.work, on_leg=leg_over
            )
    except AttemptVoid as void:
        raise SingleError(
            f"the match was broken off: {void}", _last_words(order, void.logs)
        ) from None


def _last_words(order: MatchOrder, logs: tuple[SeatLog, ...]) -> tuple[tuple[str, list[str]], ...]:
    return tuple((order.bots[log.bot].name, log.output.last_lines(LAST_LINES)) for log in logs)
