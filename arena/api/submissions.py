"""Submissions: handing in what was sent, and following what becomes of it."""

import re
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

import grpc

from arena.api.door import Caller
from arena.api.refusals import RefusalError, invalid
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import submissions_pb2 as sub
from workers.folders import Folders
from workers.intake import Intake, NoEngineError
from workers.names import DIGEST
from workers.store import NotFound, Store
from workers.store.submissions import OPEN, Allowance, Submission
from workers.store.uploads import Upload

STATES = {
    "uploaded": sub.SUBMISSION_STATE_UPLOADED,
    "building": sub.SUBMISSION_STATE_BUILDING,
    "checking": sub.SUBMISSION_STATE_CHECKING,
    "accepted": sub.SUBMISSION_STATE_ACCEPTED,
    "refused": sub.SUBMISSION_STATE_REFUSED,
}
VERDICTS = {
    "PASS": sub.CHECK_VERDICT_PASS,
    "WARN": sub.CHECK_VERDICT_WARN,
    "FAIL": sub.CHECK_VERDICT_FAIL,
    "NOTE": sub.CHECK_VERDICT_NOTE,
    "SKIP": sub.CHECK_VERDICT_SKIP,
}
VERSION_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,31}")
REFERENCE_MOST = 300


class Terms(NamedTuple):
    """What authors may send and have: bytes of one upload, submissions open and a day; and after
    how many milliseconds a message counts as lost."""

    size: int = 512 << 20
    allowance: Allowance = Allowance(3, 50)
    resend_ms: int = 15_000


USUAL = Terms()


class SubmissionDesk:
    """Takes submissions of one store. `handed_in` is told the id of each; watching looks every
    `watch_every` seconds, until `stop`; `launcher` is where images are made."""

    def __init__(
        self,
        store: Store,
        folders: Folders,
        terms: Terms,
        launcher: str,
        handed_in: Callable[[str], None],
        watch_every: float,
        stop: threading.Event,
    ) -> None:
        self._store = store
        self._folders = folders
        self._terms = terms
        self._launcher = launcher
        self._handed_in = handed_in
        self._watch_every = watch_every
        self._stop = stop

    def create(
        self, request: sub.CreateSubmissionRequest, caller: Caller
    ) -> sub.CreateSubmissionResponse:
        """Hand it in. Raises RefusalError, StoreError."""
        self._store.bots.free(request.bot, caller.name)
        if request.version_name and not VERSION_NAME.fullmatch(request.version_name):
            raise invalid("version_name", "1 to 32 letters, digits, dots, dashes, such as 1.4")
        kind, upload = self._source(request, caller)
        before = self._before(upload)
        holds = before is not None and self._holds(before)
        whole = self._folders.upload(upload.field, whole=True)
        if kind == "archive" and not holds and not whole.exists():
            raise RefusalError(
                grpc.StatusCode.NOT_FOUND, f"no upload {upload.digest} of {upload.bot}: send it"
            )
        submission_id, new = self._store.submissions.open(
            upload,
            kind,
            file=request.file[:100],
            version_name=request.version_name,
            resend_ms=self._terms.resend_ms,
            allowance=Allowance() if caller.everything else self._terms.allowance,
            instead=before.id if before and not holds else "",
        )
        found = self._store.submissions.get(submission_id)
        if new:
            self._handed_in(submission_id)
        elif found.state == "accepted":  # and may have been replaced since: it plays again
            self._store.bots.add(found.bot, found.version, found.owner)
        return sub.CreateSubmissionResponse(submission=message(found))

    def watch(
        self,
        request: sub.WatchSubmissionRequest,
        caller: Caller,
        listened: Callable[[], bool],
    ) -> Iterator[sub.WatchSubmissionResponse]:
        """It now and whenever it has changed, until it is settled. Raises NotFound."""
        told: Submission | None = None
        begin = 0
        while listened() and not self._stop.is_set():
            found = self._store.submissions.get(request.submission_id)
            if found.owner != caller.name and not caller.everything:
                raise NotFound("submission", request.submission_id)
            if told is None or told.fence != found.fence:
                begin = 0
            lines = self._store.submissions.lines(found.id, begin)
            if lines or found != told:
                begin += len(lines)
                yield sub.WatchSubmissionResponse(submission=message(found), lines=lines)
            if found.state not in OPEN:
                return
            told = found
            self._stop.wait(self._watch_every)

    def _source(self, request: sub.CreateSubmissionRequest, caller: Caller) -> tuple[str, Upload]:
        match request.WhichOneof("source"):
            case "upload":
                if not DIGEST.fullmatch(request.upload):
                    raise invalid("upload", "sha256: and 64 hexadecimal digits")
                return "archive", Upload(request.bot, request.upload, caller.name)
            case "reference":
                # Spaces part the fields of the store; no reference has any.
                if not request.reference or re.search(r"\s", request.reference):
                    raise invalid("reference", "NAME:TAG, REGISTRY/NAME:TAG or NAME@sha256:DIGEST")
                reference = request.reference[:REFERENCE_MOST]
                return "reference", Upload(request.bot, reference, caller.name)
            case _:
                raise invalid("source", "one of upload and reference")

    def _before(self, upload: Upload) -> Submission | None:
        """What was handed in before with the same content."""
        try:
            return self._store.submissions.get(self._store.submissions.of_content(upload))
        except NotFound:
            return None

    def _holds(self, found: Submission) -> bool:
        """Whether what came of it is still so; one whose image has gone is to be made anew."""
        if found.state in OPEN:
            return True
        # A tag of a registry may name another image by now.
        return found.kind != "reference" and (not found.image or self._has(found.image))

    def _has(self, image: str) -> bool:
        try:
            return Intake(self._folders, self._store.images, self._launcher).has(image)
        except NoEngineError:
            return True  # nobody can tell, and nobody could make it anew


def message(one: Submission, bot: pb.Bot | None = None) -> sub.Submission:
    """A submission as it stands; with its bot, also whether that is benched."""
    state, reason = STATES[one.state], one.reason
    if bot and bot.benches and one.state == "accepted" and one.version == bot.version:
        bench = bot.benches[0]
        state = sub.SUBMISSION_STATE_BENCHED
        reason = f"on the ladder {bench.ladder}: {bench.reason}"
    return sub.Submission(
        submission_id=one.id,
        bot=one.bot,
        owner=one.owner,
        state=state,
        reason=reason,
        code=one.code,
        arena_at_fault=one.arena_at_fault,
        output=one.output,
        source=one.source,
        version_name=one.version_name,
        version=one.version,
        image=one.image,
        without_image=one.without_image,
        checks=[
            sub.CheckRow(name=name, verdict=VERDICTS[verdict], reason=why, fix=fix)
            for name, verdict, why, fix in one.checks
        ],
        created_ms=one.created_ms,
        changed_ms=one.changed_ms,
    )
