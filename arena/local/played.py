"""What came of one match between two folders, read from its sealed replay."""

from pathlib import Path
from typing import NamedTuple

from knockbox.v1 import play_pb2
from referee.replay import Replay
from referee.results import bot_scores
from workers.attempt import SeatLog

LAST_LINES = 20


class Row(NamedTuple):
    """One bot's part. `score` 0 to 1, `points` a deal; `reasons` by leg."""

    name: str
    score: float
    points: float
    won: int
    lost: int
    drawn: int
    forfeits: int
    reasons: list[str]


class Fault(NamedTuple):
    """One bot's fault in one leg. `exit` says how its program ended, for people.

    `number` is the bot's place in the match.
    """

    number: int
    bot: str
    leg: int
    reason: str
    exit: str
    last_lines: list[str]


class Played(NamedTuple):
    """A match that was played. `elapsed` in seconds; `void` games do not count."""

    match_id: str
    digest: bytes
    replay: Path
    rules: str
    units: int
    seed: str | None
    elapsed: float
    void: int
    bots: list[Row]
    faults: list[Fault]


def read(replay_path: Path, logs: tuple[SeatLog, ...], seed: str | None, elapsed: float) -> Played:
    """The match of a replay; `logs` are what its bots printed, `elapsed` is in seconds."""
    replay = Replay.open(replay_path)
    header = replay.header
    legs = replay.seal.legs
    scores = bot_scores(replay)
    rows = [
        Row(
            name=score.name,
            score=score.score,
            points=score.points,
            won=score.won,
            lost=score.lost,
            drawn=score.drawn,
            forfeits=score.forfeits,
            reasons=[_reason(leg.reasons[(number + leg.leg) % len(leg.reasons)]) for leg in legs],
        )
        for number, score in enumerate(scores)
    ]
    return Played(
        match_id=header.match_id,
        digest=replay.digest,
        replay=replay_path,
        rules=header.rules.preset,
        units=header.plan.units,
        seed=seed,
        elapsed=elapsed,
        void=scores[0].not_counted,
        bots=rows,
        faults=_faults(rows, logs),
    )


def _reason(number: play_pb2.Reason.ValueType) -> str:
    return play_pb2.Reason.Name(number).removeprefix("REASON_").lower()


def _faults(rows: list[Row], logs: tuple[SeatLog, ...]) -> list[Fault]:
    found: list[Fault] = []
    for log in logs:
        row = rows[log.bot]
        reason = row.reasons[log.leg] if log.leg < len(row.reasons) else log.reason
        if reason != "played":
            last = log.output.last_lines(LAST_LINES)
            found.append(Fault(log.bot, row.name, log.leg, reason, _exit(log), last))
    return found


def _exit(log: SeatLog) -> str:
    if log.exited is None or log.exited.stopped:
        return ""
    if log.exited.memory:
        return ", out of memory"
    if log.exited.signal:
        return f", ended by signal {log.exited.signal}"
    return f", exit code {log.exited.code}"
