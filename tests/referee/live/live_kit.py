"""A real referee on unix sockets, a worker that hosts matches, and bots that speak raw bytes."""

import asyncio
import itertools
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import grpc
import structlog
from grpc import aio

from knockbox.v1 import cards_pb2, match_pb2, match_pb2_grpc, play_pb2, replay_pb2
from referee.deck import seed_secret
from referee.rules.ruleset import resolve
from referee.service import serve
from referee.settings import Settings
from referee.wire.rules import to_proto

Action = play_pb2.Action
SHORT = {
    "connect": 0.5,
    "grace": 0.4,
    "drain": 0.3,
    "progress": 0.2,
    "half_close": 0.05,
    "step": 0.02,
}
PATIENT = play_pb2.ClockSettings(bank_per_game_ms=5000, increment_ms=50, cap_ms=5000)


def greedy(turn: play_pb2.Turn) -> play_pb2.Action:
    """Keep the least deadwood, knock when it is allowed."""
    action, may = Action(decision=turn.decision), turn.options
    if turn.phase == cards_pb2.PHASE_LAYOFF:
        action.lay_off.SetInParent()
    elif turn.phase == cards_pb2.PHASE_DISCARD:
        cards = [card for card in range(52) if may.discards >> card & 1]
        best = min(zip(may.discard_deadwood, cards, strict=True))[1]
        (action.knock if may.knocks >> best & 1 else action.discard).card = best
    elif may.may_take and may.deadwood_if_taken < may.deadwood:
        action.take.SetInParent()
    elif may.may_decline:
        action.decline.SetInParent()
    else:
        action.draw.SetInParent()
    return action


class Bot:
    """One connection of a bot; everything is raw bytes underneath."""

    greedy = staticmethod(greedy)

    def __init__(self, door: match_pb2.SeatDoor) -> None:
        self.door = door
        self.channel = aio.insecure_channel(door.address)
        self.call: Any = self.channel.stream_stream("/knockbox.v1.PlayService/Play")()
        self.welcome = play_pb2.Welcome()
        self.over: play_pb2.MatchOver | None = None
        self.heard: list[play_pb2.PlayResponse] = []
        self.gone = False
        self._reading: asyncio.Future[Any] | None = None

    async def send(self, **message: Any) -> None:
        await self.raw(play_pb2.PlayRequest(**message).SerializeToString())

    async def raw(self, data: bytes) -> None:
        await self.call.write(data)

    async def next(self) -> play_pb2.PlayResponse | None:
        """The next message; None at the end of the stream."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(self.call.read())
        try:
            async with asyncio.timeout(10):
                # Shielded: whoever stops waiting for a message must not cancel the call with it.
                data = await asyncio.shield(self._reading)
        except aio.AioRpcError:
            data = aio.EOF
        self._reading = None
        if data is aio.EOF:
            return None
        response = play_pb2.PlayResponse.FromString(data)
        self.heard.append(response)
        if response.WhichOneof("message") == "match_over":
            self.over = response.match_over
        return response

    async def join(self, ticket: str | None = None, **ready: Any) -> "Bot":
        """Come as far as Ready."""
        ticket = self.door.ticket if ticket is None else ticket
        await self.send(join=play_pb2.Join(ticket=ticket, sdk="test", protocol=1))
        response = await self.next()
        assert response is not None
        self.welcome = response.welcome
        ready.setdefault("want_deadwood", True)
        await self.send(ready=play_pb2.Ready(**ready))
        return self

    async def turns(self) -> play_pb2.Turns:
        """The next message, which must be Turns."""
        response = await self.next()
        assert response is not None, await self.status()
        assert response.WhichOneof("message") == "turns", response
        return response.turns

    async def answer(self, actions: Iterable[play_pb2.Action]) -> None:
        await self.send(actions=play_pb2.Actions(actions=actions))

    async def play(
        self, policy: Callable[[play_pb2.Turn], play_pb2.Action] = greedy
    ) -> play_pb2.MatchOver:
        """Answer everything until MatchOver, then leave in good order."""
        while (response := await self.next()) is not None:
            if self.over is not None:
                await self.leave()
                return self.over
            await self.answer(policy(turn) for turn in response.turns.turns)
        raise AssertionError(f"no MatchOver: {await self.status()}")

    async def until_over(self) -> play_pb2.MatchOver:
        """Read, answer nothing, and leave after MatchOver."""
        while (await self.next()) is not None and self.over is None:
            pass
        assert self.over is not None, await self.status()
        await self.leave()
        return self.over

    async def leave(self) -> None:
        with suppress(aio.AioRpcError, asyncio.InvalidStateError):
            await self.call.done_writing()
            while await self.call.read() is not aio.EOF:
                pass
        await self.channel.close()

    async def drop(self) -> None:
        """Lose the connection without a word."""
        self.gone = True
        self.call.cancel()
        if self._reading is not None:
            await asyncio.gather(self._reading, return_exceptions=True)
        await self.channel.close()

    async def status(self) -> tuple[grpc.StatusCode, str]:
        return await self.call.code(), await self.call.details()


class Worker:
    """The worker's side of one attempt."""

    def __init__(self, kit: "Kit", opening: match_pb2.Open) -> None:
        self.opening = opening
        self.kit = kit
        self.call: Any = match_pb2_grpc.MatchServiceStub(kit.channel).HostMatch()
        self.said: list[match_pb2.HostMatchResponse] = []
        self.replay = b""
        self.reasons: list[list[int]] = []
        self.nonces: list[bytes] = []
        self.result: match_pb2.Result | None = None
        self._writing = asyncio.Lock()

    async def send(self, **message: Any) -> None:
        async with self._writing:
            await self.call.write(match_pb2.HostMatchRequest(**message))

    async def started(self, leg: int, *seats: int) -> None:
        for seat in seats:
            await self.send(seat_started=match_pb2.SeatStarted(leg=leg, seat=seat))

    async def exited(self, leg: int, seat: int, **how: Any) -> None:
        await self.send(seat_exited=match_pb2.SeatExited(leg=leg, seat=seat, **how))

    async def next(self, *kinds: str) -> match_pb2.HostMatchResponse:
        """The next message of one of these kinds; all are kept."""
        while True:
            async with asyncio.timeout(10):
                response = await self.call.read()
            assert response is not aio.EOF, (await self.call.code(), await self.call.details())
            kind = response.WhichOneof("message")
            self._keep(kind, response)
            if kind == "nonces" and kind not in kinds:
                await self.send(nonces_kept=match_pb2.NoncesKept())
            if kind in kinds:
                return response

    async def leg(self) -> tuple[match_pb2.SeatDoor, ...]:
        """Doors of the next leg."""
        return tuple((await self.next("leg_opened")).leg_opened.doors)

    async def leg_over(self) -> list[int]:
        """How the running leg has ended, by seat."""
        await self.next("leg_over")
        return self.reasons[-1]

    async def done(self) -> match_pb2.Result:
        """The result, and an end in good order."""
        response = await self.next("result")
        async with asyncio.timeout(10):
            assert await self.call.read() is aio.EOF
            assert await self.call.code() == grpc.StatusCode.OK
        return response.result

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """How the call ends when it ends without a result."""
        async with asyncio.timeout(10):
            with suppress(aio.AioRpcError):
                while await self.call.read() is not aio.EOF:
                    pass
            return await self.call.code(), await self.call.details()

    def _keep(self, kind: str | None, response: match_pb2.HostMatchResponse) -> None:
        self.said.append(response)
        if kind == "leg_over":
            self.reasons.append(list(response.leg_over.reasons))
        elif kind == "replay_chunk":
            self.replay += response.replay_chunk.data
        elif kind == "nonces":
            self.nonces = list(response.nonces.nonces)
        elif kind == "result":
            self.result = response.result


class Kit:
    """A running referee."""

    def __init__(self, settings: Settings, channel: aio.Channel) -> None:
        self.settings = settings
        self.channel = channel
        self.shutdown = asyncio.Event()
        self.workers: list[Worker] = []
        self._numbers = itertools.count(1)

    def opening(self, **fields: Any) -> match_pb2.Open:
        """An Open for a bot a seat; `rules` as in `resolve`; `clock`, `units`, `boards`."""
        units = fields.pop("units", 1)
        plan = replay_pb2.Plan(
            units=units,
            boards=fields.pop("boards", units),
            pairing=replay_pb2.PAIRING_UNITS,
            clock=fields.pop("clock", PATIENT),
        )
        rules = resolve(fields.pop("rules", "spanish_single"))
        fields.setdefault("match_id", f"m{next(self._numbers)}")
        fields.setdefault("fence", 1)
        fields.setdefault("secret", seed_secret("tests"))
        fields.setdefault("seeded", True)
        names = ("ann", "bob", "cyd", "dan")[: rules.players]
        bots = [replay_pb2.BotIdentity(name=name, version="sha256:0") for name in names]
        return match_pb2.Open(rules=to_proto(rules), plan=plan, bots=bots, **fields)

    async def host(self, **fields: Any) -> Worker:
        """Open an attempt."""
        opening = fields["opening"] if "opening" in fields else self.opening(**fields)
        worker = Worker(self, opening)
        self.workers.append(worker)
        with suppress(aio.AioRpcError, asyncio.InvalidStateError):
            await worker.send(open=worker.opening)
        return worker

    def sockets(self) -> list[Path]:
        """Everything that lies in the run folder."""
        return sorted(self.settings.run_dir.rglob("*"))


@asynccontextmanager
async def running(log_to: TextIO | None = None, **durations: Any) -> AsyncIterator[Kit]:
    """A referee with short durations; nothing may be left of it."""
    durations = {**SHORT, **durations}
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        control = f"unix://{folder}/c/s.sock"
        settings = Settings(control=control, run_dir=Path(folder, "r"), **durations)
        log = structlog.wrap_logger(
            structlog.PrintLogger(log_to),
            processors=[
                structlog.processors.format_exc_info,
                structlog.processors.KeyValueRenderer(),
            ],
        )
        ready = asyncio.Event()
        async with aio.insecure_channel(control) as channel:
            kit = Kit(settings, channel)
            serving = asyncio.create_task(serve(settings, kit.shutdown, ready.set, log))
            await asyncio.wait(
                [serving, asyncio.ensure_future(ready.wait())], return_when="FIRST_COMPLETED"
            )
            if serving.done():
                await serving
            try:
                yield kit
            finally:
                kit.shutdown.set()
                await serving
                for worker in kit.workers:
                    worker.call.cancel()
                assert kit.sockets() == []
