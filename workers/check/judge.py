"""What the stages of a check have shown together, as rows: time, memory, output and the like."""

from collections import Counter
from collections.abc import Sequence

from knockbox.v1 import match_pb2
from referee.protocol import PROTOCOL
from workers.attempt import SeatLog
from workers.check import faults, rows, words
from workers.check.limits import LAST_LINES, MIB, Limits
from workers.check.rows import Row, Verdict
from workers.check.stage import Seen
from workers.sandbox.capture import Log, printable


def start(seen: Seen, limits: Limits) -> Row:
    """How long it takes to be there."""
    slowest = max(report.ready_ms for report in seen.reports) / 1000
    reason = (
        f"connected and ready {slowest:.2f} s after its start; {limits.connect:g} s it may take"
    )
    if slowest < limits.near * limits.connect:
        return Row(rows.START, Verdict.PASS, reason)
    fix = "do what takes long later: on a busy machine this may be too late, and the leg is lost"
    return Row(rows.START, Verdict.WARN, reason, fix)


def handshake(seen: Seen) -> Row:
    """Join and Ready."""
    report = seen.reports[0]
    named = printable(report.clock.sdk).replace("\n", "\\n")
    wants = f"at most {report.max_boards} boards" if report.max_boards else "any number of boards"
    reason = f"protocol {PROTOCOL}, library {named or 'not named'}, {wants}"
    if report.nonce_bytes:
        return Row(rows.HANDSHAKE, Verdict.PASS, f"{reason}, a nonce of {report.nonce_bytes} bytes")
    fix = "send 16 random bytes as Ready.nonce: then nobody else can have chosen the decks"
    return Row(rows.HANDSHAKE, Verdict.NOTE, f"{reason}, no nonce", fix)


def played(seen: Seen) -> Row:
    """A stage that was played to its end."""
    decisions = sum(report.clock.decisions for report in seen.reports)
    games = len(seen.reports) * seen.stage.boards
    return Row(seen.stage.name, Verdict.PASS, f"{games} games, {decisions:,} decisions")


def answers(found: Sequence[Seen], limits: Limits) -> Row:
    """Refused answers, and answers that were left out or that nobody had asked for."""
    reports = [report for seen in found for report in seen.reports]
    strikes = sum(report.clock.strikes for report in reports)
    if strikes:
        refused = [each for report in reports for each in report.mishaps if each.code]
        reason = f"{strikes} of its messages had an answer that was refused; the first: "
        fix = "answer with one of what Options allows: the fourth such message loses a leg"
        return Row(rows.ANSWERS, Verdict.WARN, reason + words.mishap(refused[0]), fix)
    decisions = sum(report.clock.decisions for report in reports)
    left_out = sum(report.left_out for report in reports)
    if left_out:
        share = left_out / (decisions + left_out)
        reason = f"its answers left out {left_out:,} of {decisions + left_out:,} decisions"
        fix = "one Actions names every decision of the Turns that it answers, on all boards"
        worse = share > limits.left_out
        return Row(rows.ANSWERS, Verdict.FAIL if worse else Verdict.WARN, reason, fix)
    stale = sum(report.clock.stale for report in reports)
    if stale:
        reason = f"{stale} of its messages answered what nobody had asked"
        fix = "answer each Turns once; more than 20 such messages lose a leg"
        return Row(rows.ANSWERS, Verdict.WARN, reason, fix)
    counts = Counter[str]()
    for report in reports:
        for each in report.answered:
            counts[words.named(each.phase)] += each.decisions
    told = words.listed([f"{count:,} {phase}" for phase, count in counts.items()])
    return Row(rows.ANSWERS, Verdict.PASS, f"none was refused: {told}")


def pace(one: Seen, many: Seen, limits: Limits) -> Row:
    """Whether the clock of a whole match would hold, from what decisions took here."""
    whole, wide = _clocks(one), _clocks(many)
    each_s = max(wide[0] / max(1, wide[1]), whole[0] / max(1, whole[1]))
    clock = limits.clock
    bank_s = clock.bank_per_game_ms / 1000
    drained = max(0.0, each_s - clock.increment_ms / 1000) * limits.game / bank_s
    share = max(drained, each_s * limits.game / (2 * bank_s))
    slowest = max(report.clock.slowest_ms for report in one.reports) / 1000
    reason = (
        f"{each_s * 1000:.1f} ms a decision: {100 * share:.0f} % of a match's clock; the slowest "
        f"answer on one board {slowest:.2f} s of {clock.cap_ms / 1000:g} s"
    )
    if share >= 1:
        fix = "answer faster: at this pace it loses its matches by time"
        return Row(rows.TIME, Verdict.FAIL, reason, fix)
    if share >= limits.near or slowest * 1000 >= limits.near * clock.cap_ms:
        fix = "answer faster: on a slower or busier machine games would be lost by time"
        return Row(rows.TIME, Verdict.WARN, reason, fix)
    return Row(rows.TIME, Verdict.PASS, reason)


def memory(logs: Sequence[SeatLog], limits: Limits) -> Row:
    """The most memory that it was seen with."""
    peak = max((log.exited.peak for log in logs if log.exited is not None), default=0)
    if not peak:
        return Row(rows.MEMORY, Verdict.PASS, f"never over the limit of {limits.memory // MIB} MB")
    reason = f"{peak / MIB:.0f} MB at most; {limits.box // MIB} MB it may have in a container"
    if peak < limits.near_memory * limits.box:
        return Row(rows.MEMORY, Verdict.PASS, reason)
    fix = "use less: a bot that has more than it may is killed, and loses the leg"
    return Row(rows.MEMORY, Verdict.WARN, reason, fix)


def output(logs: Sequence[SeatLog]) -> Row:
    """What it printed: how much, and whether it can be shown as it is."""
    largest = max(map(_size, (log.output for log in logs)), default=0)
    reason = f"{largest:,} bytes in a leg at most" if largest else "it prints nothing"
    dropped = sum(log.output.dropped for log in logs)
    if dropped:
        fix = "print less: of each leg the first and the last 256 kB are kept, the rest is lost"
        return Row(rows.OUTPUT, Verdict.WARN, reason, fix)
    if any(_odd(log.output) for log in logs):
        fix = "print UTF-8 without control characters (colours, cursor): they are shown escaped"
        return Row(rows.OUTPUT, Verdict.WARN, f"{reason}, control characters among them", fix)
    return Row(rows.OUTPUT, Verdict.PASS, reason)


def ending(logs: Sequence[SeatLog]) -> Row:
    """Whether it leaves by itself when its leg is over."""
    over = [
        (log, log.exited)
        for log in logs
        if log.reason in ("played", "deal_cap") and log.exited is not None
    ]
    stayed = [log for log, exited in over if exited.stopped]
    if stayed:
        reason = f"it still ran 2 s after MatchOver in {len(stayed)} of {len(over)} legs"
        fix = "end when MatchOver has come: half-close the stream, read it to its end, exit"
        # Now and then may be the machine's doing.
        verdict = Verdict.FAIL if len(stayed) == len(over) else Verdict.WARN
        return Row(
            rows.ENDING, verdict, reason, fix, tuple(stayed[0].output.last_lines(LAST_LINES))
        )
    for log, exited in over:
        if exited.code or exited.signal:
            reason = f"its program {faults.ended(exited)} after MatchOver"
            lines = tuple(log.output.last_lines(LAST_LINES))
            return Row(rows.ENDING, Verdict.WARN, reason, "end with exit code 0", lines)
    return Row(rows.ENDING, Verdict.PASS, f"left by itself after each of {len(over)} legs")


def random(seen: Seen) -> Row:
    """How it does against the bot that plays by chance."""
    assert seen.result is not None
    mine = seen.result.bots[0]
    total = mine.won + mine.lost + mine.drawn
    reason = f"won {mine.won} of {total} deals against it, lost {mine.lost}"
    if mine.won >= mine.lost:
        return Row(rows.RANDOM, Verdict.PASS, reason)
    return Row(rows.RANDOM, Verdict.WARN, reason, "chance plays better: look at a replay of it")


def repeatable(first: Seen, again: Seen) -> Row:
    """Whether the same seed gives the same match."""
    assert first.result is not None
    assert again.result is not None
    if first.result.digest == again.result.digest:
        reason = "the same seed gave the same games twice"
        return Row(rows.REPEATABLE, Verdict.PASS, reason)
    reason = "the same seed gave other games the second time"
    fix = "no fault. To have games repeat, take chance from what the state holds, not from a clock"
    return Row(rows.REPEATABLE, Verdict.NOTE, reason, fix)


def came_back(seen: Seen) -> Row:
    """A leg whose connection was lost on purpose."""
    report: match_pb2.SeatReport = seen.reports[0]
    if report.clock.messages < seen.stage.cut:
        return Row(rows.RECONNECT, Verdict.SKIP, "the game was over before it could be tried")
    times = report.clock.connections - 1
    reason = f"its connection was lost in mid-leg: it joined again ({times}) and went on"
    return Row(rows.RECONNECT, Verdict.PASS, reason)


def _clocks(seen: Seen) -> tuple[float, int]:
    """Seconds of thinking, and decisions."""
    clocks = [report.clock for report in seen.reports]
    return sum(c.used_ms for c in clocks) / 1000, sum(c.decisions for c in clocks)


def _size(log: Log) -> int:
    return len(log.head) + log.dropped + len(log.tail)


def _odd(log: Log) -> bool:
    kept = log.head if log.dropped else log.head + log.tail
    return printable(kept) != kept.decode("utf-8", "replace").replace("\r\n", "\n")
