"""A bot's fault in a leg, as a row that says what happened and how to mend it."""

from knockbox.v1 import match_pb2, play_pb2
from referee.protocol import PROTOCOL
from workers.attempt import SeatLog
from workers.check import rows, words
from workers.check.limits import LAST_LINES, MIB, Limits
from workers.check.rows import Row, Verdict
from workers.check.stage import Seen
from workers.sandbox.launcher import Exited

NO_PROGRAM = (126, 127)
"""What a shell says of a program that cannot be run, or is not there."""
READ_LINES = "its last lines are below: mend what they name"


def failed(seen: Seen, log: SeatLog, limits: Limits) -> Row:
    """The row of a leg in which a bot was at fault. Which row it is follows from the fault."""
    report = log.report or match_pb2.SeatReport()
    if row := _never_came(log, report, limits):
        return row
    if row := _lost(seen, log, report):
        return row
    if log.reason == "memory":
        return _row(log, rows.MEMORY, *_memory(limits))
    if log.reason == "illegal":
        return _row(log, rows.ANSWERS, *_illegal(report))
    if log.reason == "flood":
        return _row(log, *_flood(report))
    if log.reason == "time":
        return _row(log, rows.TIME, *_time(report))
    return _row(log, seen.stage.name, *_crash(log, report))


def stalled(seen: Seen, limits: Limits) -> Row:
    """The row of a leg that was broken off, because nothing came any more."""
    log = seen.logs[-1]
    if seen.broken == "overrun":
        reason = f"{seen.stage.name} was broken off after {limits.stage:.0f} s, unfinished"
    else:
        reason = f"{seen.stage.name}: no answer came for {limits.stall:.0f} s"
    fix = (
        "answer faster: with many boards a message asks for many decisions, and all of them share "
        "5 s a game and 50 ms a decision; more than about 70 ms a decision is too slow"
    )
    return _row(log, rows.TIME, reason, fix)


def _row(log: SeatLog, name: str, reason: str, fix: str) -> Row:
    return Row(name, Verdict.FAIL, reason, fix, tuple(log.output.last_lines(LAST_LINES)))


def ended(exited: Exited | None) -> str:
    """How a program ended, in words."""
    if exited is None or exited.stopped:
        return "closed its stream"
    if exited.memory:
        return "was killed: out of memory"
    if exited.signal:
        return f"was ended by signal {exited.signal}"
    return f"ended with exit code {exited.code}"


def _never_came(log: SeatLog, report: match_pb2.SeatReport, limits: Limits) -> Row | None:
    """It was not there when the leg began."""
    if report.ready_ms or log.reason not in ("no_show", "crash", "illegal"):
        return None
    if report.turned_away:
        reason = "it was turned away: its first message is no Join with the ticket of its seat"
        fix = "send Join first, with the value of KNOCKBOX_TICKET as it stands; it is new each leg"
        return _row(log, rows.HANDSHAKE, reason, fix)
    if report.HasField("other_protocol"):
        reason = f"it speaks protocol {report.other_protocol}, the referee speaks {PROTOCOL}"
        fix = f"set Join.protocol to {PROTOCOL}, or take an SDK that speaks it"
        return _row(log, rows.HANDSHAKE, reason, fix)
    if log.reason == "illegal" or (report.clock.connections and report.mishaps):
        reason = f"after Welcome {words.mishap(report.mishaps[-1])}"
        return _row(log, rows.HANDSHAKE, reason, "answer Welcome with Ready, then wait for Turns")
    if report.clock.connections:
        reason = "it joined, and never said Ready"
        if log.reason == "crash":
            reason += f": it {ended(log.exited)}"
        return _row(log, rows.HANDSHAKE, reason, "answer Welcome with Ready, then wait for Turns")
    if log.reason == "no_show":
        reason = f"its program ran, and did not connect within {limits.connect:g} s"
        fix = (
            "connect to the address in KNOCKBOX_REFEREE at once, and do what takes long (loading, "
            "computing tables) later or faster"
        )
        return _row(log, rows.START, reason, fix)
    return _row(log, rows.START, *_did_not_start(log))


def _did_not_start(log: SeatLog) -> tuple[str, str]:
    exited = log.exited or Exited(0)
    if exited.code in NO_PROGRAM:
        return (
            "its program cannot be started: there is none, or it is none that can be run",
            "name in `command` of knockbox.toml (in a container: in CMD of the Dockerfile) a "
            "program of the folder, with the right to be executed, or one that is installed",
        )
    reason = f"its program {ended(log.exited)} before it had connected"
    if exited.code == 0 and not exited.signal:
        return reason, "stay until MatchOver: in Python the last line of a bot is run(bot)"
    return reason, READ_LINES


def _lost(seen: Seen, log: SeatLog, report: match_pb2.SeatReport) -> Row | None:
    """It did not come back after its connection was lost on purpose."""
    if not seen.stage.cut or report.clock.messages < seen.stage.cut:
        return None
    fix = (
        "when the stream ends with an error (UNAVAILABLE), connect again: Join with the same "
        "ticket, then Ready; every open deal is told again. A leg takes 20 such losses"
    )
    if report.clock.connections < 2:
        how = "did not come back" if log.reason == "time" else ended(log.exited)
        return _row(log, rows.RECONNECT, f"when its connection was lost it {how}", fix)
    reason = f"it came back after its connection was lost, and then failed: {log.reason}"
    fix = "begin anew with what DealStarted tells after the new Ready: forget what was open before"
    return _row(log, rows.RECONNECT, reason, fix)


def _memory(limits: Limits) -> tuple[str, str]:
    return (
        f"it used more memory than it may ({limits.memory // MIB} MB)",
        f"use less: in a container a bot has {limits.box // MIB} MB, all its processes together",
    )


def _illegal(report: match_pb2.SeatReport) -> tuple[str, str]:
    refused = [each for each in report.mishaps if each.code]
    reason = f"{report.clock.strikes} messages with an answer that was refused"
    if refused:
        reason += f"; the first: {words.mishap(refused[0])}"
    if any(each.code == play_pb2.REFUSAL_CODE_ILLEGAL for each in refused):
        return reason, "answer with one of what Options allows; three such messages a leg are borne"
    return reason, "send a PlayRequest with actions, one action for each Turn of the message"


def _flood(report: match_pb2.SeatReport) -> tuple[str, str, str]:
    if report.clock.stale > report.clock.connections:
        return (
            rows.ANSWERS,
            f"{report.clock.stale} of its messages answered what nobody had asked",
            "answer each Turns once, and each Turn under its own `decision`",
        )
    return (
        rows.RECONNECT,
        f"it connected {report.clock.connections} times in one leg",
        "keep the connection: a new one replaces the old, and 20 may be lost in a leg",
    )


def _time(report: match_pb2.SeatReport) -> tuple[str, str]:
    clock = report.clock
    owed = [each for each in report.mishaps if not each.code]
    if not clock.decisions:
        reason = f"it was asked {_few(owed)}, and never answered ({clock.used_ms / 1000:.1f} s)"
        return reason, "answer every question, and send each answer off at once: flush the output"
    slowest = report.slow[0]
    reason = (
        f"its clock ran out: {clock.used_ms / 1000:.1f} s of thinking for {clock.decisions} "
        f"decisions; {slowest.ms / 1000:.1f} s for the slowest message"
    )
    if owed:
        reason += f", {words.asked(owed[0])}"
    fix = (
        "answer faster, or always: a decision may take 5 s, and a leg 5 s a game with 50 ms back "
        "for each decision; `knockbox match --clock none` plays without the clock, to look for why"
    )
    return reason, fix


def _few(owed: list[match_pb2.Mishap]) -> str:
    return words.listed([f"phase {words.phase(each.turn)}" for each in owed] or ["to play"])


def _crash(log: SeatLog, report: match_pb2.SeatReport) -> tuple[str, str]:
    reason = f"its program {ended(log.exited)} in the middle of the leg"
    owed = [each for each in report.mishaps if not each.code]
    known = {each.phase for each in report.answered}
    new = [each for each in owed if each.turn.phase not in known]
    if new:
        # What it had managed before is less likely to be the reason.
        reason += f", at its first question of {_few(new)}: {words.asked(new[0])}"
    elif owed:
        reason += f", when it was asked {_few(owed)}: {words.asked(owed[0])}"
    else:
        reason += ", when it was asked nothing"
    how = log.exited
    if how is None or how.stopped or not (how.code or how.signal):
        return (
            reason,
            "stay, and keep the stream open, until MatchOver has come: half-close it then",
        )
    return reason, READ_LINES
