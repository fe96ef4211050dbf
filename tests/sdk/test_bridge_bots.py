"""The bots over the bridge: their own tests, in the image that they run in."""

import pytest
from docker import DockerClient

from tests.sdk import sources_kit


@pytest.mark.parametrize(("language", "test"), [("shell", "sh test.sh"), ("perl", "perl test.pl")])
def test_a_bots_own_test_passes(engine: DockerClient, language: str, test: str) -> None:
    """What its page tells people to type finds nothing wrong."""
    script = f"cd {language}/greedy\n{test}"
    sources_kit.check(engine, "knockbox/bridge-bot", language, script)
