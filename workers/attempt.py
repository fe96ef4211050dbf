"""What is to be played in one attempt at one match, and what came of it. Values only."""

from pathlib import Path
from typing import NamedTuple

from knockbox.v1 import match_pb2, play_pb2
from referee.rules.ruleset import Ruleset
from workers.sandbox.capture import Log
from workers.sandbox.launcher import Exited

MEMORY = 512 * 1024 * 1024
CLOCK = play_pb2.ClockSettings(bank_per_game_ms=5000, increment_ms=50, cap_ms=5000)


class BotSpec(NamedTuple):
    """One bot: its name, its version's digest, the folder of that version's snapshot, and the
    config digest of its image where it has one. One that dials in has neither."""

    name: str
    version: str
    folder: Path
    image: str = ""
    dial_in: bool = False


class MatchOrder(NamedTuple):
    """What is to be played. `boards`: most games at once; `secret`: 32 bytes; `nonces` by bot where
    an earlier attempt left them; `memory`: bytes a seat; `longest_s`: most seconds of it all, 0
    where nobody says; `commitments` as in proto Open; `drill`: a fault of the line that is made on
    purpose; `sandboxed` follows the launcher."""

    match_id: str
    fence: int
    tournament_id: str
    rules: Ruleset
    units: int
    boards: int
    bots: tuple[BotSpec, ...]
    secret: bytes
    nonces: tuple[bytes, ...] = ()
    seeded: bool = False
    clock: play_pb2.ClockSettings = CLOCK
    memory: int = MEMORY
    longest_s: float = 0.0
    commitments: tuple[bytes, ...] = ()
    drill: match_pb2.Drill | None = None


class SeatLog(NamedTuple):
    """What one bot's program did in one leg. `reason` is "played" or the fault's name, and empty
    where the attempt ended before the leg did; `exited` is None where nothing could be heard;
    `report` is what the referee saw of it, None where the leg did not end."""

    leg: int
    bot: int
    reason: str
    exited: Exited | None
    output: Log
    report: match_pb2.SeatReport | None = None


class Attempt(NamedTuple):
    """A match that was played. The caller owns the file."""

    replay_path: Path
    result: match_pb2.Result
    logs: tuple[SeatLog, ...]


class AttemptVoid(Exception):  # noqa: N818 - a result of its own kind, not always an error
    """The attempt counts for nothing. `cause` is one word, the same for the same failure: evicted,
    refused, referee, launcher, absent, overrun, disk, worker; `detail` is for people; `lacking` is
    what the machine had too little of, where that was why (ENOSPC, …); `absent` the bot that did
    not come."""

    def __init__(
        self,
        cause: str,
        detail: str,
        logs: tuple[SeatLog, ...] = (),
        lacking: str = "",
        absent: str = "",
    ) -> None:
        self.lacking = lacking
        self.absent = absent
        self.cause = cause
        self.detail = detail
        self.logs = logs
        super().__init__(f"{cause}: {detail}")
