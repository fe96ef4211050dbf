"""LaunchService: the worker's call is one container; when the call ends, so does the container."""

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import grpc
from docker import DockerClient
from structlog.typing import FilteringBoundLogger

from knockbox.v1 import launch_pb2 as pb
from knockbox.v1 import launch_pb2_grpc
from workers.sandbox.launcher import Event, Exited, Output, Started
from workers.sandbox.service import engine, seats
from workers.sandbox.service.container import ENGINE_FAULTS, Container
from workers.sandbox.service.reaper import Hands, Reaper
from workers.sandbox.service.settings import Settings
from workers.sandbox.service.shares import Cores, Users
from workers.sandbox.service.template import Order, OrderError, Sandbox

NO_LAUNCH = "the first message is not Launch"
FULL = "{} containers run already; more are not started"
STOPPING = "the launcher is stopping"
SEATS_MOST = 4


class Launches(launch_pb2_grpc.LaunchServiceServicer):
    """Serves LaunchService with one engine, to any number of workers."""

    def __init__(
        self,
        settings: Settings,
        client: DockerClient,
        sandbox: Sandbox,
        cores: Cores,
        log: FilteringBoundLogger,
    ) -> None:
        self._settings = settings
        self._client = client
        self._sandbox = sandbox
        self._cores = cores
        self._users = Users()
        self._log = log
        self._starting = threading.BoundedSemaphore(settings.starts)
        self._running: set[Container] = set()
        self._stopping = False
        self.hands = Hands()
        self.reaper = Reaper(client, sandbox, self.hands, log)

    def Start(  # noqa: N802
        self, request_iterator: Iterator[pb.StartRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.StartResponse]:
        """One container, see launch.proto."""
        first = next(request_iterator, None)
        if first is None or first.WhichOneof("message") != "launch":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, NO_LAUNCH)
        if self._stopping:
            context.abort(grpc.StatusCode.UNAVAILABLE, STOPPING)
        if len(self.hands) >= self._settings.containers:
            most = self._settings.containers
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, FULL.format(most))
        try:
            order = self._order(first.launch)
            with self._container(order, first.launch.seats) as container:
                yield from self._run(container, request_iterator, context)
        except (OrderError, seats.SeatError) as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))

    def GetEngine(  # noqa: N802
        self,
        request: pb.GetEngineRequest,  # noqa: ARG002 - nothing to ask
        context: grpc.ServicerContext,
    ) -> pb.GetEngineResponse:
        """The engine; UNAVAILABLE where none answers."""
        try:
            return engine.facts(self._client, self._settings.runtime)
        except ENGINE_FAULTS as error:
            context.abort(grpc.StatusCode.UNAVAILABLE, f"no engine answers: {error}")

    def Reap(  # noqa: N802
        self,
        request: pb.ReapRequest,  # noqa: ARG002 - nothing to ask
        context: grpc.ServicerContext,
    ) -> pb.ReapResponse:
        """Remove leftovers now."""
        try:
            return pb.ReapResponse(removed=self.reaper.reap())
        except ENGINE_FAULTS as error:
            context.abort(grpc.StatusCode.UNAVAILABLE, f"no engine answers: {error}")

    def end(self) -> None:
        """Take no new order, and end every container; no bot is to blame for that."""
        self._stopping = True
        for container in list(self._running):
            container.stop(why=STOPPING)

    def _order(self, launch: pb.Launch) -> Order:
        """What fits into the template. Raises SeatError."""
        settings = self._settings
        longest = settings.longest
        if launch.longest_ms:
            longest = min(longest, launch.longest_ms / 1000)
        return Order(
            image=launch.image,
            folder=seats.folder_of(launch.address, settings.seats),
            ticket=launch.ticket,
            match_id=launch.match_id,
            attempt=launch.attempt,
            deadline=int(time.time() + longest) + 1,
            memory=min(settings.memory, launch.memory or settings.memory),
        )

    @contextmanager
    def _container(self, order: Order, seats_at_once: int) -> Iterator[Container]:
        """A container with a user and, maybe, a processor of its own. Raises OrderError."""
        name = f"knockbox-{secrets.token_hex(8)}"
        match = f"{order.match_id}/{order.attempt}"
        core = self._cores.take(match, min(max(1, seats_at_once), SEATS_MOST))
        user = self._users.take()
        self.hands.take(name)
        try:
            own = order._replace(user=user, core=core)
            container = Container(self._client, self._sandbox, own, name, self._starting)
            self._running.add(container)
            try:
                yield container
            finally:
                self._running.discard(container)
        finally:
            self.hands.drop(name)
            self._users.give(user)
            self._cores.give(match, core)

    def _run(
        self,
        container: Container,
        requests: Iterator[pb.StartRequest],
        context: grpc.ServicerContext,
    ) -> Iterator[pb.StartResponse]:
        if not context.add_callback(container.stop):
            return  # the call has ended already
        listening = threading.Thread(target=_listen, args=(requests, container), daemon=True)
        listening.start()
        for event in container.events():
            if isinstance(event, Exited) and event.infra:
                self._log.warning("failed", why=event.why)
            yield _told(event)


def _listen(requests: Iterator[pb.StartRequest], container: Container) -> None:
    """Hear what the worker still says, until the call ends."""
    try:
        for request in requests:
            if request.WhichOneof("message") == "stop":
                container.stop(request.stop.grace_ms / 1000)
    except Exception:  # noqa: BLE001 - gRPC raises a bare Exception where a call is cancelled
        container.stop()


def _told(event: Event) -> pb.StartResponse:
    match event:
        case Started():
            return pb.StartResponse(started=pb.ContainerStarted())
        case Output(log):
            output = pb.ContainerOutput(head=log.head, tail=log.tail, dropped=log.dropped)
            return pb.StartResponse(output=output)
        case Exited():
            exited = pb.ContainerExited(
                code=event.code,
                signal=event.signal,
                memory=event.memory,
                stopped=event.stopped,
                infra=event.infra,
                why=event.why,
            )
            return pb.StartResponse(exited=exited)
