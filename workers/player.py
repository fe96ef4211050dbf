"""One attempt at one match, from the claim to the sealed replay on disk. No Celery here.

The claim is renewed while the match is played; who loses it stops at once. What the bots print is
kept, and a bot's fault is told with its last lines.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import grpc.aio
import stamina
import structlog

from knockbox.v1 import match_pb2
from workers.attempt import Attempt, AttemptVoid, MatchOrder, SeatLog
from workers.beating import beat
from workers.folders import Folders, settle
from workers.hall import Hall
from workers.host import host_match
from workers.orders import order_of
from workers.sandbox.launcher import Launcher, lacking
from workers.schedule import Fixture, fixture, longest_s
from workers.store import DOWN, NotFound, Store
from workers.store.matches import PATIENT, Claim, Limits, Waits
from workers.store.tournaments import Plan

LAST_LINES = 20
"""Lines of a bot's output that are told with its fault."""


class Timing(NamedTuple):
    """Durations in seconds: the lease, between two renewals of it, a wait for the referee, the most
    that a match may take whatever its clocks say, and a wait for the store once it is played."""

    lease_s: float
    beat_s: float
    referee_wait_s: float
    longest_s: float
    store_wait_s: float = 120.0


class Played(NamedTuple):
    """What came of a message. `fence` is the attempt's, 0 where there was none.

    `word`: "sealed", record it now; "queued", "dead" or "void", the attempt was void; "lost",
    somebody else has the match; "postponed", no referee answers; "put off", the machine lacks
    something; "waits", for a bot that dials in; else why it was not claimed, as in `Matches.claim`.
    `freed` are bots that dial in and have a slot free now that they had not before.
    """

    word: str
    fence: int = 0
    freed: tuple[str, ...] = ()


class Lost(Exception):  # noqa: N818 - an outcome: somebody else has the match
    """The claim is gone; nothing may be done in its name any more."""


class Host(Protocol):
    """What plays a match once: `workers.host.host_match`."""

    async def __call__(
        self,
        channel: grpc.aio.Channel,
        launcher: Launcher,
        order: MatchOrder,
        on_nonces: Callable[[tuple[bytes, ...]], Any],
        on_progress: Callable[[match_pb2.Progress], Any],
        scratch: Path | None = None,
        *,
        hall: Hall | None = None,
    ) -> Attempt:
        """See `workers.host`."""
        ...


class Launchers(NamedTuple):
    """How programs are started: as a tournament's plan says, sandboxed or not."""

    processes: Launcher
    containers: Launcher

    def of(self, plan: Plan) -> Launcher:
        """The one for a tournament."""
        return self.containers if plan.sandboxed else self.processes


class Player:
    """Plays matches of one store, one at a time."""

    def __init__(
        self,
        store: Store,
        folders: Folders,
        limits: Limits,
        timing: Timing,
        launchers: Launchers,
        control: str,
        host: Host = host_match,
        hall: Hall | None = None,
        waits: Waits = PATIENT,
    ) -> None:
        self._store = store
        self._folders = folders
        self._limits = limits
        self._timing = timing
        self._launchers = launchers
        self._control = control
        self._host = host
        self._hall = hall or Hall(store)
        self._waits = waits
        self._log = structlog.get_logger("player")

    async def play(self, match_id: str) -> Played:
        """Play a match if it may be played now.

        When this is cancelled, the bots are ended and the match is put back. Raises one of `DOWN`
        where the store does not answer.
        """
        try:
            planned = await asyncio.to_thread(fixture, self._store, match_id)
        except NotFound:
            return Played("unknown")
        async with grpc.aio.insecure_channel(self._control) as channel:
            try:
                async with asyncio.timeout(self._timing.referee_wait_s):
                    await channel.channel_ready()
            except TimeoutError:
                return Played(await self._postpone(match_id))
            terms = self._ms(self._timing.lease_s), self._limits, planned.dial_in, self._waits
            claim = await asyncio.to_thread(self._store.matches.claim, match_id, *terms)
            if isinstance(claim, str):
                return Played(await self._unclaimed(match_id, claim))
            structlog.contextvars.bind_contextvars(match=match_id, fence=claim.fence)
            try:
                word = await self._attempt(channel, planned, claim)
                return Played(word, claim.fence, planned.dial_in)
            except asyncio.CancelledError:
                self._store.matches.release(match_id, claim.fence)
                self._log.info("put back")
                raise
            finally:
                structlog.contextvars.clear_contextvars()

    async def _unclaimed(self, match_id: str, why: str) -> str:
        if why != "given up":
            return why
        found = await asyncio.to_thread(self._store.matches.get, match_id)
        cause = found.attempts[-1].cause
        await asyncio.to_thread(self._store.log.alarm_dead, match_id, cause)
        self._log.warning("given up", match=match_id, cause=cause)
        return "dead"

    async def _postpone(self, match_id: str) -> str:
        """Nobody to play it: wait without counting an attempt against the match."""
        wait = self._ms(self._timing.referee_wait_s)
        await asyncio.to_thread(self._store.matches.postpone, match_id, wait)
        self._log.warning("no referee answers", match=match_id, control=self._control)
        return "postponed"

    async def _attempt(self, channel: grpc.aio.Channel, planned: Fixture, claim: Claim) -> str:
        self._log.info("claimed", bots=[bot.name for bot in planned.bots])
        try:
            plan = planned.tournament.plan
            async with asyncio.timeout(self._longest_s(plan, len(planned.bots))):
                attempt = await self._hold(channel, planned, claim)
        except Lost:
            self._log.warning("lost")
            return "lost"
        except AttemptVoid as error:
            await self._tell(planned, claim, error.logs)
            if error.absent:
                return await self._await_bot(claim, error.absent, error.detail)
            return await self._void(claim, error.cause, error.detail, error.lacking)
        except TimeoutError:
            return await self._void(claim, "overrun", "no end in time")
        except OSError as error:
            return await self._void(claim, "disk", str(error), lacking(error))
        except DOWN:
            raise
        except Exception as error:  # noqa: BLE001 - else the match would wait for its lease
            self._log.exception("the attempt failed")
            return await self._void(claim, "worker", f"{type(error).__name__}: {error}")
        await self._tell(planned, claim, attempt.logs)
        place = self._folders.incoming(claim.match_id, claim.fence)
        try:
            await asyncio.to_thread(settle, attempt.replay_path, place)
        except OSError as error:
            attempt.replay_path.unlink(missing_ok=True)
            return await self._void(claim, "disk", str(error), lacking(error))
        if not await asyncio.to_thread(self._seal, claim):
            return "lost"
        self._log.info("sealed", digest=attempt.result.digest.hex())
        return "sealed"

    async def _await_bot(self, claim: Claim, bot: str, detail: str) -> str:
        """A bot that dials in did not come, and nothing was dealt: the match waits for it."""
        await_bot = self._store.matches.await_bot
        word = await asyncio.to_thread(await_bot, claim.match_id, claim.fence, bot, self._waits)
        self._log.info("put back", why=detail, now=word)
        if word == "dead":
            await asyncio.to_thread(self._store.log.alarm_dead, claim.match_id, "declined")
        return word

    def _seal(self, claim: Claim) -> bool:
        """A match that was played is worth some patience with the store."""
        seal = stamina.RetryingCaller(attempts=None, timeout=self._timing.store_wait_s).on(DOWN)
        return seal(self._store.matches.seal, claim.match_id, claim.fence)

    async def _hold(self, channel: grpc.aio.Channel, planned: Fixture, claim: Claim) -> Attempt:
        """Play while the claim is renewed. Raises Lost, AttemptVoid, what the store raises."""
        progress: dict[str, int] = {}

        async def keep(nonces: tuple[bytes, ...]) -> None:
            args = claim.match_id, claim.fence, nonces
            if not await asyncio.to_thread(self._store.matches.keep_nonces, *args):
                raise Lost

        async def note(news: match_pb2.Progress) -> None:
            fields = ("leg", "games_over", "games", "deals_over", "decisions")
            progress.update({field: getattr(news, field) for field in fields})

        longest_s = self._longest_s(planned.tournament.plan, len(planned.bots))
        order = order_of(self._store, self._folders, planned, claim, longest_s)
        scratch = self._folders.incoming_folder
        launcher = self._launchers.of(planned.tournament.plan)
        playing = asyncio.ensure_future(
            self._host(channel, launcher, order, keep, note, scratch, hall=self._hall)
        )
        beating = asyncio.create_task(
            beat(
                lambda: self._renewed(claim, progress),
                self._timing.lease_s,
                self._timing.beat_s,
            )
        )
        try:
            await asyncio.wait([playing, beating], return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                raise Lost
            return playing.result()
        finally:
            for task in (beating, playing):
                task.cancel()
            # The match's programs are gone when the host has returned, not before.
            await asyncio.wait([beating, playing])

    def _renewed(self, claim: Claim, progress: dict[str, int]) -> bool:
        lease_ms = self._ms(self._timing.lease_s)
        return self._store.matches.beat(claim.match_id, claim.fence, lease_ms, dict(progress))

    def _longest_s(self, plan: Plan, seats: int) -> float:
        return min(self._timing.longest_s, longest_s(plan.clock, plan.units, seats))

    async def _void(self, claim: Claim, cause: str, detail: str, lacks: str = "") -> str:
        """The attempt counts for nothing; not even as one where the machine `lacks` something."""
        matches = self._store.matches
        end, cause = (matches.put_off, lacks) if lacks else (matches.void, cause)
        word = await asyncio.to_thread(end, claim.match_id, claim.fence, cause, self._limits)
        self._log.warning("void", cause=cause, detail=detail, now=word)
        if word == "dead":
            await asyncio.to_thread(self._store.log.alarm_dead, claim.match_id, cause)
        return word

    async def _tell(self, planned: Fixture, claim: Claim, logs: tuple[SeatLog, ...]) -> None:
        for seat in logs:
            bot = planned.bots[seat.bot].name
            path = self._folders.log(claim.match_id, claim.fence, seat.leg, bot)
            if text := seat.output.text():
                try:
                    await asyncio.to_thread(_keep, path, text)
                except OSError as error:  # no match is to be lost with its log
                    self._log.warning("log not kept", bot=bot, leg=seat.leg, error=str(error))
            if seat.reason not in ("", "played"):
                self._log.warning(
                    "bot fault",
                    bot=bot,
                    leg=seat.leg,
                    reason=seat.reason,
                    exited=seat.exited._asdict() if seat.exited else None,
                    last_lines=seat.output.last_lines(LAST_LINES),
                    log=str(path),
                )

    @staticmethod
    def _ms(seconds: float) -> int:
        return max(1, round(seconds * 1000))


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
