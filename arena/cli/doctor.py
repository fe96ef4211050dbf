"""`knockbox doctor`: what this machine lacks, and the command that brings it."""

from arena.cli import options, output
from arena.cli.errors import Exit
from arena.cli.options import Data, Json


def doctor(*, data: Data = None, json: Json = False) -> int:
    """Look at all that an arena needs on this machine; nothing is changed.

    Exit code 1 where something fails.

    Example: knockbox doctor
    """
    from arena.local.doctor import FAIL, WARN, examine

    settings = options.settings(data)
    findings = examine(settings, options.environment())
    failed = sum(one.level == FAIL for one in findings)
    if json:
        output.as_json([one._asdict() for one in findings])
        return Exit.FAILURE if failed else Exit.OK
    output.table(("looked at", "", "found"), [one[:3] for one in findings], left=3)
    for one in findings:
        if one.fix and one.level in (FAIL, WARN):
            output.note(f"{one.about}: {one.fix}")
    if failed:
        output.note(f"{failed} of {len(findings)} fail: an arena cannot run here as it is")
        return Exit.FAILURE
    output.next_step("knockbox up", "starts the arena")
    return Exit.OK
