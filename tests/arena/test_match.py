"""`knockbox match`: two folders, one process, no service; and what reads its replay."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.replay import Replay

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]


def crashing(folder: Path, name: str = "crasher") -> Path:
    """A bot that says something nasty and ends."""
    folder.mkdir()
    (folder / "knockbox.toml").write_text(
        f'[bot]\nname = "{name}"\ncommand = ["python3", "bot.py"]\n'
    )
    (folder / "bot.py").write_text("print('\\x1b[2Jno luck')\nraise SystemExit(7)\n")
    return folder


def test_the_example_of_its_help_plays(knockbox: Knockbox, tmp_path: Path) -> None:
    """What `--help` shows can be typed in a clone, with a new bot in it."""
    (tmp_path / "sample_bots").symlink_to(SAMPLES.parent)
    knockbox("new", "python", "my-bot")
    said = knockbox("match", "--help").stdout
    (example,) = re.findall(r"^Example: knockbox (.*)$", said, re.MULTILINE)
    played = knockbox(*shlex.split(example))
    assert played.returncode == 0, played.stderr


def test_a_seeded_match_repeats_itself(knockbox: Knockbox, tmp_path: Path) -> None:
    """The same seed and bots give the same match, digest included; its replay is proven."""
    play = (
        "match",
        SAMPLES / "greedy",
        SAMPLES / "random",
        "--units",
        "4",
        "--seed",
        "x",
        "--json",
    )
    first: dict[str, Any] = json.loads(knockbox(*play).stdout)
    again: dict[str, Any] = json.loads(knockbox(*play, "--out", "again.kbr").stdout)
    assert first["digest"] == again["digest"]
    assert [bot["name"] for bot in first["bots"]] == ["greedy", "random"]
    assert first["bots"][0]["score"] > first["bots"][1]["score"]
    assert [bot["forfeits"] for bot in first["bots"]] == [0, 0]
    assert again["replay"] == "again.kbr"
    proof = json.loads(knockbox("verify", "--json", first["replay"]).stdout)
    assert (proof["ok"], proof["error"], proof["records"]) == (True, None, 11)


def test_a_seed_deals_the_same_to_other_versions_and_bots(
    knockbox: Knockbox, tmp_path: Path
) -> None:
    """Two versions of a bot are compared on the same cards, and another seed has others."""
    shutil.copytree(SAMPLES, tmp_path / "bots")
    mine = tmp_path / "bots" / "random"

    def dealt(bot: Path, seed: str) -> bytes:
        play = ("--units", "1", "--seed", seed, "--out", "m.kbr")
        assert knockbox("match", bot, SAMPLES / "greedy", *play).returncode == 0
        deal = Replay.open(tmp_path / "m.kbr").game(0, 0).deals[0]
        return b"".join([*(hand.to_bytes(8, "big") for hand in deal.hands), *deal.piles])

    first = dealt(mine, "x")
    (mine / "CHANGES").write_text("another version\n")
    assert dealt(mine, "x") == first
    assert dealt(SAMPLES / "builder", "x") == first
    assert dealt(mine, "y") != first


def test_reading_and_proving_a_replay(knockbox: Knockbox, tmp_path: Path) -> None:
    """A replay is read deal by deal and in short; a flipped byte is found and named."""
    folder = SAMPLES / "greedy"
    played = knockbox("match", folder, folder, "--units", "2", "--out", "m.kbr")
    assert played.returncode == 0, played.stderr
    shown = knockbox("replay", "show", "m.kbr", "--leg", "1", "--unit", "1")
    assert "leg 1 unit 1 deal 1" in shown.stdout
    assert "next: knockbox verify m.kbr" in shown.stderr
    assert "greedy" in knockbox("replay", "show", "m.kbr", "--games").stdout
    deal = json.loads(knockbox("replay", "show", "m.kbr", "--json").stdout)
    assert deal["seats"] == ["greedy", "greedy"]
    missing = knockbox("replay", "show", "m.kbr", "--unit", "9")
    assert (missing.returncode, "unit 9" in missing.stderr) == (1, True)
    content = bytearray((tmp_path / "m.kbr").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "bad.kbr").write_bytes(content)
    proof = knockbox("verify", "--json", "m.kbr", "bad.kbr")
    lines = [json.loads(line) for line in proof.stdout.splitlines()]
    assert proof.returncode == 1
    assert [(line["file"], line["ok"]) for line in lines] == [("m.kbr", True), ("bad.kbr", False)]
    assert lines[1]["error"]
    assert knockbox("replay", "show", "bad.kbr").returncode == 1


def test_a_bot_at_fault(knockbox: Knockbox, tmp_path: Path) -> None:
    """A bot's fault is exit code 3, with its reason and its last words, which cannot act; what is
    known before the last leg is said then."""
    said = knockbox("match", crashing(tmp_path / "c"), SAMPLES / "random", "--units", "2")
    assert said.returncode == 3
    early, told = said.stderr.split("crasher was at fault: crash in leg 0, exit code 7")
    assert early.startswith("leg 0: crasher fails, crash, exit code 7\n")
    assert "crasher fails" not in told
    assert "no luck" in said.stderr
    assert "\x1b" not in said.stdout + said.stderr
    kept = sorted(path.name for path in (tmp_path / "replays").glob("*.logs/*"))
    assert kept == ["leg0-crasher.log", "leg1-crasher.log"]
    assert "what the bots printed: replays/" in said.stderr


def test_a_silent_match_leaves_no_logs(knockbox: Knockbox, tmp_path: Path) -> None:
    """Where no bot prints anything the replay lies alone."""
    assert knockbox("match", SAMPLES / "greedy", "--units", "1").returncode == 0
    assert [path.suffix for path in (tmp_path / "replays").iterdir()] == [".kbr"]


def test_a_clock_that_ran_out(knockbox: Knockbox, tmp_path: Path) -> None:
    """A bot that thinks too long is told which clock ran out, how much, how to do without, and
    what it had been asked."""
    slow = crashing(tmp_path / "slow", "slow")
    shutil.copytree(SAMPLES / "knockbox_sdk", slow / "knockbox_sdk")
    (slow / "bot.py").write_text(
        "import time\nfrom knockbox_sdk import run\n\n"
        "def bot(state):\n    time.sleep(5.2 * state.seat)\n    return state.otherwise()\n\n"
        "run(bot)\n"
    )
    said = knockbox("match", SAMPLES / "greedy", slow, "--units", "1", timeout=100)
    assert said.returncode == 3
    assert "slow was at fault: time in leg 0 (5 s bank used up; --clock none" in said.stderr
    assert "  an answer of it was missing in deal 1 (decision " in said.stderr


def test_one_name_twice(knockbox: Knockbox, tmp_path: Path) -> None:
    """Two bots of one name are told apart in the table, in faults and in the logs' names."""
    twin = crashing(tmp_path / "c", "twin")
    other = crashing(tmp_path / "d", "twin")
    said = knockbox("match", twin, other, "--units", "1")
    assert [line.split()[:2] for line in said.stdout.splitlines()[1:]] == [
        ["twin", "(1)"],
        ["twin", "(2)"],
    ]
    assert "twin (1) was at fault: " in said.stderr
    kept = {path.name for path in (tmp_path / "replays").glob("*.logs/*")}
    assert "leg0-twin-1.log" in kept


def test_a_match_without_a_card(knockbox: Knockbox, tmp_path: Path) -> None:
    """The next command of a match works where no card was dealt, and says why none was."""
    said = knockbox("match", crashing(tmp_path / "c"), SAMPLES / "random", "--units", "1")
    following = said.stderr[said.stderr.index("next: knockbox ") :].split()[2:5]
    shown = knockbox(*following)
    assert shown.returncode == 0
    assert shown.stdout == "no card was dealt: leg 0 unit 0 ended by crash of crasher\n"


def test_the_newest_replay_is_shown(knockbox: Knockbox, tmp_path: Path) -> None:
    """Without a file the newest replay here is shown; of several none is guessed."""
    assert "./replays has none" in knockbox("replay", "show").stderr
    for seed in ("a", "b"):
        knockbox("match", SAMPLES / "greedy", "--units", "1", "--seed", seed)
    newest = max((tmp_path / "replays").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    shown = knockbox("replay", "show")
    assert shown.stdout.startswith(f"Match {newest.stem}, ")
    several = knockbox("replay", "show", *(tmp_path / "replays").iterdir())
    assert (several.returncode, "one replay at a time" in several.stderr) == (2, True)


def test_rules_of_ones_own_are_named_as_they_are(knockbox: Knockbox, tmp_path: Path) -> None:
    """Rules from a file are named by their preset and by what they change."""
    (tmp_path / "r.json").write_text('{"preset": "german", "target": 150}')
    said = knockbox("match", SAMPLES / "greedy", "--units", "1", "--rules", "r.json")
    assert said.stderr.startswith("1 unit in ")
    assert "rules: german, target 150;" in said.stderr


def test_faults_in_json(knockbox: Knockbox, tmp_path: Path) -> None:
    """The JSON of a match with a fault is whole: forfeits by bot and reasons by leg."""
    said = knockbox("match", SAMPLES / "random", crashing(tmp_path / "c"), "--units", "2", "--json")
    bots = json.loads(said.stdout)["bots"]
    assert said.returncode == 3
    assert [bot["forfeits"] for bot in bots] == [0, 4]
    assert bots[1]["reasons"] == ["crash", "crash"]
