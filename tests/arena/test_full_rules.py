"""The command line under all rules: matches of many seats, self-play, a match as text."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
FOUR = [SAMPLES / name for name in ("greedy", "builder", "random", "gin_hunter")]


@pytest.mark.parametrize("rules", ["partnership", "three_handed", "hollywood"])
def test_a_match_of_many_folders(knockbox: Knockbox, tmp_path: Path, rules: str) -> None:
    """A match takes a folder a seat; its replay verifies, and comes back whole from every form."""
    seats = {"partnership": 4, "three_handed": 3}.get(rules, 2)
    said = knockbox(
        "match", *FOUR[:seats], "--rules", rules, "--units", "1", "--seed", "s",
        "--out", "m.kbr", "--json",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    assert [bot["name"] for bot in found["bots"]] == [folder.name for folder in FOUR[:seats]]
    assert knockbox("verify", "m.kbr").returncode == 0
    for form in ("text", "json", "pb"):
        made = knockbox("replay", "export", "m.kbr", "--format", form, "--out", f"m.{form}")
        assert made.returncode == 0, made.stderr
        again = knockbox("replay", "import", f"m.{form}", "--out", f"{form}.kbr", "--json")
        assert again.returncode == 0, again.stderr
        assert json.loads(again.stdout) == {"replay": f"{form}.kbr", "digest": found["digest"]}
        assert (tmp_path / f"{form}.kbr").read_bytes() == (tmp_path / "m.kbr").read_bytes()


def test_bots_must_fill_the_seats(knockbox: Knockbox) -> None:
    """Two folders take four seats in turn, but three seats they cannot fill evenly."""
    wrong = knockbox("match", *FOUR[:2], "--rules", "three_handed")
    assert wrong.returncode == 2
    assert "3 players, here are 2 bots" in wrong.stderr
    assert knockbox("match", "--rules", "danish").returncode == 2


def test_a_mistake_in_a_text_is_named_with_its_line(knockbox: Knockbox, tmp_path: Path) -> None:
    """A text that is no match is refused, naming file and line; nothing is written."""
    (tmp_path / "m.txt").write_text('[Knockbox "1"]\n[Match "m"]\nGame over\n')
    said = knockbox("replay", "import", "m.txt")
    assert said.returncode == 1
    assert "m.txt: line 3: " in said.stderr
    assert not (tmp_path / "m.kbr").exists()


def test_self_play_repeats_itself(knockbox: Knockbox) -> None:
    """The same seed prints the same mix of outcomes, as a table and as JSON."""
    asked = ("rules", "selfplay", "--rules", "four_handed", "--deals", "40", "--seed", "x")
    first, second = knockbox(*asked), knockbox(*asked)
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert "deals and" in first.stderr
    mix = json.loads(knockbox(*asked, "--json").stdout)
    assert mix["deals"] == 40 == sum(end["deals"] for end in mix["ends"].values())
    assert knockbox("rules", "selfplay", "--games", "1", "--deals", "1").returncode == 2
