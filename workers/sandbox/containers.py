"""Starts bots in containers, through the launcher's service: the worker's end of `launch.proto`.

Where the service or its engine is gone, or the image is no longer there, the bot is not to blame:
it is told as `infra`. Knows no engine.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import grpc.aio

from knockbox.v1 import launch_pb2, launch_pb2_grpc
from workers.sandbox.capture import Log
from workers.sandbox.launcher import Event, Exited, Output, Spec, Started

Call = grpc.aio.StreamStreamCall[launch_pb2.StartRequest, launch_pb2.StartResponse]


class ContainerLauncher:
    """Starts what it is told at the launcher's `address`, unix:///ABS/PATH."""

    sandboxed = True

    def __init__(self, address: str) -> None:
        self._address = address

    async def start(self, spec: Spec) -> "RunningContainer":
        """Order a container; what becomes of it is told by its events."""
        running = RunningContainer(self._address, spec)
        running.begin()
        return running


class RunningContainer:
    """One container from its order to the moment when nothing of it is left."""

    def __init__(self, address: str, spec: Spec) -> None:
        self._address = address
        self._spec = spec
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._call: Call | None = None
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Order it."""
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        """Until the call ends; whatever it ends with, Exited is the last event."""
        event: Event | None = None
        why = "the launcher has ended the call without a word"
        try:
            async with grpc.aio.insecure_channel(self._address) as channel:
                self._call = launch_pb2_grpc.LaunchServiceStub(channel).Start()
                await self._call.write(launch_pb2.StartRequest(launch=_launch(self._spec)))
                async for response in self._call:
                    event = _event(response)
                    self._events.put_nowait(event)
        except grpc.aio.AioRpcError as error:
            why = f"the launcher: {error.code().name}: {error.details()}"
        except asyncio.InvalidStateError as error:
            why = f"the launcher: {error}"
        if not isinstance(event, Exited):
            self._events.put_nowait(Output(Log(b"", b"", 0)))
            self._events.put_nowait(Exited(0, infra=True, why=why))

    async def events(self) -> AsyncIterator[Event]:
        """Started, Output, Exited; without Started where it could not be started."""
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, Exited):
                return

    async def stop(self, grace: float = 0.5) -> None:
        """Have it ended; returns when nothing of it is left, or nobody is there to ask."""
        if self._task is None or self._task.done():
            return
        if self._call is not None:
            stop = launch_pb2.StopContainer(grace_ms=round(grace * 1000))
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self._call.write(launch_pb2.StartRequest(stop=stop))
        await asyncio.shield(self._task)


def _launch(spec: Spec) -> launch_pb2.Launch:
    return launch_pb2.Launch(
        image=spec.image,
        address=spec.variables["KNOCKBOX_REFEREE"],
        ticket=spec.variables["KNOCKBOX_TICKET"],
        match_id=spec.match_id,
        attempt=spec.attempt,
        seats=spec.seats,
        longest_ms=round(spec.longest_s * 1000),
        memory=spec.memory,
    )


def _event(response: launch_pb2.StartResponse) -> Event:
    match response.WhichOneof("message"):
        case "started":
            return Started()
        case "output":
            output = response.output
            return Output(Log(output.head, output.tail, output.dropped))
        case _:
            told = response.exited
            return Exited(
                told.code,
                told.signal,
                told.memory,
                told.stopped,
                told.infra,
                why=told.why,
            )
