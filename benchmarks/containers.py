"""What containers cost: starts, decisions a second, a whole match; each against the same without.

Rounds are interleaved; read the ratios, medians over the rounds. Nothing is measured where no
engine answers or the image that Python's bots are built on is missing (`make images`).
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docker import DockerClient
from docker.errors import DockerException

from arena.local import single
from benchmarks import stage
from referee.rules.ruleset import resolve
from tests.sandbox import containers_kit as kit
from workers.sandbox import manifest
from workers.sandbox.containers import ContainerLauncher, RunningContainer
from workers.sandbox.launcher import Spec
from workers.sandbox.service import seccomp, shares, template

_SAMPLES = Path(__file__).parent.parent / "sample_bots" / "python"
_STARTS = 5
_UNITS = 256
_BOARDS = 64
_MATCH_UNITS = 32
_BOT = "from knockbox_sdk import run; run(lambda state: state.otherwise())"
_AIMS = {
    "a hardened start, to a bare one": ("at most", 1.15),
    "decisions a second inside, to outside": ("at least", 0.9),
    f"a match of {_MATCH_UNITS} units inside, to outside": ("at most", 1.5),
}


def measure(rounds: int) -> list[dict[str, Any]] | str:
    """A row a figure: `figure`, `value`, `sense` and `aim`, `within`; or why there is none."""
    try:
        engine = DockerClient.from_env(timeout=120, max_pool_size=16)
    except DockerException as error:
        return f"no container engine answers: {error}"
    try:
        if not engine.images.list(kit.BASE):
            return f"the image {kit.BASE} is not here: make images"
        starts = [_starts(engine) for _ in range(rounds)]
        decisions = asyncio.run(_decisions(engine, rounds))
        matches = [_matches() for _ in range(rounds)]
    finally:
        engine.close()
    found = (starts, decisions, matches)
    return [
        _row(name, statistics.median(ratios)) for name, ratios in zip(_AIMS, found, strict=True)
    ]


def table(rows: list[dict[str, Any]] | str) -> str:
    """The figures for people."""
    if isinstance(rows, str):
        return f"Containers: not measured, {rows}"
    lines = ["Containers, as multiples of the same without them"]
    lines += [
        f"  {row['figure']:<46}{row['value']:6.2f} x   aim {row['sense']} {row['aim']:g}"
        for row in rows
    ]
    return "\n".join(lines)


def _row(figure: str, value: float) -> dict[str, Any]:
    sense, aim = _AIMS[figure]
    within = value <= aim if sense == "at most" else value >= aim
    return {
        "figure": figure,
        "value": round(value, 2),
        "sense": sense,
        "aim": aim,
        "within": within,
    }


def _starts(engine: DockerClient) -> float:
    """Create, start, wait and remove, by the template and without it."""
    with (
        tempfile.TemporaryDirectory(prefix="kb") as folder,
        kit.image(engine, 'CMD ["true"]') as it,
    ):
        sandbox = template.Sandbox(json.dumps(seccomp.profile()), "bench", "bench")
        deadline = int(time.time()) + 600
        order = template.Order(
            it, Path(folder), "t" * 32, "bench", 1, deadline, 64 << 20, shares.USERS[0]
        )
        hardened = template.arguments(sandbox, order)
        ways: list[dict[str, Any]] = [{"image": it, "labels": hardened["labels"]}, hardened]
        took = [[_timed(lambda way=way: _run(engine, way)) for way in ways] for _ in range(_STARTS)]
    return statistics.median(hard for _, hard in took) / statistics.median(bare for bare, _ in took)


def _run(engine: DockerClient, arguments: dict[str, Any]) -> None:
    container = engine.containers.create(**arguments)
    try:
        container.start()
        container.wait()
    finally:
        container.remove(force=True)


def _timed(what: Callable[[], Any]) -> float:
    began = time.monotonic()
    what()
    return time.monotonic() - began


async def _decisions(engine: DockerClient, rounds: int) -> list[float]:
    """Two bots of the SDK through one referee, inside to outside."""
    async with stage.referee() as on:
        with (
            kit.image(engine, kit.command(_BOT)) as image,
            kit.stage(engine, image, seats=on.seats) as launcher,
        ):
            ratios: list[float] = []
            for _ in range(rounds):
                outside = await _rate(on, _process)
                ratios.append(await _rate(on, _inside(launcher)) / outside)
            return ratios


async def _rate(on: stage.Stage, start: stage.StartBot) -> float:
    marks, _ = await stage.play(on, stage.opening(_UNITS, _BOARDS), start)
    first, *_, last = stage.steady(marks, _UNITS, _BOARDS)
    return (last.decisions - first.decisions) / (last.time - first.time)


async def _process(address: str, ticket: str) -> stage.Process:
    variables = {
        **os.environ,
        "KNOCKBOX_REFEREE": address,
        "KNOCKBOX_TICKET": ticket,
        "PYTHONPATH": str(_SAMPLES),
    }
    quiet = asyncio.subprocess.DEVNULL
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", _BOT, env=variables, stderr=quiet
    )


class _Inside:
    """A container that is waited for like a process."""

    def __init__(self, running: RunningContainer) -> None:
        self._running = running

    async def communicate(self) -> tuple[bytes, bytes]:
        """Until it has ended."""
        async for _ in self._running.events():
            pass
        await self._running.stop()
        return b"", b""


def _inside(on: kit.Stage) -> Any:
    async def start(address: str, ticket: str) -> _Inside:
        variables = {"KNOCKBOX_REFEREE": address, "KNOCKBOX_TICKET": ticket}
        spec = Spec("bot", Path("/"), (), variables, 256 << 20, on.image, "bench", 1, 2, 600)
        return _Inside(await ContainerLauncher(on.address).start(spec))

    return start


def _matches() -> float:
    """A whole match of two samples, starts and ends of all legs among it."""
    outside, inside = (_match(sandbox) for sandbox in ("process", "container"))
    return inside / outside


def _match(sandbox: str) -> float:
    folders = tuple(manifest.read(_SAMPLES / name) for name in ("greedy", "builder"))
    wish = single.Wish(
        folders, resolve("danish"), _MATCH_UNITS, _BOARDS, "bench", False, sandbox=sandbox
    )
    hear = single.Hear(lambda _: None, lambda _: None, lambda _: None)
    with tempfile.TemporaryDirectory(prefix="kb", dir="/tmp") as short:
        played = single.play(wish, Path(short) / "m.kbr", Path(short) / "k", hear)
    return played.elapsed


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.containers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds to take medians of")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    asked = parser.parse_args()
    found = measure(asked.rounds)
    print(json.dumps({"containers": found}) if asked.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
