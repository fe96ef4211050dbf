"""What the operators' page says is done here as it says, and its tables name what there is."""

import json
import os
import re
import shutil
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from arena import settings as arena_settings
from referee.settings import Settings as RefereeSettings
from tests.docs import pages
from tests.docs.pages import ROOT
from workers.sandbox.service.settings import Settings as LauncherSettings
from workers.settings import Settings as WorkerSettings

TEXT = (ROOT / "docs" / "operators.md").read_text()
TYPED = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GIVEN = {"redis_url", "data", "control", "launch", "slots"}
"""What the supervisor gives to its services."""


@pytest.fixture
def machine(clone: tuple[Path, dict[str, str]]) -> Iterator[tuple[Path, dict[str, str]]]:
    """A fresh clone; what the page starts by itself has ended afterwards."""
    yield clone
    for name in ("worker-1.pid", "worker-2.pid", "redis.pid"):
        with suppress(FileNotFoundError, ProcessLookupError, ValueError):
            os.kill(int((clone[0] / name).read_text()), signal.SIGTERM)


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return str(taken.getsockname()[1])


def follow(section: str, folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """Type a section's commands, on ports that are free here; what each printed."""
    (block,) = TYPED.findall(TEXT[TEXT.index(f"## {section}\n") + 3 :].split("\n## ")[0])
    ports = {port: free_port() for port in ("6379", "7878")}
    said: dict[str, str] = {}
    for line in block.strip().splitlines():
        here = line
        for port, free in ports.items():
            here = here.replace(port, free)
        if variable := re.fullmatch(r"export (\w+)=(\S+)", here):
            environment[variable[1]] = variable[2]
            continue
        done = pages.typed(here, folder, environment)
        said[line] = done.stdout + done.stderr
    return said


def test_workers_beside_an_arena_with_a_redis_of_ones_own(
    machine: tuple[Path, dict[str, str]],
) -> None:
    """Two workers, started by hand, play a tournament whose results are in a Redis of one's own."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not on the PATH")
    folder, environment = machine
    said = follow("Workers of your own, and a Redis of your own", folder, environment)
    up = said["knockbox up --without worker"]
    assert ("redis" in up, "take care" in up) == (True, False), up
    played = said["knockbox tournament create --units 4 --seed operators --watch"]
    assert "3 of 3 matches" in played
    logs = [(folder / f"worker-{number}.log").read_text() for number in (1, 2)]
    assert sum(log.count('"event": "sealed"') for log in logs) == 3
    assert not (folder / "home/.local/share/knockbox/logs/worker.log").exists()


@pytest.mark.parametrize("section", ["Begin", "Backup and restore", "Who may come in"])
def test_a_section_works_as_written(section: str, machine: tuple[Path, dict[str, str]]) -> None:
    """Every command of the section is typed in its order and ends with 0; its services are those
    of the page's table.
    """
    said = follow(section, *machine)
    if told := said.get("knockbox status --json"):
        services = {one["name"] for one in json.loads(told)["services"]}
        assert services <= set(rows("## The services"))


def test_every_command_of_the_page_is_typed() -> None:
    """No section with commands is left out above."""
    assert len(TYPED.findall(TEXT)) == 4


def rows(begin: str) -> dict[str, list[str]]:
    """The first table after a text: first cell -> the others."""
    lines = TEXT[TEXT.index(begin) :].splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("|---"))
    found: dict[str, list[str]] = {}
    for line in lines[first + 1 :]:
        if not line.startswith("|"):
            break
        name, *cells = (cell.strip() for cell in line.strip("|").split(" | "))
        found[name.strip("`")] = cells
    return found


def shown(default: Any) -> str:
    """A default as the table has it."""
    if isinstance(default, float) and default.is_integer():
        default = int(default)
    return f"`{default}`" if default != "" else "none"


def expected() -> dict[str, str]:
    """Every variable that has one fixed default -> that."""
    found = {
        f"KNOCKBOX_{name.upper()}": shown(field.default)
        for name, field in WorkerSettings.model_fields.items()
        if name not in GIVEN
    }
    usual = arena_settings.Supervision()
    for field, variable in arena_settings.SUPERVISION.items():
        found[variable] = shown(getattr(usual, field))
    for prefix, kind in (("REFEREE", RefereeSettings), ("LAUNCH", LauncherSettings)):
        for field in fields(kind):
            if field.default is not MISSING:
                found[f"KNOCKBOX_{prefix}_{field.name.upper()}"] = shown(field.default)
    return found


def test_every_setting_is_in_the_table_with_its_default() -> None:
    """The table has every variable that the settings know, each with the default they have."""
    table = {name: cells[0] for name, cells in rows("## Settings").items()}
    wanted = expected()
    missing = [f"| `{name}` | {value} | …" for name, value in wanted.items() if name not in table]
    assert not missing, "rows to add to docs/operators.md"
    assert {name: table[name] for name in wanted} == wanted
    source = Path(arena_settings.__file__).read_text()
    read_here = set(re.findall(r'"((?:KNOCKBOX|XDG|REDIS|DOCKER)_[A-Z_]+)"', source))
    assert read_here <= set(table)
    assert set(table) <= set(wanted) | read_here
