"""`knockbox bot show`: one bot, as its author wants to know it."""

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from arena.cli import output
from arena.cli.options import Data, Json
from arena.cli.words import fit, many, room, short, sparkline, when, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from knockbox.v1 import arena_pb2 as pb

LAST_LINES = 20

SPARE = ("drawn", "forfeits", "units", "lost", "won", "added")
"""What the table of versions does without on a narrow terminal, the first one first."""

DEALS = {"knock": "a knock", "gin": "gin", "big_gin": "big gin", "undercut": "an undercut"}


def show(name: str, /, *, data: Data = None, json: Json = False) -> None:
    """One bot: its rating, record, faults and last words.

    By version; what was submitted and what became of it; what it loses by, and where it is slow.

    Deals and slow answers are those of its last ten matches; the history of a version's Elo is
    that of the bot's last thousand.

    Example: knockbox bot show greedy
    """
    from arena.cli import handedin, shapes
    from arena.cli.client import arena
    from knockbox.v1 import arena_pb2 as pb

    with arena(data) as stub:
        bot = stub.GetBot(pb.GetBotRequest(name=name)).bot
    words = _last_words(bot, data) if bot.versions else {}
    if json:
        output.as_json({**shapes.whole_bot(bot), "last_words": words})
        return
    if not bot.versions:
        output.data(f"bot       {bot.name}")
        output.data("state     no version of it was accepted yet")
        handedin.tell(bot.submissions)
        output.next_step("knockbox submit FOLDER", "hands in another one")
        return
    _facts(bot)
    _versions(bot)
    handedin.tell(bot.submissions)
    _slow(bot.recent)
    _fault(bot)
    if words:
        output.data()
        output.data(f"last lines of its log in match {words['match_id']}, leg {words['leg']}:")
        for line in words["lines"]:
            output.data(f"  | {line}")
        output.next_step(f"knockbox bot logs {bot.name}", "all that it printed there")
    if bot.recent.slow:
        one = bot.recent.slow[0]
        place = f"{one.match_id} --leg {one.leg} --unit {one.unit} --deal {one.deal}"
        output.next_step(f"knockbox replay show {place}", "the deal of its slowest answer")
    output.next_step("knockbox replay list", "its matches, among all")


def _last_words(bot: "pb.Bot", data: "Path | None") -> "dict[str, Any]":
    """The end of the log of its last fault, or else of its newest log; empty without one, and for
    whom it is not meant.
    """
    from arena.cli.botlogs import printed
    from arena.cli.client import NotAllowedError

    try:
        found = printed(bot.name, "", None, LAST_LINES, data)
    except NotAllowedError:
        return {}
    if bot.HasField("last_fault") and bot.last_fault.log:
        fault = bot.last_fault
        found = printed(bot.name, fault.match_id, fault.leg, LAST_LINES, data) or found
    if not found:
        return {}
    last = found[-1]
    return {"match_id": last.match_id, "leg": last.leg, "lines": last.lines}


def dialled(bot: "pb.Bot", now_ms: int) -> str:
    """How a bot stands that dials in; "" for any other."""
    if not bot.HasField("dial_in"):
        return ""
    agent = bot.dial_in
    slots = f"dials in: {agent.busy} of {agent.slots} slots busy" if agent.online else ""
    since = f" since {when(agent.since_ms)}" if agent.since_ms else ""
    text = slots or f"dials in: offline{since}"
    text += f", {many(agent.waiting, 'match')} waiting" if agent.waiting else ""
    return text + _declines(agent, now_ms)


def _declines(agent: "pb.DialState", now_ms: int) -> str:
    """That a bot has not taken the seats it was offered, and when it is asked again; else ""."""
    from arena.cli.progress import span

    if not agent.declines:
        return ""
    seats = f"last {agent.declines} seats" if agent.declines > 1 else "last seat"
    again = "now" if agent.online else "when it is online"
    if agent.quiet_until_ms:
        again = f"in {span(agent.quiet_until_ms - now_ms)}"
    return f"; it did not take its {seats}, and is asked again {again}"


def _facts(bot: "pb.Bot") -> None:
    versions = bot.all_versions
    won, lost, drawn = (
        sum(getattr(v, word) for v in versions) for word in ("won", "lost", "drawn")
    )
    state = dialled(bot, time.time_ns() // 1_000_000) or "playing"
    if bot.retired_ms:
        state = f"retired since {when(bot.retired_ms)}"
    units = many(sum(one.units for one in versions), "unit")
    for key, value in (
        ("bot", bot.name),
        ("owner", bot.owner),
        ("state", state),
        ("Elo", f"{bot.milli_elo / 1000:.1f}"),
        ("record", f"{won} won, {lost} lost, {drawn} drawn in {units}"),
        ("forfeits", _faults(versions) or "none"),
        *((("deals", _deals(bot.recent)),) if bot.recent.deals else ()),
        *(("benched", _benched(one, bot.name)) for one in bot.benches),
    ):
        output.data(wrapped(f"{key:9} {output.printable(value)}", room(), 10))


def _benched(one: "pb.Bench", bot: str) -> str:
    """Where it gets no matches, and why."""
    told = f"on the ladder {one.ladder} since {when(one.since_ms)}: {one.reason}"
    unbench = f"`knockbox ladder unbench {one.ladder} {bot}`"
    return f"{told}; a new version plays again, or the organiser's {unbench}"


def _deals(recent: "pb.BotRecent") -> str:
    """What it won and lost deals by."""
    told: list[str] = []
    for word in ("won", "lost"):
        counts = [(DEALS.get(one.end, one.end), getattr(one, word)) for one in recent.deals]
        ways = ", ".join(f"{count:,} by {way}" for way, count in counts if count)
        total = sum(count for _, count in counts)
        told.append(f"{total:,} {word}" + (f" ({ways})" if ways else ""))
    return f"{'; '.join(told)} in its last {many(recent.matches, 'match')}"


def _versions(bot: "pb.Bot") -> None:
    headers = ("version", "added", "Elo", "units", "won", "lost", "drawn", "forfeits", "history")
    rows = [
        (
            short(one.version) + (" *" if one.version == bot.version else ""),
            when(one.added_ms) if one.added_ms else "-",
            f"{one.milli_elo / 1000:.0f}",
            str(one.units),
            str(one.won),
            str(one.lost),
            str(one.drawn),
            _faults([one]) or "0",
            _history(one),
        )
        for one in bot.all_versions
    ]
    output.data()
    output.table(*fit(headers, rows, SPARE, room(), left=2))


def _history(one: "pb.BotVersion") -> str:
    """How a version's Elo has moved, and between what: "1480-1555 ▁▃▅█"."""
    if not one.history_milli_elo:
        return "-"
    low, high = one.lowest_milli_elo, one.highest_milli_elo
    return f"{low / 1000:.0f}-{high / 1000:.0f} {sparkline(one.history_milli_elo)}"


def _slow(recent: "pb.BotRecent") -> None:
    if not recent.slow:
        return
    output.data()
    output.table(
        ("slowest", "match", "seconds", "decisions", "leg", "unit", "deal"),
        [
            (
                str(place),
                one.match_id,
                f"{one.ms / 1000:.3f}",
                str(one.decisions),
                str(one.leg),
                str(one.unit),
                str(one.deal),
            )
            for place, one in enumerate(recent.slow, 1)
        ],
        left=2,
    )


def _fault(bot: "pb.Bot") -> None:
    if not bot.HasField("last_fault"):
        return
    fault = bot.last_fault
    output.data()
    output.data(
        f"last fault: {output.printable(fault.reason)} in leg {fault.leg} of match "
        f"{fault.match_id}, {when(fault.recorded_ms)}"
    )
    output.data(f"log: {fault.log}" if fault.log else "it printed nothing there")


def _faults(versions: "Iterable[pb.BotVersion]") -> str:
    """Games forfeited by reason: "12 (crash 4, time 8)"; "" where there are none."""
    games: Counter[str] = Counter()
    for version in versions:
        for fault in version.faults:
            games[fault.reason] += fault.games
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(games.items()))
    return f"{games.total()} ({reasons})" if games else ""
