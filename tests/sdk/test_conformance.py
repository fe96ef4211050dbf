"""Every SDK is told the same and answers the same: one program a language, in its container.

A program writes each question as a line, and answers by chance that follows from it. What it must
write and answer is worked out by the Python SDK in this process (tests/sdk/sessions.py).
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path

import pytest
from docker import DockerClient

from knockbox.v1 import play_pb2
from tests.sdk import programs_kit as kit
from tests.sdk.scripted import NOBODYS, Referee, break_off, refuse, serve
from tests.sdk.sessions import PLANS, Plan, Session, session
from workers.sandbox.images.refusal import ImageError

SESSIONS = {plan.name: session(plan) for plan in PLANS}


@pytest.fixture(scope="module", params=kit.LANGUAGES)
def image(request: pytest.FixtureRequest, engine: DockerClient) -> Iterator[str]:
    """The image of a language's program."""
    with ExitStack() as stack:
        try:
            made = stack.enter_context(kit.image_of(engine, kit.PROGRAMS / request.param))
        except ImageError as error:
            if error.code != "E_BASE":
                raise
            pytest.skip(str(error))
        yield made


@pytest.fixture
def folder() -> Iterator[Path]:
    with kit.seat_folder() as found:
        yield found


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_a_program_is_told_the_same_and_answers_the_same(
    engine: DockerClient, image: str, folder: Path, plan: Plan
) -> None:
    """All that is written and answered in a leg is what the Python SDK writes and answers.

    The referee is there only when the program runs; it loses the connection, refuses answers, and
    ends the leg; the program closes its end and exits with 0.
    """
    due = SESSIONS[plan.name]
    referees: list[Referee] = []
    ended = kit.run(
        engine, image, folder, lambda *_: referees.append(Referee(due, folder / "s.sock"))
    )
    referees[0].stop()
    assert not referees[0].deviations, f"{referees[0].deviations[0]}\n{ended.stderr}"
    _compare(ended.stdout.splitlines(), _lines(due))
    assert ended.code == 0, ended.stderr
    assert referees[0].closed_well


def test_a_refused_join_is_told(engine: DockerClient, image: str, folder: Path) -> None:
    """A ticket that is nobody's ends the program at once with 1 and the referee's words."""
    server = serve(folder / "s.sock", refuse)
    ended = kit.run(engine, image, folder)
    server.stop(None).wait()
    assert (ended.code, ended.stdout) == (1, "")
    assert NOBODYS in ended.stderr


def test_an_end_without_a_result_is_told(engine: DockerClient, image: str, folder: Path) -> None:
    """A call that ends well before MatchOver ends the program with 1 and a word why."""
    server = serve(folder / "s.sock", break_off(SESSIONS["two"]))
    ended = kit.run(engine, image, folder)
    server.stop(None).wait()
    assert ended.code == 1
    assert "without a result" in ended.stderr


def test_a_program_started_by_hand_says_what_it_is(engine: DockerClient, image: str) -> None:
    """Without the two variables a bot says how bots are run, and fails."""
    ended = kit.run_by_hand(engine, image)
    assert ended.code == 1
    assert "knockbox match" in ended.stderr


def test_the_sessions_leave_nothing_out() -> None:
    """Every phase, answer and end of a deal is there; and what is rare is there too."""
    lines = [json.loads(line) for due in SESSIONS.values() for line in _lines(due)]
    asked = [line for line in lines if "phase" in line]
    assert {line["phase"] for line in asked} == {"offer", "draw", "discard", "layoff"}
    assert {line["deal_over"]["end"] for line in lines if "deal_over" in line} == {
        "knock", "gin", "big_gin", "undercut", "void_stock", "void_turn_cap", "broken_off",
    }  # fmt: skip
    answered = [
        action.WhichOneof("choice")
        for due in SESSIONS.values()
        for step in due.steps
        for action in play_pb2.PlayRequest.FromString(step.answer).actions.actions
    ]
    assert set(answered) == {"decline", "take", "draw", "discard", "knock", "big_gin", "lay_off"}
    assert {len(line["spreads"]) for line in asked if line["table"]} == {1, 2, 3}
    assert any(line["phase"] == "layoff" and not line["table"] for line in asked)
    assert any(line["top"] is None for line in asked)
    assert any("shuffled" in line["history"][-1] for line in asked if line["history"])
    assert any(0 in line["knocks"].values() for line in asked)
    assert any(None in line["discards"].values() for line in asked)
    assert {len(line["scores"]) for line in asked} == {2, 3, 6}
    assert {line["clock_left_ms"] is None for line in asked} == {True, False}


def _lines(due: Session) -> list[str]:
    return [line for step in (*due.steps, due.over) for line in step.lines]


def _compare(written: list[str], due: list[str]) -> None:
    """The first line that is not the one that was due, with the keys that differ."""
    for number, (is_, ought) in enumerate(zip_longest(written, due), 1):
        if is_ != ought:
            keys = _different(is_, ought)
            pytest.fail(f"line {number} differs{keys}\nit wrote  {is_}\nis due    {ought}")


def _different(is_: str | None, ought: str | None) -> str:
    try:
        one, other = json.loads(is_ or "{}"), json.loads(ought or "{}")
    except ValueError:
        return ": it is not JSON"
    return f" in {', '.join(key for key in other if one.get(key) != other[key]) or 'its order'}"
