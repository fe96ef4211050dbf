"""`knockbox verify`: proves replay files."""

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from arena.cli import output
from arena.cli.errors import Exit, usage
from arena.cli.options import Data, Json

if TYPE_CHECKING:
    from referee.verify import Verdict


def verify(
    *replays: Annotated[str, Parameter(help="Replay files, or ids of recorded matches.")],
    data: Data = None,
    json: Json = False,
) -> int:
    """Play every event of replays again, deal every deck again, check every byte.

    Exit code 1 where one of them is wrong; the first wrong record is named.
    """
    from arena.cli.replay import file_of
    from referee import verify as proof

    if not replays:
        raise usage("name a replay file, or several")
    wrong = 0
    for replay in replays:
        with file_of(replay, data) as path:
            verdict = proof.verify(path)
        wrong += not verdict.ok
        if json:
            output.as_json(_as_json(verdict, replay if len(replays) > 1 else None))
        elif verdict.ok:
            output.data(f"{replay}: ok, {verdict.records} records, {verdict.digest.hex()[:16]}…")
        else:
            output.data(f"{replay}: WRONG: {output.printable(verdict.error or '')}")
    if len(replays) > 1:
        output.note(f"{len(replays) - wrong} of {len(replays)} replays are right")
    return Exit.FAILURE if wrong else Exit.OK


def _as_json(verdict: "Verdict", file: str | None) -> dict[str, Any]:
    about: dict[str, Any] = {"file": file} if file is not None else {}
    return {
        **about,
        "ok": verdict.ok,
        "records": verdict.records,
        "error": verdict.error,
        "digest": verdict.digest.hex() or None,
    }
