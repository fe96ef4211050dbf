"""Watching a tournament while the arena's API comes and goes."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from arena.cli import watching
from arena.cli.errors import CommandError, Exit
from arena.local import state
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import arena_pb2_grpc

RUNNING, OVER = pb.TOURNAMENT_STATE_RUNNING, pb.TOURNAMENT_STATE_OVER
Script = Callable[[grpc.ServicerContext], Iterator[pb.WatchTournamentResponse]]


class ScriptedApi(arena_pb2_grpc.ArenaServiceServicer):
    """Answers each watching by the next script."""

    def __init__(self, scripts: list[Script]) -> None:
        self.scripts = scripts

    def WatchTournament(  # noqa: N802 - the service's name
        self, request: pb.WatchTournamentRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.WatchTournamentResponse]:
        yield from self.scripts.pop(0)(context)


def told(recorded: int, where: "pb.TournamentState.ValueType") -> pb.WatchTournamentResponse:
    tournament = pb.Tournament(tournament_id="t1", recorded=recorded, state=where)
    return pb.WatchTournamentResponse(tournament=tournament)


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Callable[..., int]]:
    """An arena that is said to live in tmp_path, with an API of scripts; its lock."""
    servers: list[grpc.Server] = []

    def start(*scripts: Script) -> int:
        server = grpc.server(ThreadPoolExecutor(2))
        service = ScriptedApi(list(scripts))  # pyright: ignore[reportAbstractUsage]
        arena_pb2_grpc.add_ArenaServiceServicer_to_server(service, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        servers.append(server)
        lock = state.lock(tmp_path)
        assert lock is not None
        found = state.ArenaState(
            pid=1,
            version="",
            data=str(tmp_path),
            api=f"127.0.0.1:{port}",
            runtime="",
            control="",
            redis_url="",
            store="",
            started=0,
        )
        state.write(tmp_path, found)
        return lock

    yield start
    for server in servers:
        server.stop(None).wait()


def test_a_restart_of_the_api_is_not_seen(arena: Callable[..., int], tmp_path: Path) -> None:
    """An API that ends, refuses for a while and comes again is watched on to the very end."""

    def first(_: grpc.ServicerContext) -> Iterator[pb.WatchTournamentResponse]:
        yield told(1, RUNNING)

    def away(context: grpc.ServicerContext) -> Iterator[pb.WatchTournamentResponse]:
        context.abort(grpc.StatusCode.UNAVAILABLE, "the store does not answer: …")
        yield told(0, RUNNING)

    def last(_: grpc.ServicerContext) -> Iterator[pb.WatchTournamentResponse]:
        yield told(2, OVER)

    arena(first, away, last)
    seen = [one.tournament.recorded for one in watching.states(tmp_path, "t1", pause=0)]
    assert seen == [1, 2]


def test_the_end_of_the_arena_is_told(arena: Callable[..., int], tmp_path: Path) -> None:
    """When the arena ends before the tournament, that is said, with exit code 4."""
    ended = threading.Event()

    def until_down(_: grpc.ServicerContext) -> Iterator[pb.WatchTournamentResponse]:
        yield told(1, RUNNING)
        ended.wait()

    lock = arena(until_down)
    states = watching.states(tmp_path, "t1", pause=0)
    assert next(states).tournament.recorded == 1
    os.close(lock)
    ended.set()
    with pytest.raises(CommandError, match="goes on after `knockbox up`") as caught:
        next(states)
    assert caught.value.code is Exit.UNREACHABLE


def test_an_api_that_stays_away(arena: Callable[..., int], tmp_path: Path) -> None:
    """An API that does not come again is waited for so long, then told in words of our own."""

    def away(context: grpc.ServicerContext) -> Iterator[pb.WatchTournamentResponse]:
        context.abort(grpc.StatusCode.UNAVAILABLE, "failed to connect to all addresses")
        yield told(0, RUNNING)

    arena(away, away, away)
    with pytest.raises(CommandError) as caught:
        list(watching.states(tmp_path, "t1", patience=0, pause=0))
    assert str(caught.value) == "the arena does not answer; `knockbox status` says why"
    assert caught.value.code is Exit.UNREACHABLE


def test_a_refusal_is_final(arena: Callable[..., int], tmp_path: Path) -> None:
    """What the arena refuses is not asked again."""

    def refuse(context: grpc.ServicerContext) -> Iterator[pb.WatchTournamentResponse]:
        context.abort(grpc.StatusCode.NOT_FOUND, "no tournament 't1'")
        yield told(0, RUNNING)

    arena(refuse)
    with pytest.raises(CommandError, match="no tournament 't1'") as caught:
        list(watching.states(tmp_path, "t1", pause=0))
    assert caught.value.code is Exit.FAILURE
