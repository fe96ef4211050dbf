"""One attempt at one submission, from the claim to the verdict. No Celery here.

The claim is renewed while it is built and checked; who loses it stops at once. What the author did
wrong is a refusal; what fails here is tried again, and refused as the arena's fault in the end.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import grpc
import structlog

from knockbox.v1 import images_pb2
from workers.beating import beat
from workers.check.rows import Row, Verdict
from workers.codes import CODES, Blame
from workers.folders import Folders
from workers.intake import Intake, NoEngineError, RefusedError, Taken, refusal
from workers.sandbox import manifest
from workers.sandbox.images.refusal import ImageError, place_of, stated
from workers.sandbox.manifest import BotError
from workers.store import DOWN, BotTaken, Store, VersionTaken
from workers.store.submissions import LINES_MOST, Claim

LINE_MOST = 400


class Patience(NamedTuple):
    """Seconds: the lease, between two renewals of it, before another attempt; and how many attempts
    there are."""

    lease_s: float = 15.0
    beat_s: float = 3.0
    retry_s: float = 10.0
    attempts: int = 4


class Candidate(NamedTuple):
    """What is checked: a bot's name and version, its image ('' for a process), its folder (None
    where the image is all there is)."""

    name: str
    version: str
    image: str
    folder: Path | None


Check = Callable[[Candidate], AsyncIterator[Row]]
"""Plays a candidate and tells what it has found, point by point; NoVerdict where it cannot."""


class NoVerdictError(Exception):
    """Nothing can be said about the bot: something of the arena's has failed."""


class LostError(Exception):
    """The claim is gone; nothing may be done in its name any more."""


class Examiner:
    """Builds and checks the submissions of one store.

    A `strict` one takes no bot without an image.
    """

    def __init__(
        self,
        store: Store,
        folders: Folders,
        launcher: str,
        check: Check,
        patience: Patience,
        *,
        strict: bool,
    ) -> None:
        self._store = store
        self._folders = folders
        self._launcher = launcher
        self._check = check
        self._patience = patience
        self._strict = strict
        self._lease_ms = round(patience.lease_s * 1000)
        self._log = structlog.get_logger("examiner")

    async def examine(self, submission_id: str) -> str:
        """What has come of it: accepted, refused, again, lost, or why it was not claimed.

        When this is cancelled, it is put back. Raises one of `DOWN` where no store answers.
        """
        claim = await asyncio.to_thread(
            self._store.submissions.claim, submission_id, self._lease_ms
        )
        if isinstance(claim, str):
            return claim
        structlog.contextvars.bind_contextvars(submission=submission_id, bot=claim.submission.bot)
        try:
            word = await self._hold(claim)
        except asyncio.CancelledError:
            self._store.submissions.put_back(claim, 0, counts=False)
            self._log.info("put back")
            raise
        finally:
            structlog.contextvars.clear_contextvars()
        return word

    async def _hold(self, claim: Claim) -> str:
        """Work while the claim is renewed."""
        intake = Intake(self._folders, self._store.images, self._launcher, strict=self._strict)
        working = asyncio.ensure_future(self._attempt(claim, intake))
        lease_s, beat_s = self._patience.lease_s, self._patience.beat_s
        beating = asyncio.create_task(beat(lambda: self._move(claim), lease_s, beat_s))
        try:
            await asyncio.wait([working, beating], return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                self._log.warning("lost")
                return "lost"
            word = working.result()
        finally:
            beating.cancel()
            working.cancel()
            intake.stop()
            await asyncio.wait([beating, working])
        self._log.info(word)
        return word

    async def _attempt(self, claim: Claim, intake: Intake) -> str:
        if claim.attempts > self._patience.attempts:  # whoever worked at it was killed each time
            return await self._give_up(claim, "it ended in the middle")
        try:
            return await self._verdict(claim, intake)
        except LostError:
            return "lost"
        except (RefusedError, ImageError, BotError) as error:
            return await self._refuse(claim, refusal(error))
        except BotTaken as error:
            return await self._refuse(claim, stated("E_NAME", claim.submission.bot, error.reason))
        except VersionTaken as error:
            return await self._refuse(claim, stated("E_EXISTS", "", error.reason))
        except NoEngineError:
            return await self._again(claim, "the container engine does not answer")
        except (grpc.RpcError, OSError, NoVerdictError) as error:
            return await self._again(claim, str(error) or type(error).__name__)
        except DOWN:
            raise
        except Exception as error:  # noqa: BLE001 - else it would wait for its lease
            self._log.exception("the attempt failed")
            return await self._again(claim, type(error).__name__)

    async def _verdict(self, claim: Claim, intake: Intake) -> str:
        one = claim.submission
        await asyncio.to_thread(self._store.bots.free, one.bot, one.owner)
        await self._moved(claim, "building", {})
        taken = await asyncio.to_thread(self._taken, claim, intake)
        facts = {
            "version": taken.version,
            "image": taken.image,
            "without_image": taken.without_image,
        }
        await self._moved(claim, "checking", facts)
        await asyncio.to_thread(self._store.submissions.judge, claim, taken.version)
        failed = await self._checked(claim, taken)
        if failed is not None:
            return await self._refuse(claim, failed)
        await asyncio.to_thread(intake.keep, taken)
        if not await asyncio.to_thread(self._store.submissions.accept, claim, facts):
            raise LostError
        self._clear(claim)
        return "accepted"

    def _taken(self, claim: Claim, intake: Intake) -> Taken:
        """Unpack it and make its image, telling each line."""
        one = claim.submission
        if one.kind == "reference":
            return self._told(claim, intake.reference(one.source))

        def judge(name: str) -> None:
            if name not in ("", one.bot):
                message = f"{name} is what its knockbox.toml says; it was submitted as {one.bot}"
                raise RefusedError(stated("E_NAME", manifest.MANIFEST, message))

        place = self._folders.upload(one.upload.field, whole=True)
        try:
            file = place.open("rb")
        except FileNotFoundError:
            missing = stated(
                "E_UPLOAD", one.file, "what was sent is not here any more; send it anew"
            )
            raise RefusedError(missing) from None
        with file:
            steps = intake.archive(file, place.stat().st_size, one.file or "the archive", judge)
            return self._told(claim, steps)

    def _told(self, claim: Claim, steps: Generator[str, None, Taken]) -> Taken:
        said = 0
        while True:
            try:
                line = next(steps)
            except StopIteration as end:
                return end.value
            said += 1
            if said <= LINES_MOST and not self._move(claim, lines=[line[:LINE_MOST]]):
                raise LostError

    async def _checked(self, claim: Claim, taken: Taken) -> images_pb2.ImageRefused | None:
        """Why it fails the check; None where it does not."""
        one = claim.submission
        folder = None
        if not taken.image and taken.files is not None:
            folder = self._folders.staged(one.id)
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
            await asyncio.to_thread(manifest.unpack, taken.files, folder)
        rows: list[Row] = []
        async for row in self._check(Candidate(one.bot, taken.version, taken.image, folder)):
            rows.append(row)
            told = [(each.name, each.verdict, each.reason, each.fix) for each in rows]
            await self._moved(claim, "", {"checks": told})
        failed = next((row for row in rows if row.verdict is Verdict.FAIL), None)
        if failed is None:
            return None
        message = f"{failed.reason}; {failed.fix}" if failed.fix else failed.reason
        return stated("E_CHECK", failed.name, message, output="\n".join(failed.lines))

    async def _refuse(self, claim: Claim, why: images_pb2.ImageRefused) -> str:
        place = place_of(why)
        fields = {
            "code": why.code,
            "reason": f"{place}: {why.message}" if place else why.message,
            "output": why.output,
            "arena_at_fault": CODES[why.code].blame is Blame.ARENA,
        }
        if not await asyncio.to_thread(self._store.submissions.refuse, claim, fields):
            return "lost"
        self._log.info("refused", code=why.code, where=why.where)
        self._clear(claim)
        await asyncio.to_thread(self._drop_image, claim)
        return "refused"

    async def _again(self, claim: Claim, why: str) -> str:
        """Nobody's fault: another attempt later, unless there were enough."""
        self._log.warning("failed", why=why, attempts=claim.attempts)
        if claim.attempts >= self._patience.attempts:
            return await self._give_up(claim, why)
        wait_ms = round(self._patience.retry_s * 1000)
        await asyncio.to_thread(self._store.submissions.put_back, claim, wait_ms, counts=True)
        return "again"

    async def _give_up(self, claim: Claim, why: str) -> str:
        times = min(claim.attempts, self._patience.attempts)
        message = f"the arena has failed at it {times} times, the last time so: {why}"
        return await self._refuse(claim, stated("E_ARENA", "", message))

    def _clear(self, claim: Claim) -> None:
        """Nothing that was sent is needed any more."""
        self._folders.forget_upload(claim.submission.upload.field)
        shutil.rmtree(self._folders.staged(claim.submission.id), ignore_errors=True)

    def _drop_image(self, claim: Claim) -> None:
        """What was refused takes no room at the engine, unless something is played from it."""
        image = self._store.submissions.get(claim.submission.id).image
        used = {*self._store.images.all().values(), *self._store.submissions.images()}
        if image and image not in used:
            with suppress(NoEngineError, grpc.RpcError):  # it is left, and harms nobody
                Intake(self._folders, self._store.images, self._launcher).drop(image)

    def _move(self, claim: Claim, state: str = "", lines: tuple[str, ...] | list[str] = ()) -> bool:
        return self._store.submissions.move(claim, self._lease_ms, state, lines=lines)

    async def _moved(self, claim: Claim, state: str, fields: Mapping[str, object]) -> None:
        move = self._store.submissions.move
        if not await asyncio.to_thread(move, claim, self._lease_ms, state, fields):
            raise LostError
