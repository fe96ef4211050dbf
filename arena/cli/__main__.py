"""The program `knockbox`: runs a command, and turns whatever goes wrong into a line and a code."""

import errno
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.cli import output
from arena.cli.errors import CommandError, Exit

if TYPE_CHECKING:
    from cyclopts import App


SAID_MOST = 500
"""Characters of an error that nobody has foreseen."""


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
    except OSError as error:
        if error.filename is None:
            return _fault(error)
        output.note(f"error: {error.filename!s:.100}: {error.strerror}")
        return Exit.USAGE if error.errno == errno.ENAMETOOLONG else Exit.FAILURE
    except Exception as error:  # noqa: BLE001 - people get a line, never a traceback
        return _fault(error)


def _fault(error: Exception) -> Exit:
    """Knockbox itself has failed: a line that can be reported. Raises it for who looks for it."""
    if os.environ.get("KNOCKBOX_TRACEBACK"):
        raise error
    said = " ".join(f"{type(error).__name__}: {error}".split())
    output.note(
        f"error: {said[:SAID_MOST]} (a fault of Knockbox: please report this line, what you typed, "
        "and what it prints with KNOCKBOX_TRACEBACK=1)"
    )
    return Exit.FAILURE


def _run(arguments: list[str]) -> int:
    from cyclopts import CycloptsError

    from arena.cli import options, reach
    from arena.cli.app import WELCOME, make_app

    arguments, elsewhere = options.elsewhere(arguments, os.environ)

    if not arguments:
        output.data(WELCOME)
        return Exit.OK
    app = make_app(plain=not output.styled(sys.stdout), running=arguments[0])
    try:
        reach.settle(app.parse_commands(arguments)[0], arguments, elsewhere, os.environ)
        return app(arguments, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        output.note(f"error: {_wording(error)}")
        output.note(f"see: {_command_of(app, arguments)} --help")
        return Exit.USAGE


def _command_of(app: "App", arguments: list[str]) -> str:
    """The command that was meant, as far as it was understood."""
    return " ".join(["knockbox", *app.parse_commands(arguments)[0]])


def _wording(error: Exception) -> str:
    unused = getattr(error, "unused_tokens", None)
    if type(error).__name__ == "UnusedCliTokensError" and unused:
        return f"unexpected argument {' '.join(unused)!r}"
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
