"""Attempts as the worker sees them: opening, evicting, stopping, and what is left."""

import asyncio
import stat
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from knockbox.v1 import match_pb2, play_pb2, replay_pb2
from referee.doors import SocketPathError, check_path
from referee.service import ServeError, serve
from referee.settings import Settings

pytestmark = pytest.mark.anyio
INVALID = grpc.StatusCode.INVALID_ARGUMENT


def wrong(opening: match_pb2.Open, field: str) -> None:
    """Spoil one field."""
    match field:
        case "match_id":
            opening.match_id = "../x"
        case "fence":
            opening.fence = 0
        case "rules":
            opening.rules.turn_cap = 0
        case "plan.units":
            opening.plan.units = 1025
        case "plan.boards":
            opening.plan.boards = 0
        case "plan.pairing":
            opening.plan.pairing = replay_pb2.PAIRING_UNSPECIFIED
        case "plan.clock.bank_per_game_ms":
            opening.plan.clock.bank_per_game_ms = 0
        case "bots":
            opening.bots.add()
        case "secret":
            opening.secret = b"short"
        case "nonces":
            opening.nonces.append(b"one of two")


@pytest.mark.parametrize(
    "field",
    [
        "match_id",
        "fence",
        "rules",
        "plan.units",
        "plan.boards",
        "plan.pairing",
        "plan.clock.bank_per_game_ms",
        "bots",
        "secret",
        "nonces",
    ],
)
async def test_what_cannot_be_played_is_refused(kit: Any, field: str) -> None:
    """An Open with a field that makes no sense is refused, and the field named."""
    opening = kit.opening()
    wrong(opening, field)
    worker = await kit.host(opening=opening)
    code, text = await worker.status()
    assert code == INVALID
    assert text.startswith(f"{field}: ")


async def test_the_first_message_is_open(kit: Any) -> None:
    """Anything else is refused."""
    worker = await kit.host(opening=None)
    assert (await worker.status())[0] == INVALID


async def test_a_higher_fence_evicts(kit: Any, connect: Any) -> None:
    """A later attempt ends the earlier one; an earlier or the same one is refused."""
    old = await kit.host(match_id="m", fence=3)
    await connect(await old.leg())
    for fence in (2, 3):
        late = await kit.host(match_id="m", fence=fence)
        assert (await late.status())[0] == grpc.StatusCode.FAILED_PRECONDITION
    new = await kit.host(match_id="m", fence=4)
    assert (await old.status())[0] == grpc.StatusCode.ABORTED
    for _ in range(2):
        bots = await connect(await new.leg())
        await asyncio.gather(*(one.play() for one in bots))
    await new.done()
    again = await kit.host(match_id="m", fence=1)
    await again.leg()


async def test_a_stopping_referee_lets_matches_end(start: Any, connect: Any) -> None:
    """It takes no new attempt, and a running one may go to its end."""
    kit = await start(drain=10.0)
    worker = await kit.host()
    bots = await connect(await worker.leg())
    kit.shutdown.set()
    while (await (late := await kit.host()).status())[0] != grpc.StatusCode.UNAVAILABLE:
        pass
    assert late.said == []
    await asyncio.gather(*(one.play() for one in bots))
    bots = await connect(await worker.leg())
    await asyncio.gather(*(one.play() for one in bots))
    assert (await worker.done()).reason == play_pb2.REASON_PLAYED


async def test_what_does_not_end_in_time_is_void(start: Any, connect: Any) -> None:
    """After the drain a running attempt is ended, and its worker told why."""
    kit = await start(drain=0.05)
    worker = await kit.host()
    await connect(await worker.leg())
    kit.shutdown.set()
    assert (await worker.status())[0] == grpc.StatusCode.UNAVAILABLE


async def test_the_control_door_is_private_and_healthy(kit: Any) -> None:
    """The control socket lies in a folder of the owner's alone, and says SERVING."""
    folder = Path(kit.settings.control.removeprefix("unix://")).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    health: Any = health_pb2_grpc.HealthStub(kit.channel)
    answer = await health.Check(health_pb2.HealthCheckRequest())
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_a_path_that_is_too_long_is_named(tmp_path: Path) -> None:
    """A socket path that cannot be bound is refused before anything is made."""
    check_path(Path("/" + "x" * 106))
    long = tmp_path / ("x" * 100)
    settings = Settings(control=f"unix://{tmp_path}/c/s", run_dir=long)
    with pytest.raises(SocketPathError, match="shorter folder"):
        await serve(settings, asyncio.Event(), lambda: None, Any)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("control", ["tcp://1.2.3.4:5", "unix:relative", "/plain"])
async def test_the_control_address_is_a_socket(tmp_path: Path, control: str) -> None:
    """Workers come in through a unix socket alone."""
    settings = Settings(control=control, run_dir=tmp_path)
    with pytest.raises(ServeError, match="unix:///ABS/PATH"):
        await serve(settings, asyncio.Event(), lambda: None, Any)


async def test_an_open_folder_is_no_place_for_secrets(tmp_path: Path) -> None:
    """A control folder that others may enter is refused."""
    tmp_path.chmod(0o755)
    settings = Settings(control=f"unix://{tmp_path}/s", run_dir=tmp_path / "r")
    with pytest.raises(ServeError, match="chmod 700"):
        await serve(settings, asyncio.Event(), lambda: None, Any)


async def test_a_failure_of_the_referee_is_nobodys_loss(
    kit: Any, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of ours voids the attempt, and its text reaches neither bot nor worker."""

    def fail(_entry: object) -> None:
        raise RuntimeError("hidden card KC")

    monkeypatch.setattr("referee.leg.action_of", fail)
    worker = await kit.host()
    bots = await connect(await worker.leg())
    playing = [asyncio.ensure_future(one.play()) for one in bots]
    code, text = await worker.status()
    assert code == grpc.StatusCode.INTERNAL
    assert "KC" not in text
    await asyncio.wait(playing)
    assert all("KC" not in str(task.exception()) for task in playing)
    assert all(one.over is None for one in bots)


async def test_who_fails_just_before_the_deal_is_not_alone(start: Any, bot: Any) -> None:
    """A failure that the first deal waited for is judged with one that comes close behind it."""
    kit = await start(step=2.0)
    worker = await kit.host(seeded=False)
    doors = await worker.leg()
    await bot(doors[1]).join()
    await worker.exited(0, 0, code=1)
    await worker.next("nonces")
    await worker.send(nonces_kept=match_pb2.NoncesKept())
    await worker.next("progress")
    await worker.exited(0, 1, code=1)
    assert await worker.leg_over() == [play_pb2.REASON_CRASH] * 2
