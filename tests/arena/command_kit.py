"""The command line as a program that goes on beside its test."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def running(
    *arguments: str | Path, cwd: Path, env: Mapping[str, str]
) -> "Iterator[subprocess.Popen[str]]":
    """`knockbox …` with its output to be read; ended where the test has failed meanwhile."""
    with subprocess.Popen(
        [sys.executable, "-m", "arena.cli", *map(str, arguments)],
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        except BaseException:
            process.terminate()
            raise
