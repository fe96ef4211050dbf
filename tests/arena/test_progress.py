"""How far a tournament is, and how long it will take, in words."""

import pytest

from arena.cli import progress
from knockbox.v1 import arena_pb2 as pb


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0 s"),
        (59_400, "59 s"),
        (60_000, "1 min"),
        (3_600_000, "1 h"),
        (12_000_000, "3 h 20 min"),
        (43_260_000, "12 h"),
        (100_800_000, "1 day 4 h"),
        (8_640_000_000, "100 days"),
    ],
)
def test_a_time_in_words(ms: int, words: str) -> None:
    """Times are told in the unit that fits, the smaller one beside it while it says something."""
    assert progress.span(ms) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (40_000, 120_000, "40 s to 2 min"),
        (120_000, 300_000, "2 to 5 min"),
        (300_000, 310_000, "about 5 min"),
        (3_600_000, 12_000_000, "1 h to 3 h 20 min"),
    ],
)
def test_a_range_of_times(low: int, high: int, words: str) -> None:
    """A range names its unit once where both ends have the same."""
    assert progress.spans(low, high) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [(999, "999 B"), (1_234, "1.2 kB"), (640_000, "640 kB"), (25 * 10**14, "2,500 TB")],
)
def test_a_size_in_words(count: int, words: str) -> None:
    """Sizes are told in thousands."""
    assert progress.size(count) == words


def tournament(**fields: object) -> pb.Tournament:
    return pb.Tournament(
        **{"matches": 200, "recorded": 50, "state": pb.TOURNAMENT_STATE_RUNNING, **fields}  # pyright: ignore
    )


def test_the_time_left_becomes_less() -> None:
    """The estimate counts from the last record; before there is one, it is said to be coming."""
    assert progress.left(tournament()) == "time left: estimating"
    pace = pb.Forecast(low_ms=60_000, high_ms=120_000, matches=9, recorded_ms=1_000_000)
    running = tournament(forecast=pace)
    assert progress.left(running, 1_000_000) == "time left: 1 to 2 min"
    assert progress.left(running, 1_090_000) == "time left: 0 to 30 s"
    late = "time left: later than expected (no match was recorded for 2 min)"
    assert progress.left(running, 1_120_000) == late
    assert progress.left(tournament(state=pb.TOURNAMENT_STATE_PAUSED)) == ""


def test_the_bar_is_full_at_the_end_only() -> None:
    """What is void or given up is settled too; 199 of 200 are 99 per cent."""
    assert progress.bar(tournament(recorded=150, dead=40, voided=9)).endswith("░  99 %")
    assert progress.bar(tournament(recorded=200)) == "█" * progress.BAR + " 100 %"
    assert progress.bar(tournament(recorded=0)) == "░" * progress.BAR + "   0 %"
    assert progress.bar(tournament(recorded=198, running_millionths=2_000_000)).endswith("░  99 %")


def test_the_bar_moves_while_long_matches_are_played() -> None:
    """What is played of running matches counts as far as it has come."""
    half = tournament(matches=2, recorded=0, running_millionths=1_000_000)
    assert progress.bar(half).endswith("  50 %")


def test_what_happened_is_in_the_line() -> None:
    """Withdrawn bots, void matches, a pause and an end are told with the numbers."""
    told = progress.line(tournament(voided=3, withdrawn=["bob"], state=pb.TOURNAMENT_STATE_PAUSED))
    assert told == "50 of 200 matches, 3 void (withdrawn: bob), paused"
    assert progress.line(tournament(closed=True, voided=150)).endswith("150 void, closed")
