"""Submissions as people and programs read them: their states, their reasons, what a check found."""

from collections.abc import Sequence
from typing import Any

from arena.cli import output
from arena.cli.words import fit, room, short, when
from knockbox.v1 import submissions_pb2 as sub

SHOWN = 5
"""Submissions that `bot show` names."""
SPARE = ("submission", "name", "version")
"""What their table does without on a narrow terminal, the first one first."""


def state_of(state: sub.SubmissionState.ValueType) -> str:
    """Where a submission stands, in a word."""
    return sub.SubmissionState.Name(state).removeprefix("SUBMISSION_STATE_").lower()


def submission(message: sub.Submission) -> dict[str, Any]:
    """What was handed in, and what has become of it."""
    return {
        "submission_id": message.submission_id,
        "bot": message.bot,
        "owner": message.owner,
        "state": state_of(message.state),
        "code": message.code or None,
        "reason": message.reason or None,
        "arena_at_fault": message.arena_at_fault,
        "output": message.output.splitlines(),
        "source": message.source,
        "version_name": message.version_name or None,
        "version": message.version or None,
        "image": message.image or None,
        "without_image": message.without_image or None,
        "checks": [
            {
                "name": row.name,
                "verdict": sub.CheckVerdict.Name(row.verdict).removeprefix("CHECK_VERDICT_"),
                "reason": row.reason,
                "fix": row.fix,
            }
            for row in message.checks
        ],
        "created_ms": message.created_ms,
        "changed_ms": message.changed_ms,
    }


def row(message: sub.CheckRow) -> str:
    """One point of a check, in a line."""
    verdict = sub.CheckVerdict.Name(message.verdict).removeprefix("CHECK_VERDICT_")
    return f"{verdict} {message.name}{f': {message.reason}' if message.reason else ''}"


def refusal(message: sub.Submission) -> str:
    """Why it was refused, with what was printed last."""
    lines = [f"{message.code}: {message.reason}", *_quoted(message)]
    return "\n".join(map(output.printable, lines))


def tell(handed_in: Sequence[sub.Submission]) -> None:
    """The last of them in a table, and why the newest does not play, if it does not."""
    if not handed_in:
        return
    headers = ("submission", "state", "since", "name", "version", "why")
    rows = [
        (
            one.submission_id,
            state_of(one.state),
            when(one.changed_ms),
            one.version_name or "-",
            short(one.version) if one.version else "-",
            one.code or one.reason or "-",
        )
        for one in handed_in[:SHOWN]
    ]
    output.data()
    output.table(*fit(headers, rows, SPARE, room(), left=6))
    newest = handed_in[0]
    if newest.state == sub.SUBMISSION_STATE_REFUSED:
        output.data()
        output.data(f"{newest.submission_id} was refused: {refusal(newest)}")
    for one in newest.checks:
        if one.verdict in (sub.CHECK_VERDICT_WARN, sub.CHECK_VERDICT_FAIL):
            output.data(f"  {output.printable(row(one))}")
            if one.fix:
                output.data(f"    {output.printable(one.fix)}")


def _quoted(message: sub.Submission) -> list[str]:
    return [f"  | {line}" for line in message.output.splitlines()]
