"""What the tests of pages share: a newcomer's clone."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder that looks like a fresh clone, and the environment of a newcomer in it."""
    (tmp_path / "sample_bots").symlink_to(ROOT / "sample_bots")
    runtime = tempfile.mkdtemp(prefix="kbd", dir="/tmp")
    home = tmp_path / "home"
    home.mkdir()
    commands = Path(sys.executable).parent
    environment = {
        "PATH": f"{commands}:{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_RUNTIME_DIR": runtime,
    }
    yield tmp_path, environment
    subprocess.run(
        [commands / "knockbox", "down"], env=environment, capture_output=True, check=False
    )
    shutil.rmtree(runtime, ignore_errors=True)
