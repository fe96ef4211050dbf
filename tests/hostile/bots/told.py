"""What attempts got, by their names. For probes."""

import errno

FOUND = {}


def told(act):
    """What an attempt got: `0` or the value, or the name of the error."""
    try:
        value = act()
    except OSError as error:
        if isinstance(error, TimeoutError):
            return "no answer"
        return errno.errorcode.get(error.errno or 0, type(error).__name__)
    except ValueError:  # as Python says that a limit is not to be raised
        return "EPERM"
    return "0" if value is None else str(value)


def probe(name, act):
    """Try it."""
    FOUND[name] = told(act)


def read(path, size=1 << 20):
    """Bytes of a file."""
    with open(path, "rb") as file:
        return file.read(size)
