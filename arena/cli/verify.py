"""`knockbox verify`: proves replay files."""

import shlex
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from arena.cli import output
from arena.cli.errors import CommandError, Exit, usage
from arena.cli.options import Data, Json
from arena.cli.replay import file_of

if TYPE_CHECKING:
    from referee.verify import Verdict


def verify(
    *replays: Annotated[str, Parameter(help="Replay files, or ids of recorded matches.")],
    secret: Annotated[
        str, Parameter(help="A tournament's secret (hex): its link to each match is proven too.")
    ] = "",
    data: Data = None,
    json: Json = False,
) -> int:
    """Play every event of replays again, deal every deck again, check every byte.

    A match named by its id is also held to its tournament's secret, once that is over.
    Exit code 1 where one of them is wrong; the first wrong record is named. With --json a line of
    JSON each, which names its file where there are several.

    Example: knockbox verify replays/*.kbr
    """
    from referee import verify as proof

    if not replays:
        raise usage("name a replay file, or several")
    given = _given(secret)
    wrong = 0
    for replay in replays:
        try:
            with file_of(replay, data) as found:
                verdict = proof.verify(found.path, given or found.tournament_secret)
        except CommandError as error:
            if len(replays) == 1:
                raise
            verdict = proof.Verdict(ok=False, records=0, error=str(error), digest=b"")
        wrong += not verdict.ok
        if json:
            output.as_json(_as_json(verdict, replay if len(replays) > 1 else None))
        elif verdict.ok:
            output.data(f"{replay}: ok, {verdict.records} records, {verdict.digest.hex()[:16]}…")
        else:
            output.data(f"{replay}: WRONG: {output.printable(verdict.error or '')}")
    if len(replays) > 1:
        output.note(f"{len(replays) - wrong} of {len(replays)} replays are right")
    elif not (wrong or json):
        output.next_step(f"knockbox replay show {shlex.quote(' '.join(replays))}", "reads it")
    return Exit.FAILURE if wrong else Exit.OK


def _given(secret: str) -> bytes | None:
    try:
        found = bytes.fromhex(secret)
    except ValueError:
        found = b""
    if secret and len(found) != 32:
        raise usage("--secret: 64 hexadecimal digits, as `knockbox tournament show ID --json` says")
    return found or None


def _as_json(verdict: "Verdict", file: str | None) -> dict[str, Any]:
    about: dict[str, Any] = {"file": file} if file is not None else {}
    return {
        **about,
        "ok": verdict.ok,
        "records": verdict.records,
        "error": verdict.error,
        "digest": verdict.digest.hex() or None,
    }
