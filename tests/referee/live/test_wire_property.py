"""Whatever two bots do on their lines, the referee's counts are those of a plain model."""

import asyncio
from unittest.mock import patch

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from knockbox.v1 import play_pb2
from tests.referee.live.endings_script import doubled, illegal, no_choice, strange
from tests.referee.live.frozen import FrozenLoop, WatchedTable
from tests.referee.live.live_kit import greedy
from tests.referee.live.wire_chairs import STEP, Chair, Room

Action = play_pb2.Action
SEATS = st.integers(0, 1)
DISCARD = 3
MOST_STEPS = 30


def message(actions: list[Action]) -> bytes:
    return play_pb2.PlayRequest(actions=play_pb2.Actions(actions=actions)).SerializeToString()


REFUSED = {
    "garbage": lambda _: b"\xff\xff",
    "empty": lambda _: b"",
    "no actions": lambda _: message([]),
    "ready": lambda _: play_pb2.PlayRequest(ready={}).SerializeToString(),
    "too large": lambda _: message([Action(decision=1, note="x" * 3000)]),
    "illegal": lambda turns: message(illegal(turns)),
    "no choice": lambda turns: message(no_choice(turns)),
    "doubled": lambda turns: message(doubled(turns)),
}
"""Messages that are one strike; the last three need a question."""


class Wire(RuleBasedStateMachine):
    """Two seats at the first leg of a match, and what they may do there."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0
        self.runner = asyncio.Runner(loop_factory=FrozenLoop)
        self.room = Room()
        self.patched = patch("referee.match.Table", WatchedTable)
        self.patched.start()

    @initialize()
    def begin(self) -> None:
        self.runner.run(self.room.begin())

    @precondition(lambda self: not self.room.over)
    @rule(seat=SEATS)
    def connect(self, seat: int) -> None:
        self._do(self.room.connect(seat))

    @precondition(lambda self: not self.room.over)
    @rule(seat=SEATS)
    def disconnect(self, seat: int) -> None:
        # A seat that is asked while nobody is there is told later; the model cannot know of it.
        if self._asked(seat) and not self.room.chairs[seat].model.late:
            self._do(self.room.drop(seat))

    @precondition(lambda self: not self.room.over)
    @rule(seat=SEATS)
    def half_close(self, seat: int) -> None:
        if self._here(seat) and self._may_end():
            self._do(self.room.half_close(seat))

    @precondition(lambda self: not self.room.over)
    @rule(seats=st.sampled_from([[0], [1], [0, 1]]))
    def exit(self, seats: list[int]) -> None:
        if self._may_end():
            self._do(self.room.exit(seats))

    @precondition(lambda self: not self.room.over)
    @rule(seat=SEATS, data=st.data())
    def answer(self, seat: int, data: st.DataObject) -> None:
        if self._asked(seat):
            turns = self.room.chairs[seat].turns
            number = data.draw(st.integers(1, len(turns)))
            chosen = data.draw(st.permutations(turns))[:number]
            self._do(self.room.answer(seat, [greedy(turn) for turn in chosen]))

    @precondition(lambda self: not self.room.over)
    @rule(seat=SEATS, what=st.sampled_from(sorted(REFUSED)))
    def refused(self, seat: int, what: str) -> None:
        turns = self.room.chairs[seat].turns if self._asked(seat) else []
        if self._here(seat) and (turns or what not in ("illegal", "no choice", "doubled")):
            self._do(self._say(seat, REFUSED[what](turns), strikes=1))

    @precondition(lambda self: not self.room.over)
    @rule(seat=SEATS, number=st.integers(1, 12))
    def strange(self, seat: int, number: int) -> None:
        for _ in range(number):
            if self._here(seat) and not self.room.over:
                self._do(self._say(seat, message(strange([])), stale=1))

    @precondition(lambda self: not self.room.over)
    @rule(eighths=st.integers(1, 64))
    def think(self, eighths: int) -> None:
        time = min(eighths / 8, self._time_left() - 1 / 8)
        if time > 0:
            self.room.loop.now += time
            self._do(self.room.settle())

    @precondition(lambda self: not self.room.over)
    @rule()
    def lapse(self) -> None:
        if self._time_left() < 1e6:
            self._do(self._lapse())

    @precondition(lambda self: not self.room.over)
    @rule(seat=SEATS)
    def guess(self, seat: int) -> None:
        """A card from the other hand and one from the stock are refused in the same bytes."""
        chair = self.room.chairs[seat]
        if self._asked(seat) and not chair.model.late and chair.model.strikes <= 1:
            self.runner.run(self._guess(seat, chair))

    @precondition(lambda self: self.room.over)
    @rule()
    def rest(self) -> None:
        """The leg is over, and nothing more is asked."""
        self.room.check()

    def teardown(self) -> None:
        try:
            self.runner.run(self.room.end())
        finally:
            try:
                self.runner.run(self.room.close())
            finally:
                self.patched.stop()
                self.runner.close()

    def _do(self, work: object) -> None:
        self.steps += 1

        async def whole() -> None:
            await work  # type: ignore[misc]
            await self.room.settle()

        self.runner.run(whole())

    def _may_end(self) -> bool:
        """Nobody's time is nearly over, and something has happened that a fault could spoil."""
        return self.steps > MOST_STEPS // 3 and self._time_left() > 2 * STEP

    def _here(self, seat: int) -> bool:
        return self.room.chairs[seat].bot is not None

    def _asked(self, seat: int) -> bool:
        return self._here(seat) and self.room.chairs[seat].model.asked is not None

    def _time_left(self) -> float:
        """Seconds until a question lapses."""
        models = [chair.model for chair in self.room.chairs]
        dues = [model.asked + model.limit for model in models if model.asked is not None]
        return min(dues, default=1e9) - self.room.loop.now

    async def _say(self, seat: int, data: bytes, *, strikes: int = 0, stale: int = 0) -> None:
        model = self.room.chairs[seat].model
        if model.late:
            model.answer(self.room.loop.now, 0)
        elif strikes:
            model.strike()
            model.answer(self.room.loop.now, 0)
        elif stale:
            model.strange()
        await self.room.say(seat, data)
        await self.room.settle()

    async def _lapse(self) -> None:
        self.room.pass_time(self._time_left() + STEP)
        await self.room.passed()

    async def _guess(self, seat: int, chair: Chair) -> None:
        pending = self.room.table.leg.accounts[seat].pending
        turn = next((turn for turn in chair.turns if turn.phase == DISCARD), None)
        if turn is None:
            return
        theirs = pending[turn.decision].deal.hands[1 - seat]
        stock = ((1 << 52) - 1) & ~theirs & ~turn.hand
        answers = []
        for cards in (theirs, stock):
            card = (cards & -cards).bit_length() - 1
            action = Action(decision=turn.decision, discard={"card": card})
            await self._say(seat, message([action]), strikes=1)
            again = [one for one in chair.turns if one.decision == turn.decision]
            answers.append([one.SerializeToString() for one in (*chair.refused, *again)])
        assert answers[0] == answers[1]


def test_the_wire() -> None:
    """Clocks, strikes and stale answers are a model's; one result; nothing left, nothing told."""
    run_state_machine_as_test(
        Wire,
        settings=settings(
            max_examples=settings().max_examples // 2,
            stateful_step_count=MOST_STEPS,
            suppress_health_check=list(HealthCheck),
        ),
    )
