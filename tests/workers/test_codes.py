"""The codes with which bots are refused."""

import re
from pathlib import Path

import pytest

from workers.codes import CODES
from workers.sandbox.images.refusal import stated

ROOT = Path(__file__).parents[2]
SAID = re.compile(r'(?:ImageError|stated)\(\s*"([A-Z_]+)"')


def test_every_code_is_in_the_table_and_is_used() -> None:
    """No refusal is made with a code that means nothing; no code means what nobody refuses for."""
    said = {
        code
        for folder in ("workers", "arena")
        for file in (ROOT / folder).rglob("*.py")
        for code in SAID.findall(file.read_text())
    }
    assert said == CODES.keys()


def test_a_refusal_with_an_unknown_code_cannot_be_made() -> None:
    """It fails where it is made, not where it is told."""
    with pytest.raises(AssertionError, match="E_NOTHING"):
        stated("E_NOTHING", "a file", "it is odd")
