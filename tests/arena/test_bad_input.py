"""What people, bots and machines get wrong: one clear line each, and the rest goes on."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from arena.cli.__main__ import main
from arena.local import processes, valkey

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Folders = dict[str, Path]
Odd: TypeAlias = "subprocess.CompletedProcess[str]"
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"

PLAYS = (SAMPLES / "greedy" / "bot.py").read_text()
SHOUTS = """\
import sys
lie = b'{"match_id": "odd.1", "digest": "00", "won": 99}\\nmatch odd.1 recorded: loud 100.0\\n'
for _ in range(100):
    sys.stdout.buffer.write(lie * (1_000_000 // len(lie)))
sys.stdout.buffer.write(b"\\x1b[2J\\x1b]8;;http://evil\\x07\\xe2\\x80\\xae\\x00\\xff<script>\\n")
sys.stdout.flush()
"""

BOTS = {
    "loud": ('["python3", "bot.py"]', SHOUTS + PLAYS),
    "gone": ('["no-such-program"]', ""),
    "absent": ('["python3", "bot.py"]', "import time\ntime.sleep(600)\n"),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """Bots that do what they should not."""
    root = tmp_path_factory.mktemp("bots")
    shutil.copytree(SAMPLES / "knockbox_sdk", root / "knockbox_sdk")
    for name, (command, program) in BOTS.items():
        (root / name).mkdir()
        (root / name / "bot.py").write_text(program)
        (root / name / "knockbox.toml").write_text(
            f'[bot]\nname = "{name}"\ncommand = {command}\ninclude = ["../knockbox_sdk"]\n'
        )
    (root / "bare").mkdir()
    (root / "bare" / "bot.py").write_text(PLAYS)
    return {name: root / name for name in (*BOTS, "bare")}


class Machine(NamedTuple):
    """An arena on a store of one's own, which can be ended and started again."""

    run: Run
    data: Path
    end_store: Callable[[], None]
    start_store: Callable[[], None]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """An arena that serves, with three bots."""
    folder = tmp_path_factory.mktemp("machine")
    short = tempfile.mkdtemp(prefix="kbt", dir="/tmp")
    socket, server = Path(short) / "store.sock", valkey.find(os.environ["PATH"])
    valkey.claim(folder / "store", server)
    stores: list[subprocess.Popen[bytes]] = []

    def start_store() -> None:
        command = valkey.command(server, folder / "store", socket)
        leashed = processes.leash(command, signal.SIGKILL)
        stores.append(subprocess.Popen(leashed, stdout=subprocess.DEVNULL))
        assert any(valkey.lives(socket) for _ in range(100_000))

    def end_store() -> None:
        stores[-1].kill()
        stores[-1].wait()

    start_store()
    environment = {
        "PATH": os.environ["PATH"],
        "KNOCKBOX_SANDBOX": "process",
        "HOME": str(folder),
        "XDG_RUNTIME_DIR": short,
        "KNOCKBOX_DATA": str(folder / "data"),
        "REDIS_URL": valkey.url(socket),
    }

    knockbox = [sys.executable, "-m", "arena.cli"]
    subprocess.run([*knockbox, "up"], env=environment, check=True, capture_output=True)
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in environment.items():
            patch.setenv(variable, value)
        patch.chdir(folder)
        yield Machine(typed, folder / "data", end_store, start_store)
    subprocess.run([*knockbox, "down"], env=environment, check=True, capture_output=True)
    end_store()
    shutil.rmtree(short, ignore_errors=True)


@pytest.fixture(scope="module", autouse=True)
def nobody_comes(folders: Folders, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """A match with a bot that never connects, played while the other tests are: its end."""
    place = tmp_path_factory.mktemp("absent")
    command = [sys.executable, "-m", "arena.cli", "match", folders["absent"], SAMPLES / "random"]
    process = subprocess.Popen(
        [*command, "--units", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=place,
        env={
            "PATH": os.environ["PATH"],
            "KNOCKBOX_SANDBOX": "process",
            "HOME": str(place),
            "XDG_RUNTIME_DIR": str(place),
        },
    )

    def end() -> "subprocess.CompletedProcess[str]":
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess([], process.returncode, out, err)

    yield end
    process.kill()
    process.communicate()


def typed(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """What a command says, run in this process: a new one each time would cost minutes."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*map(str, arguments)])
    out.seek(0)
    return subprocess.CompletedProcess(arguments, code, out.read(), err.getvalue())


@pytest.fixture(scope="module")
def odd(machine: Machine, folders: Folders) -> Odd:
    """The tournament `odd`, played by a bot that shouts, one that is not there, and a good one."""
    for folder in (folders["loud"], folders["gone"], SAMPLES / "random"):
        assert machine.run("bot", "add", folder).returncode == 0
    bots = ("--bots", "loud,gone,random")
    return machine.run("tournament", "create", "--name", "odd", *bots, "--units", "1", "--watch")


def line_of(said: "subprocess.CompletedProcess[str]", code: int) -> str:
    """The one line that a refused command says."""
    assert said.returncode == code, said.stderr
    assert said.stdout == ""
    assert said.stderr.startswith("error: ")
    assert said.stderr.count("\n") == 1, said.stderr
    return said.stderr


def test_a_folder_without_a_manifest(machine: Machine, folders: Folders) -> None:
    """A folder that holds no bot is told with what is missing in it, wherever it is given."""
    for command in (("bot", "add"), ("match", SAMPLES / "random")):
        line = line_of(machine.run(*command, folders["bare"]), 3)
        assert "bare: knockbox.toml: is missing. A whole one is the line bot = {" in line


def test_a_path_with_a_slip(machine: Machine) -> None:
    """A folder that is not there is said to be none, and not taken for an image."""
    line = line_of(machine.run("bot", "add", "sample_bots/python/nosuch"), 2)
    assert "there is no folder sample_bots/python/nosuch; " in line


def test_an_archive_that_is_no_bot(machine: Machine, tmp_path: Path) -> None:
    """`bot add` ends as `submit` does where the bot is at fault: with 3, code and place."""
    archive = tmp_path / "bot.tar"
    for name, words in (("../x", "E_PATH: ../x: "), ("bot.py", "E_FOLDER: knockbox.toml: ")):
        with tarfile.open(archive, "w") as tar:
            tar.addfile(tarfile.TarInfo(name))
        assert words in line_of(machine.run("bot", "add", archive), 3)


def test_numbers_that_cannot_be(machine: Machine) -> None:
    """No units, fewer than none, or more than a match may have: nothing is queued."""
    for name in ("greedy", "random"):
        machine.run("bot", "add", SAMPLES / name)
    before = machine.run("tournament", "list", "--json").stdout
    for number in ("0", "-1", "1000000000"):
        for command in (("match", SAMPLES / "random"), ("tournament", "create")):
            assert "units" in line_of(machine.run(*command, f"--units={number}"), 2)
    line_of(machine.run("match", SAMPLES / "random", "--boards=0"), 2)
    assert machine.run("tournament", "list", "--json").stdout == before


@pytest.mark.parametrize("name", ["<script>x</script>", "a" * 300, "../x", "a*", "a\nb", "Ada"])
def test_names_that_are_none(machine: Machine, tmp_path: Path, name: str) -> None:
    """Markup, patterns, paths and long texts are no names: not of a bot, nor of a tournament."""
    (tmp_path / "knockbox.toml").write_text(
        f'[bot]\nname = """{name}"""\ncommand = ["python3", "bot.py"]\n'
    )
    line = line_of(machine.run("bot", "add", tmp_path), 3)
    assert "knockbox.toml bot.name: " in line
    assert len(line) < 400
    line = line_of(machine.run("tournament", "create", "--name", name), 2)
    assert "is no name" in line
    for command in (("bot", "show"), ("tournament", "show"), ("tournament", "resume")):
        assert f"no {command[0]} " in line_of(machine.run(*command, name), 1)


def test_ids_that_stand_for_nothing(machine: Machine) -> None:
    """Replays that are not there, patterns and paths are a line, and no file is touched."""
    for replay in ("cup.99", "cup.*", "../../etc/hostname", "cup.1\n", "cup.0"):
        for command in (("replay", "show"), ("verify",), ("replay", "export")):
            assert machine.run(*command, replay).returncode == 1
    line_of(machine.run("replay", "list", "--tournament", "*"), 1)


def test_a_tournament_goes_on_whatever_its_bots_do(machine: Machine, odd: Odd) -> None:
    """One bot prints 100 MB of lies and plays on, one cannot be started: the tournament ends by
    itself, only the second has lost by a fault, and nothing printed acts on a terminal.
    """
    alone = line_of(machine.run("tournament", "create", "--bots", "loud"), 2)
    assert "needs 2 bots or more, here are" in alone
    unknown = line_of(machine.run("tournament", "create", "--bots", "lout,random"), 2)
    assert "no bot 'lout'" in unknown
    assert "did you mean loud?" in unknown
    assert odd.returncode == 0, odd.stderr
    table = json.loads(machine.run("tournament", "show", "odd", "--json").stdout)["table"]
    assert {row["bot"]: row["forfeits"] for row in table} == {"loud": 0, "random": 0, "gone": 4}
    assert "forfeits  none" in machine.run("bot", "show", "loud").stdout
    gone = machine.run("bot", "show", "gone").stdout
    assert "forfeits  4 (crash 4)" in gone
    assert "cannot start no-such-program" in gone
    line_of(machine.run("bot", "logs", "loud", "--match", "*"), 2)
    logs = machine.run("bot", "logs", "loud", "--leg", "0").stdout
    assert "bytes dropped …]" in logs
    assert logs.splitlines()[-1] == "\\x1b[2J\\x1b]8;;http://evil\\x07\\u202e\\x00\\xff<script>"
    assert max(path.stat().st_size for path in machine.data.glob("logs/odd.*/*.log")) < 2_000_000
    assert machine.run("ratings", "rebuild", "--check").returncode == 0


def test_json_is_all_that_is_said(machine: Machine, odd: Odd) -> None:
    """With --json stdout holds lines of JSON alone, and no next command is offered."""
    made = ("tournament", "create", "--bots", "gone,random", "--units", "1", "--name", "spare")
    asked = [  # first what is done to a tournament that is not over yet
        *("tournament pause spare", "tournament resume spare", "tournament close spare"),
        *(
            "bot list",
            "bot logs loud --tail 1",
            "bot show loud",
            "bot show gone",
            "bot retire random",
            "bot restore random",
        ),
        *("tournament list", "tournament show odd", "tournament watch odd", "ratings"),
        *(
            "ratings rebuild --check",
            "replay list",
            "replay show odd.1 --games",
            "verify odd.1",
            "status",
        ),
        "tournament void odd.1 --why mistake",
        *("ladder start open --units 1", "ladder list", "ladder show open", "ladder stop open"),
        *("ladder unbench open random", "version", "rules presets", "rules selfplay --deals 1"),
    ]
    for command in (("bot", "add", SAMPLES / "random"), made, *map(str.split, asked)):
        said = machine.run(*command, "--json")
        assert said.returncode == 0, (command, said.stderr)
        assert [json.loads(line) for line in said.stdout.splitlines()], command
        assert "next:" not in said.stderr, command


def test_a_store_that_is_gone(machine: Machine) -> None:
    """While the store is away a command says so in a line, with exit code 4 and nothing done;
    when it is back, so is all that it knew.
    """
    before = machine.run("bot", "list").stdout
    machine.end_store()
    for command in (("ratings",), ("bot", "add", SAMPLES / "builder")):
        assert "the store does not answer" in line_of(machine.run(*command), 4)
    machine.start_store()
    listed = machine.run("bot", "list")
    assert (listed.returncode, listed.stdout) == (0, before)


def test_a_bot_that_never_connects(nobody_comes: Run) -> None:
    """It loses its games by `no_show`, which is told with exit code 3; the match has its replay."""
    said = nobody_comes()
    assert said.returncode == 3
    assert "absent was at fault: no_show in leg 0" in said.stderr
    assert said.stdout.splitlines()[1].split()[:4] == ["absent", "0.0", "0", "2"]
