"""The page about the rules as a library: its code runs, and prints what it says."""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "rules-api.md"
BLOCKS = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", PAGE.read_text("utf-8"), re.S)


def run(code: str) -> str:
    """What a fresh interpreter prints for some code."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PAGE.parents[1], timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_block_runs_and_prints_what_stands_below_it():
    """The blocks, run in order in one program, print exactly the texts below them."""
    assert len(BLOCKS) == PAGE.read_text("utf-8").count("```python")
    code = "\nprint('=' * 9)\n".join(block for block, _ in BLOCKS)
    assert run(code).split("=========\n") == [text for _, text in BLOCKS]


def test_the_rules_need_no_service():
    """Importing all of the rules loads neither gRPC nor Redis, nor any other part of it."""
    code = (
        "import pkgutil, sys, importlib, referee.rules as rules\n"
        "for found in pkgutil.iter_modules(rules.__path__):\n"
        "    importlib.import_module('referee.rules.' + found.name)\n"
        "wrong = {'grpc', 'redis', 'celery', 'google', 'knockbox', 'random', 'asyncio'}\n"
        "print(sorted(wrong & {name.partition('.')[0] for name in sys.modules}))\n"
        "import referee.selfplay\n"
        "print(sorted({'grpc', 'redis', 'celery'} & set(sys.modules)))\n"
    )
    assert run(code) == "[]\n[]\n"


def test_an_extra_that_is_not_installed_is_named():
    """Without PettingZoo the environment says in an ImportError what to install; the page too, and
    the extra of that name brings it."""
    code = (
        "import sys\n"
        "sys.modules['pettingzoo'] = None\n"
        "try:\n"
        "    import referee.pettingzoo_env\n"
        "except ImportError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    said, install = run(code), "pip install -e '.[pettingzoo]'"
    assert said.startswith("ImportError the environment needs pettingzoo: ")
    assert install in said
    assert install in PAGE.read_text("utf-8")
    needs = metadata.requires("knockbox") or []
    assert any(re.match(r"pettingzoo\b.*extra == .pettingzoo", one) for one in needs)
