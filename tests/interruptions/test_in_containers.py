"""The same where bots play in containers, which a launcher of their own starts and removes."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import Any

import pytest
from docker import DockerClient
from docker.errors import ImageNotFound

from referee.replay import Replay
from tests.interruptions.test_ladders import own_bot, row
from workers.sandbox.service.template import LABEL

NAME, SEED, UNITS = "cup", "interruptions", 4
BASE = "knockbox/python-bot"
KILLS = (
    ("launcher", SIGTERM),
    ("launcher", SIGKILL),
    ("worker", SIGKILL),
    ("referee", SIGKILL),
)


@pytest.fixture
def images(engine: DockerClient) -> DockerClient:
    """An engine that has what the sample bots are built on."""
    try:
        engine.images.get(BASE)
    except ImageNotFound:
        pytest.skip(f"the image {BASE} is not here: make images")
    return engine


def sandboxed(arena: Any, match_id: str) -> bool:
    return Replay.open(arena.data / "replays" / f"{match_id}.kbr").header.sandboxed


def scores(finished: dict[str, Any]) -> dict[str, Any]:
    """Without the digests: a replay says whether it was played in containers."""
    results = {match_id: score for match_id, (_, score) in finished["results"].items()}
    return {**finished, "results": results}


def seats_of(arena: Any) -> str:
    """Where the seats of an arena lie."""
    return str(Path(arena.state().control.removeprefix("unix://")).parents[1])


def containers(engine: DockerClient, seats: str, *, ended: bool = False) -> list[Any]:
    """The containers of bots that sit there and run, at will those that have ended too."""
    found = engine.api.containers(all=ended, filters={"label": LABEL})
    return [one for one in found if one["Mounts"][0]["Source"].startswith(seats)]


def in_its_last_leg(engine: DockerClient, seats: str) -> Callable[[dict[str, Any]], bool]:
    """Says when a bot runs in the second leg of an attempt: whatever fails then is not followed by
    a leg that would fail as well, and so void the match."""
    legs: dict[tuple[str, str], set[Path]] = defaultdict(set)

    def reached(_: dict[str, Any]) -> bool:
        found = False
        for one in containers(engine, seats):
            attempt = one["Labels"][f"{LABEL}.match"], one["Labels"][f"{LABEL}.attempt"]
            legs[attempt].add(Path(one["Mounts"][0]["Source"]).parent)
            found |= len(legs[attempt]) == 2
        return found

    return reached


def test_whoever_is_killed_the_results_are_those_of_processes(
    images: DockerClient, arena: Callable[..., Any], tmp_path: Path
) -> None:
    """kill -9 of launcher, worker and referee, and a launcher that is stopped in good order, while
    containers play: the results, table and ratings of a quiet run with processes. A ladder plays in
    containers too, without whoever has no image; and no container is left."""
    with arena("calm") as calm:
        calm.begin(NAME, SEED, UNITS)
        expected = calm.finish(NAME)
    with arena("boxes", KNOCKBOX_SANDBOX="container", KNOCKBOX_SLOTS="1") as boxes:
        boxes.begin(NAME, SEED, UNITS)
        seats = seats_of(boxes)
        for service, by in KILLS:
            boxes.until(NAME, in_its_last_leg(images, seats))
            boxes.kill(service, by)
        assert scores(boxes.finish(NAME)) == scores(expected)
        assert sandboxed(boxes, f"{NAME}.1")

        boxes.run("bot", "add", str(own_bot(tmp_path / "plain", "plain", "pass")))
        begun = boxes.ask("ladder", "start", "open", "--rules", "spanish_single", "--units", "1")
        assert begun["sandboxed"]
        stands = boxes.until("open", lambda now: now["counted"] >= 1, command="ladder")
        assert row(stands, "plain")["state"] == "left_out"
        boxes.run("ladder", "stop", "open")
        boxes.until("open", lambda now: all(day["over_ms"] for day in now["days"]), "ladder")
        assert sandboxed(boxes, f"{stands['days'][0]['tournament_id']}.1")
    assert containers(images, seats, ended=True) == []
