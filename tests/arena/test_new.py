"""`knockbox new`: a bot to begin with, in each language, in a folder that needs nothing else."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.cli import templates
from workers.sandbox import manifest
from workers.sandbox.declaration import parse

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]
LANGUAGES = templates.languages()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_template_stands_alone(language: str, tmp_path: Path) -> None:
    """The copy has its own name, includes nothing from elsewhere, and is a bot as it lies there.

    It has every file of the template and of its SDK, the page, a Dockerfile and a test.
    """
    templates.copy(LANGUAGES[language], "my-bot", tmp_path / "my-bot")
    said = parse((tmp_path / "my-bot" / "knockbox.toml").read_bytes())
    assert (said.name, said.include) == ("my-bot", ())
    packed, template = (
        manifest.read(at) for at in (tmp_path / "my-bot", LANGUAGES[language].folder)
    )
    files = {file.path: file for file in packed.files}
    assert {"Dockerfile", "README.md"} <= files.keys()
    assert any("test" in path.lower() for path in files)
    for file in template.files:
        if file.path != "knockbox.toml":
            assert files[file.path] == file


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_a_new_bot_is_true_in_its_folder(language: str, tmp_path: Path) -> None:
    """It calls the bot by its name and shows its manifest; what it leads to lies in the folder, or
    in the clone that it says."""
    folder = tmp_path / "other"
    templates.copy(LANGUAGES[language], "other", folder)
    page = (folder / "README.md").read_text()
    assert f"knockbox new {language} other\nknockbox match other sample_bots/" in page
    for word in ("my-bot", "greedy/", "../", "make_stubs", "here,"):
        assert word not in page
    for link in re.findall(r"\]\((?!https:)([^)]+)\)", page):
        assert (folder / link).exists(), link
    for path in re.findall(r"sample_bots/[\w./-]+", page):
        assert (templates.root().parent / path).exists(), path
    for manifest_shown in re.findall(r"```toml\n(.*?)```", page, re.DOTALL):
        assert manifest_shown == (folder / "knockbox.toml").read_text()


def test_a_new_bot_is_told_what_to_do_next(knockbox: Knockbox, tmp_path: Path) -> None:
    """The folder is named, with the commands that come next; its own test passes, and it plays."""
    made = knockbox("new", "python", "my-bot", "--into", "bots")
    assert (made.returncode, made.stdout) == (0, "bots/my-bot\n")
    assert "next: knockbox match bots/my-bot bots/my-bot " in made.stderr
    tested = ["-m", "unittest"]
    folder = tmp_path / "bots" / "my-bot"
    assert subprocess.run([sys.executable, *tested], cwd=folder, check=False).returncode == 0
    played = knockbox("match", "bots/my-bot", "bots/my-bot", "--units", "1", "--json")
    assert [bot["forfeits"] for bot in json.loads(played.stdout)["bots"]] == [0, 0]


def test_what_cannot_be_made_is_said(knockbox: Knockbox, tmp_path: Path) -> None:
    """A name or language that is wrong says what would be right; nothing is written over."""
    listed = knockbox("new", "--list", "--json")
    assert [one["language"] for one in json.loads(listed.stdout)] == list(LANGUAGES)
    for given, words in (
        (["cobol", "my-bot"], f"the languages: {', '.join(LANGUAGES)}"),
        ([], f"the languages: {', '.join(LANGUAGES)}"),
        (["python"], "knockbox new python my-bot"),
        (["python", "My Bot"], "only a-z, 0-9, - and _"),
        (["python", "../escaped"], "only a-z, 0-9, - and _"),
    ):
        refused = knockbox("new", *given)
        assert (refused.returncode, words in refused.stderr) == (2, True), refused.stderr
    (tmp_path / "my-bot").mkdir()
    there = knockbox("new", "python", "my-bot")
    assert (there.returncode, "my-bot is there already" in there.stderr) == (1, True)
    assert not list((tmp_path / "my-bot").iterdir())
