"""Ports as people write them."""

import re


def ports(text: str) -> range:
    """The ports that "7900-7999" or "7900" names; "0": any free one. Raises ValueError."""
    found = re.fullmatch(r"([0-9]{1,5})(?:-([0-9]{1,5}))?", text)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if not low <= high <= 65535:
        raise ValueError(f"{text[:60]!r} names no ports: 7900-7999, or 0 for any free one")
    return range(low, high + 1)
