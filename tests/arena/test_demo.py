"""`knockbox demo`: everything, from nothing, in one command."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from docker import DockerClient

from arena.local import fresh

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]
BOTS = ["builder", "gin_hunter", "greedy", "random"]
ROOT = Path(__file__).parents[2]


class Demo(NamedTuple):
    """A demo that was run, its data folder, and where its sockets were."""

    said: "subprocess.CompletedProcess[str]"
    place: Path
    runtime: Path


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """What `knockbox demo` leaves in an empty folder, and what it said."""
    folder = tmp_path_factory.mktemp("demo")
    runtime = Path(tempfile.mkdtemp(prefix="kbt", dir="/tmp"))
    environment = {
        "PATH": os.environ["PATH"],
        "KNOCKBOX_SANDBOX": "process",
        "HOME": "",
        "XDG_RUNTIME_DIR": str(runtime),
    }
    said = subprocess.run(
        [sys.executable, "-m", "arena.cli", "demo"],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        env=environment,
        check=False,
    )
    yield Demo(said, folder / ".knockbox" / "demo", runtime)
    shutil.rmtree(runtime, ignore_errors=True)


def test_demo(demo: Demo, knockbox: Knockbox, left_over: Callable[[Path], list[int]]) -> None:
    """Four bots play a round robin, `random` comes last, all replays are right, nothing is left."""
    said = demo.said
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    table = [line.split()[1] for line in lines[1:5]]
    assert (sorted(table), table[-1]) == (BOTS, "random")
    assert "Elo" in lines[0]
    assert any(line.startswith("Match t1.") for line in lines)
    assert lines[-1].startswith("verified: 6 of 6 replays are right")
    assert "\x1b" not in said.stdout + said.stderr
    replays = sorted((demo.place / "replays").glob("*.kbr"))
    assert len(replays) == 6
    assert knockbox("verify", *replays).returncode == 0
    assert left_over(demo.place) == []
    assert list(demo.runtime.glob("knockbox/*")) == []


def test_readme_shows_what_the_demo_prints(demo: Demo) -> None:
    """The README's block is the demo's output, its time apart: it is the same everywhere."""

    def timeless(text: str) -> str:
        return re.sub(r"\([0-9.]+ s\)", "(…)", text)

    assert f"```\n{timeless(demo.said.stdout)}```\n" in timeless((ROOT / "README.md").read_text())


def test_what_was_worked_with_is_put_aside(tmp_path: Path) -> None:
    """A demo's folder is emptied as the demo left it; one that was changed since is kept."""
    place = tmp_path / "demo"
    assert fresh.folder(place) is None
    (place / "store").mkdir()
    (place / "store" / "log").write_text("the demo's")
    fresh.done(place)
    assert fresh.folder(place) is None
    assert list(place.glob("store")) == []
    (place / "store").mkdir()
    (place / "store" / "log").write_text("the demo's")
    fresh.done(place)
    (place / "store" / "log").write_text("the demo's, and mine")
    assert fresh.folder(place) == tmp_path / "demo-1"
    assert (tmp_path / "demo-1" / "store" / "log").read_text() == "the demo's, and mine"


def test_demo_empties_no_folder_but_its_own(knockbox: Knockbox, tmp_path: Path) -> None:
    """A folder with something else in it is left alone."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("dear to me")
    said = knockbox("demo", "--data", "mine")
    assert (said.returncode, "not of an earlier demo" in said.stderr) == (2, True)
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_demo_interrupted(
    environment: dict[str, str], tmp_path: Path, left_over: Callable[[Path], list[int]]
) -> None:
    """Ctrl-C lets the match end that is played, then the demo with code 130; nothing is left."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "demo"],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stderr
        for line in process.stderr:
            if "0 of 6 matches" in line:
                os.killpg(process.pid, signal.SIGINT)
                break
        rest = process.stderr.read()
    assert process.returncode == 130
    assert rest.splitlines()[-1] == "interrupted"
    assert re.search(r"waiting for (the end of 1 match \(t1|the services)", rest), rest
    assert "what was played lies in .knockbox/demo" in rest
    assert "Traceback" not in rest
    assert left_over(tmp_path) == []


def test_demo_interrupted_twice(
    environment: dict[str, str], tmp_path: Path, left_over: Callable[[Path], list[int]]
) -> None:
    """A second Ctrl-C ends the demo at once, and then all that it has started ends by itself."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "demo"],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stderr
        for line in process.stderr:
            if "0 of 6 matches" in line or "waiting for" in line:
                process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    assert left_over(tmp_path) == []


def test_demo_killed(
    environment: dict[str, str], tmp_path: Path, left_over: Callable[[Path], list[int]]
) -> None:
    """When the demo itself is killed, all that it has started ends by itself."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "demo"],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stderr
        for line in process.stderr:
            if "0 of 6 matches" in line:
                process.kill()
    assert left_over(tmp_path) == []


def test_demo_in_containers(
    environment: dict[str, str], tmp_path: Path, engine: DockerClient
) -> None:
    """Where Go's image is here one bot plays in Go, and what is printed is the same: it plays as
    it does in Python."""
    if not engine.images.list("knockbox/go-bot"):
        pytest.skip("the image knockbox/go-bot is not here: make images")
    printed: list[str] = []
    for sandbox, greedy in (("container", "greedy (Go)"), ("process", "greedy (Python)")):
        said = subprocess.run(
            [sys.executable, "-m", "arena.cli", "demo", "--units", "2", "--sandbox", sandbox],
            capture_output=True,
            text=True,
            timeout=300,
            cwd=tmp_path,
            env=environment,
            check=False,
        )
        assert said.returncode == 0, said.stderr
        assert greedy in said.stderr
        printed.append(re.sub(r"\([0-9.]+ s\)", "(…)", said.stdout))
    assert printed[0] == printed[1]
