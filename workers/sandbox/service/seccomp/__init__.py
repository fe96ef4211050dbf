"""The system calls that bots may use: the engine's default less `taken.toml`, as one profile."""

from workers.sandbox.service.seccomp.profile import Difference, difference, produce, profile

__all__ = ["Difference", "difference", "produce", "profile"]
