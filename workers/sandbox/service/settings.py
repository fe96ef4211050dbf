"""What can be set about the launcher: places, limits, durations. Values only; nothing is read."""

from dataclasses import dataclass
from pathlib import Path

from workers.sandbox.images.limits import Limits

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How one launcher runs. Durations are seconds, sizes bytes.

    `listen` is where workers call, `unix:///ABS/PATH` in a folder that is the owner's alone;
    `seats` the referee's folder of seats, the only part of the host that is ever mounted.
    """

    listen: str
    seats: Path
    engine: str = "unix:///var/run/docker.sock"
    """Where the engine listens."""
    runtime: str = ""
    """The engine's runtime for bots (runsc); empty: its own default."""
    memory: int = 256 * MIB
    """Most memory of a bot, swap included."""
    longest: float = 3700.0
    """Most that a container may run, whatever it is ordered for."""
    starts: int = 2
    """Containers that are started at once; more at once are no faster."""
    containers: int = 256
    """Containers that run at once; more are refused."""
    reap: float = 15.0
    """Between two looks for leftovers."""
    engine_timeout: float = 60.0
    """Wait for an answer of the engine."""
    stop_grace: float = 5.0
    """What ending all containers may take when the launcher is told to stop."""
    registries: str = ""
    """Registries that references may name, with commas between; others are not asked."""
    build_time: float = 120.0
    """Most that building an image may take."""

    @property
    def images(self) -> Limits:
        """How much an image may be and take."""
        names = tuple(name.strip() for name in self.registries.split(",") if name.strip())
        return Limits(registries=names, build_time=self.build_time)
