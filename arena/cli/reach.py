"""Which arena a command is for: the one that is named, that of this machine alone, or none.

A command that cannot go where `--arena` says refuses it; what is exported for the others misleads
no command.
"""

import os
from collections.abc import MutableMapping, Sequence
from itertools import takewhile

from arena.cli import output
from arena.cli.errors import usage

HERE = {("up",), ("down",), ("worker",), ("ratings", "rebuild")}
"""Commands on the arena of this machine: they refuse the variable too, for who exported it may well
mean the other arena."""

ALONE = {
    *(("demo",), ("doctor",), ("new",), ("match",), ("check",), ("rules",)),
    *(("replay", "import"), ("completion",), ("version",)),
}
"""Commands that speak to no arena, or to one of their own: for them the variable is not there."""

VARIABLE = "KNOCKBOX_ARENA"


def organisers_step(command: str, why: str) -> None:
    """The next useful command for who is at the arena's machine, and may do everything there."""
    if not os.environ.get(VARIABLE):
        output.next_step(command, why)


def settle(
    command: Sequence[str],
    words: Sequence[str],
    given: Sequence[str],
    environ: MutableMapping[str, str],
) -> None:
    """Take KNOCKBOX_ARENA away from a command that is not for it. `given` are the options that were
    typed, `words` the rest. Raises CommandError where another arena is named that it cannot be for.
    """
    here, alone = (_among(command, some) for some in (HERE, ALONE))
    if not here and not alone:
        if environ.get(VARIABLE) and _folder_in(words):
            raise usage(
                f"--data names the arena of a folder, and {environ[VARIABLE]} is another one: "
                f"leave --data out, or --arena and {VARIABLE}"
            )
        return
    name = " ".join(command)
    if given:
        what = "the arena of this machine" if here else "this machine alone"
        raise usage(f"{name} is for {what}; leave {given[0]} out")
    if here and environ.get(VARIABLE):
        raise usage(
            f"{name} is for the arena of this machine, and {VARIABLE} names another: "
            f"env -u {VARIABLE} knockbox {name}"
        )
    environ.pop(VARIABLE, None)


def _among(command: Sequence[str], some: set[tuple[str, ...]]) -> bool:
    """A command, or all of a group, is one of these. Its help, `… --help`, is for everybody."""
    if command and command[-1].startswith("-"):
        return False
    return any(tuple(command[: len(one)]) == one for one in some)


def _folder_in(words: Sequence[str]) -> bool:
    own = takewhile(lambda word: word != "--", words)
    return any(word.partition("=")[0] == "--data" for word in own)
