"""How gRPC polls in the referee's process."""

import subprocess
import sys

LOAD = """
import asyncio
from referee import polling
polling.by_one_thread()
from grpc import aio
async def main():
    server = aio.server()
    server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await server.stop(0)
asyncio.run(main())
"""


def test_the_installed_grpc_knows_the_choice() -> None:
    """A gRPC that no longer has it would complain in the log: the choice is to go then."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
