"""The command line's manners: help, errors, exit codes, what goes where."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]

HEAVY = (
    "grpc",
    "google.protobuf",
    "redis",
    "celery",
    "pydantic",
    "structlog",
    "zstandard",
    "rich.table",
)


def test_no_arguments_show_a_few_commands(knockbox: Knockbox) -> None:
    """Without arguments there are a few lines with commands to copy."""
    said = knockbox()
    lines = said.stdout.splitlines()
    assert said.returncode == 0
    assert len(lines) <= 8
    assert [line.split()[1] for line in lines if line.startswith("  knockbox")] == [
        "demo",
        "new",
        "match",
        "up",
    ]


@pytest.mark.parametrize("arguments", [["--help"], [], ["up", "--help"], ["version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """Help starts at once: it imports none of the libraries that take time."""
    program = (
        "import sys\nfrom arena.cli.__main__ import main\n"
        f"main({arguments!r})\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert said.stderr.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["stat"], 2, "stat"),
        (["statsu"], 2, 'Did you mean "status"'),
        (["status", "--jsn"], 2, "--json"),
        (["up", "now"], 2, "unexpected argument 'now'"),
        (["tournament", "create", "--units", "0"], 2, "--units is 0: 1 to 1,024"),
        (["tournament", "create", "--units", "many"], 2, "--units"),
        (["tournament", "create", "--rules", "swedish"], 2, "preset"),
        (["tournament", "create", "--rules", "{"], 2, "--rules is no JSON"),
        (["tournament", "create", "--rules", '{"preset":"danish","targt":1}'], 2, "targt"),
        (["tournament", "create", "--rules", '{"target":1}'], 2, '"preset" is missing, one of'),
        (["tournament", "create", "--rules", '["danish"]'], 2, "--rules is no JSON object"),
        (["tournament", "create", "--rules", "no.json"], 1, "--rules: cannot read no.json"),
        (["tournament", "create", "--units", "1.5"], 2, "'1.5' is no whole number"),
        (["tournament", "create", "--units", "1_0"], 2, "'1_0' is no whole number"),
        (["tournament", "create", "--bots", ",,"], 2, "--bots names no bot"),
        (["match", "a", "b", "--units", "1_0"], 2, "'1_0' is no whole number"),
        (["match", "a", "b", "--boards", "1.5"], 2, "'1.5' is no whole number"),
        (["bot", "logs", "../x"], 2, "is no bot's name"),
        (["bot", "logs", "ada", "--match", "../x"], 2, "is no match: like t1.6"),
        (["bot", "logs", "ada"], 1, "no log of ada in any match"),
        (["tournament", "watch", "t1"], 4, "run `knockbox up`"),
        (["replay", "list", "--limit", "0"], 2, "--limit is 0"),
        (["match", "nowhere", "nowhere"], 2, "nowhere is not a folder"),
        (["verify"], 2, "name a replay file"),
        (["verify", "x.kbr", "--secret", "12"], 2, "--secret: 64 hexadecimal digits"),
        (["verify", "no/such.kbr"], 1, "there is no file no/such.kbr"),
        (["status"], 4, "run `knockbox up`"),
        (["bot", "list"], 4, "run `knockbox up`"),
        (["tournament", "list"], 4, "run `knockbox up`"),
        (["ratings"], 4, "run `knockbox up`"),
        (["ratings", "rebuild", "--check"], 4, "run `knockbox up`"),
        (["replay", "show", "t1.1"], 4, "run `knockbox up`"),
    ],
)
def test_errors_are_a_line_and_a_code(
    knockbox: Knockbox, arguments: list[str], code: int, words: str
) -> None:
    """Whatever is wrong is told in a line on stderr, with the exit code that scripts rely on."""
    said = knockbox(*arguments)
    assert (said.returncode, said.stdout) == (code, "")
    first, *rest = said.stderr.splitlines()
    assert first.startswith("error: ")
    assert words in first
    assert len(rest) <= 1
    assert "Traceback" not in said.stderr


def test_settings_errors_name_the_variable(knockbox: Knockbox) -> None:
    """A variable that cannot be used is named, with what would be right."""
    said = knockbox("status", KNOCKBOX_SLOTS="many")
    assert said.returncode == 2
    assert "KNOCKBOX_SLOTS is 'many': matches at a time, a number 1-256" in said.stderr


def test_store_that_does_not_answer(knockbox: Knockbox) -> None:
    """A REDIS_URL where nobody answers is one clear line with exit code 4; nothing is started."""
    said = knockbox("ratings", "rebuild", "--check", REDIS_URL="redis://127.0.0.1:9/0")
    assert said.returncode == 4
    assert said.stderr.startswith("error: the store does not answer")
    assert len(said.stderr.splitlines()) == 1


def test_version_in_words_and_json(knockbox: Knockbox) -> None:
    """`version` and `--version` say the same, and JSON has both numbers."""
    assert knockbox("version").stdout == knockbox("--version").stdout
    told: dict[str, Any] = json.loads(knockbox("version", "--json").stdout)
    assert set(told) == {"version", "protocol"}


def test_status_json_where_nothing_runs(knockbox: Knockbox) -> None:
    """`status --json` is JSON even when nothing runs."""
    said = knockbox("status", "--json")
    assert said.returncode == 4
    assert json.loads(said.stdout)["running"] is False


def test_piped_help_is_plain(knockbox: Knockbox) -> None:
    """In a pipe there are no frames and no colours."""
    said = knockbox("--help").stdout
    assert said.isascii()
    assert "\x1b" not in said
