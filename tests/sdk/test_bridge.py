"""The bridge with programs of every manner: what they are told, what is taken, how it fails.

The program comes out of its image and runs here, since it needs nothing but itself.
"""

import io
import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from docker import DockerClient
from docker.errors import ImageNotFound
from jsonschema import Draft202012Validator

import sample_bots
from knockbox.v1 import play_pb2
from referee.rules import fields
from referee.rules.cards import mask, parse
from referee.rules.ruleset import resolve
from referee.wire.rules import to_proto
from tests.sdk.scripted import serve
from tests.sdk.sessions import PLANS, session

BASE = "knockbox/bridge-bot"
FOLDER = Path(sample_bots.__path__[0]) / "bridge"
RULES = resolve({"preset": "spanish", "big_gin_bonus": 31})
HAND = mask(map(parse, ["3C", "4C", "5C", "KC", "4D", "QD", "4H", "4S", "7S", "8S", "9S"]))
MANY = 5_000
"""Far more than both pipes hold: a question has about 600 bytes."""


class Played(NamedTuple):
    """How the bridge ended, and what the referee heard of the program."""

    code: int
    stdout: str
    stderr: str
    heard: list[play_pb2.Action]


Play = Callable[..., Played]


@pytest.fixture(scope="module")
def program(engine: DockerClient, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bridge, out of its image."""
    try:
        container = engine.containers.create(BASE)
    except ImageNotFound:
        pytest.skip(f"{BASE} is not on this machine: make images")
    try:
        chunks, _ = container.get_archive("/usr/local/bin/knockbox-bridge")
        packed = io.BytesIO(b"".join(chunks))
    finally:
        container.remove()
    folder = tmp_path_factory.mktemp("bridge")
    with tarfile.open(fileobj=packed) as tar:
        tar.extractall(folder, filter="data")
    return folder / "knockbox-bridge"


@pytest.fixture
def play(program: Path, tmp_path: Path) -> Play:
    """Plays a leg with a program: so many messages with so many questions each."""

    def with_program(
        command: Sequence[str], *, turns: play_pb2.Turns | None = None, messages: int = 1,
        wait: float = 20.0, options: Sequence[str] = (),
    ) -> Played:  # fmt: skip
        heard: list[play_pb2.Action] = []
        asked = turns or questions(1)

        def leg(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
            next(requests)
            yield welcome()
            next(requests)
            for _ in range(messages):
                yield play_pb2.PlayResponse(turns=asked).SerializeToString()
                answer = next(requests, None)
                if answer is None:
                    return
                heard.extend(play_pb2.PlayRequest.FromString(answer).actions.actions)
            over = play_pb2.MatchOver(reason=play_pb2.REASON_PLAYED)
            yield play_pb2.PlayResponse(match_over=over).SerializeToString()
            next(requests, None)

        server = serve(tmp_path / "s.sock", leg)
        done = subprocess.run(
            [program, "--wait", str(wait), *options, "--", *command],
            env={
                "PATH": os.environ["PATH"],
                "KNOCKBOX_REFEREE": f"unix://{tmp_path}/s.sock",
                "KNOCKBOX_TICKET": "the-ticket",
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        server.stop(None).wait()
        return Played(done.returncode, done.stdout, done.stderr, heard)

    return with_program


def welcome() -> bytes:
    """Seat 1 of two."""
    clock = play_pb2.ClockSettings(bank_per_game_ms=5000, cap_ms=5000)
    told = play_pb2.Welcome(protocol=1, seat=1, rules=to_proto(RULES), clock=clock, games=1)
    return play_pb2.PlayResponse(welcome=told).SerializeToString()


def questions(number: int) -> play_pb2.Turns:
    """So many of them, to which a draw and a discard are answers."""
    turns = play_pb2.Turns(clock_left_ms=4000)
    turns.deals_started.add(board=0, deal=1, upcard=5, knock_limit=5, hand=HAND, scores=[0, 0])
    for decision in range(number):
        turn = turns.turns.add(decision=decision, board=0, phase=2, hand=HAND, stock=30)
        turn.options.may_draw = True
        turn.options.discards, turn.options.discard_deadwood = HAND, bytes(range(11))
        turn.options.knocks, turn.options.knock_deadwood = 1 << parse("KC"), b"\4"
    return turns


def perl(source: str) -> list[str]:
    """A program in Perl that flushes what it prints."""
    return ["perl", "-e", f"$| = 1; {source}"]


def saying(answer: str) -> list[str]:
    """A program that always answers the same."""
    return ["sh", "-c", 'while read -r question; do printf "%s\\n" "$1"; done', "sh", answer]


DRAW = r'print qq({"draw":true}\n)'
ONE_BY_ONE = f"while (<STDIN>) {{ {DRAW} }}"


@pytest.mark.parametrize(
    "source",
    [
        ONE_BY_ONE,
        f"my @all = map {{ scalar <STDIN> }} 1 .. {MANY}; {DRAW} for @all; <STDIN>",
        f"<STDIN>; {DRAW} for 1 .. {MANY}; 1 while <STDIN>",
    ],
    ids=["one by one", "all questions first", "all answers first"],
)
def test_full_pipes_hold_up_nothing(play: Play, source: str) -> None:
    """Thousands of questions at once are answered in whatever order a program reads and writes."""
    played = play(perl(source), turns=questions(MANY))
    assert (played.code, played.stderr) == (0, "")
    assert [action.decision for action in played.heard] == list(range(MANY))
    assert all(action.HasField("draw") for action in played.heard)


def test_a_program_hears_its_seat_the_rules_and_the_end(play: Play, tmp_path: Path) -> None:
    """The environment has seat and rules and no ticket; when the leg is over the input ends."""
    told = tmp_path / "told"
    source = f"""
import json, os, sys
for line in sys.stdin:
    sys.stdout.write('{{"otherwise":true,"note":"it is \\\\u00fc"}}\\n')
with open({str(told)!r}, "w") as file:
    json.dump(dict(os.environ), file)
"""
    played = play([sys.executable, "-c", source], messages=3)
    assert (played.code, played.stderr) == (0, "")
    assert [action.note for action in played.heard] == ["it is ü"] * 3
    variables = json.loads(told.read_text())
    assert variables["KNOCKBOX_SEAT"] == "1"
    assert json.loads(variables["KNOCKBOX_RULES"]) == fields.to_json(RULES)
    assert not {"KNOCKBOX_TICKET", "KNOCKBOX_REFEREE"} & set(variables)


def test_a_trace_has_what_was_asked(play: Play) -> None:
    """--trace prints each question as the program gets it."""
    played = play(perl(ONE_BY_ONE), turns=questions(2), options=["--trace"])
    assert [json.loads(line)["phase"] for line in played.stdout.splitlines()] == ["draw"] * 2


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["perl", "-ne", DRAW], ("has answered 0 of them", "$| = 1;", "flush")),
        (["sleep", "30"], ("does not read its standard input",)),
        (perl(f"{ONE_BY_ONE} continue {{ sleep 30 if $. == 7 }}"), ("has answered 7",)),
        (["sh", "-c", "read q; exit 3"], ("ended (exit status 3)", "after 0 answers")),
        (["sh", "-c", "read q; kill -9 $$"], ("ended (signal: killed)",)),
        (["sh", "-c", "exec >&-; exec sleep 30"], ("closed its standard output",)),
        (["./no-such-program"], ("does not start", "no-such-program")),
        (perl(r"print qq({) x 70000; sleep 30"), ("wrote a line of more than 65536 bytes",)),
    ],
)
def test_a_program_that_does_not_answer_is_named(
    play: Play, command: list[str], words: tuple[str, ...]
) -> None:
    """Silence, an early end and a closed output fail with 1, and say what is wrong."""
    # More than the pipe holds, for the program that does not read.
    played = play(command, turns=questions(300), wait=0.5)
    assert played.code == 1
    for word in words:
        assert word in played.stderr
    assert played.heard == []


ANSWERS = {
    '{"draw":true}': "",
    ' { "draw" : true , "note" : "why" } ': "",
    '{"otherwise":true}': "",
    '{"discard":"KC"}': "",
    '{"knock":"KC"}': "",
    '{"knock":"KC","melds":[["3C","4C","5C"],["4D","4H","4S"]]}': "",
    "thinking about KC": "it is not JSON",
    "": "it is not JSON",
    '{"discard":"KC"': "it is not JSON",
    '{"discard":"KC"} ok': "something follows the object",
    '["KC"]': "it is no JSON object",
    "true": "it is no JSON object",
    "{}": "it answers nothing",
    '{"note":"hm"}': "it answers nothing",
    '{"discrad":"KC"}': '"discrad" is unknown',
    '{"draw":true,"take":true}': "it answers twice",
    '{"draw":false}': '"draw" takes true',
    '{"discard":12}': '"discard" takes a card',
    '{"discard":"10C"}': "is not a card",
    '{"knock":"KC","melds":"3C"}': '"melds" are lists of cards',
    '{"knock":"KC","layoffs":{"7S":0}}': "knock takes no layoffs",
    '{"discard":"KC","melds":[]}': "discard takes no melds",
    '{"otherwise":true,"melds":[]}': '"otherwise" takes no melds',
    '{"draw":true,"note":7}': '"note" is a text',
}
"""What a program may say, and what is wrong with it by its form."""
ILLEGAL = {
    '{"draw":true,"draw":true}': "stands in it twice",
    '{"take":true}': "take is not legal now",
    '{"discard":"AS"}': "cannot discard AS: it is not in your hand",
    '{"knock":"QD"}': "cannot knock QD",
    '{"knock":"KC","melds":[["3C","4C","AS"]]}': "AS is not in your hand",
}
"""What is wrong with it in a way that a schema does not see."""


@pytest.mark.parametrize(("answer", "wrong"), [*ANSWERS.items(), *ILLEGAL.items()])
def test_only_an_answer_is_taken_for_one(play: Play, answer: str, wrong: str) -> None:
    """What is no legal answer is refused with the line and a reason, and nothing is answered."""
    played = play(saying(answer))
    if not wrong:
        assert (played.code, played.stderr, len(played.heard)) == (0, "", 1)
        return
    assert (played.code, played.heard) == (1, [])
    assert "line 1 that the program wrote is refused: " + json.dumps(answer) in played.stderr
    assert wrong in played.stderr


def test_a_line_too_many_is_told(play: Play) -> None:
    """What nobody asked for is not kept as the answer to the next question."""
    source = f"while (<STDIN>) {{ {DRAW}; print qq(done\\n) }}"
    played = play(perl(source), messages=2)
    assert played.code == 1
    assert len(played.heard) <= 1
    assert '"done"' in played.stderr


@pytest.mark.parametrize("answer", [*ANSWERS])
def test_the_schema_and_the_bridge_take_the_same_answers(answer: str) -> None:
    """What is valid by answer.schema.json is what the bridge takes."""
    try:
        told = json.loads(answer)
    except ValueError:
        assert ANSWERS[answer]
        return
    assert schema("answer").is_valid(told) == (not ANSWERS[answer])


def test_every_question_is_valid_by_its_schema() -> None:
    """All questions of the recorded sessions are as question.schema.json says, key by key."""
    validator = schema("question")
    lines = [line for plan in PLANS for step in session(plan).steps for line in step.lines]
    asked = [told for told in map(json.loads, lines) if "phase" in told]
    assert asked
    for told in asked:
        assert [error.message for error in validator.iter_errors(told)] == []
        assert list(told) == list(validator.schema["properties"])


def test_the_page_shows_what_is_so() -> None:
    """Its question and its answers are valid by the schemas."""
    page = (FOLDER / "README.md").read_text()
    (question,) = re.findall(r"^\{.*\}$", page, re.MULTILINE)
    told = json.loads(question)
    assert schema("question").is_valid(told)
    assert list(told) == list(schema("question").schema["properties"])
    answers = re.findall(r"`(\{[^`]*\})`", page)
    assert len(answers) == 8
    assert all(schema("answer").is_valid(json.loads(answer)) for answer in answers)


def schema(name: str) -> Any:
    """A schema, which is one itself."""
    text = json.loads((FOLDER / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(text)
    return Draft202012Validator(text)
