"""docs/security.md: each test that it names as the keeper of a promise is there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_tests_that_keep_the_promises_are_there() -> None:
    """Every `file::test` of the page names a function of that file, and every promise has one."""
    page = (ROOT / "docs" / "security.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    for path, name in named:
        functions = {
            each.name
            for each in ast.parse((ROOT / path).read_text()).body
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert name in functions, f"{path}::{name}"
    rows = [line for line in page.splitlines() if line.startswith("|")]
    headers = [number for number, line in enumerate(rows) if line == "| promise | kept by |"]
    kept = [line for line in rows if "`tests/" in line]
    assert len(headers) == 3
    assert len(kept) == len({line.split("|")[1] for line in kept}) == 22
