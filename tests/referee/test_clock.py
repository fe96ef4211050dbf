"""The clock machine, with moments handed in."""

from math import inf

import pytest

from referee.clock import ClockRules, Lag, SeatClock, Verdict

FINE, GAMES, LEG = Verdict.FINE, Verdict.GAMES, Verdict.LEG


def clock(bank: float = 10, increment: float = 0, cap: float = 5, games: int = 1) -> SeatClock:
    return SeatClock(ClockRules(bank, increment, cap, untimed=False), games)


def test_a_message_is_charged_once() -> None:
    """Thirty-two decisions answered in 3 s cost 3 s, not 96."""
    it = clock(bank=5, games=4)
    it.ask(100, 32)
    assert it.answer(103, 32) is FINE
    assert (it.left, it.used, it.slowest) == (17, 3, 3)


def test_the_slowest_messages_are_remembered() -> None:
    """The three slowest are kept, the slowest first, each with the deal that was asked first."""
    it = clock(bank=100)
    for number, spent in enumerate((2, 1, 4, 0.5, 3)):
        it.ask(10 * number, 2, 1, (number, 7))
        it.answer(10 * number + spent, 3)
    assert it.slow == [(4, 3, 2, 7), (3, 3, 4, 7), (2, 3, 0, 7)]


def test_a_message_may_take_a_cap_a_decision() -> None:
    """Three decisions may take three caps, and not a moment more."""
    it = clock(bank=100)
    it.ask(0, 3)
    assert it.due == 15
    assert it.lapse(14.9) is FINE
    assert it.lapse(15) is GAMES


def test_an_empty_bank_ends_the_message() -> None:
    """A message takes no more than the bank holds; the bank is never negative."""
    it = clock(bank=2)
    it.ask(0, 3)
    assert it.lapse(2.5) is GAMES
    assert it.left == 0


def test_the_increment_never_lifts_the_bank_above_its_start() -> None:
    """Each decision answered gives time back, up to what there was at the start."""
    it = clock(bank=10, increment=0.5)
    it.ask(0, 8)
    it.answer(3, 8)
    assert it.left == 10
    it.ask(10, 2)
    it.answer(14, 2)
    assert it.left == 7


def test_an_overrun_gains_nothing() -> None:
    """An answer that comes too late adds no increment to an empty bank."""
    it = clock(bank=2, increment=1)
    it.ask(0, 4)
    assert it.answer(3, 4) is GAMES
    assert it.left == 0


def test_all_thinking_is_bounded_by_twice_the_bank() -> None:
    """Increments cannot stretch a leg beyond two banks of thinking."""
    it = clock(bank=10, increment=100)
    now = 0.0
    for _ in range(4):
        it.ask(now, 1)
        assert it.answer(now + 4, 1) is FINE
        now += 100
    it.ask(now, 1)
    assert it.lapse(now + 4) is LEG


def test_what_comes_again_has_no_new_time() -> None:
    """A decision left out keeps what was left of its message's time."""
    it = clock(bank=100)
    it.ask(0, 2)
    it.answer(8, 1)
    it.ask(8, 0, again=1)
    assert it.due == 10
    it.answer(9, 0)
    it.ask(9, 1, again=1)
    assert it.due == 15


def test_a_repeated_decision_gets_its_own_cap_at_most() -> None:
    """What is left of a large message does not all go to the one decision that comes again."""
    it = clock(bank=100)
    it.ask(0, 10)
    it.answer(1, 9)
    it.ask(1, 0, again=1)
    assert it.due == 6


def test_a_late_answer_is_waited_for_once() -> None:
    """After the games are lost the answer is waited for as long again, then the leg is lost."""
    it = clock(bank=100)
    it.ask(0, 2)
    assert it.lapse(10) is GAMES
    assert it.late
    assert it.lapse(19) is FINE
    assert it.lapse(20) is LEG


def test_a_late_answer_in_time_ends_the_waiting() -> None:
    """The seat can be asked again once its late answer has come."""
    it = clock(bank=100)
    it.ask(0, 1)
    it.lapse(5)
    assert it.answer(7, 0) is FINE
    assert not it.late
    it.ask(8, 1)
    assert it.due == 13


def test_a_new_connection_gets_no_new_time() -> None:
    """Asking again what is still out counts the time since it was asked first."""
    it = clock(bank=100)
    it.ask(0, 1)
    it.ask(4, 0, again=1)
    assert it.due == 5
    assert it.used == 4


def test_a_new_connection_does_not_undo_a_lapse() -> None:
    """Who comes again when its time is up is late all the same, and is asked anew."""
    it = clock(bank=100)
    it.ask(0, 1)
    assert it.come_again(4) is FINE
    it.ask(4, 0, again=1)
    assert it.come_again(5) is GAMES
    assert (it.asked, it.late, it.used) == (None, False, 5)


def test_time_that_the_machine_took_is_not_the_bots() -> None:
    """Throttled time is taken off the message in which it happened, and off no other."""
    it = clock(bank=100)
    it.excuse(50)
    it.ask(0, 1)
    it.excuse(52)
    assert it.lapse(5) is FINE
    assert it.due == 7
    it.answer(6, 1)
    assert it.used == 4


def test_untimed_keeps_the_cap_alone() -> None:
    """Without a bank only the cap of a message ends it; without either nothing does."""
    it = SeatClock(ClockRules(0, 0, 5, untimed=True), 1)
    it.ask(0, 2)
    assert it.due == 10
    assert it.left_ms == 0
    free = SeatClock(ClockRules(0, 0, 0, untimed=True), 1)
    free.ask(0, 2)
    assert free.due == inf


@pytest.mark.parametrize(("late", "lost"), [(0.004, 0), (0.2, 0.2)])
def test_lag_counts_what_the_loop_kept_waiting(late: float, lost: float) -> None:
    """A beat within the slack is no delay; one beyond it counts in full, at once."""
    lag = Lag(interval=1, slack=0.005, now=0)
    assert lag.total(1 + late) == pytest.approx(lost)
    lag.beat(1 + late)
    assert lag.total(1.9) == pytest.approx(lost)
