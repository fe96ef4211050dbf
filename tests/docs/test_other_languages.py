"""The page on languages without a template: what it shows is a bot that plays."""

import os
import re
import sys
from pathlib import Path

import pytest
from docker import DockerClient
from docker.errors import ImageNotFound

from tests.docs import pages

PAGE = "docs/other-languages.md"


def test_the_bot_that_the_page_shows_plays(engine: DockerClient, tmp_path: Path) -> None:
    """Its files, written as they stand, build without network and play the match of the page."""
    try:
        engine.images.get("knockbox/bridge-bot")
    except ImageNotFound:
        pytest.skip("knockbox/bridge-bot is not on this machine: make images")
    (tmp_path / "awk-bot").mkdir()
    (tmp_path / "sample_bots").symlink_to(pages.ROOT / "sample_bots")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    said = []
    for language, text in pages.blocks(PAGE):
        if name := re.match(r"# ([\w./-]+)\n", text):
            (tmp_path / name[1]).write_text(text)
        elif language == "sh":
            said += [pages.typed(line, tmp_path, environment) for line in text.splitlines()]
    (played,) = said
    assert re.search(r"^awk-bot +100\.0 ", played.stdout, re.MULTILINE), played.stdout
