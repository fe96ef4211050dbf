"""`knockbox check`: its table, its JSON, its exit codes."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from workers.check.rows import NAMES

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_good_bot(knockbox: Knockbox) -> None:
    """A sample bot passes every row under all rules; the next command is said."""
    said = knockbox("check", SAMPLES / "greedy", timeout=120)
    assert said.returncode == 0, said.stdout + said.stderr
    told = [line.split("  ")[:2] for line in said.stdout.splitlines() if line[0] != " "]
    assert told == [["PASS", name] for name in ("folder", "image", *NAMES)]
    assert "is fit to play\nnext: knockbox submit " in said.stderr


def test_a_bot_at_fault(knockbox: Knockbox, tmp_path: Path) -> None:
    """A fault is exit code 3, in the table with its fix and the bot's last words, which cannot
    act; in JSON as well."""
    folder = tmp_path / "bad"
    folder.mkdir()
    manifest = '[bot]\nname = "bad"\ncommand = ["python3", "bot.py"]\n'
    (folder / "knockbox.toml").write_text(manifest)
    (folder / "bot.py").write_text("print('\\x1b[2Jno luck')\nraise SystemExit(7)\n")
    (folder / "Dockerfile").write_text("FROM knockbox/python-bot\nADD x /x\n")
    said = knockbox("check", folder)
    assert said.returncode == 3
    assert "FAIL  image          Dockerfile line 2: ADD fetches addresses" in said.stdout
    assert "FAIL  start          its program ended with exit code 7 before it" in said.stdout
    assert "        to do        its last lines are below" in said.stdout
    assert "| \\x1b[2Jno luck" in said.stdout
    assert said.stderr.endswith(f"{folder} is at fault: image, start (1 warning)\n")
    found = json.loads(knockbox("check", folder, "--json").stdout)
    rows = {row["name"]: row for row in found["rows"]}
    assert (found["bot"], found["ok"]) == ("bad", False)
    assert rows["start"]["lines"] == ["\\x1b[2Jno luck"]
    assert rows["many boards"]["verdict"] == "SKIP"


def test_a_folder_that_is_no_bot(knockbox: Knockbox, tmp_path: Path) -> None:
    """A folder without a manifest is the bot's fault; one that is not there is a usage error."""
    (tmp_path / "empty").mkdir()
    said = knockbox("check", "empty")
    assert (said.returncode, said.stdout.split()[:3]) == (3, ["FAIL", "folder", "knockbox.toml:"])
    assert knockbox("check", "nowhere").returncode == 2


def test_a_machine_that_lacks_what_is_asked_for(knockbox: Knockbox, tmp_path: Path) -> None:
    """Where there is no engine the bot is not to blame: exit code 1."""
    shutil.copytree(SAMPLES / "random", tmp_path / "mine")
    shutil.copytree(SAMPLES / "knockbox_sdk", tmp_path / "mine" / "knockbox_sdk")
    said = knockbox("check", "mine", "--sandbox", "container", DOCKER_HOST=f"unix://{tmp_path}/no")
    assert (said.returncode, "no container engine answers" in said.stderr) == (1, True)
