"""`python -m tests.hostile`: try everything and print the table; the words given choose areas."""

import asyncio
import sys
import time

from docker import DockerClient
from docker.errors import DockerException

from tests.hostile.suite import tried


async def main(words: list[str]) -> int:
    """Print the table. The exit code is 1 where something is not as expected."""
    try:
        engine = DockerClient.from_env(timeout=120, max_pool_size=64)
    except DockerException as error:
        print(f"no container engine answers: {error}", file=sys.stderr)
        return 1
    started = time.monotonic()
    number = wrong = 0
    print(f"{'area':<8} {'attempt':<56} {'expected':<34} got")
    async for row in tried(engine, words):
        number += 1
        wrong += not row.right
        mark = "" if row.right else "   <-- not as expected"
        expected = row.got if row.right else row.expected
        print(f"{row.area:<8} {row.name:<56} {expected:<34} {row.got}{mark}", flush=True)
    engine.close()
    seconds = time.monotonic() - started
    print(f"{number} attempts in {seconds:.0f} s, {wrong} not as expected")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
