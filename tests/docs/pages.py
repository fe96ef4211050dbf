"""Reads pages and does what they tell people to type."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    """The blocks of a page that have a language, with it."""
    return BLOCK.findall((ROOT / page).read_text())


def follow(page: str, folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """Do what a page says: write the files it shows, type the commands; what each printed."""
    said: dict[str, str] = {}
    for language, text in blocks(page):
        name = re.match(r"# ([\w./-]+)\n", text)
        if name and language in ("toml", "python"):
            (folder / name[1]).write_text(text)
        if language != "sh":
            continue
        for line in text.strip().splitlines():
            said[line] = typed(line, folder, environment).stdout
    return said


def typed(
    line: str, folder: Path, environment: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    """What came of a line that a shell was given, which did not fail."""
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return done


def shown(page: str) -> list[str]:
    """The blocks of a page without a language: what commands print."""
    text = BLOCK.sub("", (ROOT / page).read_text())
    return SHOWN.findall(text)
