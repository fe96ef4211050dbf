"""How a command says that it failed: one clear line and an exit code; never a traceback."""

from enum import IntEnum


class Exit(IntEnum):
    """What the exit codes mean. Scripts rely on them."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    BOT_AT_FAULT = 3
    UNREACHABLE = 4
    INTERRUPTED = 130


class CommandError(Exception):
    """A command cannot do its work: what was wrong, where, and what would be right."""

    def __init__(self, message: str, code: Exit = Exit.FAILURE) -> None:
        super().__init__(message)
        self.code = code


def usage(message: str) -> CommandError:
    """Something was asked for that cannot be."""
    return CommandError(message, Exit.USAGE)


def at_fault(message: str) -> CommandError:
    """It is the bot that cannot be used, as `knockbox check` would say too."""
    return CommandError(message, Exit.BOT_AT_FAULT)


def refused(code: str, message: str) -> CommandError:
    """An arena does not take a bot: whose fault that is by the code says how the command ends."""
    from workers.codes import CODES, Blame

    known = CODES.get(code)
    bots = known is None or known.blame is Blame.BOT
    return at_fault(message) if bots else CommandError(message)


def unreachable(message: str) -> CommandError:
    """The arena, or a part of it, does not answer."""
    return CommandError(message, Exit.UNREACHABLE)


def of_lifecycle(error: Exception) -> CommandError:
    """Why an arena could not be started or ended."""
    from arena.local.lifecycle import StoreError

    code = Exit.UNREACHABLE if isinstance(error, StoreError) else Exit.FAILURE
    return CommandError(str(error), code)
