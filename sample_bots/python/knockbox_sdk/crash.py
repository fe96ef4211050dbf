"""How a bot's exception is printed: the bot's own lines, and the message last.

The frames of this SDK are left out; the exception itself keeps them, for debuggers.
"""

import sys
import traceback
from pathlib import Path
from types import TracebackType

_HERE = str(Path(__file__).parent)


def install() -> None:
    """Print uncaught exceptions of this program short, unless somebody else prints them."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _print


def lines(error: BaseException) -> list[str]:
    """The notes of an exception, then its traceback without the SDK's frames."""
    whole = traceback.TracebackException.from_exception(error)
    notes = [f"{note}\n" for note in whole.__notes__ or ()]
    whole.__notes__ = None
    seen: set[int] = set()
    one: traceback.TracebackException | None = whole
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        own = [frame for frame in one.stack if not frame.filename.startswith(_HERE)]
        one.stack = traceback.StackSummary.from_list(own)
        one = one.__cause__ or one.__context__
    return [*notes, *whole.format()]


def _print(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not isinstance(error, Exception):  # Ctrl-C and the like: as ever
        sys.__excepthook__(kind, error, trace)
        return
    sys.stderr.write("".join(lines(error)))
    sys.stderr.flush()
