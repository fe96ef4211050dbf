"""Whether bots run in containers here, and in words why: what is asked for, what engine answers.

`auto` takes containers where an engine answers; `container` insists; `process` never asks.
"""

from typing import NamedTuple

from workers.sandbox import probe


class SandboxError(Exception):
    """Containers were asked for and cannot be had; the message says what to do."""


class Chosen(NamedTuple):
    """What was taken. `engine` is the engine's version, '' for processes; `words` for people, ''
    where it is what they said."""

    engine: str
    words: str


def choose(sandbox: str, engine: str) -> Chosen:
    """What the engine at this address makes possible. Raises SandboxError."""
    if sandbox == "process":
        return Chosen("", "")
    if version := probe.version(engine):
        return Chosen(version, f"bots run in containers (engine {version})")
    if sandbox == "container":
        raise SandboxError(
            f"no container engine answers at {engine}: start one, name another with DOCKER_HOST, "
            "or take --sandbox process"
        )
    why = f"no container engine answers at {engine}"
    return Chosen("", f"bots run as processes of this machine, unsandboxed: {why}")
