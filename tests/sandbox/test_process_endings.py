"""The table of what programs do: each ends as it is written there, on either seat."""

import pytest

from tests.sandbox.process_endings import PROGRAMS, Program, process_ending

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
async def test_process_endings(tmp_path, program: Program) -> None:
    """A program that fails loses its own games for its own reason, and leaves nothing behind."""
    assert await process_ending(tmp_path / "case", program) == [program.expected] * 2
