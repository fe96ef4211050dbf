"""Tables as messages, and the books behind them, which are kept and fed what is new in the log."""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from knockbox.v1 import arena_pb2 as pb
from workers.ratings import elo_now
from workers.standings.book import Book, Entry, Player, amends
from workers.standings.table import Meeting, Rating, Row, head_to_head, table
from workers.store import Store
from workers.store.tournaments import Tournament

KEPT = 8
"""Tournaments whose books are kept: a thousand bots' takes some 300 MB."""
PART = 5000
"""Meetings in one message of a cross table."""


class _Kept:
    """A tournament's book, how many entries are in it, and the rows that came of it."""

    def __init__(self, entrants: Sequence[Player]) -> None:
        self.book = Book(entrants)
        self.entries = 0
        self.rows: list[Row] | None = None

    def add(self, entry: Entry, *, counts: bool = True) -> None:
        self.book.add(entry, counts=counts)
        self.entries += 1
        self.rows = None


class TableDesk:
    """Tables of tournaments, from the log."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def rows(self, found: Tournament) -> list[pb.TableRow]:
        """A tournament's table as it stands, best first."""
        with self._lock:
            kept = self._current(found)
            if kept.rows is None:
                kept.rows = table(kept.book)
            rows = kept.rows
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

    def _current(self, found: Tournament) -> _Kept:
        """A tournament's book with all that the log has."""
        kept = self._kept.pop(found.id, None) or _Kept(found.plan.entrants)
        for entry in self._entries(found.id, kept.entries):
            if amends(entry):
                kept = self._anew(found)
                break
            kept.add(entry)
        self._kept[found.id] = kept
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return kept

    def _anew(self, found: Tournament) -> _Kept:
        """A book in which entries that another one takes back do not count."""
        amended: set[int] = set()
        count = 0
        for entry in self._entries(found.id):
            count += 1
            if amends(entry):
                amended.add(entry["of"])
        kept = _Kept(found.plan.entrants)
        for entry in islice(self._entries(found.id), count):
            kept.add(entry, counts=entry["seq"] not in amended)
        return kept

    def _entries(self, tournament_id: str, after: int = 0) -> Iterator[Entry]:
        return map(json.loads, self._store.log.each_of_tournament(tournament_id, after))


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
        milli_points=row.milli_points,
        milli_points_interval=row.milli_points_interval,
        rating=interval(row.rating) if row.rating else None,
        superior_millionths=row.superior,
    )


def _meeting(met: Meeting) -> pb.HeadToHead:
    return pb.HeadToHead(
        bot=met.bot[0],
        opponent=met.other[0],
        units=met.units,
        score_millionths=met.score,
        interval_millionths=met.interval,
        milli_points=met.milli_points,
        milli_points_interval=met.milli_points_interval,
        forfeits=met.forfeits,
        opponent_forfeits=met.other_forfeits,
    )
