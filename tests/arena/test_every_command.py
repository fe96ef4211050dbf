"""What holds for every command there is: found by walking the command line, not by a list."""

import itertools
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cyclopts import App

from arena.cli.__main__ import main
from arena.cli.app import make_app

Knockbox = Callable[..., "subprocess.CompletedProcess[str]"]

EXAMPLE = re.compile(r"^Example: (.*)$", re.MULTILINE)
CODES = {0, 1, 2, 3, 4}

ODD = (
    ("--nonsense",),
    ("--data",),
    ("x" * 300,),
    ("*",),
    ("../../etc/passwd",),
    ("a\nb",),
    ("\x1b[2J\x1b]8;;http://x\x07y",),
    ("<script>alert(1)</script>",),
    ("\udcff",),
    ("",),
    ("a", "b", "c", "d", "e", "f"),
)
WHOLE = ("0", "-1", "1000000000", "1e9", "٣", "0x10")


def walked(app: App, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command that does something."""
    if app.default_command is not None:
        yield path
    for name in app:
        if not name.startswith("-"):
            yield from walked(app[name], (*path, name))


COMMANDS = [path for path in walked(make_app(plain=True)) if path]
BEGINNERS = {("up",), ("demo",)}
"""Commands that start an arena when nothing is wrong with what they are given."""


LINES = [("rules", verb) for verb in ("deadwood", "layoff", "play", "score", "check")]
WITHOUT = {
    *(("demo",), ("up",), ("worker",), ("dial",), ("completion",), ("replay", "export")),
    *LINES,
}
"""Commands without --json: what stays here or is for people alone, text or a file as it is, JSON
anyway."""


def named(path: tuple[str, ...]) -> str:
    return " ".join(path)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home in which no arena runs."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    for variable in ("KNOCKBOX_DATA", "REDIS_URL", "KNOCKBOX_TRACEBACK"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield tmp_path


def test_the_walk_finds_the_commands() -> None:
    """The walk meets what is plainly there: commands alone, under a word, and both."""
    assert {("match",), ("bot", "show"), ("ratings",), ("ratings", "rebuild")} <= set(COMMANDS)


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_help_has_an_example_that_parses(
    path: tuple[str, ...], bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` of every command fits 80 columns and shows an example, which the command takes."""
    assert main([*path, "--help"]) == 0
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= 80
    examples = EXAMPLE.findall(told)
    assert examples, f"`{named(path)} --help` has no line `Example: knockbox …`"
    for example in examples:
        typed = example[example.index("knockbox ") :]
        words = list(itertools.takewhile(lambda word: word not in "<>|", shlex.split(typed)))[1:]
        assert tuple(words[: len(path)]) == path
        make_app(plain=True).parse_args(words, exit_on_error=False, print_error=False)


@pytest.mark.parametrize("group", sorted({path[:-1] for path in COMMANDS}), ids=named)
def test_a_list_of_commands_has_a_line_for_each(
    group: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """What a command is for fits beside its name in a list of commands, on 80 columns."""
    assert main([*group, "--help"]) == 0
    _, _, after = capsys.readouterr().out.partition("Commands:\n")
    listed = after.split("\n\n")[0].splitlines()
    assert listed and all(re.match(r"  [a-z-]+(, -h)?: \S", line) for line in listed)


@pytest.mark.parametrize("path", [path for path in COMMANDS if path not in WITHOUT], ids=named)
def test_what_lists_shows_or_changes_something_takes_json(
    path: tuple[str, ...], bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs can ask for JSON wherever there is an answer to be read."""
    assert main([*path, "--help"]) == 0
    assert "  --json" in capsys.readouterr().out


AT_HOME = {("up",), ("down",), ("worker",), ("ratings", "rebuild")}
FOR_ITSELF = {
    *(("demo",), ("doctor",), ("new",), ("match",), ("check",), ("completion",), ("version",)),
    *(("replay", "import"), ("rules", "presets"), ("rules", "selfplay")),
    *LINES,
}
GIVEN = {
    ("up",): ("--nonsense",),
    ("worker",): ("--nonsense",),
    ("demo",): ("--units", "0"),
    ("submit",): ("--dial-in", "xx"),
    ("bot", "add"): ("registry.example/x:1", "--name", "x"),
    ("dial",): ("xx", "--register", "--", "true"),
    ("verify",): ("t1.1",),
    ("replay", "show"): ("t1.1",),
    ("replay", "export"): ("t1.1",),
}
"""What some commands are to be given so that only the arena is missing, or nothing begins."""


def typed(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """A command as somebody types it: as its own example does."""
    if path in GIVEN:
        return [*path, *GIVEN[path]]
    assert main([*path, "--help"]) == 0
    example = EXAMPLE.findall(capsys.readouterr().out)[0]
    words = shlex.split(example[example.index("knockbox ") :])[1:]
    return list(itertools.takewhile(lambda word: word not in "<>|", words))


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_help_tells_of_other_arenas_where_they_are_heeded(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """How to name another machine's arena stands below the commands that may be for one alone."""
    assert main([*path, "--help"]) == 0
    told = "of another machine with --arena" in " ".join(capsys.readouterr().out.split())
    assert told == (path not in AT_HOME | FOR_ITSELF)


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_an_arena_that_is_named_is_the_one_that_is_meant(
    path: tuple[str, ...],
    bare: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No command does anything here when it is told to do it elsewhere: it looks there, or says
    that it is for this machine."""
    monkeypatch.setenv("KNOCKBOX_ARENA", "")
    assert main(["--arena", "no address", *typed(path, capsys)]) == 2
    said = capsys.readouterr().err
    if path in AT_HOME:
        assert said == f"error: {named(path)} is for the arena of this machine; leave --arena out\n"
    elif path in FOR_ITSELF:
        assert said == f"error: {named(path)} is for this machine alone; leave --arena out\n"
    else:
        assert said.startswith("error: KNOCKBOX_ARENA (--arena) is 'no address'")


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_an_arena_that_is_exported_misleads_no_command(
    path: tuple[str, ...],
    bare: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With KNOCKBOX_ARENA set what changes the arena here says why it does not; what speaks to
    none does not look at it; `--help` is for everybody."""
    words = typed(path, capsys)
    monkeypatch.setenv("KNOCKBOX_ARENA", "no address")
    assert main([*path, "--help"]) == 0
    capsys.readouterr()
    code = main(words)
    said = capsys.readouterr().err
    if path in AT_HOME:
        assert said.startswith(f"error: {named(path)} is for the arena of this machine, and KNOCK")
        assert code == 2
    else:
        assert ("KNOCKBOX_ARENA" in said) is (path not in FOR_ITSELF)


def test_what_is_behind_two_dashes_is_for_another_program(
    bare: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--arena` in the command of a bot is the bot's."""
    monkeypatch.delenv("KNOCKBOX_ARENA", raising=False)
    assert main(["dial", "x", "--", "true", "--arena", "127.0.0.1:1"]) == 2
    assert "name the arena" in capsys.readouterr().err


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_whatever_is_typed_is_answered_in_a_line(
    path: tuple[str, ...], bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No argument brings a traceback, an unknown exit code, a control character or many lines."""
    app = make_app(plain=True)
    for name in path:
        app = app[name]
    numbers = [
        argument.name
        for argument in app.assemble_argument_collection()
        if argument.hint in (int, int | None) and argument.name.startswith("--")
    ]
    tries = [*ODD, *((number, value) for number in numbers for value in WHOLE)]
    for odd in tries:
        if path in BEGINNERS and odd[0] != "--nonsense" and not _refused(path, odd):
            continue
        code = main([*path, *odd])
        out, err = capsys.readouterr()
        assert code in CODES, odd
        assert not set(map(ord, "\x1b\x07\x00")) & set(map(ord, out + err)), odd
        assert "Traceback" not in err, odd
        assert "fault of Knockbox" not in err, (odd, err)
        if code and not out:
            assert err.startswith("error: "), odd
            assert len(err.splitlines()) <= 2, odd


def _refused(path: tuple[str, ...], odd: tuple[str, ...]) -> bool:
    """Whether a command does not even take these words."""
    try:
        make_app(plain=True).parse_args([*path, *odd], exit_on_error=False, print_error=False)
    except Exception:  # noqa: BLE001 - whatever it is, nothing was started
        return True
    return False


BROKEN = """\
import sys
from arena.cli import version
from arena.cli.__main__ import main

def text():
    raise KeyError("what\\nnobody \\x1b[2J foresaw")

version.text = text
sys.exit(main(["version"]))
"""


def test_a_fault_of_our_own_is_a_line_too() -> None:
    """Where Knockbox itself fails that is one line, which says how to report it; exit code 1."""
    said = subprocess.run(
        [sys.executable, "-c", BROKEN], capture_output=True, text=True, check=False
    )
    assert said.returncode == 1
    assert len(said.stderr.splitlines()) == 1
    assert said.stderr.startswith("error: KeyError: 'what")
    assert "please report this line" in said.stderr
    assert "\x1b" not in said.stderr


@pytest.mark.parametrize(
    ("variables", "bold"),
    [
        ({}, False),
        ({"NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colours_as_the_environment_says(
    knockbox: Knockbox, variables: dict[str, str], bold: bool
) -> None:
    """A pipe gets plain lines unless FORCE_COLOR is set, and NO_COLOR wins."""
    said = knockbox("rules", "presets", **variables).stdout
    assert ("\x1b[1m" in said) is bold


def test_piped_lines_do_not_depend_on_a_width(knockbox: Knockbox) -> None:
    """In a pipe a table is the same lines whatever COLUMNS says."""
    narrow, wide = (knockbox("rules", "presets", COLUMNS=columns) for columns in ("20", "300"))
    assert narrow.stdout == wide.stdout
    assert narrow.stdout.isascii()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command(
    shell: str, bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script for each shell names every command."""
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in {word for path in COMMANDS for word in path}:
        assert re.search(rf"\b{word}\b", script), word


COMPLETE = """\
source <(knockbox completion bash 2>/dev/null)
while read -r -a COMP_WORDS; do
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _knockbox_names; echo "${COMPREPLY[*]}"
done
"""


def test_tab_completes_in_bash() -> None:
    """Tab completes commands and options, and says nothing where no arena knows names."""
    typed = "knockbox ver\nknockbox bot sh\nknockbox bot show --js\nknockbox bot show gr\n"
    said = subprocess.run(
        ["bash", "-c", COMPLETE],
        input=typed,
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": "/nonexistent"},
    )
    assert said.stdout == "verify version\nshow\n--json\n\n"


def test_a_folder_and_an_arena_elsewhere_are_two_arenas(
    bare: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--data` beside `--arena` is refused: nobody can say which of them was meant."""
    monkeypatch.setenv("KNOCKBOX_ARENA", "")
    monkeypatch.setenv("KNOCKBOX_TOKEN", "kb_" + "a" * 43)
    assert main(["--arena", "127.0.0.1:1", "ratings", "--data", str(bare)]) == 2
    assert "leave --data out, or --arena and KNOCKBOX_ARENA" in capsys.readouterr().err
