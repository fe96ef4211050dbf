"""Two scripted bots, their models, and a referee on frozen time: what the property test moves."""

import asyncio
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
from grpc import aio

from knockbox.v1 import match_pb2, play_pb2
from referee.replay import Replay
from tests.referee.live.endings_stage import check_words, read
from tests.referee.live.frozen import FrozenLoop, FrozenReferee, WatchedTable, until
from tests.referee.live.live_kit import Bot, Kit, Worker, greedy
from tests.referee.live.wire_model import BANK, CAP, INCREMENT, SeatModel

GAMES, RECONNECTS = 3, 6
STEP, HALF_CLOSE, GRACE = 0.25, 0.0625, 64.0
CLOCK = play_pb2.ClockSettings(
    bank_per_game_ms=int(BANK * 1000), cap_ms=int(CAP * 1000), increment_ms=int(INCREMENT * 1000)
)
RULES = {"preset": "danish", "target": 10}


class Chair:
    """One seat of one leg, its bot and its model."""

    def __init__(self, door: match_pb2.SeatDoor) -> None:
        self.door = door
        self.model = SeatModel(GAMES, RECONNECTS)
        self.bot: Bot | None = None
        self.bots: list[Bot] = []
        self.told = 0
        self.turns: list[play_pb2.Turn] = []
        self.refused: list[play_pb2.Refused] = []
        self.over: play_pb2.MatchOver | None = None
        self.readers: list[asyncio.Task[None]] = []


class Room:
    """The running match. All waiting is for what the referee has done, never for time."""

    async def begin(self) -> None:
        """Start the referee, open the match, and go to the first leg."""
        WatchedTable.made = []
        self.loop: Any = asyncio.get_running_loop()
        assert isinstance(self.loop, FrozenLoop)
        self.folder = tempfile.TemporaryDirectory(prefix="kb")
        self.referee = FrozenReferee(
            Path(self.folder.name),
            connect=1e6,
            grace=GRACE,
            step=STEP,
            half_close=HALF_CLOSE,
            handshake=1e6,
            progress=1e6,
            reconnects=RECONNECTS,
        )
        await self.referee.start()
        self.channel = aio.insecure_channel(self.referee.settings.control)
        kit = Kit(self.referee.settings, self.channel)
        self.worker: Worker = await kit.host(rules=RULES, units=GAMES, clock=CLOCK)
        self.listening = asyncio.ensure_future(self._listen())
        self.models: list[SeatModel] = []
        await self.sit(0)

    async def sit(self, leg: int) -> None:
        """Wait for a leg, and connect both bots."""
        await until(lambda: len(self.opened()) > leg or self.listening.done())
        self.leg = leg
        self.chairs = [Chair(door) for door in self.opened()[leg].doors]
        self.models += [chair.model for chair in self.chairs]
        self.table = WatchedTable.made[-1]
        for seat in range(2):
            await self.connect(seat)
        await until(lambda: self.table.told(0) + self.table.told(1) > 0)
        await self.settle()

    def opened(self) -> list[match_pb2.LegOpened]:
        """The legs so far."""
        return [said.leg_opened for said in self.worker.said if said.HasField("leg_opened")]

    @property
    def over(self) -> bool:
        """The leg is over."""
        return self.table.over.done()

    async def connect(self, seat: int) -> None:
        """A new connection, as far as Ready, in place of the present one."""
        chair, before = self.chairs[seat], self.table.calls["connected", seat]
        chair.model.connect()
        former, bot = chair.bot, Bot(chair.door)
        chair.bots.append(bot)
        chair.bot, chair.told = bot, 0
        chair.readers.append(asyncio.ensure_future(self._read(chair, bot)))
        await bot.send(join=play_pb2.Join(ticket=chair.door.ticket, protocol=1))
        await bot.send(ready=play_pb2.Ready(want_deadwood=True))
        chair.model.answer(self.loop.now, 0)
        await until(lambda: self.table.calls["connected", seat] > before)
        if former is not None and not former.gone:
            await until(former.call.done)
            assert await former.call.code() == grpc.StatusCode.ABORTED

    async def drop(self, seat: int) -> None:
        """Lose the connection."""
        chair = self.chairs[seat]
        assert chair.bot is not None
        await chair.bot.drop()
        chair.bot = None
        await until(lambda: not self.table.lines[seat].ready)

    async def half_close(self, seat: int) -> None:
        """Say goodbye."""
        chair = self.chairs[seat]
        assert chair.bot is not None
        before = self.loop.waits[HALF_CLOSE]
        await chair.bot.call.done_writing()
        await until(lambda: self.loop.waits[HALF_CLOSE] > before)
        self.loop.now += HALF_CLOSE
        await until(lambda: self.table.calls["hung_up", seat] > 0)
        chair.model.fail(play_pb2.REASON_CRASH, whole_leg=True)

    async def exit(self, seats: list[int]) -> None:
        """The worker says that programs have ended."""
        for seat in seats:
            await self.worker.exited(self.leg, seat, code=1)
            self.chairs[seat].model.fail(play_pb2.REASON_CRASH, whole_leg=True)
        await until(lambda: all(self.table.calls["exited", seat] for seat in seats))

    async def say(self, seat: int, data: bytes) -> None:
        """Send a message, and wait until it has been judged."""
        chair, before = self.chairs[seat], self.table.calls["heard", seat]
        assert chair.bot is not None
        await chair.bot.raw(data)
        await until(lambda: self.table.calls["heard", seat] > before)

    async def settle(self) -> None:
        """Let faults be judged, and every question arrive; then the models must be right."""
        if any(chair.model.whole_leg for chair in self.chairs) and not self.over:
            self.pass_time(STEP)
            await until(lambda: self.over)
        await until(lambda: self.table.at_rest)
        for seat, chair in enumerate(self.chairs):
            if self.over and chair.bot is not None and not chair.bot.call.done():
                await until(lambda chair=chair: chair.over is not None)
            elif chair.bot is not None and not self.over:
                await until(lambda c=chair, s=seat: c.told == self.table.told(s))
        self.check()

    def pass_time(self, seconds: float) -> None:
        """Move the clock to a moment at which the referee looks at it."""
        self.loop.now += seconds
        for chair in self.chairs:
            model = chair.model
            if model.asked is not None and self.loop.now >= model.asked + model.limit:
                model.lapse(self.loop.now)

    async def passed(self) -> None:
        """Wait until the referee has seen that time is over for whoever the models say."""
        await until(
            lambda: (
                self.over
                or all(
                    (clock.asked, clock.late) == (chair.model.asked, chair.model.late)
                    for clock, chair in zip(self.table.clocks, self.chairs, strict=True)
                )
            )
        )

    def check(self) -> None:
        """Clocks and counts of the referee are those of the models."""
        for seat, chair in enumerate(self.chairs):
            model, clock, account = (
                chair.model,
                self.table.clocks[seat],
                self.table.leg.accounts[seat],
            )
            assert (account.strikes, account.stale) == (model.strikes, model.stale)
            assert (clock.left, clock.used) == (model.left, model.used)
            if not self.over:
                assert (clock.asked, clock.late) == (model.asked, model.late)
                assert clock.asked is None or clock.due == clock.asked + model.limit
                assert clock.left >= 0

    async def play_on(self) -> None:
        """Play the leg to its end."""
        for seat, chair in enumerate(self.chairs):
            if not self.over and chair.bot is None:
                await self.connect(seat)
                await self.settle()
        while not self.over:
            assert any(chair.model.asked is not None for chair in self.chairs)
            for seat, chair in enumerate(self.chairs):
                if not self.over and chair.model.asked is not None:
                    await self.answer(seat, [greedy(turn) for turn in chair.turns])

    async def answer(self, seat: int, actions: list[play_pb2.Action]) -> None:
        """Answers that are all good; too late, they count for nothing."""
        model = self.chairs[seat].model
        message = play_pb2.PlayRequest(actions=play_pb2.Actions(actions=actions))
        model.answer(self.loop.now, 0 if model.late else len(actions))
        await self.say(seat, message.SerializeToString())
        await self.settle()

    async def end(self) -> None:
        """Play to the end of the match; there is one result, and nothing is left."""
        await self.play_on()
        await self._leave()
        await self.sit(1)
        await self.play_on()
        await self._leave()
        await until(self.listening.done)
        await self.listening
        kinds = [said.WhichOneof("message") for said in self.worker.said]
        assert (kinds.count("result"), kinds[-1], kinds.count("leg_over")) == (1, "result", 2)
        assert await self.worker.call.code() == grpc.StatusCode.OK
        self._check_record(read(self.worker.replay))

    async def close(self) -> None:
        """Take everything down; nothing may be left of it."""
        self.worker.call.cancel()
        await self.channel.close()
        await self.referee.stop()
        await until(lambda: not list(self.referee.settings.run_dir.rglob("*")))
        own = asyncio.current_task()
        await until(lambda: asyncio.all_tasks() <= {own})
        self.folder.cleanup()

    def _check_record(self, replay: Replay) -> None:
        for model, clock in zip(self.models, replay.side.clocks, strict=True):
            assert clock.used_ms == int(model.used * 1000)
            assert (clock.strikes, clock.stale) == (model.strikes, model.stale)
            assert clock.connections == model.connections

    async def _leave(self) -> None:
        """See how the leg ended, and go; who does not is shown the door after the grace."""
        self.check()
        for chair in self.chairs:
            assert chair.over is None or chair.over.reason == chair.model.reason
            for bot in chair.bots:
                with suppress(aio.AioRpcError, asyncio.InvalidStateError):
                    if not bot.gone:
                        await bot.call.done_writing()
        await until(lambda: len(self.worker.reasons) > self.leg)
        assert self.worker.reasons[self.leg] == [chair.model.reason for chair in self.chairs]
        for chair in self.chairs:
            for bot in chair.bots:
                if not bot.gone:
                    await until(bot.call.done)
                    await check_words(bot)
                    await bot.channel.close()
            await asyncio.gather(*chair.readers)

    async def _listen(self) -> None:
        with suppress(aio.AioRpcError, asyncio.CancelledError):
            while (response := await self.worker.call.read()) is not aio.EOF:
                self.worker._keep(response.WhichOneof("message"), response)

    async def _read(self, chair: Chair, bot: Bot) -> None:
        with suppress(aio.AioRpcError, asyncio.CancelledError):
            while (data := await bot.call.read()) is not aio.EOF:
                response = play_pb2.PlayResponse.FromString(data)
                kind = response.WhichOneof("message")
                if kind == "match_over":
                    chair.over = response.match_over
                elif kind == "turns":
                    chair.told += 1
                    chair.turns = list(response.turns.turns)
                    chair.refused = list(response.turns.refused)
                    chair.model.ask(self.loop.now, {turn.decision for turn in chair.turns})
