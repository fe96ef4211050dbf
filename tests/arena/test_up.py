"""A whole arena of one machine: up, a tournament, a kill, down."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
SERVICES = ["store", "referee", "api", "worker", "recorder", "reconciler"]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs commands against one arena with a long path, an empty HOME and a long TMPDIR."""
    folder = tmp_path_factory.mktemp("arena") / ("x" * 120)
    folder.mkdir()
    short = tempfile.mkdtemp(prefix="kbt", dir="/tmp")
    environment = {
        "PATH": os.environ["PATH"],
        "KNOCKBOX_SANDBOX": "process",
        "HOME": "",
        "TMPDIR": str(folder),
        "XDG_RUNTIME_DIR": short,
        "KNOCKBOX_DATA": str(folder / "data"),
        "KNOCKBOX_CHECK_EVERY": "0.1",
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

    yield run
    run("down")
    shutil.rmtree(short, ignore_errors=True)


def states(arena: Run) -> dict[str, dict[str, Any]]:
    told = json.loads(arena("status", "--json").stdout)
    return {service["name"]: service for service in told["services"]}


@pytest.fixture
def serving(arena: Run) -> Run:
    """The same, started."""
    assert arena("up").returncode == 0
    return arena


@pytest.fixture
def peopled(serving: Run) -> Run:
    """The same, with bots."""
    for name in ("random", "greedy"):
        assert serving("bot", "add", SAMPLES / name).returncode == 0
    return serving


def watcher(tournament: str, data: Path, environment: dict[str, str]) -> "subprocess.Popen[str]":
    """`knockbox tournament watch`, going on."""
    watch = ["tournament", "watch", tournament, "--data", str(data)]
    return subprocess.Popen(
        [sys.executable, "-m", "arena.cli", *watch],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_up_returns_when_everything_serves(serving: Run) -> None:
    """`up` returns when all services are healthy; again it says that they run already."""
    found = states(serving)
    assert list(found) == SERVICES
    assert {service["state"] for service in found.values()} == {"healthy"}
    again = serving("up")
    assert again.returncode == 0
    assert again.stderr.startswith("it runs already")
    assert states(serving) == found
    lines = serving("status").stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [[name, "healthy"] for name in SERVICES]


@pytest.mark.parametrize(
    ("option", "value"), [("--listen", "127.0.0.1:9"), ("--without", "worker")]
)
def test_what_is_asked_of_an_arena_that_runs_otherwise(
    serving: Run, option: str, value: str
) -> None:
    """`up` with an option that the running arena does not have fails, and says what helps."""
    found = states(serving)
    said = serving("up", option, value)
    assert said.returncode == 1
    assert f"it was started with another {option} (it listens nowhere" in said.stderr
    assert "`knockbox down`" in said.stderr
    assert states(serving) == found


def test_a_second_supervisor_is_refused(serving: Run) -> None:
    """One data folder has one supervisor."""
    said = serving("up", "--foreground")
    assert (said.returncode, "an arena runs already" in said.stderr) == (1, True)


def test_a_tournament_from_the_command_line(serving: Run) -> None:
    """Bots are added, play a round robin, are rated; ratings and replays are proven."""
    for name in ("greedy", "random", "builder"):
        assert serving("bot", "add", SAMPLES / name).returncode == 0
    assert "was there before" in serving("bot", "add", SAMPLES / "greedy").stderr
    watched = serving(
        "tournament", "create", "--name", "cup", "--units", "2", "--seed", "s", "--watch"
    )
    assert watched.returncode == 0, watched.stderr
    assert "3 of 3 matches" in watched.stderr
    shown = json.loads(serving("tournament", "show", "cup", "--json").stdout)
    assert (shown["state"], shown["recorded"], shown["seed"]) == ("over", 3, "s")
    assert shown["rules"]["target"] == 100
    table = [row["bot"] for row in shown["table"]]
    assert (sorted(table), table[-1]) == (["builder", "greedy", "random"], "random")
    assert all(name in watched.stdout for name in table)
    ratings = json.loads(serving("ratings", "--json").stdout)
    assert all({"bot", "version", "elo", "units"} <= set(one) for one in ratings)
    assert ratings[-1]["bot"] == "random"
    checked = json.loads(serving("ratings", "rebuild", "--check", "--json").stdout)
    assert (checked["ok"], checked["entries"]) == (True, 3)
    replays = json.loads(serving("replay", "list", "--json").stdout)
    proof = serving("verify", *(one["match_id"] for one in replays), "--json")
    proven = [json.loads(line) for line in proof.stdout.splitlines()]
    assert [line["ok"] for line in proven] == [True] * 3
    assert [line["digest"] for line in proven] == [one["digest"] for one in replays]
    secret = "--secret", shown["secret"]
    assert serving("verify", replays[0]["replay"], *secret).returncode == 0
    assert serving("verify", replays[0]["replay"], "--secret", "00" * 32).returncode == 1
    assert "deal 1" in serving("replay", "show", replays[0]["match_id"]).stdout
    how_an_author_sees_it(serving)


def how_an_author_sees_it(serving: Run) -> None:
    """`bot show` tells rating and history, what deals were lost by, and where it was slow."""
    told = json.loads(serving("bot", "show", "greedy", "--json").stdout)
    (version,) = told["all_versions"]
    assert version["history"][-1] == told["elo"]
    assert version["lowest_elo"] <= told["elo"] <= version["highest_elo"]
    recent = told["recent"]
    assert recent["matches"] == 2
    assert set(recent["deals"]) <= {"knock", "gin", "big_gin", "undercut"}
    assert sum(deals["won"] for deals in recent["deals"].values()) > 0
    slow = [(one["ms"], one["match_id"]) for one in recent["slowest"]]
    assert slow == sorted(slow, key=lambda one: -one[0])
    first = recent["slowest"][0]
    place = [f"--{part}={first[part]}" for part in ("leg", "unit", "deal")]
    assert serving("replay", "show", first["match_id"], *place).returncode == 0
    shown = serving("bot", "show", "greedy").stdout
    assert "playing" in shown
    assert re.search(r"deals +[0-9]+ won \([0-9]+ by a knock", shown)
    assert re.search(r"[0-9]{4}-[0-9]{4} [▁▂▃▄▅▆▇█]{2}$", shown, re.MULTILINE)


def test_a_bot_that_is_retired(serving: Run) -> None:
    """A retired bot is in no new tournament, may not be named in one, and comes back."""
    for name in ("greedy", "random", "builder"):
        serving("bot", "add", SAMPLES / name)
    retired = serving("bot", "retire", "builder")
    assert (retired.returncode, retired.stdout) == (0, "builder retired\n")
    again = serving("bot", "add", SAMPLES / "builder")
    assert (again.returncode, "builder is retired, and gets no matches" in again.stderr) == (
        0,
        True,
    )
    assert "next: knockbox bot restore builder " in again.stderr
    assert "tournament create" not in again.stderr
    named = serving("tournament", "create", "--bots", "builder,random", "--units", "1")
    assert named.returncode == 2
    assert "builder is retired; `knockbox bot restore`" in named.stderr
    made = json.loads(serving("tournament", "create", "--units", "1", "--json").stdout)
    assert made["matches"] == 1
    assert "next: knockbox tournament create" in serving("bot", "list").stderr
    assert "next: knockbox ratings rebuild" in serving("ratings").stderr
    assert json.loads(serving("bot", "restore", "builder", "--json").stdout)["retired_ms"] is None


def test_a_bot_at_fault_in_a_tournament(serving: Run, tmp_path: Path) -> None:
    """`bot show` names a bot's last fault with its log, all versions and the record over them;
    `bot logs` prints what it printed, and nothing of it acts on the terminal.
    """
    (tmp_path / "knockbox.toml").write_text(
        '[bot]\nname = "crasher"\ncommand = ["python3", "bot.py"]\n'
    )
    for word in ("first", "second"):
        (tmp_path / "bot.py").write_text(f"print('\\x1b[2J{word} words')\nraise SystemExit(7)\n")
        assert serving("bot", "add", tmp_path).returncode == 0
        assert serving("bot", "add", SAMPLES / "random").returncode == 0
        cup = ("--name", f"crash-{word}", "--units", "1", "--bots", "crasher,random")
        watched = serving("tournament", "create", *cup, "--watch", "--rules", "german_150")
        assert watched.returncode == 0, watched.stderr
        assert "bots: crasher, random" in watched.stderr
        assert "rules: german_150;" in watched.stderr
    told = json.loads(serving("bot", "show", "crasher", "--json").stdout)
    assert [one["lost"] for one in told["all_versions"]] == [2, 2]
    assert all(one["added_ms"] for one in told["all_versions"])
    fault = told["last_fault"]
    assert (fault["match_id"], fault["leg"], fault["reason"]) == ("crash-second.1", 0, "crash")
    assert "second words" in Path(fault["log"]).read_text()
    shown = serving("bot", "show", "crasher").stdout
    assert "0 won, 4 lost, 0 drawn in 2 units" in shown
    assert "4 (crash 4)" in shown
    assert "last fault: crash in leg 0 of match crash-second.1" in shown
    assert "  | \\x1b[2Jsecond words" in shown
    assert serving("bot", "show", "random").stdout.count("last fault") == 0
    logs = serving("bot", "logs", "crasher")
    assert logs.stdout == "\\x1b[2Jsecond words\n" * 2
    logs = serving("bot", "logs", "crasher", "--match", "crash-first.1")
    assert logs.stdout == "\\x1b[2Jfirst words\n" * 2
    logs = serving("bot", "logs", "crasher", "--leg", "1", "--tail", "1")
    assert logs.stdout == "\\x1b[2Jsecond words\n"


def test_a_tournament_that_is_not_there(serving: Run) -> None:
    """Watching what is not there is one line."""
    said = serving("tournament", "watch", "nothing")
    assert (said.returncode, said.stdout) == (1, "")
    assert len(said.stderr.splitlines()) == 1


def test_too_many_units_are_told_with_the_most(serving: Run) -> None:
    """The arena says how many units these rules and this clock allow."""
    said = serving("tournament", "create", "--units", "1000")
    assert (said.returncode, said.stdout) == (2, "")
    assert "units: 1,000 are too many, 87 at most with 2 seats" in said.stderr


def test_killed_services_come_back(serving: Run) -> None:
    """Every service that is killed is started again, and nothing that was known is lost."""
    before = states(serving)
    for name in ("store", "worker", "api"):
        os.kill(before[name]["pid"], signal.SIGKILL)
    while True:
        now = states(serving)
        if all(
            now[name]["state"] == "healthy" and now[name]["pid"] != before[name]["pid"]
            for name in ("store", "worker", "api")
        ):
            break
    assert {name: now[name]["restarts"] for name in ("store", "worker", "api")} == {
        name: before[name]["restarts"] + 1 for name in ("store", "worker", "api")
    }
    assert serving("status").returncode == 0
    assert json.loads(serving("bot", "list", "--json").stdout)


def test_down_leaves_nothing(serving: Run, left_over: Callable[[Path], list[int]]) -> None:
    """`down` ends every process and socket; what was known is there at the next `up`."""
    data = Path(json.loads(serving("status", "--json").stdout)["data"])
    runtime = Path(json.loads(serving("status", "--json").stdout)["runtime"])
    bots = serving("bot", "list", "--json").stdout
    assert left_over(data) != []
    assert json.loads(serving("down", "--json").stdout)["ended"] is True
    assert left_over(data) == []
    assert not runtime.exists()
    assert list((data / "work").iterdir()) == []
    assert serving("status").returncode == 4
    assert "nothing runs" in serving("down").stderr
    assert serving("up").returncode == 0
    assert serving("bot", "list", "--json").stdout == bots


def test_nothing_outlives_a_killed_supervisor(
    serving: Run, left_over: Callable[[Path], list[int]]
) -> None:
    """When the supervisor itself is killed, its services end by themselves, and `up` works."""
    told = json.loads(serving("status", "--json").stdout)
    os.kill(told["pid"], signal.SIGKILL)
    assert left_over(Path(told["data"])) == []
    assert serving("up").returncode == 0
    assert {one["state"] for one in states(serving).values()} == {"healthy"}


def test_watching_is_interrupted(peopled: Run, environment: dict[str, str]) -> None:
    """Ctrl-C while watching leaves the tournament alone, says so, and exits with 130."""
    told = json.loads(peopled("status", "--json").stdout)
    assert peopled("tournament", "create", "--name", "long", "--units", "87").returncode == 0
    with watcher("long", Path(told["data"]), environment) as watching:
        assert watching.stderr
        assert watching.stderr.readline().startswith("long: 0 of ")
        watching.send_signal(signal.SIGINT)
        rest = watching.stderr.read()
    assert watching.returncode == 130
    assert "the tournament goes on" in rest
    assert "next: knockbox tournament watch long" in rest


def test_the_arena_ends_while_somebody_watches(peopled: Run, environment: dict[str, str]) -> None:
    """Who watches when the arena ends is told that the tournament goes on; exit code 4."""
    told = json.loads(peopled("status", "--json").stdout)
    assert peopled("tournament", "create", "--name", "cut", "--units", "87").returncode == 0
    with watcher("cut", Path(told["data"]), environment) as watching:
        assert watching.stderr
        assert watching.stderr.readline().startswith("cut: ")
        assert peopled("down").returncode == 0
        rest = watching.stderr.read()
    assert watching.returncode == 4
    assert rest.splitlines()[-1] == (
        "error: the arena ended; the tournament goes on after `knockbox up`"
    )


def test_a_store_of_ones_own_that_does_not_answer(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """REDIS_URL is used or refused, never replaced silently."""
    said = subprocess.run(
        [sys.executable, "-m", "arena.cli", "up", "--data", str(tmp_path / "d")],
        capture_output=True,
        text=True,
        timeout=60,
        env={**environment, "REDIS_URL": "redis://:secret@127.0.0.1:9/0"},
        check=False,
    )
    assert said.returncode == 4
    assert said.stderr.startswith("error: REDIS_URL redis://:***@127.0.0.1:9/0 does not answer")


def test_status_says_that_a_store_of_ones_own_has_gone(
    knockbox: Run, arena_server: "tuple[subprocess.Popen[bytes], str]"
) -> None:
    """Where the store of REDIS_URL is lost, `status` fails and names it."""
    server, url = arena_server
    assert knockbox("up", REDIS_URL=url).returncode == 0
    try:
        assert knockbox("status").returncode == 0
        server.kill()
        server.wait()
        said, told = knockbox("status"), knockbox("status", "--json")
        assert said.returncode == told.returncode == 1
        assert f"error: REDIS_URL {url} does not answer" in said.stderr
        assert json.loads(told.stdout)["healthy"] is False
    finally:
        knockbox("down")
