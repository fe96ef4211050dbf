"""Ends at once, or after it was asked: `exits.py WHEN HOW`, HOW a number or one of the words."""

import os
import signal
import subprocess
import sys

import well
from knockbox_sdk import run


def orphan():
    """The program ends, its child plays on in a session of its own."""
    if os.fork():
        os._exit(0)
    os.setsid()


def everybody():
    """Its child kills all that it may, while the program waits for that. No fork: gRPC's threads
    may hold locks that the child would wait for."""
    subprocess.Popen([sys.executable, "-c", "import os; os.kill(-1, 9)"])
    signal.pause()


WAYS = {
    "orphan": orphan,
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "init": lambda: os.kill(1, signal.SIGTERM),
    "everybody": everybody,
    "memory": lambda: bytearray(300 << 20),
}
when, how = sys.argv[1:]
act = WAYS.get(how) or (lambda: os._exit(int(how)))
if when == "never":
    signal.pause()
if when == "0":
    act()
    raise SystemExit(0)
run(well.after(int(when), act))
