"""What came of one match between two folders, read from its sealed replay."""

from pathlib import Path
from typing import NamedTuple

from referee.replay import Replay
from referee.results import bot_scores, rules_of, seat_of
from referee.rules.ruleset import Ruleset
from referee.wire.replay import reason_word
from workers.attempt import SeatLog
from workers.check import words

LAST_LINES = 20


class Row(NamedTuple):
    """One bot's part. `score` 0 to 1, `points` a deal with half of their 95 % interval, from
    `points_units`; `reasons` by leg, `thinking` in seconds over all legs.

    `shown` is its name with a number where another bot of the match has the same.
    """

    name: str
    score: float
    points_units: int
    points: float
    points_half: float
    won: int
    lost: int
    drawn: int
    forfeits: int
    reasons: list[str]
    thinking: float
    shown: str


class Fault(NamedTuple):
    """One bot's fault in one leg. `bot` is its name as shown, `number` its place in the match.

    For people: `clock` says which time ran out, `exit` how its program ended, `owed` what it was
    asked then; "" for neither.
    """

    number: int
    bot: str
    leg: int
    reason: str
    clock: str
    exit: str
    owed: str
    last_lines: list[str]


class LegFault(NamedTuple):
    """A fault as it is known when its leg is over; the fields are those of Fault."""

    bot: str
    leg: int
    reason: str
    exit: str


class Played(NamedTuple):
    """A match that was played. `elapsed` in seconds; `void` games do not count.

    `printed` is what the bots printed.
    """

    match_id: str
    digest: bytes
    replay: Path
    rules: Ruleset
    units: int
    seed: str | None
    elapsed: float
    void: int
    bots: list[Row]
    faults: list[Fault]
    printed: tuple[SeatLog, ...]


def read(replay_path: Path, logs: tuple[SeatLog, ...], seed: str | None, elapsed: float) -> Played:
    """The match of a replay; `logs` are what its bots printed, `elapsed` is in seconds."""
    replay = Replay.open(replay_path)
    header = replay.header
    legs = replay.seal.legs
    scores = bot_scores(replay)
    shown = apart([score.name for score in scores])
    rows = [
        Row(
            name=score.name,
            score=score.score,
            points_units=score.points_units,
            points=score.points,
            points_half=score.points_half,
            won=score.won,
            lost=score.lost,
            drawn=score.drawn,
            forfeits=score.forfeits,
            reasons=[
                reason_word(leg.reasons[(number + leg.leg) % len(leg.reasons)]) for leg in legs
            ],
            thinking=_thinking(replay, number),
            shown=shown[number],
        )
        for number, score in enumerate(scores)
    ]
    return Played(
        match_id=header.match_id,
        digest=replay.digest,
        replay=replay_path,
        rules=rules_of(header),
        units=header.plan.units,
        seed=seed,
        elapsed=elapsed,
        void=scores[0].not_counted,
        bots=rows,
        faults=_faults(replay, rows, logs),
        printed=logs,
    )


def _thinking(replay: Replay, bot: int) -> float:
    """Seconds that a bot has thought, over all legs."""
    seats = len(replay.header.bots)
    clocks = replay.side.clocks
    return sum(c.used_ms for c in clocks if c.seat == seat_of(bot, c.leg, seats)) / 1000


def apart(names: list[str]) -> list[str]:
    """Names in their order, those that are there twice with a number: "a", "b (1)", "b (2)"."""
    return [
        f"{name} ({names[: place + 1].count(name)})" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


def leg_faults(names: list[str], logs: tuple[SeatLog, ...]) -> list[LegFault]:
    """The faults in what the programs of a leg did; `names` are the match's bots."""
    shown = apart(names)
    return [
        LegFault(shown[log.bot], log.leg, log.reason, _exit(log))
        for log in logs
        if log.reason not in ("", "played")
    ]


def _faults(replay: Replay, rows: list[Row], logs: tuple[SeatLog, ...]) -> list[Fault]:
    found: list[Fault] = []
    for log in logs:
        row = rows[log.bot]
        reason = row.reasons[log.leg] if log.leg < len(row.reasons) else log.reason
        if reason != "played":
            last = log.output.last_lines(LAST_LINES)
            clock = _clock(replay, log) if reason == "time" else ""
            exit_, owed = _exit(log), _owed(log)
            found.append(Fault(log.bot, row.shown, log.leg, reason, clock, exit_, owed, last))
    return found


def _owed(log: SeatLog) -> str:
    """The first question that was open when it failed; "" where none was."""
    mishaps = log.report.mishaps if log.report is not None else ()
    return next((words.asked(each) for each in mishaps if not each.code), "")


def _clock(replay: Replay, log: SeatLog) -> str:
    """Which clock ran out, as far as the replay's times tell."""
    plan = replay.header.plan
    clock, units = plan.clock, plan.units
    seat = seat_of(log.bot, log.leg, len(replay.header.bots))
    times = [c for c in replay.side.clocks if (c.leg, c.seat) == (log.leg, seat)]
    bank = clock.bank_per_game_ms * units / 1000
    if not times or not bank:
        return ""
    used, slowest, cap = times[0].used_ms / 1000, times[0].slowest_ms / 1000, clock.cap_ms / 1000
    if used >= 2 * bank:
        return f"{used:.0f} s of thinking, twice the bank of {bank:.0f} s is the most"
    if used >= bank:
        return f"{bank:.0f} s bank used up"
    if slowest >= cap:
        return f"an answer took {slowest:.1f} s, {cap:.0f} s a decision is the most"
    return f"{used:.1f} s of thinking, bank {bank:.0f} s"


def _exit(log: SeatLog) -> str:
    if log.exited is None or log.exited.stopped:
        return ""
    if log.exited.memory:
        return ", out of memory"
    if log.exited.signal:
        return f", ended by signal {log.exited.signal}"
    return f", exit code {log.exited.code}"
