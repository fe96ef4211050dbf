"""The supervisor's process: `python -m arena.local DATA_FOLDER TELL`.

TELL is a descriptor on which it says, in one line of JSON, that all serves or why it cannot.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from arena.local import state
from arena.local.supervise import Hear, LifecycleError, supervise
from arena.settings import SettingsError, load


def main(arguments: list[str]) -> int:
    """Supervise until SIGTERM; the exit code."""
    data, tell = Path(arguments[0]), int(arguments[1])
    os.set_inheritable(tell, False)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the terminal may go; the arena stays

    def say(answer: dict[str, object]) -> None:
        os.write(tell, json.dumps(answer).encode() + b"\n")
        os.close(tell)

    def serving(_: state.ArenaState) -> None:
        say({"ready": True})

    try:
        settings = load(os.environ, os.getuid(), os.cpu_count() or 1, data)
        asyncio.run(supervise(settings, os.environ, Hear(serving)))
    except (LifecycleError, SettingsError) as error:
        print(error, file=sys.stderr)
        say({"error": str(error)})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
