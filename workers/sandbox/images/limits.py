"""How much an image may be, and what building and fetching one may take. Values only."""

from dataclasses import dataclass

MIB = 1024 * 1024

LANGUAGES = ("bridge", "cpp", "go", "java", "python", "rust", "typescript")
"""Whose images containers/images.sh makes; bots over the bridge share one."""

BASES = ("debian:trixie-slim", *(f"knockbox/{language}-bot" for language in LANGUAGES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes are bytes, durations seconds."""

    image: int = 1024 * MIB
    """Most of an image, unpacked; and of an archive that holds one."""
    build_time: float = 120.0
    """Most that all commands of a build may take together."""
    build_memory: int = 512 * MIB
    """Most memory of a command."""
    build_room: int = 1024 * MIB
    """Most that one command may write."""
    build_processes: int = 256
    """Most processes of a command."""
    build_output: int = 4 * MIB
    """Most that all commands may print together; more ends the build."""
    build_look: float = 0.5
    """Between two looks at what a command has written."""
    pull_time: float = 600.0
    """Most that fetching an image may take."""
    bases: tuple[str, ...] = BASES
    """Images of this machine that bots are built on."""
    registries: tuple[str, ...] = ()
    """Registries that may be named in a reference; others are not asked."""
