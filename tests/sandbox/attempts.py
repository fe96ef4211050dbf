"""What whole attempts are made of: a referee process, bots written into folders, a worker."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import grpc.aio

import sample_bots
from referee.rules.ruleset import resolve
from workers.attempt import Attempt, BotSpec, MatchOrder
from workers.host import host_match
from workers.sandbox import manifest, processtable
from workers.sandbox.processes import ProcessLauncher

SAMPLES = Path(sample_bots.__path__[0]) / "python"


class Referee(NamedTuple):
    process: subprocess.Popen[str]
    address: str


def start_referee(connect: float = 20.0) -> Referee:
    folder = tempfile.mkdtemp(prefix="kb-")  # short: socket paths have 107 bytes
    address = f"unix://{folder}/control/s"
    command = [
        "--control",
        address,
        "--run-dir",
        f"{folder}/run",
        "--connect",
        str(connect),
        "--grace",
        "0.3",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "referee", *command], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert '"ready"' in process.stderr.readline()
    return Referee(process, address)


def end_referee(referee: Referee) -> None:
    referee.process.kill()
    referee.process.communicate()
    shutil.rmtree(Path(referee.address.removeprefix("unix://")).parents[1])


def sample(tmp_path: Path, name: str) -> BotSpec:
    return stored(tmp_path, manifest.read(SAMPLES / name))


def bot(tmp_path: Path, name: str, source: str, command: str = '["python3", "bot.py"]') -> BotSpec:
    """A bot of a test's own, with the SDK beside it."""
    folder = tmp_path / "written" / name
    folder.mkdir(parents=True)
    sdk = SAMPLES / "knockbox_sdk"
    (folder / "knockbox.toml").write_text(
        f'[bot]\nname = "{name}"\ncommand = {command}\ninclude = ["{sdk}"]\n'
    )
    (folder / "bot.py").write_text(textwrap.dedent(source))
    return stored(tmp_path, manifest.read(folder))


def stored(tmp_path: Path, found: manifest.BotFolder) -> BotSpec:
    folder = tmp_path / "bots" / found.name
    if not folder.exists():
        manifest.unpack(found.files, folder)
    return BotSpec(found.name, manifest.digest(found.files), folder)


def order(*bots: BotSpec, **changes) -> MatchOrder:
    rules = changes.pop("rules", "danish")
    secret = hashlib.sha256(b"test").digest()
    name = hashlib.sha256(repr((bots, changes)).encode()).hexdigest()[:20]
    plain = MatchOrder(name, 1, "", resolve(rules), 2, 64, bots, secret, seeded=True)
    return plain._replace(**changes)


async def nothing(_) -> None:
    """A callback that keeps nothing."""


@asynccontextmanager
async def worker(
    referee: Referee, tmp_path: Path, launchers: type[ProcessLauncher] = ProcessLauncher
):
    """Plays orders as a worker does."""
    scratch = tmp_path / "incoming"
    scratch.mkdir(exist_ok=True)
    launcher = launchers(tmp_path / "work", sample_s=0.05)
    async with grpc.aio.insecure_channel(referee.address) as channel:

        async def play(order: MatchOrder, on_nonces=nothing, on_progress=nothing) -> Attempt:
            return await host_match(
                channel, launcher, order, on_nonces, on_progress, scratch, exit_grace=0.3
            )

        yield play


async def played(referee: Referee, tmp_path: Path, order: MatchOrder) -> Attempt:
    async with worker(referee, tmp_path) as play:
        return await play(order)


def left(tmp_path: Path) -> list:
    """What is left of programs and unfinished replays."""
    work = tmp_path / "work"
    programs = [
        each for each in processtable.table().values()
        if processtable.lives_in(each.pid, str(work)) and not each.zombie
    ]  # fmt: skip
    homes = [home for owner in work.iterdir() for home in owner.iterdir()]
    return programs + homes + list((tmp_path / "incoming").iterdir())
