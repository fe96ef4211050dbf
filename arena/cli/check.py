"""`knockbox check FOLDER`: what is wrong with a bot, told before anybody plays against it."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from arena.cli import folders, options, output
from arena.cli.errors import CommandError, Exit
from arena.cli.options import Json, Sandbox
from arena.cli.rulesets import Rules
from arena.cli.words import many, room, wrapped

if TYPE_CHECKING:
    from workers.check.rows import Row

_NAME = 13
"""Width of the rows' names, and of the verdicts below."""
_VERDICT = 4


def check(
    bot: Annotated[Path, Parameter(help="The bot's folder.")],
    /,
    *,
    rules: Rules = "danish",
    sandbox: Sandbox = None,
    json: Json = False,
) -> int:
    """Play a bot as an arena would, and tell what is wrong with it; needs no service.

    It is started, asked on one board and on many, under all rules, against itself and the sample
    bots; its connection is lost once. PASS: fine. NOTE: no fault, worth knowing. WARN: it plays,
    but close to a limit. FAIL: an arena would not take it, exit code 3. SKIP: not tried, since
    something before it failed.

    Example: knockbox check my-bot
    """
    from arena.local import checked
    from arena.local.ending import Ended
    from workers.check.rows import failed
    from workers.check.stage import RIVALS

    settings = options.settings(None, sandbox)
    ruleset = _ruleset(rules)
    folders.there(bot)
    told = Told(live=not json)
    try:
        found = _read(bot, told)
        if found is not None:
            place = settings.sandbox, settings.engine
            wish = checked.Wish(found, folders.rivals(RIVALS), ruleset, *place)
            hear = checked.Hear(told.row, told.step, told.note)
            checked.check(wish, settings.runtime_base, hear)
    except Ended as ended:
        told.clear()
        if ended.number == signal.SIGINT:
            raise KeyboardInterrupt from None
        output.note(f"ended by {ended}")
        return 128 + ended.number
    except checked.CheckError as error:
        told.clear()
        raise CommandError(str(error)) from None
    told.clear()
    faulty = failed(told.rows)
    if json:
        output.as_json(_as_json(found.name if found else None, told.rows, faulty=faulty))
    else:
        _tell_end(bot, told.rows, faulty=faulty)
    return Exit.BOT_AT_FAULT if faulty else Exit.OK


def _ruleset(rules: str) -> Any:
    from arena.cli.rulesets import ruleset

    return ruleset(rules)


def _read(folder: Path, told: "Told") -> Any:
    """The bot in the folder; None, and its row said, where it is none."""
    from workers.check import folder as folder_rows
    from workers.sandbox import manifest

    try:
        return manifest.read(folder)
    except manifest.BotError as error:
        told.row(folder_rows.unfit(error))
        return None


class Told:
    """Rows as they come: `live`, each is shown at once, and what is played in one line below."""

    def __init__(self, *, live: bool) -> None:
        self.rows: list[Row] = []
        self._live = live

    def row(self, row: "Row") -> None:
        """A row is known."""
        self.rows.append(row)
        if self._live:
            self.clear()
            _show(row)

    def step(self, name: str) -> None:
        """What is played now."""
        if output.live(sys.stderr):
            sys.stderr.write(f"\r\x1b[Kplaying: {name} …")
            sys.stderr.flush()

    def note(self, text: str) -> None:
        """A line about what goes on."""
        self.clear()
        output.note(text)

    def clear(self) -> None:
        """Nothing is played any more."""
        if output.live(sys.stderr):
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _show(row: "Row") -> None:
    indent = _VERDICT + _NAME + 4
    output.data(_line(row.verdict, row.name, row.reason, indent))
    if row.fix:
        output.data(_line("", "  to do", row.fix, indent))
    for line in row.lines:
        output.data(f"{' ' * indent}| {line}")


def _line(verdict: str, name: str, text: str, indent: int) -> str:
    head = f"{verdict:<{_VERDICT}}  {name:<{_NAME}}  "
    return wrapped(f"{head}{text}", min(room(), 120), indent)


def _tell_end(bot: Path, rows: "list[Row]", *, faulty: bool) -> None:
    from workers.check.rows import Verdict

    warned = sum(row.verdict is Verdict.WARN for row in rows)
    warnings = f" ({many(warned, 'warning')})" if warned else ""
    if faulty:
        names = ", ".join(row.name for row in rows if row.verdict is Verdict.FAIL)
        output.note(f"{bot} is at fault: {names}{warnings}")
    else:
        output.note(f"{bot} is fit to play{warnings}")
        output.next_step(f"knockbox submit {bot}", "sends it to an arena, which plays it")


def _as_json(name: str | None, rows: "list[Row]", *, faulty: bool) -> dict[str, Any]:
    return {
        "bot": name,
        "ok": not faulty,
        "rows": [
            {
                "name": row.name,
                "verdict": row.verdict.value,
                "reason": row.reason,
                "fix": row.fix,
                "lines": list(row.lines),
            }
            for row in rows
        ],
    }
