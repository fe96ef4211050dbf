"""The reconciler: what got lost on its way is sent again, and nothing else is."""

import os
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from workers.clearing import Clearing, Keep
from workers.reconcile import Policy, Reconciler
from workers.recorder import Recorder
from workers.store import Broker


@dataclass
class Sent:
    """A broker's sending side that only remembers."""

    down: tuple[type[Exception], ...] = (OSError,)
    played: list[str] = field(default_factory=list[str])
    recorded: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def play(self, match_id: str) -> None:
        """Remember it."""
        self.played.append(match_id)

    def record(self, match_id: str, fence: int) -> None:
        """Remember it."""
        self.recorded.append((match_id, fence))


@pytest.fixture
def sent() -> Sent:
    """Nothing sent yet."""
    return Sent()


@pytest.fixture
def reconciler(world: Any, client: Any, sent: Sent) -> Reconciler:
    """One that believes at once that a message is lost."""
    policy = Policy(sweep_s=0.01, resend_s=0.0, window=8, limits=world.limits)
    return Reconciler(world.store, Broker(client, "play"), sent, world.folders, policy)


@pytest.fixture
def made(world: Any) -> str:
    """A tournament of six matches; none is sent yet."""
    for name in ("ab", "cd", "ef", "gh"):
        world.add(name)
    return world.tournament("ab", "cd", "ef", "gh")


def test_a_new_tournament_is_begun(reconciler: Reconciler, sent: Sent, made: str) -> None:
    """Nobody sent its first messages: the reconciler does, once."""
    assert reconciler.round().topped_up == 6
    assert sent.played == [f"{made}.{number}" for number in range(1, 7)]


def test_lost_messages_are_sent_again(
    world: Any, reconciler: Reconciler, sent: Sent, made: str
) -> None:
    """Six matches wait and the broker holds nothing: all six messages are lost."""
    world.store.tournaments.fill(made, 99)
    assert reconciler.round().lost == 6
    assert sorted(sent.played) == [f"{made}.{number}" for number in range(1, 7)]


def test_only_as_many_as_are_missing_are_sent_again(
    world: Any, client: Any, reconciler: Reconciler, sent: Sent, made: str
) -> None:
    """Four messages are in the queue: two of six are lost, and the oldest are taken for these."""
    ids = world.store.tournaments.fill(made, 99)
    client.zadd("kb:sent", {match_id: number for number, match_id in enumerate(ids)})
    client.rpush("play", *"abcd")
    assert reconciler.round().lost == 2
    assert sent.played == ids[:2]


def test_a_message_in_a_workers_hands_is_not_lost(
    world: Any, client: Any, sent: Sent, made: str
) -> None:
    """Taken this moment and not claimed yet: it counts; one taken long ago does not, nor one that a
    worker with a wrong clock will have taken in an hour."""
    policy = Policy(sweep_s=1, resend_s=30.0, window=8, limits=world.limits)
    reconciler = Reconciler(world.store, Broker(client, "play"), sent, world.folders, policy)
    ids = world.store.tournaments.fill(made, 99)
    sent_ms = world.store.queue.now_ms() - 31_000
    client.zadd("kb:sent", {match_id: sent_ms + n for n, match_id in enumerate(ids)})
    client.rpush("play", *"abcd")
    taken = {"now": 0, "long ago": -3600, "in an hour": 3600}
    client.zadd("unacked_index", {name: time.time() + s for name, s in taken.items()})
    assert reconciler.round().lost == 1
    assert sent.played == ids[:1]


def test_resending_slows_down_by_match(world: Any, client: Any, sent: Sent, made: str) -> None:
    """A match whose message was just sent again waits; nobody is flooded."""
    policy = Policy(sweep_s=1, resend_s=30.0, window=8, limits=world.limits)
    reconciler = Reconciler(world.store, Broker(client, "play"), sent, world.folders, policy)
    world.store.tournaments.fill(made, 1)
    client.zadd("kb:sent", {f"{made}.1": world.store.queue.now_ms() - 31_000})
    assert reconciler.round().lost == 1
    client.zadd("kb:sent", {f"{made}.1": world.store.queue.now_ms() - 31_000})
    assert reconciler.round().lost == 0
    client.zadd("kb:sent", {f"{made}.1": world.store.queue.now_ms() - 61_000})
    assert reconciler.round().lost == 1


def test_a_message_that_came_ends_the_slowing_down(
    world: Any, client: Any, sent: Sent, made: str
) -> None:
    """A match whose messages got lost once is not slow to be sent again in its next attempt."""
    policy = Policy(sweep_s=1, resend_s=30.0, window=8, limits=world.limits)
    reconciler = Reconciler(world.store, Broker(client, "play"), sent, world.folders, policy)
    world.store.tournaments.fill(made, 1)

    def lost_after(seconds: int) -> int:
        client.zadd("kb:sent", {f"{made}.1": world.store.queue.now_ms() - 1000 * seconds})
        return reconciler.round().lost

    assert [lost_after(31), lost_after(31)] == [1, 0]
    fence = world.claim(f"{made}.1").fence
    world.store.matches.void(f"{made}.1", fence, "referee", world.limits)
    reconciler.round()
    assert [lost_after(31), lost_after(31)] == [1, 0]


def test_a_dead_lease_is_sent_again_in_the_same_round(
    world: Any, reconciler: Reconciler, sent: Sent, made: str
) -> None:
    """A worker that was killed costs its match a lease and a sweep, not more."""
    world.store.tournaments.fill(made, 1)
    world.claim(f"{made}.1", lease_ms=0)
    done = reconciler.round()
    assert (done.expired, done.due) == (1, 1)
    assert sent.played[0] == f"{made}.1"


def test_a_living_lease_is_left_alone(
    world: Any, reconciler: Reconciler, sent: Sent, made: str
) -> None:
    """What is being played is nobody's business."""
    world.store.tournaments.fill(made, 8)
    for number in range(1, 7):
        world.claim(f"{made}.{number}")
    assert not any(reconciler.round())
    assert sent.played == []


def test_a_sealed_match_is_recorded_in_the_end(
    world: Any, reconciler: Reconciler, sent: Sent, made: str
) -> None:
    """The message to the recorder got lost: it is sent again, with the fence."""
    world.store.tournaments.fill(made, 8)
    fence = world.seal(f"{made}.3")
    reconciler.round()
    assert sent.recorded == [(f"{made}.3", fence)]
    Recorder(world.store, world.folders, world.limits).record(f"{made}.3", fence)
    assert reconciler.round().unrecorded == 0


def test_a_match_that_kills_its_workers_ends(world: Any, reconciler: Reconciler, made: str) -> None:
    """After four leases in a row it is dead, with an alarm, and the others go on."""
    world.store.tournaments.fill(made, 8)
    for _ in range(4):
        world.claim(f"{made}.1", lease_ms=0)
        reconciler.round()
    assert world.store.matches.get(f"{made}.1").state == "dead"
    assert [(one.kind, one.match) for one in world.store.log.alarms(9)] == [("dead", f"{made}.1")]
    assert world.store.tournaments.get(made).state == "running"


def test_files_that_nobody_awaits_are_deleted(
    world: Any, reconciler: Reconciler, made: str
) -> None:
    """Replays of lost attempts and broken-off downloads go after a day; sealed ones stay."""
    world.store.tournaments.fill(made, 8)
    fence = world.seal(f"{made}.1")
    folder = world.folders.incoming_folder
    names = [f"{made}.1.{fence}.kbr", f"{made}.2.1.kbr", "x.kbr.part", f"{made}.1.9.refused"]
    names.append("bot-cup.1.1.kbr")  # called like what is no replay
    for name in names:
        (folder / name).touch()
        os.utime(folder / name, (0, time.time() - Keep().replays_s - 60))
    (folder / "fresh.kbr.part").touch()
    reconciler.round()
    left = {path.name for path in folder.iterdir()}
    assert left == {names[0], names[3], "fresh.kbr.part"}


def test_snapshots_that_were_never_finished_are_deleted(world: Any, reconciler: Reconciler) -> None:
    """What a killed worker had unpacked of a bot goes after a day; what is being unpacked stays."""
    old, fresh = world.folders.unfinished_snapshot(), world.folders.unfinished_snapshot()
    (old / "sdk").mkdir()
    (old / "sdk" / "run.py").touch()
    os.utime(old, (0, time.time() - Keep().replays_s - 60))
    reconciler.round()
    assert list(world.folders.incoming_folder.iterdir()) == [fresh]


def test_refused_replays_stay_as_long_as_logs(world: Any, made: str) -> None:
    """They are there for whoever looks into the alarm, and go with what the bots printed."""
    world.store.tournaments.fill(made, 8)
    folder, keep = world.folders.incoming_folder, Keep(logs_s=3600)
    old, fresh = [f"{made}.1.1.refused", f"{made}.2.1.conflict"], f"{made}.3.1.refused"
    for name in (*old, fresh):
        (folder / name).touch()
    for name in old:
        os.utime(folder / name, (0, time.time() - 3660))
    Clearing(world.store, world.folders, keep._replace(logs_s=0)).round()
    assert {path.name for path in folder.iterdir()} == {*old, fresh}
    Clearing(world.store, world.folders, keep).round()
    assert [path.name for path in folder.iterdir()] == [fresh]


def test_old_logs_of_bots_are_deleted(world: Any) -> None:
    """A match's logs go when its last attempt is long ago; the services' own logs stay."""
    keep = Keep(logs_s=3600)
    old, fresh = world.folders.log("t1.1", 1, 0, "ab"), world.folders.log("t1.2", 1, 0, "ab")
    for path in (old, fresh, world.folders.logs / "api.log", world.folders.logs / "other" / "x"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    for path in (old.parent, world.folders.logs / "api.log", world.folders.logs / "other"):
        os.utime(path, (0, time.time() - 3660))
    Clearing(world.store, world.folders, keep._replace(logs_s=0)).round()
    assert old.exists()
    Clearing(world.store, world.folders, keep).round()
    left = sorted(path.name for path in world.folders.logs.iterdir())
    assert left == ["api.log", "other", "t1.2"]


def test_what_a_killed_worker_was_writing_goes_with_its_lease(
    world: Any, reconciler: Reconciler, made: str
) -> None:
    """The replay that was coming in stays while its attempt runs, and is deleted after it."""
    world.store.tournaments.fill(made, 8)
    for number in (1, 2):
        fence = world.claim(f"{made}.{number}", lease_ms=60_000).fence
        (world.folders.incoming_folder / f"{made}.{number}.{fence}.abc.kbr.part").touch()
    world.store.matches.beat(f"{made}.1", 1, 0)
    reconciler.round()
    left = [path.name for path in world.folders.incoming_folder.iterdir()]
    assert left == [f"{made}.2.1.abc.kbr.part"]


def test_a_broker_that_is_away_is_waited_for(world: Any, client: Any, made: str) -> None:
    """The loop goes on, and sends when the broker is back."""
    stop = threading.Event()

    @dataclass
    class Away(Sent):
        failures: int = 2

        def play(self, match_id: str) -> None:
            """Fail twice."""
            if self.failures:
                self.failures -= 1
                raise OSError("broker is away")
            super().play(match_id)
            if len(set(self.played)) == 6:
                stop.set()

    away = Away()
    policy = Policy(sweep_s=0.001, resend_s=0.0, window=8, limits=world.limits)
    reconciler = Reconciler(world.store, Broker(client, "play"), away, world.folders, policy)
    limit = threading.Timer(20, stop.set)
    limit.start()
    reconciler.run(stop)
    limit.cancel()
    assert set(away.played) == {f"{made}.{number}" for number in range(1, 7)}
