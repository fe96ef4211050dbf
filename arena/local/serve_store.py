"""`python -m arena.local.serve_store FOLDER SOCKET`: a store's server in the place of this process.

Where a supervisor of another kind starts it (Compose); `knockbox up` starts it itself.
"""

import argparse
import os
import sys
from pathlib import Path

from arena.local import valkey


def main() -> None:
    """Become the server; exits with 1 where there is none or the folder is another's."""
    parser = argparse.ArgumentParser(prog="python -m arena.local.serve_store")
    parser.add_argument("folder", type=Path, help="what it keeps lies here")
    parser.add_argument("socket", type=Path, help="where it listens")
    parser.add_argument(
        "--fsync",
        choices=("always", "everysec"),
        default="always",
        help="when a write is on the disk: before it is acknowledged, or within a second",
    )
    arguments = parser.parse_args()
    try:
        server = valkey.find(os.environ.get("PATH", ""))
        valkey.claim(arguments.folder, server)
    except valkey.ValkeyError as error:
        sys.exit(str(error))
    command = valkey.command(server, arguments.folder, arguments.socket, arguments.fsync)
    os.execv(command[0], command)  # noqa: S606 - a path that was found, arguments of ours


if __name__ == "__main__":
    main()
