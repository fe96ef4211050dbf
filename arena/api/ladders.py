"""Ladders: how one is started from a request, and how it stands for people."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from arena.api import plans
from arena.api.refusals import invalid
from arena.api.sandbox import Judge
from arena.api.tables import messages
from knockbox.v1 import arena_pb2 as pb
from referee.rules.ruleset import resolve, to_json
from referee.wire import rules as wire
from workers import ladder, ledger
from workers.bench import Benched
from workers.names import complaint
from workers.standings.book import Book, Entry
from workers.standings.table import Row, table
from workers.store import NotFound, Store
from workers.store.ladders import Ladder, Terms
from workers.store.tournaments import Entrant, Tournament

DAYS_SHOWN = 30
COUNTED_MOST = 5000
"""Matches that a table is made of: the newest."""

STATES = {"running": pb.LADDER_STATE_RUNNING, "stopped": pb.LADDER_STATE_STOPPED}


class _Counted(NamedTuple):
    """What the newest matches of a ladder came to; `of` says which they are and who plays now."""

    of: object
    matches: int
    rows: list[Row]
    shares: dict[str, int]


class LadderDesk:
    """Starts, stops and shows ladders. `began` is told the id of each day begun here, whose length
    is `day_ms`; later days are begun by the reconciler."""

    def __init__(
        self, store: Store, judge: Judge, began: Callable[[str], None], day_ms: int
    ) -> None:
        self._store = store
        self._judge = judge
        self._began = began
        self._day_ms = day_ms
        self._kept: dict[str, _Counted] = {}

    def start(self, request: pb.StartLadderRequest) -> pb.StartLadderResponse:
        """Start it; its first matches are sent out at once. Raises RefusalError, StoreError."""
        if wrong := complaint(request.name):
            raise invalid("name", f"{request.name[:40]!r} is no name: {wrong}")
        bots = [Entrant(name, version) for name, version in self._store.bots.versions().items()]
        sandboxed, why = self._judge(bots)
        terms = self._terms(request)._replace(sandboxed=sandboxed)
        self._store.ladders.start(request.name, terms)
        now_ms = self._store.queue.now_ms()
        if day := ladder.turn(self._store, request.name, self._day_ms, now_ms):
            self._began(day)
        return pb.StartLadderResponse(ladder=self._whole(request.name), sandbox=why)

    def stop(self, request: pb.StopLadderRequest) -> pb.StopLadderResponse:
        """Stop it; a stopped one stays so. Raises NotFound."""
        ladder.stop(self._store, request.name)
        return pb.StopLadderResponse(ladder=self._whole(request.name))

    def get(self, request: pb.GetLadderRequest) -> pb.GetLadderResponse:
        """One ladder with its table and days. Raises NotFound."""
        return pb.GetLadderResponse(ladder=self._whole(request.name))

    def all(self, _: pb.ListLaddersRequest) -> pb.ListLaddersResponse:
        """All ladders, newest first, without tables and days."""
        return pb.ListLaddersResponse(ladders=map(_message, self._store.ladders.all()))

    def unbench(self, request: pb.UnbenchBotRequest) -> pb.UnbenchBotResponse:
        """Let a benched bot play again. Raises NotFound."""
        self._store.ladders.get(request.ladder)
        bot = self._store.bots.get(request.bot)
        return pb.UnbenchBotResponse(
            unbenched=self._store.ladders.unbench(request.ladder, bot.name)
        )

    def _terms(self, request: pb.StartLadderRequest) -> Terms:
        """What it is to play: as before where the request says nothing. Raises RefusalError."""
        try:
            before = self._store.ladders.get(request.name).terms
        except NotFound:
            before = None
        if request.HasField("rules") or before is None:
            asked = request.rules if request.HasField("rules") else wire.to_proto(resolve("danish"))
            rules = plans.rules(asked)
            usual = plans.UNITS[rules.players] // 2
        else:
            rules = resolve(before.rules)
            usual = before.units
        same_owner = before.rate_same_owner if before else True
        if request.HasField("rate_same_owner"):
            same_owner = request.rate_same_owner
        return Terms(
            rules={"preset": rules.preset, **to_json(rules)},
            units=plans.units(request.units or usual, rules),
            boards=plans.BOARDS,
            clock=plans.CLOCK,
            rate_same_owner=same_owner,
        )

    def _whole(self, name: str) -> pb.Ladder:
        found = self._store.ladders.get(name)
        message = _message(found)
        ids = self._store.ladders.days(name)[:DAYS_SHOWN]
        days = [self._store.tournaments.get(day) for day in ids]
        message.days.extend(map(_day, days))
        running = self._store.queue.running()
        message.running = sum(match.rpartition(".")[0] in ids for match in running)
        versions = self._store.bots.versions()
        counted = self._counted(name, days, versions)
        message.counted = counted.matches
        message.table.extend(self._rows(found, counted, versions))
        return message

    def _counted(
        self, name: str, days: Sequence[Tournament], versions: Mapping[str, str]
    ) -> _Counted:
        """The table's numbers, made anew when there are new ones."""
        of = [[day.id, day.recorded, day.void] for day in days], versions
        kept = self._kept.get(name)
        if kept is None or kept.of != of:
            entries = self._entries(days)
            # Older versions are in the book as opponents, and have no rows.
            book = Book(versions.items())
            book.extend(entries)
            rows = [row for row in table(book) if versions.get(row.name) == row.version]
            kept = self._kept[name] = _Counted(of, len(entries), rows, _shares(entries))
        return kept

    def _entries(self, days: Iterable[Tournament]) -> list[Entry]:
        """The newest matches that count of the days, which are given newest first."""
        found: list[Entry] = []
        for day in days:
            left = COUNTED_MOST - len(found)
            if left <= 0:
                break
            found += map(json.loads, self._store.log.last_of_tournament(day.id, left))
        return ledger.counting(found)

    def _rows(
        self, found: Ladder, counted: _Counted, versions: Mapping[str, str]
    ) -> list[pb.LadderRow]:
        benched = ladder.benched_now(self._store, found, versions)
        left_out = ladder.left_out(self._store, found, versions)
        away = ladder.away(self._store, versions) if found.running else set[str]()
        out = {*benched, *left_out, *away}
        enough = len(versions.keys() - out) >= found.terms.rules["players"]
        playing = pb.LADDER_BOT_STATE_PLAYING if enough else pb.LADDER_BOT_STATE_WAITING
        if not found.running:
            playing = pb.LADDER_BOT_STATE_STOPPED
        rows: list[pb.LadderRow] = []
        for row in messages(self._store, counted.rows):
            share = counted.shares.get(row.bot, 0)
            message = pb.LadderRow(row=row, state=playing, share_millionths=share)
            if bench := benched.get(row.bot):
                message.state = pb.LADDER_BOT_STATE_BENCHED
                message.bench.CopyFrom(bench_message(found.name, bench))
            elif row.bot in left_out:
                message.state = pb.LADDER_BOT_STATE_LEFT_OUT
            elif row.bot in away:
                message.state = pb.LADDER_BOT_STATE_AWAY
            rows.append(message)
        return rows


def benches(store: Store, bot: str) -> list[pb.Bench]:
    """The running ladders on which a bot is benched in the version that plays now."""
    found: list[pb.Bench] = []
    versions = store.bots.versions()
    for name in store.ladders.running():
        if one := ladder.benched_now(store, store.ladders.get(name), versions).get(bot):
            found.append(bench_message(name, one))
    return found


def bench_message(name: str, one: Benched) -> pb.Bench:
    """Why a bot is benched on the ladder `name`."""
    return pb.Bench(
        ladder=name,
        since_ms=one.since_ms,
        reason=one.reason,
        matches=one.matches,
        match_id=one.match_id,
    )


def _shares(entries: Iterable[Entry]) -> dict[str, int]:
    """Each bot's part of all games played, a game counted for every bot in it; millionths."""
    games: dict[str, int] = {}
    for entry in entries:
        for bot in entry["bots"]:
            own = sum(bot["add"].get(word, 0) for word in ("won", "lost", "drawn", "void"))
            games[bot["name"]] = games.get(bot["name"], 0) + own
    every = sum(games.values()) or 1
    return {name: own * 1_000_000 // every for name, own in games.items()}


def _message(found: Ladder) -> pb.Ladder:
    return pb.Ladder(
        name=found.name,
        state=STATES[found.state],
        rules=wire.to_proto(resolve(found.terms.rules)),
        units=found.terms.units,
        rate_same_owner=found.terms.rate_same_owner,
        sandboxed=found.terms.sandboxed,
        created_ms=found.created_ms,
        day=found.day,
        matches=found.made,
    )


def _day(found: Tournament) -> pb.LadderDay:
    return pb.LadderDay(
        tournament_id=found.id,
        matches=found.matches,
        recorded=found.recorded,
        dead=found.dead,
        created_ms=found.created_ms,
        over_ms=found.over_ms,
        commitment=found.plan.commitment,
        secret=found.revealed,
    )
