"""Submissions: from an upload that is here whole to a version that plays, or a refusal.

    uploaded -> building -> checking -> accepted | refused

One attempt at a time holds the claim, for as long as it renews it; whoever has lost it changes
nothing any more. An attempt that ends without a verdict begins again from `uploaded`. Accepting and
registering the version are one step.

An author's name of a version is held by the submission that comes with it while that is open, and
stands for the version from the moment it is accepted, for good. A version has at most one.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from workers.names import complaint, fold
from workers.store import keys
from workers.store.client import Client
from workers.store.errors import BotTaken, LimitReached, NotFound, VersionTaken
from workers.store.scripts import Scripts
from workers.store.uploads import Upload

OPEN = ("uploaded", "building", "checking")
"""States that go on by themselves."""
KEPT = 20
"""Submissions of a bot that are known; older ones are forgotten."""
LINES_MOST = 500
REFUSED_KEPT_MS = 30 * 86_400_000
LINES_KEPT_MS = 3_600_000


class Allowance(NamedTuple):
    """What an author may have: submissions that are not settled, and submissions a day; 0: any."""

    open: int = 0
    a_day: int = 0


class Submission(NamedTuple):
    """A submission as it stands; times are Unix milliseconds.

    `kind` is "archive" or "reference", `source` the digest of the archive or the reference's text.
    `code` and `reason` say why it was refused, `arena_at_fault` that the arena is to blame.
    `checks` are rows of (name, verdict, reason, fix).
    """

    id: str
    bot: str
    owner: str
    kind: str
    source: str
    file: str
    version_name: str
    state: str
    fence: int
    created_ms: int
    changed_ms: int
    code: str = ""
    reason: str = ""
    output: str = ""
    arena_at_fault: bool = False
    version: str = ""
    image: str = ""
    without_image: str = ""
    checks: tuple[tuple[str, str, str, str], ...] = ()

    @property
    def upload(self) -> Upload:
        """What it has come from."""
        return Upload(self.bot, self.source, self.owner)


class Claim(NamedTuple):
    """The right to one attempt. `attempts`: how many there were, this one among them."""

    submission: Submission
    fence: int
    attempts: int


class Submissions:
    """The submissions of one store."""

    def __init__(self, client: Client, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def open(
        self,
        upload: Upload,
        kind: str,
        *,
        file: str = "",
        version_name: str = "",
        resend_ms: int = 15_000,
        allowance: Allowance = Allowance(),  # noqa: B008 - frozen
        instead: str = "",
    ) -> tuple[str, bool]:
        """The id of a new submission, and True; of the one that was there for the same, and False,
        unless that is the accepted one `instead` of which it comes. One without a name gets it.

        Raises VersionTaken where `version_name` stands for other content, or the same content has
        another name; LimitReached.
        """
        bot, source, owner = upload
        answer = self._scripts.run(
            "submission_open",
            [
                *(keys.SUBMISSIONS, keys.SUBMISSIONS_OPEN, keys.bot_submissions(bot)),
                *(keys.author(owner, "day"), keys.author(owner, "open")),
                *(keys.CONTENTS, keys.version_names(bot)),
            ],
            [
                *(bot, owner, kind, source, file, version_name, upload.field, resend_ms),
                *(allowance.open, allowance.a_day, KEPT, instead),
            ],
        )
        match answer:
            case ["open", count]:
                raise LimitReached("KNOCKBOX_SUBMIT_OPEN", f"{count} of yours are not settled yet")
            case ["day", count]:
                raise LimitReached(
                    "KNOCKBOX_SUBMIT_DAY", f"you have submitted {count} in the last 24 hours"
                )
            case _:
                _judge(bot, answer)
                return answer[1], answer[0] == "new"

    def of_content(self, upload: Upload) -> str:
        """The id of the submission that is open or accepted with this content; '' for none."""
        return self._client.hget(keys.CONTENTS, upload.field) or ""

    def get(self, submission_id: str) -> Submission:
        """One submission. Raises NotFound, also for one that is forgotten."""
        found = {} if complaint(submission_id) else self._hash(submission_id)
        if not found:
            raise NotFound("submission", str(submission_id))
        return _submission(found)

    def of_bot(self, name: str) -> list[Submission]:
        """What was handed in for a bot, newest first, as far as it is known."""
        ids = self._client.lrange(keys.bot_submissions(name), 0, -1)
        hashes = map(self._hash, ids)
        return [_submission(found) for found in hashes if found]

    def images(self) -> set[str]:
        """The images of all open submissions, as far as they are made."""
        ids = self._client.zrange(keys.SUBMISSIONS_OPEN, 0, -1)
        return {image for one in ids if (image := self._hash(one).get("image"))}

    def lines(self, submission_id: str, begin: int = 0) -> list[str]:
        """What has happened in the running attempt, from the line of this number on."""
        return self._client.lrange(keys.submission_lines(submission_id), begin, -1)

    def claim(self, submission_id: str, lease_ms: int) -> Claim | str:
        """Take it for an attempt; or why not: unknown, over, held."""
        if complaint(submission_id):
            return "unknown"
        key, lines = keys.submission(submission_id), keys.submission_lines(submission_id)
        answer = self._scripts.run(
            "submission_claim", [key, keys.SUBMISSIONS_OPEN, lines], [submission_id, lease_ms]
        )
        if len(answer) == 1:
            return answer[0]
        fence, attempts = map(int, answer)
        return Claim(self.get(submission_id), fence, attempts)

    def move(
        self,
        claim: Claim,
        lease_ms: int,
        state: str = "",
        fields: Mapping[str, Any] | None = None,
        lines: Iterable[str] = (),
    ) -> bool:
        """Renew the claim and write down how far it is; False where it was lost."""
        lua_array = json.dumps(list(lines))  # cjson reads [] as an empty table too
        submission_id = claim.submission.id
        answer = self._scripts.run(
            "submission_move",
            [
                keys.submission(submission_id),
                keys.SUBMISSIONS_OPEN,
                keys.submission_lines(submission_id),
            ],
            [
                *(submission_id, claim.fence, lease_ms, state),
                *(_fields(fields or {}), lua_array, LINES_MOST),
            ],
        )
        return answer == 1

    def put_back(self, claim: Claim, wait_ms: int, *, counts: bool) -> bool:
        """End the attempt without a verdict; False where the claim was lost."""
        key = keys.submission(claim.submission.id)
        args = [claim.submission.id, claim.fence, wait_ms, int(not counts)]
        return self._scripts.run("submission_put_back", [key, keys.SUBMISSIONS_OPEN], args) == 1

    def judge(self, claim: Claim, version: str) -> None:
        """Raise VersionTaken where it has come to a version that cannot have its name.

        What is right now may be wrong when it is accepted, which looks again.
        """
        one = claim.submission
        own = [keys.submission(one.id), keys.version_names(one.bot)]
        _judge(one.bot, self._scripts.run("submission_judge", own, [one.id, version]))

    def accept(self, claim: Claim, fields: Mapping[str, Any]) -> bool:
        """It is a version of its bot, `fields["version"]`, which plays from now on.

        False where the claim was lost. Raises BotTaken where the bot is somebody else's by now,
        VersionTaken as `judge` does.
        """
        name = claim.submission.bot
        owner, version = claim.submission.owner, str(fields["version"])
        add = [name, fold(name), owner, version]
        word, *rest = self._settle(claim, "accepted", fields, add)
        if word == "taken":
            raise BotTaken(name, by=rest[0])
        _judge(name, [word, *rest])
        return word == "settled"

    def refuse(self, claim: Claim, fields: Mapping[str, Any]) -> bool:
        """It will not be; `fields` say why. False where the claim was lost."""
        return self._settle(claim, "refused", fields, [])[0] == "settled"

    def due(self, resend_ms: int, most: int = 100) -> list[str]:
        """Open submissions whose message got lost or whose claim is over; send them again."""
        return self._scripts.run("submission_due", [keys.SUBMISSIONS_OPEN], [resend_ms, most])

    def _settle(
        self, claim: Claim, state: str, fields: Mapping[str, Any], add: list[str]
    ) -> list[str]:
        one = claim.submission
        bot = [keys.bot(one.bot), keys.bot_versions(one.bot), keys.bot_parents(one.bot)]
        return self._scripts.run(
            "submission_settle",
            [
                *(keys.submission(one.id), keys.SUBMISSIONS_OPEN, keys.author(one.owner, "open")),
                *(keys.CONTENTS, keys.version_names(one.bot), keys.submission_lines(one.id)),
                *(keys.UPLOADS, *bot, keys.BOTS, keys.FOLDED),
            ],
            [
                *(one.id, claim.fence, state, _fields(fields), one.upload.field),
                *(REFUSED_KEPT_MS, LINES_KEPT_MS, *add),
            ],
        )

    def _hash(self, submission_id: str) -> dict[str, str]:
        return self._client.hgetall(keys.submission(submission_id))


def _judge(bot: str, answer: Sequence[str]) -> None:
    """Raise VersionTaken where a script says so."""
    match answer:
        case ["name" | "named" as word, name]:
            raise VersionTaken(bot, name, there=word == "named")
        case _:
            pass


def _fields(fields: Mapping[str, Any]) -> str:
    """Fields as one JSON object of texts."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in fields.items()
    }
    return json.dumps(texts)


def _submission(found: Mapping[str, str]) -> Submission:
    told = ("code", "reason", "output", "version", "image", "without_image")
    rows = json.loads(found.get("checks", "[]"))
    return Submission(
        id=found["id"],
        bot=found["bot"],
        owner=found["owner"],
        kind=found["kind"],
        source=found["source"],
        file=found["file"],
        version_name=found["version_name"],
        state=found["state"],
        fence=int(found["fence"]),
        created_ms=int(found["created_ms"]),
        changed_ms=int(found["changed_ms"]),
        **{name: found.get(name, "") for name in told},
        arena_at_fault=found.get("arena_at_fault") == "true",
        checks=tuple((str(a), str(b), str(c), str(d)) for a, b, c, d in rows),
    )
