"""The same where bots play in containers, which a launcher of their own starts and removes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient
from docker.errors import ImageNotFound

from referee.replay import Replay
from tests.interruptions.test_ladders import own_bot, row
from workers.sandbox.service.template import LABEL

NAME, SEED, UNITS = "cup", "interruptions", 4
BASE = "knockbox/python-bot"


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


def test_whoever_is_killed_the_results_are_those_of_processes(
    images: DockerClient, arena: Callable[..., Any], tmp_path: Path
) -> None:
    """kill -9 of launcher, worker and referee while containers play: the results, table and ratings
    of a quiet run with processes. A ladder plays in containers too, without whoever has no image;
    and no container is left."""
    with arena("calm") as calm:
        calm.begin(NAME, SEED, UNITS)
        expected = calm.finish(NAME)
    with arena("boxes", KNOCKBOX_SANDBOX="container", KNOCKBOX_SLOTS="1") as boxes:
        boxes.begin(NAME, SEED, UNITS)
        for service in ("launcher", "worker", "referee"):
            boxes.until(NAME, lambda state: state["running"] >= 1)
            boxes.kill(service)
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
    left = images.containers.list(all=True, filters={"label": LABEL})
    assert not [one for one in left if one.labels[f"{LABEL}.match"].startswith(("cup.", "open-"))]
