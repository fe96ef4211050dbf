"""How many files a process may have open: for a server every connection is one."""

import resource
from contextlib import suppress


def as_many_as_may_be() -> None:
    """From now on as many as the system lets this process have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # a system may say that there is no limit, and have one
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
