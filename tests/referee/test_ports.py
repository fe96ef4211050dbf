"""Ports as people write them."""

import pytest

from referee.ports import ports


@pytest.mark.parametrize(
    ("text", "found"),
    [("7900-7902", [7900, 7901, 7902]), ("7900", [7900]), ("0", [0]), ("65535", [65535])],
)
def test_ports_are_what_they_say(text: str, found: list[int]) -> None:
    """A range, a port, and 0 for any."""
    assert list(ports(text)) == found


@pytest.mark.parametrize(
    "text", ["", "x", "7900-", "-1", "7902-7900", "65536", "1-99999", " 1", "\u0667"]
)
def test_what_names_no_ports_is_refused(text: str) -> None:
    """The error shows what was said and what would be right."""
    with pytest.raises(ValueError, match=r"names no ports: 7900-7999, or 0 for any free one"):
        ports(text)
