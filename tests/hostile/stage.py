"""Where hostile bots are played: one referee, one launcher, one image of many behaviours.

Each bot's own image is that image with another command. A bot plays a whole match against a
well-behaved one, through the real launcher and the real referee.
"""

import asyncio
import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import grpc.aio
from docker import DockerClient
from docker.errors import ImageNotFound

from knockbox.v1 import play_pb2
from referee.rules.ruleset import resolve
from referee.verify import verify
from tests.hostile.leftovers import Leftovers
from tests.sandbox import attempts, containers_kit
from tests.sandbox.attempts import Referee, nothing
from workers.attempt import Attempt, BotSpec, MatchOrder, SeatLog
from workers.host import host_match
from workers.sandbox.containers import ContainerLauncher, RunningContainer
from workers.sandbox.launcher import Spec
from workers.sandbox.service import owner

BOTS = Path(__file__).parent / "bots"
BASE = containers_kit.BASE
CONNECT_S = 10.0
MEMORY = 128 << 20
AT_ONCE = 3
"""Matches at once: more are no faster where two containers start at once."""
DOCKERFILE = f"""
FROM {BASE}
LABEL {containers_kit.TEST}=1
USER 0:0
RUN cp /usr/bin/python3.13 /suid && chmod 4755 /suid
USER 65534:65534
ENV GRPC_VERBOSITY=NONE PYTHONWARNINGS=ignore
COPY . /bot
"""


class Played(NamedTuple):
    """A match: its attempt, and the tickets by seat of each leg as the launcher got them."""

    attempt: Attempt
    specs: tuple[Spec, ...]

    @property
    def logs(self) -> list[SeatLog]:
        """Of the hostile bot, leg by leg."""
        return [log for log in self.attempt.logs if log.bot == 0]

    @property
    def texts(self) -> list[str]:
        """What it printed, leg by leg."""
        return [log.output.text() for log in self.logs]

    def tickets(self, bot: str) -> list[str]:
        """The tickets of one of the two bots, leg by leg."""
        return [spec.variables["KNOCKBOX_TICKET"] for spec in self.specs if spec.name == bot]


class _Noting(ContainerLauncher):
    """Keeps what it was told to start."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.specs: list[Spec] = []

    async def start(self, spec: Spec) -> RunningContainer:
        self.specs.append(spec)
        return await super().start(spec)


class Stage:
    """Plays one hostile bot after the other."""

    def __init__(
        self, engine: DockerClient, referee: Referee, launcher: str, image: str, left: Leftovers
    ) -> None:
        self.leftovers = left
        self.engine = engine
        self.referee = referee
        self.launcher = launcher
        self._image = image
        self._images = [image]
        self._good: dict[str, str] = {}
        self._building = asyncio.Lock()
        self._scratch = Path(referee.address.removeprefix("unix://")).parents[1] / "incoming"
        self._scratch.mkdir()

    def image(self, *lines: str) -> str:
        """An image on the one of all bots, with these lines of a Dockerfile."""
        text = "\n".join((f"FROM {self._image}", *lines))
        made, _ = self.engine.images.build(fileobj=io.BytesIO(text.encode()), rm=True, forcerm=True)
        self._images.append(str(made.id))
        return str(made.id)

    def remove_images(self) -> None:
        """All that were made here."""
        for image in reversed(self._images):
            with suppress(ImageNotFound):  # gone with the last that was made on it
                self.engine.images.remove(image, force=True)

    async def play(
        self, *words: str, lines: tuple[str, ...] = (), seconds: int = 20, against: str = "well.py"
    ) -> Played:
        """One unit of a bot that is called with these words. `lines` are of its image's Dockerfile,
        `seconds` bound the thinking of each in a leg."""
        command = [_command(*words)] if words else []
        async with self._building:
            image = await asyncio.to_thread(self.image, *lines, *command)
            good = await self._well(against)
        name = hashlib.sha256(repr((words, lines)).encode()).hexdigest()[:20]
        clock = play_pb2.ClockSettings(bank_per_game_ms=seconds * 1000, cap_ms=seconds * 1000)
        order = MatchOrder(
            name, 1, "", resolve("danish"), 1, 64,
            (BotSpec("hostile", image, Path(), image), BotSpec("good", good, Path(), good)),
            hashlib.sha256(b"hostile").digest(), seeded=True, clock=clock, memory=MEMORY,
            longest_s=120.0,
        )  # fmt: skip
        launcher = _Noting(self.launcher)
        async with grpc.aio.insecure_channel(self.referee.address) as channel:
            attempt = await host_match(
                channel, launcher, order, nothing, nothing, self._scratch, exit_grace=0.5
            )
        verdict = verify(attempt.replay_path)
        attempt.replay_path.unlink()
        assert verdict.ok, verdict.error
        return Played(attempt, tuple(launcher.specs))

    async def _well(self, script: str) -> str:
        if script not in self._good:
            self._good[script] = await asyncio.to_thread(self.image, _command(script))
        return self._good[script]


def _command(*words: str) -> str:
    return f"CMD {json.dumps(['python3', *words])}"


@contextmanager
def stage(engine: DockerClient) -> Iterator[Stage]:
    """Everything that runs, for the block's time."""
    image = _built(engine)
    referee = attempts.start_referee(CONNECT_S)
    folder = Path(referee.address.removeprefix("unix://")).parents[1]
    try:
        with containers_kit.stage(engine, image, seats=folder / "run") as launcher:
            place = owner.place(Path(launcher.address.removeprefix("unix://")))
            left = Leftovers(engine, place, folder, Path("/tmp"))
            made = Stage(engine, referee, launcher.address, image, left)
            try:
                yield made
            finally:
                made.remove_images()
                left.close()
    finally:
        attempts.end_referee(referee)


def _built(engine: DockerClient) -> str:
    """The image that all bots' images are made on."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path in sorted(BOTS.glob("*.py")):
            tar.add(path, path.name)
        info = tarfile.TarInfo("Dockerfile")
        info.size = len(DOCKERFILE)
        tar.addfile(info, io.BytesIO(DOCKERFILE.encode()))
    packed.seek(0)
    image, _ = engine.images.build(fileobj=packed, custom_context=True, rm=True, forcerm=True)
    return str(image.id)


def verdict(played: Played) -> str:
    """What came of it for the hostile bot, leg by leg where they differ, and for the other where it
    was hurt at all: `REASON: WHAT IT LOST`."""
    hostile, good = played.attempt.result.bots
    lost = {0: "none", len(played.logs): "leg"}.get(hostile.forfeits, "some")
    line = f"{'; then '.join(dict.fromkeys(map(reason, played.logs)))}: {lost}"
    hurt = [log for log in played.attempt.logs if log.bot == 1 and log.reason != "played"]
    if hurt or good.forfeits:
        line += f" AND THE OTHER: {good.forfeits} forfeits, {[reason(log) for log in hurt]}"
    if hostile.forfeits and (hostile.lost, good.won) != (hostile.forfeits, hostile.forfeits):
        line += " AND THE OTHER HAS NOT WON"
    return line


def reason(log: SeatLog) -> str:
    """Why a leg ended for a bot; where its program did that, how it ended."""
    exited = log.exited
    if exited is None or log.reason not in ("crash", "memory"):
        return log.reason
    return (
        f"{log.reason}, signal {exited.signal}"
        if exited.signal
        else (f"{log.reason}, code {exited.code}")
    )
