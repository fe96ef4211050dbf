"""A network address under load: whoever does too much there harms nobody else."""

import socket
import ssl
import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from arena.api.dialin import Terms
from arena.api.door import UNKNOWN
from arena.local.tls import NAME
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import dial_pb2, submissions_pb2
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub
from knockbox.v1.dial_pb2_grpc import DialServiceStub
from referee.rules.ruleset import resolve
from referee.wire.rules import to_proto
from tests.arena.network_kit import Door, opened, until

Code = grpc.StatusCode
DIAL = Terms(streams=16, each=8, beat_s=0.2)


@pytest.fixture
def crowded(arena_store: Any, tmp_path: Any, short_folder: Any) -> Iterator[Door]:
    """An API with little room, which hangs up soon on who says nothing."""
    with opened(arena_store, tmp_path, short_folder, dial=DIAL, handshake_s=0.2) as door:
        yield door


def code_of(call: Any) -> Code:
    """With what a call ends."""
    with pytest.raises(grpc.RpcError) as error:
        for _ in call:
            pass
    return error.value.code()


@pytest.mark.parametrize(
    "method",
    [
        "/knockbox.v1.DialService/Offers",
        "/knockbox.v1.DialService/BeatDial",
        "/knockbox.v1.ArenaService/WatchTournament",
        "/grpc.health.v1.Health/Watch",
    ],
)
def test_silent_calls_shut_nobody_out(crowded: Door, method: str) -> None:
    """One author opens more calls than there is room for, and says nothing: others are served."""
    eve = crowded.store.tokens.create("eve", "author")[1]
    ada = crowded.store.tokens.create("ada", "author")[1]
    speak = threading.Event()

    def nothing() -> Iterator[bytes]:
        speak.wait()
        yield b""

    with crowded.channel(eve) as hers, crowded.channel(ada) as other:
        calls = [hers.stream_stream(method)(nothing()) for _ in range(150)]
        try:
            until(lambda: sum(call.is_active() for call in calls) <= 2 * DIAL.each)
            assert ArenaServiceStub(other).GetStatus(pb.GetStatusRequest(), timeout=5)
        finally:
            for call in calls:
                call.cancel()
            speak.set()


def test_one_author_does_not_take_all_the_room(door: Door, ada: str) -> None:
    """Calls that say nothing count too: beyond so many the author is turned away, others are
    served; where they end, there is room again."""
    silent = threading.Event()

    def nothing() -> Iterator[submissions_pb2.SendUploadRequest]:
        silent.wait()
        yield submissions_pb2.SendUploadRequest()

    with door.channel(ada) as channel:
        stub = ArenaServiceStub(channel)
        asked = submissions_pb2.BeginUploadRequest(bot="slip", digest=f"sha256:{'0' * 64}", size=1)
        calls_open = [stub.SendUpload.future(nothing()) for _ in range(24)]

        def turned_away() -> bool:
            try:
                stub.BeginUpload(asked)
            except grpc.RpcError as error:
                assert isinstance(error, grpc.Call)
                return error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            return False

        until(turned_away)
        with door.channel(door.store.tokens.create("bob", "author")[1]) as other:
            assert ArenaServiceStub(other).GetStatus(pb.GetStatusRequest()).version
        for call in calls_open:
            call.cancel()
        silent.set()
        until(lambda: not turned_away())


def test_a_revoked_token_ends_what_it_has_open(crowded: Door) -> None:
    """An upload under way, a tournament that is watched, and an agent."""
    text = crowded.store.tokens.create("bob", "author")[1]
    for number, name in enumerate(("one", "two")):
        crowded.store.bots.add(name, f"sha256:{number:064}", "ada")
    rules = to_proto(resolve("danish"))
    boss = crowded.store.tokens.create("boss", "organiser")[1]
    with crowded.channel(boss) as channel:
        request = pb.CreateTournamentRequest(bots=["one", "two"], rules=rules, units=1)
        made = ArenaServiceStub(channel).CreateTournament(request).tournament
    revoked = threading.Event()

    def parts() -> Iterator[submissions_pb2.SendUploadRequest]:
        yield submissions_pb2.SendUploadRequest(bot="slip", digest=f"sha256:{'0' * 64}", data=b"x")
        revoked.wait()
        yield submissions_pb2.SendUploadRequest(data=b"y")

    with crowded.channel(text) as channel:
        arena, dial = ArenaServiceStub(channel), DialServiceStub(channel)
        begin = submissions_pb2.BeginUploadRequest(bot="slip", digest=f"sha256:{'0' * 64}", size=2)
        arena.BeginUpload(begin)
        dial.AddDialBot(dial_pb2.AddDialBotRequest(name="afar"))
        agent = dial.Offers(dial_pb2.OffersRequest(bot="afar", slots=1), timeout=20)
        assert next(agent).online.session
        watching = pb.WatchTournamentRequest(tournament_id=made.tournament_id)
        watched = arena.WatchTournament(watching, timeout=20)
        assert next(watched)
        upload = arena.SendUpload.future(parts())
        crowded.store.tokens.revoke("bob")
        revoked.set()
        assert (upload.code(), upload.details()) == (Code.UNAUTHENTICATED, UNKNOWN)
        assert code_of(watched) is Code.UNAUTHENTICATED
        assert code_of(agent) is Code.UNAUTHENTICATED


def test_what_is_no_message(crowded: Door) -> None:
    """Bytes that do not parse, and a message that is too large, are refused as the caller's."""
    text = crowded.store.tokens.create("ada", "author")[1]
    with crowded.channel(text) as channel:
        call = channel.stream_stream("/knockbox.v1.ArenaService/GetBot")
        assert code_of(call(iter([b"\xff"]))) is Code.INVALID_ARGUMENT
        assert code_of(call(iter([bytes(3 << 20)]))) is Code.RESOURCE_EXHAUSTED


def test_who_connects_and_says_nothing_is_hung_up_on(crowded: Door) -> None:
    """A connection without TLS is closed after a while, one with it lives."""
    host, _, port = crowded.address.rpartition(":")
    with socket.create_connection((host, int(port))) as silent:
        silent.settimeout(10)
        while silent.recv(1024):
            pass
    context = ssl.create_default_context(cafile=str(crowded.certificate.certificate))
    context.set_alpn_protocols(["h2"])
    with (
        socket.create_connection((host, int(port))) as plain,
        context.wrap_socket(plain, server_hostname=NAME) as secure,
    ):
        assert secure.selected_alpn_protocol() == "h2"
