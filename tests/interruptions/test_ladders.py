"""A ladder that is left alone: bots come, change, crash, the arena is restarted, and days turn."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
LADDER = "open"
# Games of one deal, and days of some seconds.
RULES, DAY_S = "spanish_single", "6"


def own_bot(folder: Path, name: str, command: str) -> Path:
    """A folder with a bot that is no bot."""
    folder.mkdir()
    text = f'[bot]\nname = "{name}"\ncommand = ["python3", "-c", "{command}"]\n'
    (folder / "knockbox.toml").write_text(text)
    return folder


def row(ladder: dict[str, Any], bot: str) -> dict[str, Any]:
    return next(line for line in ladder["table"] if line["bot"] == bot)


def units(bot: str, least: int) -> Callable[[dict[str, Any]], bool]:
    return lambda ladder: row(ladder, bot)["units"] >= least


def told(ladder: dict[str, Any]) -> list[dict[str, Any]]:
    """The days that are over, with their secrets."""
    return [day for day in ladder["days"] if day["secret"] and day["recorded"]]


def test_a_ladder_left_alone(arena: Callable[..., Any], tmp_path: Path) -> None:
    """It benches who only crashes, takes a new bot and a new version, goes on after a restart, and
    tells the secret of each day that is over, from which that day's decks follow."""
    crashing = own_bot(tmp_path / "crashing", "crasher", "raise SystemExit(3)")
    shutil.copytree(SAMPLES / "knockbox_sdk", tmp_path / "knockbox_sdk")
    newer = Path(shutil.copytree(SAMPLES / "random", tmp_path / "random"))
    (newer / "note.txt").write_text("better\n")
    short = {
        "KNOCKBOX_LADDER_DAY_S": DAY_S,
        "KNOCKBOX_BENCH_AFTER": "2",
        "KNOCKBOX_MESSAGES_A_SLOT": "1",
    }
    with arena("ladder", **short) as running:

        def until(reached: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
            return running.until(LADDER, reached, command="ladder")

        for folder in (SAMPLES / "greedy", SAMPLES / "random", crashing):
            running.run("bot", "add", str(folder))
        begun = running.ask("ladder", "start", LADDER, "--rules", RULES, "--units", "1")
        assert begun["day"] == begun["days"][0]["tournament_id"]
        benched = row(until(lambda now: row(now, "crasher")["state"] == "benched"), "crasher")
        assert "forfeited every game of 2 matches" in benched["bench"]["reason"]
        assert running.ask("bot", "show", "crasher")["benches"] == [benched["bench"]]

        running.run("down")
        running.run("up")
        before = row(running.ask("ladder", "show", LADDER), "random")["version"]
        for folder in (SAMPLES / "builder", newer):
            running.run("bot", "add", str(folder))
        both = until(lambda now: units("builder", 1)(now) and units("random", 1)(now))
        assert row(both, "random")["version"] != before

        (day, *_) = told(until(lambda now: len(told(now)) >= 2))
        secret = bytes.fromhex(day["secret"])
        assert hashlib.sha256(secret).hexdigest() == day["commitment"]
        running.run("verify", f"{day['tournament_id']}.1")
        running.run("ladder", "stop", LADDER)
        ended = until(lambda now: all(day["over_ms"] for day in now["days"]))
        assert (ended["state"], ended["day"]) == ("stopped", None)
        secrets = [day["secret"] for day in ended["days"]]
        assert len(set(secrets)) == len(secrets)
        assert sum(day["dead"] for day in ended["days"]) == 0
        assert row(ended, "crasher")["units"] < row(ended, "greedy")["units"]
        running.run("ratings", "rebuild", "--check")
