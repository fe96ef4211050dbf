"""The table of hostile attempts: each gets what is written there, and nothing is left of any."""

import pytest
from docker import DockerClient

from tests.hostile.stage import BASE
from tests.hostile.suite import tried

pytestmark = pytest.mark.anyio


async def test_hostile(engine: DockerClient, cases) -> None:
    """Whatever a bot tries from its container, it gets the verdict of the table and no more; its
    opponent is not hurt, and no container, volume, network, process or file is left."""
    if not engine.images.list(BASE):
        pytest.skip(f"the image {BASE} is not here: make images")
    rows = [row async for row in tried(engine)]
    assert {row.name: row for row in rows if not row.right} == {}
    cases["hostile attempts"] += len(rows)
