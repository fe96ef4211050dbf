"""The SDK's loop in real processes against a scripted referee: played, broken off, ended."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

import sample_bots
from knockbox.v1 import play_pb2, play_pb2_grpc, rules_pb2

SDK_PARENT = Path(sample_bots.__path__[0]) / "python"

Script = Callable[[Iterator[play_pb2.PlayRequest], grpc.ServicerContext], Iterator]


class ScriptedPlay(play_pb2_grpc.PlayServiceServicer):
    """Plays one script a connection, in order, and keeps every request."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.requests: list[play_pb2.PlayRequest] = []

    def Play(self, request_iterator, context):  # noqa: N802 - the service's name
        def heard():
            for request in request_iterator:
                self.requests.append(request)
                yield request

        yield from self.scripts.pop(0)(heard(), context)


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[Callable[..., ScriptedPlay]]:
    """Starts a scripted referee at tmp_path/s.sock."""
    servers = []

    def start(*scripts: Script) -> ScriptedPlay:
        server = grpc.server(ThreadPoolExecutor(4))
        service = ScriptedPlay(*scripts)
        play_pb2_grpc.add_PlayServiceServicer_to_server(service, server)
        server.add_insecure_port(f"unix://{tmp_path}/s.sock")
        server.start()
        servers.append(server)
        return service

    yield start
    for server in servers:
        server.stop(None).wait()


@pytest.fixture
def start_bot(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a bot from its source text."""
    running: list[subprocess.Popen[str]] = []

    def start(source: str, **variables: str) -> subprocess.Popen[str]:
        file = tmp_path / f"bot{len(running)}.py"
        file.write_text(textwrap.dedent(source))
        environment = {
            "PATH": os.defpath,
            "PYTHONPATH": str(SDK_PARENT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "KNOCKBOX_REFEREE": f"unix://{tmp_path}/s.sock",
            "KNOCKBOX_TICKET": "ticket-1",
            **variables,
        }
        bot = subprocess.Popen(
            [sys.executable, "-W", "error", str(file)],
            env={name: value for name, value in environment.items() if value},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(bot)
        return bot

    yield start
    for bot in running:
        bot.kill()
        bot.communicate()


def welcome(seat: int = 0, untimed: bool = False) -> play_pb2.PlayResponse:
    """The referee's first answer, for a two-player match."""
    return play_pb2.PlayResponse(
        welcome=play_pb2.Welcome(
            protocol=1,
            seat=seat,
            rules=rules_pb2.Ruleset(players=2, gin_bonus=25),
            clock=play_pb2.ClockSettings(bank_per_game_ms=5000, untimed=untimed),
            commitment=bytes(32),
            games=1,
        )
    )


def over(reason: int = play_pb2.REASON_PLAYED) -> play_pb2.PlayResponse:
    """The last message."""
    return play_pb2.PlayResponse(match_over=play_pb2.MatchOver(reason=reason, won=1))


TEN_LINES = """
from knockbox_sdk import run

def bot(state):
    if state.knocks:
        return state.knock(state.best_knock)
    if state.discards:
        return state.discard(state.best_discard)
    if state.may_take and state.deadwood_if_taken < state.deadwood:
        return state.take()
    return state.otherwise()

run(bot)
"""


def draw_turns(*decisions: int, board: int = 0) -> play_pb2.PlayResponse:
    """Questions that only a draw answers; the first message of a deal."""
    turns = play_pb2.Turns(clock_left_ms=4000)
    turns.deals_started.add(board=board, deal=1, upcard=5, knock_limit=5, hand=1)
    for decision in decisions:
        turn = turns.turns.add(decision=decision, board=board, phase=2, hand=1, stock=30)
        turn.options.may_draw = True
    return play_pb2.PlayResponse(turns=turns)


def whole_leg(requests, context):
    """Join, Ready, one question, the end."""
    next(requests)
    yield welcome()
    next(requests)
    yield draw_turns(41, 42)
    next(requests)
    yield over()
    for _ in requests:
        pass


def ended(bot: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code and stderr."""
    _, errors = bot.communicate(timeout=60)
    return bot.returncode, errors


def test_a_leg_is_played_to_its_end(referee, start_bot):
    """Join, Ready with a nonce, one Actions for each Turns, and exit 0 without a word."""
    service = referee(whole_leg)
    assert ended(start_bot(TEN_LINES)) == (0, "")
    join, ready, actions = service.requests
    assert (join.join.ticket, join.join.protocol) == ("ticket-1", 1)
    assert join.join.sdk.startswith("knockbox-python")
    assert ready.ready.want_deadwood
    assert len(ready.ready.nonce) == 16
    assert [action.decision for action in actions.actions.actions] == [41, 42]
    assert all(action.HasField("draw") for action in actions.actions.actions)


def test_a_bot_waits_for_a_referee_that_is_not_there_yet(referee, start_bot):
    """A socket that does not exist yet is tried again until it does."""
    bot = start_bot("print('up', flush=True)\n" + TEN_LINES)
    assert bot.stdout.readline() == "up\n"
    referee(whole_leg)
    assert ended(bot)[0] == 0


def test_a_lost_connection_is_taken_up_again(referee, start_bot):
    """After a lost transport the bot joins again with its ticket and plays on."""

    def lost(requests, context):
        next(requests)
        yield welcome()
        next(requests)
        yield draw_turns(1)
        next(requests)
        context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

    service = referee(lost, whole_leg)
    assert ended(start_bot(TEN_LINES))[0] == 0
    kinds = [request.WhichOneof("message") for request in service.requests]
    assert kinds == ["join", "ready", "actions"] * 2


def test_an_end_without_a_result_is_a_failure(referee, start_bot):
    """An OK status before MatchOver exits 1 and says so."""

    def short(requests, context):
        next(requests)
        yield welcome()
        next(requests)

    referee(short)
    code, errors = ended(start_bot(TEN_LINES))
    assert code == 1
    assert "without a result" in errors


def test_a_wrong_ticket_is_told_at_once(referee, start_bot):
    """A refused Join is not tried again: exit 1 with the referee's words."""

    def refuse(requests, context):
        next(requests)
        context.abort(grpc.StatusCode.UNAUTHENTICATED, "no such ticket")
        yield

    referee(refuse)
    code, errors = ended(start_bot(TEN_LINES))
    assert (code, errors.count("no such ticket")) == (1, 1)
    assert "Traceback" not in errors


def test_an_exception_of_the_bot_shows_where_it_was(referee, start_bot):
    """A bot's exception ends the program with its traceback and what was asked."""
    referee(whole_leg)
    source = """
    from knockbox_sdk import run
    run(lambda state: state.discard("KC"))
    """
    code, errors = ended(start_bot(source))
    assert code == 1
    assert "cannot discard KC: it is not in your hand" in errors
    assert "asked in deal 1, phase draw: hand AC" in errors


def test_a_crash_shows_the_bots_own_lines(referee, start_bot):
    """A crash report has the frames of the bot and none of the SDK, and ends with the message."""
    referee(whole_leg, whole_leg)
    source = """
    from knockbox_sdk import run
    def choose(state):
        return state.discard("KC")
    def bot(state):
        try:
            return choose(state)
        except ValueError as error:
            if REPLACED:
                raise RuntimeError("out of ideas") from error
            raise
    run(bot)
    """
    for replaced, message in (("False", "cannot discard KC"), ("True", "RuntimeError: out of")):
        code, errors = ended(start_bot(source.replace("REPLACED", replaced)))
        assert code == 1
        assert message in errors.splitlines()[-1]
        assert "return choose(state)" in errors
        assert 'return state.discard("KC")' in errors
        assert "site-packages" not in errors
        assert "knockbox_sdk/" not in errors


def test_a_debugger_has_all_frames(referee, start_bot):
    """Who has an excepthook of their own gets the whole exception."""
    referee(whole_leg)
    source = """
    import sys, traceback
    sys.excepthook = lambda kind, error, trace: traceback.print_tb(trace)
    from knockbox_sdk import run
    run(lambda state: state.discard("KC"))
    """
    code, errors = ended(start_bot(source))
    assert (code, "knockbox_sdk/play.py" in errors) == (1, True)


@pytest.mark.parametrize("answer", ["None", "'draw'", "[state.draw()]", "OLD or keep(state)"])
def test_an_answer_that_is_none_is_explained(referee, start_bot, answer):
    """What no maker of this very state has made is refused with the words for it."""
    referee(whole_leg)
    source = f"""
    from knockbox_sdk import run
    OLD = None
    def keep(state):
        global OLD
        OLD = state.draw()
        return OLD
    run(lambda state: {answer})
    """
    code, errors = ended(start_bot(source))
    assert code == 1
    assert "the bot answered with" in errors
    assert "you may draw()" in errors


def test_a_refused_answer_is_told_and_asked_again(referee, start_bot):
    """A refusal is printed with the answer it was, and the question is answered again."""

    def refusing(requests, context):
        next(requests)
        yield welcome()
        next(requests)
        yield draw_turns(1)
        next(requests)
        again = draw_turns(1)
        again.turns.refused.add(decision=1, code=play_pb2.REFUSAL_CODE_ILLEGAL)
        yield again
        next(requests)
        yield over(play_pb2.REASON_ILLEGAL)

    service = referee(refusing)
    code, errors = ended(start_bot(TEN_LINES))
    assert code == 0
    assert "refused the answer draw (illegal)" in errors
    assert "the leg ended by illegal" in errors
    assert len(service.requests) == 4


def test_a_factory_makes_one_bot_a_game(referee, start_bot):
    """run(Class) and run(function without parameters) make an object a board, told of results."""

    def two_boards(requests, context):
        next(requests)
        yield welcome()
        next(requests)
        both = draw_turns(1)
        both.turns.MergeFrom(draw_turns(2, board=1).turns)
        yield both
        next(requests)
        last = over()
        last.match_over.deals_over.add(board=1, deal=1, end=2, points=[30, 0], winner=0)
        yield last

    source = """
    from knockbox_sdk import run
    class Bot:
        made = 0
        def __init__(self):
            Bot.made += 1
            self.name = f"bot {Bot.made}"
        def __call__(self, state):
            print(self.name, "draws")
            return state.draw()
        def deal_over(self, result):
            print(self.name, result.end, result.winner, result.points)
    run(FACTORY)
    """
    referee(two_boards, two_boards)
    for factory in ("Bot", "lambda: Bot()"):
        bot = start_bot(source.replace("FACTORY", factory))
        output, errors = bot.communicate(timeout=60)
        assert (bot.returncode, errors) == (0, "")
        assert output.splitlines() == ["bot 1 draws", "bot 2 draws", "bot 2 gin 0 [30, 0]"]


def test_a_bot_started_by_hand_is_told_how_bots_are_run(start_bot):
    """Without the two variables the program says what it is and how to see it play."""
    code, errors = ended(start_bot(TEN_LINES, KNOCKBOX_REFEREE="", KNOCKBOX_TICKET=""))
    assert code == 1
    assert "knockbox match THIS_FOLDER" in errors
