"""Tournaments from the command line: planned, paused, resumed, closed; bots withdrawn, matches
made void."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
Run = Callable[..., "subprocess.CompletedProcess[str]"]
LONG = ("--units", "87")
"""Of a tournament that is not over before the next command."""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs commands against one arena with three bots."""
    folder = tmp_path_factory.mktemp("organise")
    short = tempfile.mkdtemp(prefix="kbt", dir="/tmp")
    environment = {
        "PATH": os.environ["PATH"],
        "KNOCKBOX_SANDBOX": "process",
        "HOME": str(folder),
        "XDG_RUNTIME_DIR": short,
        "KNOCKBOX_BEAT_S": "0.2",
        "KNOCKBOX_SLOTS": "1",
    }

    def run(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "arena.cli", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=120,
            env=environment,
            cwd=folder,
            check=False,
        )

    assert run("up").returncode == 0
    for name in ("greedy", "random", "builder"):
        assert run("bot", "add", SAMPLES / name).returncode == 0
    yield run
    run("down")
    shutil.rmtree(short, ignore_errors=True)


def said(run: Run, *arguments: str, code: int = 0) -> str:
    """What a command says on both streams; its exit code is checked."""
    done = run("tournament", *arguments)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def shown(run: Run, *arguments: str) -> dict[str, object]:
    done = run("tournament", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_dry_run_creates_nothing(arena: Run) -> None:
    """It tells matches, games, time, size and where these come from, and what is wrong."""
    text = said(arena, "create", "--units", "2", "--dry-run")
    assert "3 matches of 2 units: 12 games between 3 bots, rules: danish" in text
    assert "this is what the sample bots take" in text
    assert said(arena, "list").startswith("no tournaments yet")
    wrong = arena("tournament", "create", "--units", "1000", "--dry-run")
    assert (wrong.returncode, "87 at most with 2 seats" in wrong.stderr) == (2, True)


def test_what_was_played_is_measured(arena: Run) -> None:
    """Once matches of the same rules are recorded, time and size follow them."""
    said(arena, "create", "--units", "2", "--name", "first", "--watch")
    told = shown(arena, "create", "--units", "4", "--dry-run")
    assert (told["measured"], told["matches"], told["games"], told["slots"]) == (3, 3, 24, 1)
    sizes = [one["size"] for one in json.loads(arena("replay", "list", "--json").stdout)]
    assert told["bytes"] == 2 * sum(sizes)
    assert 0 < int(str(told["low_ms"])) < int(str(told["high_ms"]))
    other = shown(arena, "create", "--units", "4", "--dry-run", "--rules", "german")
    assert other["measured"] == 0
    taken = arena("tournament", "create", "--name", "first", "--dry-run")
    assert (taken.returncode, "is taken" in taken.stderr) == (1, True)


def test_a_tournament_is_paused_and_goes_on(arena: Run) -> None:
    """A paused tournament says so and is played to its end when it is resumed."""
    said(arena, "create", *LONG, "--name", "stop-and-go")
    paused = said(arena, "pause", "stop-and-go")
    assert ", paused" in paused
    assert "next: knockbox tournament resume stop-and-go" in paused
    assert shown(arena, "show", "stop-and-go")["state"] == "paused"
    resumed = shown(arena, "resume", "stop-and-go")
    assert (resumed["state"], resumed["resumed"], resumed["unpaused"]) == ("running", [], True)
    assert resumed.keys() - {"resumed", "unpaused"} == shown(arena, "pause", "stop-and-go").keys()
    assert "it goes on" in said(arena, "resume", "stop-and-go")
    assert "3 of 3 matches" in said(arena, "watch", "stop-and-go")
    assert "is over" in said(arena, "pause", "stop-and-go", code=1)


def test_a_bot_is_withdrawn(arena: Run) -> None:
    """What it has not begun is void, the rest is played, the table and the list say so."""
    said(arena, "create", *LONG, "--name", "without", "--seed", "s")
    said(arena, "pause", "without")
    assert "random is withdrawn" in said(arena, "withdraw", "without", "random")
    said(arena, "resume", "without")
    assert "(withdrawn: random)" in said(arena, "watch", "without")
    found = shown(arena, "show", "without")
    assert (found["state"], found["withdrawn"]) == ("over", ["random"])
    assert int(str(found["recorded"])) + int(str(found["void"])) == found["matches"] == 3
    assert found["secret"]
    assert "'nobody' does not play in" in said(arena, "withdraw", "without", "nobody", code=1)
    assert arena("ratings", "rebuild", "--check").returncode == 0


def test_a_tournament_is_closed(arena: Run) -> None:
    """It is over at once, whatever is in play; its secret is told, and nothing resumes it."""
    said(arena, "create", *LONG, "--name", "enough")
    closed = said(arena, "close", "enough")
    assert "closed" in closed
    found = shown(arena, "watch", "enough")
    assert (found["state"], found["closed"]) == ("over", True)
    assert found["secret"]
    assert "was closed for good" in said(arena, "resume", "enough", code=1)
    rows = [line.split() for line in said(arena, "list").splitlines()]
    assert ["enough", "closed"] in [row[:2] for row in rows]
    assert arena("ratings", "rebuild", "--check").returncode == 0


def test_a_match_is_made_void(arena: Run) -> None:
    """Every table is as if it had not been played, all say so and why, and its replay is kept."""
    said(arena, "create", "--units", "2", "--name", "undone", "--seed", "s", "--watch")
    (match,) = [
        one
        for one in json.loads(arena("replay", "list", "--tournament", "undone", "--json").stdout)
        if {bot["bot"] for bot in one["bots"]} == {"greedy", "random"}
    ]
    match_id, before = match["match_id"], json.loads(arena("ratings", "--json").stdout)
    assert match["void"] is None
    why = "an old build of greedy played"
    told = said(arena, "void", match_id, "--why", why)
    assert f"{match_id} is void; undone: 2 of 3 matches, 1 void" in told
    found = shown(arena, "show", "undone")
    assert (found["state"], found["recorded"], found["void"]) == ("over", 2, 1)
    assert [(one["match_id"], one["why"]) for one in found["corrections"]] == [(match_id, why)]  # pyright: ignore
    units = {row["bot"]: row["units"] for row in found["table"]}  # pyright: ignore
    assert units == {"greedy": 2, "random": 2, "builder": 4}
    assert f"{match_id} is void since " in said(arena, "show", "undone")
    cross = json.loads(arena("tournament", "crosstable", "undone", "--json").stdout)
    assert "random" not in {one["opponent"] for one in cross if one["bot"] == "greedy"}
    after = {one["bot"]: one["units"] for one in json.loads(arena("ratings", "--json").stdout)}
    taken = {one["bot"]: one["units"] - after[one["bot"]] for one in before}
    assert taken == {"greedy": 2, "random": 2, "builder": 0}
    history = json.loads(arena("bot", "show", "greedy", "--json").stdout)
    assert history["all_versions"][0]["history"][-1] == history["elo"]
    listed = arena("replay", "list", "--tournament", "undone")
    assert [line.split()[-2] for line in listed.stdout.splitlines()].count("void") == 1
    assert f"{match_id} is void: {why}" in listed.stderr
    for command in (("verify", match_id), ("replay", "show", match_id)):
        done = arena(*command)
        assert (done.returncode, f"{match_id} is void: {why}" in done.stderr) == (0, True)
    assert arena("ratings", "rebuild", "--check").returncode == 0
    again = said(arena, "void", match_id, "--why", "another", code=1)
    assert f"{match_id} is void already: {why}" in again
    assert "no match 'undone'" in said(arena, "void", "undone", "--why", why, code=1)
    for nothing, wrong in (
        ("", "it must have 1 to 200 characters in one line"),
        (" ", "it must have 1 to 200 characters in one line"),
        ("x" * 201, "it must have 1 to 200 characters in one line"),
        ("a\nb", "nobody could see the U+000A in it (a control character): leave it out"),
        ("a\u200bb", "nobody could see the U+200B in it (ZERO WIDTH SPACE): leave it out"),
    ):
        refusal = said(arena, "void", match_id, "--why", nothing, code=2)
        assert f"why: {wrong}" in refusal


def test_ids_that_are_not_there(arena: Run) -> None:
    """Each command tells in one line that there is no such tournament."""
    for words in (
        ("pause", "x*"),
        ("resume", "../x"),
        ("withdraw", "nope", "ada"),
        ("close", "a\nb"),
        ("void", "nope.1", "--why", "x"),
    ):
        done = arena("tournament", *words)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
        assert "no tournament" in done.stderr or "no match" in done.stderr
