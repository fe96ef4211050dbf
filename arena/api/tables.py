"""Tables as messages, and the books behind them, which are kept and fed what is new in the log."""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from knockbox.v1 import arena_pb2 as pb
from workers import ledger
from workers.ratings import elo_now
from workers.standings.book import Book, Entry, Player
from workers.standings.table import Meeting, Rating, Row, head_to_head, table
from workers.store import Store
from workers.store.tournaments import Tournament

KEPT = 8
"""Tournaments whose books are kept: a thousand bots' takes some 600 MB."""
WHOLE_LOG_MOST = 30_000
"""Entries of a log that is read for the ratings of all bots: two seconds, the first time."""
PART = 5000
"""Meetings in one message of a cross table."""


class _Kept:
    """A book with all entries so far, and the rows that came of it.

    `read(n)` are the entries after the first n.
    """

    def __init__(self, entrants: Sequence[Player], read: Callable[[int], Iterator[Entry]]) -> None:
        self._entrants = entrants
        self._read = read
        self._rows: list[Row] | None = None
        self.entries = 0
        self.book = Book(entrants)

    def feed(self) -> None:
        """Add what is new."""
        for entry in self._read(self.entries):
            if entry["kind"] == "correction":
                self._begin_anew()
                return
            self._add(entry, counts=True)

    def rows(self) -> list[Row]:
        """The table, best first."""
        if self._rows is None:
            self._rows = table(self.book)
        return self._rows

    def _add(self, entry: Entry, *, counts: bool) -> None:
        if counts and ledger.played(entry):
            self.book.add(entry)
        self.entries += 1
        self._rows = None

    def _begin_anew(self) -> None:
        """Entries that another one takes back do not count any more."""
        void: dict[int, str] = {}
        until = 0
        for entry in self._read(0):
            void |= ledger.taken_back([entry])
            until += 1
        self.book, self.entries = Book(self._entrants), 0
        for entry in islice(self._read(0), until):
            self._add(entry, counts=entry["seq"] not in void)


class TableDesk:
    """Tables of tournaments and of the whole log."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._all = _Kept((), self._whole_log)
        self._all_lock = threading.Lock()

    def rows(self, found: Tournament) -> list[pb.TableRow]:
        """A tournament's table as it stands, best first."""
        with self._lock:
            rows = self._current(found).rows()
        return messages(self._store, rows)

    def cross(
        self, request: pb.GetCrossTableRequest, wanted: Callable[[], bool]
    ) -> Iterator[pb.GetCrossTableResponse]:
        """Each ordered two that have met in a tournament. Raises NotFound."""
        found = self._store.tournaments.get(request.tournament_id)
        with self._lock:
            meetings = iter(head_to_head(self._current(found).book))
        while wanted() and (part := list(islice(meetings, PART))):
            yield pb.GetCrossTableResponse(meetings=map(_meeting, part))

    def with_ratings(self, answer: pb.ListRatingsResponse) -> pb.ListRatingsResponse:
        """Add the ratings out of the whole log, if it is short enough to be read for them."""
        if self._store.log.head().seq > WHOLE_LOG_MOST:
            return answer
        with self._all_lock:
            self._all.feed()
            rows = self._all.rows()
        ratings = {(row.name, row.version): row.rating for row in rows}
        for one in answer.ratings:
            if rating := ratings.get((one.bot, one.version)):
                one.rating.CopyFrom(interval(rating))
        return answer

    def _current(self, found: Tournament) -> _Kept:
        """A tournament's book with all that the log has."""
        kept = self._kept.pop(found.id, None)
        if kept is None:
            kept = _Kept(found.plan.entrants, partial(self._of_tournament, found.id))
        self._kept[found.id] = kept
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        kept.feed()
        return kept

    def _of_tournament(self, tournament_id: str, after: int) -> Iterator[Entry]:
        return map(json.loads, self._store.log.each_of_tournament(tournament_id, after))

    def _whole_log(self, after: int) -> Iterator[Entry]:
        return (json.loads(text) for _, text in self._store.log.texts(after + 1))


def messages(store: Store, rows: Sequence[Row]) -> list[pb.TableRow]:
    """Rows of any table, with the Elo as it is now."""
    elos = elo_now(store, ((row.name, row.version) for row in rows))
    return [_row(row, elo) for row, elo in zip(rows, elos, strict=True)]


def interval(rating: Rating) -> pb.RatingInterval:
    """A rating and its ends."""
    return pb.RatingInterval(milli=rating.milli, milli_low=rating.low, milli_high=rating.high)


def _row(row: Row, milli_elo: int) -> pb.TableRow:
    return pb.TableRow(
        bot=row.name,
        version=row.version,
        milli_elo=milli_elo,
        units=row.units,
        score_millionths=row.score,
        interval_millionths=row.interval,
        won=row.won,
        lost=row.lost,
        drawn=row.drawn,
        forfeits=row.forfeits,
        points_units=row.points_units,
        milli_points=row.milli_points,
        milli_points_interval=row.milli_points_interval,
        rating=interval(row.rating) if row.rating else None,
        superior_millionths=row.superior,
    )


def _meeting(met: Meeting) -> pb.HeadToHead:
    return pb.HeadToHead(
        bot=met.bot[0],
        version=met.bot[1],
        opponent=met.other[0],
        opponent_version=met.other[1],
        units=met.units,
        score_millionths=met.score,
        interval_millionths=met.interval,
        points_units=met.points_units,
        milli_points=met.milli_points,
        milli_points_interval=met.milli_points_interval,
        forfeits=met.forfeits,
        opponent_forfeits=met.other_forfeits,
    )
