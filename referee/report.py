"""What a leg has shown of each seat's bot: for the record, and for the bot's author."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knockbox.v1 import cards_pb2, match_pb2, replay_pb2

if TYPE_CHECKING:
    from referee.account import Account
    from referee.bots import Line
    from referee.clock import SeatClock
    from referee.table import Table

_PHASES = (
    cards_pb2.PHASE_OFFER,
    cards_pb2.PHASE_DRAW,
    cards_pb2.PHASE_DISCARD,
    cards_pb2.PHASE_LAYOFF,
)


def reports(leg: int, table: Table) -> list[match_pb2.SeatReport]:
    """A report for each seat, in their order."""
    rows = zip(table.lines, table.clocks, table.leg.accounts, strict=True)
    return [
        match_pb2.SeatReport(
            clock=_counted(leg, line, clock, account),
            slow=[_slow(leg, line.seat, clock, place) for place in range(len(clock.slow))],
            ready_ms=_ready_ms(table, line.seat),
            turned_away=line.turned_away,
            other_protocol=line.other_protocol,
            nonce_bytes=len(line.wishes.nonce),
            max_boards=line.wishes.max_boards,
            left_out=account.left_out,
            answered=[
                match_pb2.PhaseCount(phase=phase, decisions=account.answered[phase - 1])
                for phase in _PHASES
                if account.answered[phase - 1]
            ],
            mishaps=account.mishaps,
        )
        for line, clock, account in rows
    ]


def _counted(leg: int, line: Line, clock: SeatClock, account: Account) -> replay_pb2.SeatClock:
    return replay_pb2.SeatClock(
        leg=leg,
        seat=line.seat,
        used_ms=int(clock.used * 1000),
        slowest_ms=int(clock.slowest * 1000),
        decisions=account.decisions,
        messages=account.messages,
        strikes=account.strikes,
        stale=account.stale,
        connections=line.connections,
        sdk=line.sdk,
    )


def _slow(leg: int, seat: int, clock: SeatClock, place: int) -> replay_pb2.SlowAnswer:
    one = clock.slow[place]
    return replay_pb2.SlowAnswer(
        leg=leg,
        seat=seat,
        ms=int(one.spent * 1000),
        decisions=one.decisions,
        unit=one.unit,
        deal=one.deal,
    )


def _ready_ms(table: Table, seat: int) -> int:
    took = table.ready_s.get(seat)
    return 0 if took is None else max(1, int(took * 1000))
