"""What a row of the table of hostile attempts is, and the rows of bots that are played.

What `expected` says of a bot: `stage.verdict`.
"""

from typing import NamedTuple


class Got(NamedTuple):
    """One row: who tried what, what should come of it, and what did. Where machines differ,
    `expected` has several, with ` or ` between."""

    area: str
    name: str
    expected: str
    got: str

    @property
    def right(self) -> bool:
        return self.got in self.expected.split(" or ")


class Bot(NamedTuple):
    """A bot that is played: the words that it is called with, and its verdict. `lines` are of its
    image's Dockerfile, `seconds` its clock; `said` must be in what it prints in each leg."""

    name: str
    words: tuple[str, ...]
    expected: str
    lines: tuple[str, ...] = ()
    seconds: int = 20
    said: str = ""


FINE = "played: none"
BOTS = (
    # How a program ends.
    Bot("exits with 0 at once", ("exits.py", "0", "0"), "crash, code 0: leg"),
    Bot("exits with 0 in mid deal", ("exits.py", "5", "0"), "crash, code 0: leg"),
    Bot("exits with 137, as if by memory", ("exits.py", "5", "137"), "crash, signal 9: leg"),
    Bot("never connects", ("exits.py", "never", "0"), "no_show: leg"),
    Bot("runs out of memory", ("exits.py", "3", "memory"), "memory, signal 9: leg"),
    Bot("stops itself by SIGSTOP", ("exits.py", "3", "stop"), "time: leg", seconds=3),
    Bot("ends its own pid 1 by SIGTERM", ("exits.py", "3", "init"), "crash, signal 15: leg"),
    Bot("kills all that it may", ("exits.py", "3", "everybody"), "crash, signal 9: leg"),
    Bot("ends, its child plays on", ("exits.py", "3", "orphan"), "crash, code 0: leg"),
    # What it takes while it plays.
    Bot("kills its own pid 1 by SIGKILL", ("busy.py", "init"), FINE),
    Bot("fork bomb in a child", ("busy.py", "bomb"), FINE),
    Bot("a child runs out of memory", ("busy.py", "hungry"), FINE),
    Bot("fills disk, inodes, shared memory", ("busy.py", "disk"), FINE, said="No space left"),
    Bot("40 MB of log without a newline", ("busy.py", "flood"), FINE, said="bytes dropped"),
    Bot("spins on the other's time", ("busy.py", "spin"), FINE),
    Bot("children that hear no signal", ("busy.py", "linger"), FINE),
    Bot("leaves links, pipes, sockets", ("busy.py", "litter"), FINE, said="/tmp 'link'"),
    Bot("closes its outputs", ("busy.py", "quiet"), FINE),
    Bot("prints escapes and markup", ("painter.py",), FINE, said="<script>"),
    # What it says to the referee.
    Bot("cheats in every answer", ("rude.py", "cheat"), "illegal: leg"),
    Bot("no HTTP/2 at its seat", ("rude.py", "garbage"), FINE, said="closed"),
    Bot("floods of resets, pings, headers", ("rude.py", "resets"), FINE),
    Bot("thousands of connections", ("rude.py", "crowd"), "no_show: leg"),
    Bot("hands open files to the referee", ("rude.py", "passes"), FINE),
    Bot("a message of a megabyte", ("rude.py", "oversize"), FINE, said="RESOURCE_EXHAUSTED"),
    Bot("tickets that are none", ("rude.py", "strangers"), FINE, said="UNAUTHENTICATED"),
    Bot("takes its own seat again, leaves", ("rude.py", "twice"), "crash, code 1: leg"),
    Bot("connects thirty times", ("rude.py", "often"), "flood: leg"),
    Bot("joins and half-closes", ("rude.py", "half"), "crash, code 0: leg"),
    Bot("answers what nobody asked", ("rude.py", "stale"), "flood: leg"),
)
