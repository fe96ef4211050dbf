"""The platform in containers: the README's commands, typed as they stand, down to nothing left."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

ROOT = Path(__file__).parents[2]
PROJECT = f"kbtest{os.getpid()}"
BASES = ("debian:trixie-slim", "knockbox/python-bot")


def commands() -> list[str]:
    """What the README says to type."""
    text = (ROOT / "README.md").read_text()
    section = text[text.index("## With Docker Compose") :]
    return section.split("```\n")[1].splitlines()


@pytest.fixture
def stage() -> Iterator[dict[str, str]]:
    """An environment with the real Compose, and folders that are gone afterwards."""
    binary = Path(sys.executable).parent / "docker-compose"
    try:
        client = docker.from_env()
        for base in BASES:
            client.api.inspect_image(base)
        client.close()
    except docker.errors.ImageNotFound as error:
        pytest.skip(f"{error.explanation}: make images")
    except docker.errors.DockerException:
        pytest.skip("no container engine answers: containers/engine.sh start")
    if not binary.is_file() or not shutil.which("docker"):
        pytest.skip("docker's command line or Compose is not installed")
    with tempfile.TemporaryDirectory(prefix="kbc", dir="/tmp") as short:
        plugins = Path(short, "config", "cli-plugins")
        plugins.mkdir(parents=True)
        (plugins / "docker-compose").symlink_to(binary)
        wheels = any((ROOT / "wheels").glob("*.whl"))
        variables = {
            **os.environ,
            "DOCKER_CONFIG": f"{short}/config",
            "COMPOSE_PROJECT_NAME": PROJECT,
            "KNOCKBOX_RUN": f"{short}/run",
            "PIP_NO_INDEX": "1" if wheels else "",
        }
        yield variables
        typed("docker compose down --volumes", variables)


def typed(command: str, variables: dict[str, str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a line, as a shell takes it."""
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=ROOT,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def follow(variables: dict[str, str]) -> dict[str, str]:
    """Type every command; what each said on stdout."""
    said: dict[str, str] = {}
    for command in commands():
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            _, out, _ = typed(f"echo {value}", variables)
            variables[name] = out.strip()
            continue
        code, out, err = typed(command, variables)
        assert code == 0, f"{command}\n{out[-2000:]}\n{err[-4000:]}"
        said[command] = out
    return said


def ours() -> list[str]:
    """What the engine has of this project or of its bots."""
    client = docker.from_env()
    project = f"label=com.docker.compose.project={PROJECT}"
    label = project.removeprefix("label=")
    found = [each["Id"] for each in client.api.containers(all=True, filters={"label": label})]
    found += [
        each["Name"] for each in client.api.volumes(filters={"label": label})["Volumes"] or ()
    ]
    found += [each["Id"] for each in client.api.networks(filters={"label": label})]
    client.close()
    return found


def elsewhere(tmp_path: Path) -> dict:
    """The same tournament by the same commands, as processes on this machine."""
    knockbox = f"{Path(sys.executable).parent}/knockbox"
    variables = {**os.environ, "KNOCKBOX_DATA": str(tmp_path), "KNOCKBOX_SANDBOX": "process"}
    inside = "docker compose exec arena knockbox"
    same = [line for line in commands() if line.startswith(inside)]
    try:
        for line in (f"{knockbox} up", *same):
            here = line.replace(inside, knockbox).replace("/bots/", "sample_bots/")
            code, out, err = typed(here, variables)
            assert code == 0, f"{line}\n{out}\n{err}"
        return json.loads(typed(f"{knockbox} tournament show t1 --json", variables)[1])
    finally:
        typed(f"{knockbox} down", variables)


def results(shown: dict) -> list[dict]:
    """The table without the lifelong Elo, which follows the order of arrival."""
    return [{key: row[key] for key in row if key != "elo"} for row in shown["table"]]


TEMPLATES = """
import json, pathlib, tempfile
from arena.cli import templates
from workers.sandbox import manifest
made = {}
for language, template in templates.languages().items():
    folder = pathlib.Path(tempfile.mkdtemp(), "my-bot")
    templates.copy(template, "my-bot", folder)
    made[language] = manifest.digest(manifest.read(folder).files)
print(json.dumps(made))
"""
"""What `knockbox new` makes of each language, file by file."""


def test_a_tournament_in_containers_is_the_tournament_elsewhere(stage, tmp_path: Path):
    """Built, brought up, played and taken down: same table by seed, sandboxed, and nothing left."""
    said = follow(stage)
    wheel = ["docker", "run", "--rm", "--network", "none", "knockbox/arena", "python3", "-c"]
    new = [subprocess.check_output([*way, TEMPLATES]) for way in (wheel, [sys.executable, "-c"])]
    assert new[0] == new[1]  # the templates are in the installed wheel as they are in the clone
    shown = json.loads(said["docker compose exec arena knockbox tournament show t1 --json"])
    assert (shown["state"], shown["recorded"], shown["sandboxed"]) == ("over", 6, True)
    other = elsewhere(tmp_path)
    assert results(shown) == results(other)
    assert other["sandboxed"] is False
    assert not ours()
    run = Path(stage["KNOCKBOX_RUN"])
    assert not [path for path in run.rglob("*") if not path.is_dir()]
