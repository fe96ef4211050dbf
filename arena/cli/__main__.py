"""The program `knockbox`: runs a command, and turns whatever goes wrong into a line and a code."""

import os
import sys
from collections.abc import Sequence

from arena.cli import output
from arena.cli.errors import CommandError, Exit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments))
    except CommandError as error:
        output.note(f"error: {error}")
        return error.code
    except KeyboardInterrupt:
        output.note("interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    except UnicodeEncodeError:  # bytes of an argument that are no text: a seed, a name
        output.note("error: an argument is not UTF-8")
        return Exit.USAGE
    except Exception as error:  # the last resort: people get a line, never a traceback
        if os.environ.get("KNOCKBOX_TRACEBACK"):
            raise
        output.note(
            f"error: {type(error).__name__}: {error} (a fault of Knockbox; "
            "KNOCKBOX_TRACEBACK=1 shows where)"
        )
        return Exit.FAILURE


def _run(arguments: list[str]) -> int:
    from cyclopts import CycloptsError

    from arena.cli.app import COMMANDS, WELCOME, make_app

    if not arguments:
        output.data(WELCOME)
        return Exit.OK
    try:
        app = make_app(plain=not sys.stdout.isatty())
        return app(arguments, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        known = f"{arguments[0]} " if arguments[0] in COMMANDS else ""
        output.note(f"error: {_wording(error)}")
        output.note(f"see: knockbox {known}--help")
        return Exit.USAGE


def _wording(error: Exception) -> str:
    unused = getattr(error, "unused_tokens", None)
    if type(error).__name__ == "UnusedCliTokensError" and unused:
        return f"unexpected argument {' '.join(unused)!r}"
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
