"""Words for what API and command line both tell people."""

from collections.abc import Sequence

_SOME = 5
"""Names that are told one by one."""


def some(names: Sequence[str]) -> str:
    """The first few of perhaps many names, and how many more there are: "a, b and 47 more"."""
    more = f" and {len(names) - _SOME:,} more" if len(names) > _SOME else ""
    return ", ".join(names[:_SOME]) + more
