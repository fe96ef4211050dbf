"""DialService at the door: whose bots come online, and what is said to everybody else."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from arena.api.dialin import BUSY, REPLACED, Terms
from arena.api.door import UNKNOWN
from knockbox.v1 import arena_pb2
from knockbox.v1 import dial_pb2 as pb
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub
from knockbox.v1.dial_pb2_grpc import DialServiceStub
from tests.arena.network_kit import Door, opened, refused

Code = grpc.StatusCode


@contextmanager
def stub(door: Door, token: str) -> Iterator[DialServiceStub]:
    """The service, with a token."""
    with door.channel(token) as channel:
        yield DialServiceStub(channel)


def offers(service: DialServiceStub, bot: str = "afar", slots: int = 1) -> Any:
    """The stream of a bot's offers."""
    return service.Offers(pb.OffersRequest(bot=bot, slots=slots), timeout=20)


def test_only_the_owner_dials_in(door: Door) -> None:
    """No token, another's, a bot that is none of this kind, one that is not there."""
    ada = door.store.tokens.create("ada", "author")[1]
    bob = door.store.tokens.create("bob", "organiser")[1]
    door.store.bots.add("folder", f"sha256:{'0' * 64}", "ada")
    with stub(door, ada) as own, stub(door, bob) as other, stub(door, "kb1.ada.x") as wrong:
        first = own.AddDialBot(pb.AddDialBotRequest(name="afar"))
        again = own.AddDialBot(pb.AddDialBotRequest(name="afar"))
        assert (first.added, again.added, again.version) == (True, False, first.version)
        with door.channel(ada) as channel:
            shown = ArenaServiceStub(channel).GetBot(arena_pb2.GetBotRequest(name="afar")).bot
        assert shown.all_versions[0].added_ms == shown.added_ms > 0
        second = own.AddDialBot(pb.AddDialBotRequest(name="afar", revision="2"))
        assert (second.added, second.version != first.version) == (True, True)
        assert refused(lambda: next(offers(wrong))) == (Code.UNAUTHENTICATED, UNKNOWN)
        assert refused(lambda: next(offers(other)))[0] is Code.PERMISSION_DENIED
        taken = refused(lambda: other.AddDialBot(pb.AddDialBotRequest(name="afar")))
        assert taken[0] is Code.ALREADY_EXISTS
        assert refused(lambda: next(offers(own, "folder")))[0] is Code.FAILED_PRECONDITION
        assert refused(lambda: next(offers(own, "nobody")))[0] is Code.NOT_FOUND
        assert refused(lambda: next(offers(own, slots=0)))[0] is Code.INVALID_ARGUMENT
        here = offers(own)  # for as long as the call is held
        assert next(here).online.session
        stranger = pb.BeatDialRequest(bot="afar", session="no")
        assert refused(lambda: own.BeatDial(stranger)) == (Code.ABORTED, REPLACED)


def test_a_revoked_token_ends_what_is_open(door: Door) -> None:
    """Its agent is told at its next beat, and is not let in again."""
    ada = door.store.tokens.create("ada", "author")[1]
    with stub(door, ada) as own:
        own.AddDialBot(pb.AddDialBotRequest(name="afar"))
        session = next(offers(own)).online.session
        door.store.tokens.revoke("ada")
        beat = pb.BeatDialRequest(bot="afar", session=session)
        assert refused(lambda: own.BeatDial(beat)) == (Code.UNAUTHENTICATED, UNKNOWN)
        assert refused(lambda: next(offers(own))) == (Code.UNAUTHENTICATED, UNKNOWN)


def test_the_newest_agent_is_the_bots(arena_store: Any, tmp_path: Any, short_folder: Any) -> None:
    """Who was there before is told so, and does not come back by itself."""
    ada = arena_store.tokens.create("ada", "author")[1]
    serving = opened(arena_store, tmp_path, short_folder, dial=Terms(beat_s=0.2))
    with serving as door, stub(door, ada) as own:
        own.AddDialBot(pb.AddDialBotRequest(name="afar"))
        former = offers(own)
        next(former)
        newer = offers(own)
        next(newer)

        def rest() -> None:
            for _ in former:
                pass

        assert refused(rest) == (Code.ABORTED, REPLACED)


def test_a_crowd_of_agents(arena_store: Any, tmp_path: Any, short_folder: Any) -> None:
    """Many come at once: as many as there is room for are online, the others hear that they are to
    come later, all others are served as ever, and no beat is missed."""
    terms = Terms(streams=40, beat_s=0.2, lease_s=5.0, a_day=0)
    with opened(arena_store, tmp_path, short_folder, dial=terms) as door:
        ada = door.store.tokens.create("ada", "author")[1]
        with stub(door, ada) as own:
            names = [f"bot-{number}" for number in range(60)]
            for name in names:
                own.AddDialBot(pb.AddDialBotRequest(name=name))
            calls = [offers(own, name) for name in names]
            lines: dict[str, str] = {}
            turned_away: list[str] = []

            def come(name: str, call: Any) -> None:
                try:
                    lines[name] = next(call).online.session
                except grpc.RpcError as error:
                    assert isinstance(error, grpc.Call)
                    turned_away.append(error.details() or "")

            threads = [
                threading.Thread(target=come, args=pair) for pair in zip(names, calls, strict=True)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert (len(lines), turned_away) == (40, [BUSY] * 20)
            for name, session in lines.items():
                own.BeatDial(pb.BeatDialRequest(bot=name, session=session), timeout=5)
            assert sum(one.online for one in door.store.dial.agents(names).values()) == 40
            for call in calls:
                call.cancel()
