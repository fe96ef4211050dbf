"""`python -m arena.local.health SOCKET`: whether a service of ours serves there; the exit code.

For supervisors of another kind (Compose). A store is asked PING, everything else its gRPC health.
"""

import asyncio
import sys
from pathlib import Path

from arena.local import valkey
from arena.local.checks import grpc_serves


def main() -> int:
    """0 where it serves, 1 where it does not, 2 without a socket to ask at."""
    if len(sys.argv) != 2:
        print("usage: python -m arena.local.health SOCKET", file=sys.stderr)
        return 2
    socket = Path(sys.argv[1])
    if valkey.lives(socket):
        return 0
    return 0 if asyncio.run(_serves(f"unix://{socket}")) else 1


async def _serves(address: str) -> bool:
    return await grpc_serves(address)()


if __name__ == "__main__":
    sys.exit(main())
