"""How long a check waits, how much it plays, and where "close to the limit" begins. Values only."""

from typing import NamedTuple

from knockbox.v1 import play_pb2
from workers.attempt import CLOCK, MEMORY

MIB = 1024 * 1024


class Limits(NamedTuple):
    """Durations in seconds, sizes in bytes, shares from 0 to 1.

    `connect` is the start budget of the referee that plays, `memory` what a bot may have here,
    `box` what it may have in a container. `stall`: without an answer for so long the leg is broken
    off; `stage`: the most that one match of the check may take. `exit_grace` is what programs have
    to leave by themselves when their leg is over.

    `clock` is what the bot has. `shapes` are the most other rules that are tried. `boards` are the
    games at once of the row "many boards", `score` the units of one deal against `random`, `deals`
    the most deals of any other game, `game` the decisions that a bot has in a whole one. `cut` is
    the message of questions after which the connection is lost. From the share `near` of a limit on
    a row warns; `left_out`: the share of decisions that answers may leave out before that is a
    fault.
    """

    connect: float = 10.0
    stall: float = 15.0
    stage: float = 180.0
    exit_grace: float = 2.0
    memory: int = MEMORY
    box: int = 256 * MIB
    clock: play_pb2.ClockSettings = CLOCK
    shapes: int = 20
    boards: int = 64
    score: int = 32
    deals: int = 3
    game: int = 100
    cut: int = 2
    near: float = 0.5
    near_memory: float = 0.8
    left_out: float = 0.1


LAST_LINES = 20
"""Lines of a bot's output that are told with its fault."""
