"""Events, deals and results as records."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knockbox.v1 import cards_pb2, play_pb2, replay_pb2
from referee.rules.deal import Dealing, Outcome
from referee.rules.events import (
    DeclaredBigGin,
    Declined,
    Discarded,
    Drew,
    Event,
    Knocked,
    LaidOff,
    Reshuffled,
    Took,
)
from referee.rules.game import Game
from referee.rules.ruleset import PRESETS
from referee.wire.game_log import GameLog
from referee.wire.replay import (
    dealing_from_proto,
    end_word,
    event_from_proto,
    event_to_proto,
    game_result,
    outcome_to_proto,
    reason_word,
)

SEATS = st.integers(0, 3)
CARDS = st.integers(0, 51)
MELDS = st.lists(st.integers(0, 2**52 - 1), max_size=4).map(tuple)
PILES = st.lists(st.lists(CARDS, max_size=9).map(tuple), max_size=4).map(tuple)
LAYOFFS = st.lists(st.tuples(CARDS, st.integers(0, 11)), max_size=6).map(tuple)
EVENTS = st.one_of(
    st.builds(Declined, SEATS),
    st.builds(Took, SEATS, CARDS),
    st.builds(Drew, SEATS, CARDS),
    st.builds(Discarded, SEATS, CARDS),
    st.builds(Knocked, SEATS, CARDS, MELDS),
    st.builds(DeclaredBigGin, SEATS, MELDS),
    st.builds(LaidOff, SEATS, MELDS, LAYOFFS),
    st.builds(Reshuffled, SEATS, PILES),
)
DEALING = Dealing((0b11, 0b1100), 51, ((4, 5), (6,)), (0, 1))


def over(winner: int | None, points: tuple[int, ...], end: str = "knock") -> Outcome:
    """An outcome with these points."""
    return Outcome(end, "", winner, (3, 20), points, 0)


@given(event=EVENTS, note=st.text(max_size=50))
def test_events_come_back(event: Event, note: str) -> None:
    """Every event survives the way into bytes and back, its note beside it."""
    message = replay_pb2.Event.FromString(event_to_proto(event, note).SerializeToString())
    assert event == event_from_proto(message, 4)
    assert note == message.note


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (replay_pb2.Event(), "event: none is set"),
        (replay_pb2.Event(seat=2, declined={}), "seat: there is no seat 2"),
        (replay_pb2.Event(took={"card": 52}), "card: 52 is no card"),
        (replay_pb2.Event(drew={"card": 255}), "card: 255 is no card"),
        (replay_pb2.Event(discarded={"card": 2**32 - 1}), "card: 4294967295 is no card"),
        (replay_pb2.Event(knocked={"card": 99}), "card: 99 is no card"),
        (replay_pb2.Event(knocked={"melds": [2**52]}), "melds: a mask has bits beyond"),
        (replay_pb2.Event(declared_big_gin={"melds": [2**63]}), "melds: a mask has bits beyond"),
        (replay_pb2.Event(laid_off={"melds": [7, 2**60]}), "melds: a mask has bits beyond"),
        (replay_pb2.Event(laid_off={"layoffs": [{"card": 52}]}), "card: 52 is no card"),
        (replay_pb2.Event(reshuffled={"piles": [b"\x34"]}), "card: 52 is no card"),
    ],
)
def test_senseless_events_name_their_field(message: replay_pb2.Event, error: str) -> None:
    """A value that no card, seat or mask has is refused, and the field is named."""
    with pytest.raises(ValueError, match=error):
        event_from_proto(message, 2)


def test_dealings_come_back() -> None:
    """The cards of a deal survive; seat s draws from pile s."""
    log = GameLog(0, 0, 1)
    log.deal_started(1, 1, DEALING)
    game = log.over(Game(PRESETS["german"], 1), play_pb2.REASON_CRASH, (0,))
    assert dealing_from_proto(game.deals[0]) == DEALING


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"hands": [2**52]}, "hands: a mask has bits beyond"),
        ({"upcard": 52}, "upcard: 52 is no card"),
        ({"piles": [b"\x00", b"\x34"]}, "piles: there is a byte that is no card"),
    ],
)
def test_senseless_dealings_name_their_field(change: dict[str, Any], error: str) -> None:
    """Cards that are none are refused, and the field is named."""
    with pytest.raises(ValueError, match=error):
        dealing_from_proto(replay_pb2.DealRecord(**change))


def test_outcomes_are_said_whole() -> None:
    """Every end of a deal has its number; a void deal has no winner and no deadwood."""
    void = Outcome("void", "turn_cap", None, (), (0, 0), 1)
    assert outcome_to_proto(void) == replay_pb2.DealResult(
        end=cards_pb2.DEAL_END_VOID_TURN_CAP, points=[0, 0]
    )
    knock = outcome_to_proto(over(0, (17, 0)))
    assert knock.HasField("winner")
    assert (knock.winner, knock.deadwood, list(knock.points)) == (0, b"\x03\x14", [17, 0])
    for end in ("gin", "big_gin", "undercut"):
        assert end == end_word(outcome_to_proto(over(0, (17, 0), end)).end)


def test_a_log_is_a_record() -> None:
    """A game logged while it is played is a record of all of it, notes beside their events."""
    game = Game(PRESETS["spanish"], 1)
    log = GameLog(5, 1, 1)
    log.deal_started(1, 1, DEALING)
    log.event(Declined(0))
    log.event(Drew(0, 4), "why not")
    log.deal_over(over(1, (0, 60)))
    game.record(over(1, (0, 60)))
    log.deal_started(2, 0, DEALING)
    log.event(Took(1, 51))
    log.deal_over(over(1, (0, 40)))
    game.record(over(1, (0, 40)))
    record = log.over(game)
    assert (record.unit, record.leg, record.first_dealer) == (5, 1, 1)
    assert [(deal.number, deal.dealer) for deal in record.deals] == [(1, 1), (2, 0)]
    events = [[event_from_proto(event, 2) for event in deal.events] for deal in record.deals]
    assert [[Declined(0), Drew(0, 4)], [Took(1, 51)]] == events
    assert [event.note for event in record.deals[0].events] == ["", "why not"]
    assert record.result.reason == play_pb2.REASON_PLAYED
    assert (
        record.result.winner,
        list(record.result.totals),
        list(record.result.places),
    ) == (1, [0, 100], [2, 1])


def test_a_game_that_is_not_over_was_not_played() -> None:
    """A result "played" for an unfinished game is refused."""
    with pytest.raises(ValueError, match="not over"):
        game_result(Game(PRESETS["german"], 0), play_pb2.REASON_PLAYED)


@pytest.mark.parametrize(
    ("preset", "points", "faulty", "winner", "places"),
    [
        ("german", (90, 0), (0,), 1, [2, 1]),
        ("german", (0, 90), (0,), 1, [2, 1]),
        ("three_handed", (50, 70, 10), (1,), 0, [1, 3, 2]),
        ("three_handed", (0, 0, 0), (1,), None, [1, 3, 1]),
        ("three_handed", (50, 70, 10), (0, 1), 2, [2, 2, 1]),
        ("partnership", (90, 5), (2,), 1, [2, 1]),
        ("partnership", (90, 5), (0, 2), 1, [2, 1]),
    ],
)
def test_forfeits(
    preset: str,
    points: tuple[int, ...],
    faulty: tuple[int, ...],
    winner: int | None,
    places: list[int],
) -> None:
    """The side at fault is last whatever it had, the others stand by points; totals stay."""
    game = Game(PRESETS[preset], 0)
    game.record(Outcome("knock", "", points.index(max(points)), (), points, 1))
    result = game_result(game, play_pb2.REASON_TIME, faulty)
    assert result.counts
    assert winner == (result.winner if result.HasField("winner") else None)
    assert places == list(result.places)
    assert list(points) == list(result.totals) == list(result.points)
    assert list(faulty) == list(result.faulty_seats)


@pytest.mark.parametrize(
    "reason",
    [play_pb2.REASON_DOUBLE_FAULT, play_pb2.REASON_INFRA, play_pb2.REASON_WITHDRAWN],
)
def test_void_games(reason: play_pb2.Reason.ValueType) -> None:
    """What is nobody's fault, or everybody's, has no winner, no places, and does not count."""
    result = game_result(Game(PRESETS["german"], 0), reason, (0, 1))
    assert (result.counts, result.HasField("winner"), list(result.places)) == (False, False, [])


def test_words_of_reasons() -> None:
    """Reasons have the words that people read; a number that is none is refused."""
    assert reason_word(play_pb2.REASON_DOUBLE_FAULT) == "double_fault"
    assert end_word(cards_pb2.DEAL_END_VOID_STOCK) == "void_stock"
    with pytest.raises(ValueError, match="99 is no value"):
        reason_word(99)
