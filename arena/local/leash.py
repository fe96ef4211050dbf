"""Becomes another program that dies with its parent: `leash.py SIGNAL PARENT PROGRAM ARGUMENTS…`.

Run as a file of its own (`python -I -S`), so that the parent need not run Python between fork and
exec, where its threads could hold locks. Standard library only. On systems without parent-death
signals the program just runs.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Ask the kernel for SIGNAL at the death of process PARENT, then exec PROGRAM."""
    signal, parent, *command = arguments
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal), 0, 0, 0)
        if os.getppid() != int(parent):  # it has died before we asked
            sys.exit(1)
    os.execv(command[0], command)  # noqa: S606 - the command is the caller's


if __name__ == "__main__":
    main(sys.argv[1:])
