"""How a bot has done: its rating over time, its last fault, and what its replays say.

Read from the log and the replay files; nothing is written.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import play_pb2, replay_pb2
from referee.replay import Replay, ReplayError
from referee.results import rules_of, seat_of
from referee.wire.replay import end_word, reason_word
from workers import ledger
from workers.folders import Folders
from workers.store import Store

MATCHES_MOST = 1000
"""A bot's matches that are looked at for its history and its last fault."""
POINTS = 60
"""Values of a history that are told."""
REPLAYS = 10
"""Replays that are read for what happened in a bot's deals."""
SLOW_MOST = 5
"""Slow answers that are told."""


class Career:
    """One bot's matches, the newest first; not more of them than anybody looks at."""

    def __init__(self, store: Store, folders: Folders, name: str) -> None:
        self._folders = folders
        self._name = name
        texts = store.log.of_bot(name, MATCHES_MOST)
        self._entries: list[ledger.Entry] = [json.loads(text) for text in texts]
        self._counting = ledger.counting(self._entries)

    def put_history(self, message: pb.BotVersion) -> None:
        """Fill in how the rating of a version has moved."""
        values = [
            bot["elo"] + bot["add"].get("elo", 0)
            for entry in reversed(self._entries)
            for bot in entry["bots"]
            if (bot["name"], bot["version"]) == (self._name, message.version)
        ]
        if values:
            message.history_milli_elo.extend(thinned(values, POINTS))
            message.lowest_milli_elo, message.highest_milli_elo = min(values), max(values)

    def last_fault(self) -> pb.BotFault | None:
        """The newest leg that the bot forfeited."""
        for entry in self._counting:
            for number, bot in enumerate(entry["bots"]):
                if bot["name"] == self._name and bot["add"].get("forfeits"):
                    return self._fault_in(entry, number)
        return None

    def recent(self) -> pb.BotRecent:
        """What the replays of the last matches say; those that are gone are left out."""
        found = pb.BotRecent()
        deals: Counter[tuple[str, str]] = Counter()
        slow: list[pb.SlowDecision] = []
        for entry, replay in islice(self._replays(), REPLAYS):
            found.matches += 1
            for number, bot in enumerate(entry["bots"]):
                if bot["name"] == self._name:
                    deals.update(_ends(replay, number))
                    slow += _slow(entry["match"], replay, number)
        for end in ("knock", "gin", "big_gin", "undercut"):
            won, lost = deals[end, "won"], deals[end, "lost"]
            if won or lost:
                found.deals.add(end=end, won=won, lost=lost)
        found.slow.extend(sorted(slow, key=lambda one: -one.ms)[:SLOW_MOST])
        return found

    def _replays(self) -> Iterator[tuple[ledger.Entry, Replay]]:
        for entry in self._counting:
            with suppress(OSError, ReplayError):
                yield entry, Replay.open(self._folders.replay(entry["match"]))

    def _fault_in(self, entry: ledger.Entry, number: int) -> pb.BotFault:
        """Where in a match that is recorded a bot was at fault; its replay says it best."""
        reasons = [key[6:] for key in entry["bots"][number]["add"] if key.startswith("fault.")]
        fault = pb.BotFault(
            match_id=entry["match"],
            reason=reasons[0] if reasons else "",
            recorded_ms=entry["recorded_ms"],
        )
        with suppress(OSError, ReplayError):
            replay = Replay.open(self._folders.replay(entry["match"]))
            seats = len(replay.header.bots)
            for leg in replay.seal.legs:
                reason = leg.reasons[seat_of(number, leg.leg, seats)]
                if reason != play_pb2.REASON_PLAYED:
                    fault.leg, fault.reason = leg.leg, reason_word(reason)
                    break
        log = self._folders.log(entry["match"], entry["fence"], fault.leg, self._name)
        if log.is_file():
            fault.log = str(log)
        return fault


def thinned(values: Sequence[int], most: int) -> list[int]:
    """At most so many of the values, evenly spaced, the first and the last one kept."""
    if len(values) <= most:
        return list(values)
    step = (len(values) - 1) / (most - 1)
    return [values[round(step * number)] for number in range(most)]


def _ends(replay: Replay, bot: int) -> Iterable[tuple[str, str]]:
    """How the scored deals of a match ended, and whether the bot won or lost them."""
    rules = rules_of(replay.header)
    for unit, leg in replay.games:
        side = rules.side_of[seat_of(bot, leg, rules.players)]
        for deal in replay.game(unit, leg).deals:
            if deal.result.HasField("winner") and deal.HasField("result"):
                yield end_word(deal.result.end), "won" if deal.result.winner == side else "lost"


def _slow(match_id: str, replay: Replay, bot: int) -> Iterable[pb.SlowDecision]:
    seats = len(replay.header.bots)
    slow: Iterable[replay_pb2.SlowAnswer] = replay.side.slow
    for one in slow:
        if one.seat == seat_of(bot, one.leg, seats):
            yield pb.SlowDecision(
                match_id=match_id,
                leg=one.leg,
                unit=one.unit,
                deal=one.deal,
                ms=one.ms,
                decisions=one.decisions,
            )
