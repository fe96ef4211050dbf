"""Messages packed by hand are held to protobuf, which writes the same fields the slow way."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knockbox.v1 import cards_pb2, play_pb2
from referee.board import Board
from referee.deck import Decks, seed_secret
from referee.rules.state import Spread
from referee.rules.view import view
from referee.wire.replay import ENDS
from referee.wire.turns import deals_over, deals_started, turn, turns_message
from tests.rules.proof_play import STYLES, TABLES, seeds, some_action, some_rules, tried

GAMES = 1024


def slow_turn(board: Board, seat: int, want_deadwood: bool) -> play_pb2.Turn:
    """The question out of the view, every field through protobuf."""
    seen = view(board.deal, seat, board.told[seat], want_deadwood)
    asked = play_pb2.Turn(
        decision=board.decision,
        board=board.number,
        phase=play_pb2.Turn(phase=int(seen.phase)).phase,
        hand=seen.hand,
        top=seen.top if seen.top >= 0 else None,
        stock=seen.stock,
        events=seen.events,
        spreads=map(slow_spread, seen.spreads),
    )
    for name, value in seen.options._asdict().items():
        if value:
            setattr(asked.options, name, value)
    return asked


def slow_spread(shown: Spread) -> cards_pb2.Spread:
    return cards_pb2.Spread(**shown._asdict())


def slow_started(board: Board, seat: int) -> play_pb2.DealStarted:
    deal, game = board.deal, board.game
    return play_pb2.DealStarted(
        board=board.number,
        deal=deal.number,
        hand=board.dealing.hands[seat],
        upcard=deal.upcard,
        knock_limit=deal.limit,
        multiplier=deal.multiplier,
        dealer=deal.dealer,
        scores=game.scores,
        boxes=game.boxes,
        events=bytes(deal.public[: board.told[seat]]),
    )


def slow_over(board: Board, seat: int) -> play_pb2.DealOver:
    deal, outcome = board.deal, board.deal.outcome
    message = play_pb2.DealOver(
        board=board.number,
        deal=deal.number,
        end=cards_pb2.DEAL_END_BROKEN_OFF,
        points=[0] * len(deal.rules.sides),
        events=bytes(deal.public[board.told[seat] :]),
    )
    if outcome is not None:
        message.end = ENDS[outcome.end, outcome.reason]
        message.deadwood = bytes(outcome.deadwood)
        message.points[:] = outcome.points
        if outcome.winner is not None:
            message.winner = outcome.winner
            message.spreads.extend(map(slow_spread, deal.spreads))
    return message


def check_deal(board: Board) -> None:
    """What every seat could be told of the deal as it stands."""
    seats = range(board.deal.rules.players)
    for fast, slow in ((deals_started, slow_started), (deals_over, slow_over)):
        assert fast(board, seats) == [slow(board, seat).SerializeToString() for seat in seats]


@pytest.mark.parametrize("table", TABLES)
@tried(40)
@given(seed=seeds)
def test_protobuf_writes_the_same_bytes(table: str, seed: int, cases: Counter[str]) -> None:
    """Every question, start and end of a deal is what protobuf makes of the same fields."""
    chance = Random(seed)
    rules = some_rules(chance, table)
    decks = Decks(seed_secret(str(seed)), (), rules)
    board = Board(rules, decks, chance.choice((0, 1, 127, 128, GAMES - 1)), 0, 0, GAMES)
    style = chance.choice(STYLES)
    for _ in range(3):
        board.start_deal()
        check_deal(board)
        while board.deal.turn >= 0:
            seat = board.ask()
            for want in (False, True):
                slow = slow_turn(board, seat, want).SerializeToString()
                assert turn(board, seat, want) == slow
                cases["questions packed as protobuf packs them"] += 1
            if chance.random() < 0.05:
                check_deal(board)
            board.play(some_action(chance, board.deal, style), "")
        check_deal(board)
        board.end_deal()
        if board.over:
            return


@given(
    left_ms=st.integers(0, 2**32 - 1),
    decisions=st.lists(st.integers(0, 2**32 - 1), max_size=4),
    boards=st.lists(st.integers(0, 2**32 - 1), max_size=4),
)
def test_a_whole_message_is_what_protobuf_writes(
    left_ms: int, decisions: list[int], boards: list[int]
) -> None:
    """Refusals, news and questions of any number and size lie as protobuf lays them."""
    slow = play_pb2.Turns(
        clock_left_ms=left_ms,
        refused=[play_pb2.Refused(decision=n, code=1 + n % 3) for n in decisions],
        deals_started=[play_pb2.DealStarted(board=n, events=bytes(n % 300)) for n in boards],
        deals_over=[play_pb2.DealOver(board=n, points=[n, 0]) for n in boards],
        turns=[play_pb2.Turn(decision=n, events=bytes(n % 300)) for n in decisions],
    )
    fast = turns_message(
        left_ms,
        slow.refused,
        [one.SerializeToString() for one in slow.deals_started],
        [one.SerializeToString() for one in slow.deals_over],
        [one.SerializeToString() for one in slow.turns],
    )
    assert fast == play_pb2.PlayResponse(turns=slow).SerializeToString()
