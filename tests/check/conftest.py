"""What the tests of a check share: the command line as a program."""

from tests.arena.conftest import environment, knockbox

__all__ = ["environment", "knockbox"]
