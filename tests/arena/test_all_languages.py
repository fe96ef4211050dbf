"""Bots of all languages in one arena: made by `knockbox new`, in containers, against each other."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient
from docker.errors import APIError, ImageNotFound

from arena.cli import templates
from workers.sandbox import manifest
from workers.sandbox.images.dockerfile import check
from workers.sandbox.images.engine import tag_of
from workers.sandbox.images.limits import Limits

LANGUAGES = tuple(templates.languages())
CONTAINERS = {"KNOCKBOX_SANDBOX": "container"}
Say = Callable[..., str]


@pytest.fixture
def bots(tmp_path: Path, engine: DockerClient) -> Iterator[dict[str, Path]]:
    """A new bot in each language, by its name. Their images are gone afterwards."""
    made: dict[str, Path] = {}
    for language, template in templates.languages().items():
        text = (template.folder / "Dockerfile").read_bytes()
        for base in check(text, Limits().bases).bases:
            try:
                engine.api.inspect_image(base)
            except ImageNotFound:
                pytest.skip(f"{base} is not here: make images")
        made[f"{language}-bot"] = tmp_path / f"{language}-bot"
    yield made
    for folder in made.values():
        with suppress(APIError):  # somebody else may have taken it up
            tag = tag_of(manifest.digest(manifest.read(folder).files))
            engine.api.remove_image(tag, force=True)


@pytest.fixture
def say(knockbox: Callable[..., "subprocess.CompletedProcess[str]"]) -> Iterator[Say]:
    """Types a command that must not fail; what it answers. The arena is ended at last."""

    def typed(*words: str | Path) -> str:
        done = knockbox(*words, timeout=300, **CONTAINERS)
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    yield typed
    knockbox("down", **CONTAINERS)


def test_a_new_bot_of_each_language_plays_all_others(say: Say, bots: dict[str, Path]) -> None:
    """A round robin, all in containers, ends with a table; nobody is at fault; replays verify. A
    new bot is fit as it is, here and at the arena."""
    say("up")
    for language in LANGUAGES:
        say("new", language, f"{language}-bot")
        say("bot", "add", f"{language}-bot")
    say("new", "go", "strict")
    say("check", "strict")
    say("submit", "strict")
    how = ("--bots", ",".join(bots), "--units", "1", "--rules", "spanish_single", "--seed", "all")
    say("tournament", "create", "--name", "all", *how, "--watch")
    shown: dict[str, Any] = json.loads(say("tournament", "show", "all", "--json"))
    matches = len(bots) * (len(bots) - 1) // 2
    assert (shown["state"], shown["recorded"], shown["sandboxed"]) == ("over", matches, True)
    assert {row["bot"] for row in shown["table"]} == bots.keys()
    assert not any(row["forfeits"] for row in shown["table"])
    proofs = say("verify", *(f"all.{number}" for number in range(1, matches + 1)), "--json")
    assert all(json.loads(line)["ok"] for line in proofs.splitlines())
