"""The API's process: `python -m arena.api --listen unix:///ABS/PATH --store NAME_FOR_PEOPLE`.

Settings come from the environment, as the supervisor gives them: KNOCKBOX_DATA, REDIS_URL.
"""

import argparse
import os
import pwd
import signal
import sys
import threading
from pathlib import Path


def main() -> int:
    """Serve until SIGTERM; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m arena.api")
    parser.add_argument("--listen", required=True, help="unix:///ABS/PATH")
    parser.add_argument("--store", default="", help="the result store, in words")
    arguments = parser.parse_args()
    from arena.api.server import ApiSettings, serve

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    settings = ApiSettings(
        listen=arguments.listen,
        data=Path(os.environ["KNOCKBOX_DATA"]),
        redis_url=os.environ["REDIS_URL"],
        store=arguments.store,
        owner=_user(),
    )
    serve(settings, stop)
    return 0


def _user() -> str:
    """Who runs the arena: the owner of the bots that are brought to it."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid-{os.getuid()}"


if __name__ == "__main__":
    sys.exit(main())
