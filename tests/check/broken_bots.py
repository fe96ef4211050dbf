"""Bots that are wrong, one for each way to be: their source, and what their author is told.

Each is the sample SDK with one thing put wrong in it, so that all else is as it should be.
"""

from typing import NamedTuple


class Broken(NamedTuple):
    """A bot and its fault. `row` is the row that names it, `reason` and `fix` words of it, `line`
    one of its last lines. `patient`: the referee waits long for it to connect."""

    name: str
    source: str
    row: str
    reason: str
    fix: str
    line: str = ""
    command: str = '["python3", "bot.py"]'
    patient: bool = True


BEGIN = """
import os, sys, time
import grpc
import knockbox_sdk.play as sdk
from knockbox_sdk import run
from knockbox_sdk.stubs import play_pb2

def bot(state):
    if state.knocks:
        return state.knock(state.best_knock)
    if state.discards:
        return state.discard(state.best_discard)
    return state.otherwise()
"""
END = """
run(bot)
"""
RAW = """
def connect():
    channel = grpc.insecure_channel(os.environ["KNOCKBOX_REFEREE"])
    play = channel.stream_stream("/knockbox.v1.PlayService/Play")
    join = play_pb2.Join(ticket=os.environ["KNOCKBOX_TICKET"], sdk="raw", protocol=1)
    yet = play_pb2.PlayRequest(join=join).SerializeToString()
    ready = play_pb2.PlayRequest(ready=play_pb2.Ready(nonce=b"n")).SerializeToString()
    return play, yet, ready

def say(messages):
    play, *first = connect()
    def all_of_it():
        yield from first
        yield from messages
        time.sleep(60)
    for _ in play(all_of_it()):
        pass
"""

BROKEN = (
    Broken(
        "no-program",
        "",
        "start",
        "its program cannot be started",
        "name in `command` of knockbox.toml",
        "cannot start ./bot: ",
        command='["./bot"]',
    ),
    Broken(
        "leaves-at-once",
        "print('bye')",
        "start",
        "its program ended with exit code 0 before it had connected",
        "stay until MatchOver",
        "bye",
    ),
    Broken(
        "fails-at-once",
        "import no_such_module",
        "start",
        "its program ended with exit code 1 before it had connected",
        "its last lines are below",
        "ModuleNotFoundError: No module named 'no_such_module'",
    ),
    Broken(
        "never-connects",
        "import time\ntime.sleep(60)",
        "start",
        "its program ran, and did not connect within 3 s",
        "connect to the address in KNOCKBOX_REFEREE at once",
        patient=False,
    ),
    Broken(
        "wrong-ticket",
        BEGIN + "os.environ['KNOCKBOX_TICKET'] = 'let-me-in'" + END,
        "handshake",
        "its first message is no Join with the ticket of its seat",
        "the value of KNOCKBOX_TICKET as it stands",
    ),
    Broken(
        "wrong-protocol",
        BEGIN + "sdk.PROTOCOL = 7" + END,
        "handshake",
        "it speaks protocol 7, the referee speaks 1",
        "set Join.protocol to 1",
    ),
    Broken(
        "never-ready",
        BEGIN + "sdk.Leg._answer = lambda self, message: time.sleep(60)" + END,
        "handshake",
        "it joined, and never said Ready",
        "answer Welcome with Ready",
        patient=False,
    ),
    Broken(
        "illegal",
        BEGIN + "legal = sdk.ask\n"
        "def ask(bot, state):\n"
        "    action = legal(bot, state)\n"
        "    if action.kind != 'discard':\n"
        "        return action\n"
        "    held = set(state.hand)\n"
        "    from knockbox_sdk import CARDS\n"
        "    card = next(number for number, name in enumerate(CARDS) if name not in held)\n"
        "    return action._replace(card=card)\n"
        "sdk.ask = ask" + END,
        "answers",
        r"4 messages .* the first: in deal 1 \(decision \d+, phase discard, hand [2-9ATJQKCDHS ]+"
        r"\) it answered discard \w\w: the card is not in the hand. Legal: discard one of \w\w ",
        "answer with one of what Options allows",
        "the referee refused the answer discard ",
    ),
    Broken(
        "garbage",
        BEGIN + RAW + 'say([b\'{"discard":"KC"}\'] * 9)',
        "answers",
        "a message of 16 bytes was refused: it is not a PlayRequest with actions; it begins "
        '\'{"discard":"KC"}\'',
        "send a PlayRequest with actions",
    ),
    Broken(
        "floods-answers",
        BEGIN + RAW + "wild = play_pb2.Actions(actions=[play_pb2.Action(decision=9999, draw={})])\n"
        "say([play_pb2.PlayRequest(actions=wild).SerializeToString()] * 30)",
        "answers",
        "21 of its messages answered what nobody had asked",
        "each Turn under its own `decision`",
    ),
    Broken(
        "too-slow",
        BEGIN + "fast = bot\ndef bot(state):\n    time.sleep(0.05)\n    return fast(state)" + END,
        "time",
        "its clock ran out: .* s for the slowest message, in deal ",
        "answer faster",
    ),
    Broken(
        "hangs",
        BEGIN + "def bot(state):\n    time.sleep(60)" + END,
        "time",
        "it was asked phase (offer|draw), and never answered",
        "answer every question",
    ),
    Broken(
        "crashes-in-the-layoff",
        BEGIN + "fast = bot\n"
        "def bot(state):\n"
        "    if state.phase == 'layoff':\n"
        "        return state.lay_off(layoffs={'no card': 0})\n"
        "    if state.discards:\n"
        "        return state.discard(state.best_discard)\n"
        "    return fast(state)" + END,
        "one board",
        "ended with exit code 1 in the middle of the leg, at its first question of phase layoff: "
        r"in deal \d \(decision \d+, phase layoff",
        "its last lines are below",
        "ValueError: 'no card' is not a card",
    ),
    Broken(
        "ends-its-stream",
        BEGIN + "sdk.Leg._decide = lambda self, turns: None\n"
        "answer = sdk.Leg._answer\n"
        "def once(self, message):\n"
        "    said = answer(self, message)\n"
        "    return None if message.HasField('turns') else said\n"
        "sdk.Leg._answer = once\n" + "def bot(state): pass" + END,
        "one board",
        "its program ended with exit code 0 in the middle of the leg, at its first question of ",
        "stay, and keep the stream open, until MatchOver has come",
    ),
    Broken(
        "one-board-only",
        BEGIN + "decide = sdk.Leg._decide\n"
        "def first(self, turns):\n"
        "    out = decide(self, turns)\n"
        "    del out.actions[1:]\n"
        "    return out\n"
        "sdk.Leg._decide = first" + END,
        "answers",
        r"its answers left out [\d,]+ of [\d,]+ decisions",
        "one Actions names every decision of the Turns",
    ),
    Broken(
        "fails-with-two-boards",
        BEGIN + "fast = bot\n"
        "def bot(state):\n"
        "    if state.board:\n"
        "        os._exit(9)\n"
        "    return fast(state)" + END,
        "many boards",
        "ended with exit code 9 in the middle of the leg",
        "its last lines are below",
    ),
    Broken(
        "gives-up",
        BEGIN + "sdk.RECONNECTIONS = 0" + END,
        "reconnect",
        "when its connection was lost it ended with exit code 1",
        "Join with the same ticket, then Ready",
        "knockbox: UNAVAILABLE: this connection is lost",
    ),
    Broken(
        "stays-away",
        BEGIN + "from types import SimpleNamespace\n"
        "sdk.time = SimpleNamespace(sleep=lambda _: time.sleep(60), monotonic=time.monotonic)"
        + END,
        "reconnect",
        "when its connection was lost it did not come back",
        "Join with the same ticket, then Ready",
    ),
    Broken(
        "connects-for-ever",
        BEGIN
        + RAW
        + "while True:\n    play, yet, ready = connect()\n    stream = play(iter([yet]))\n"
        "    next(stream)",
        "reconnect",
        r"it connected \d\d times in one leg",
        "keep the connection",
    ),
    Broken(
        "eats-memory",
        BEGIN + "food = []\nfast = bot\n"
        "def bot(state):\n"
        "    food.append(bytearray(40 << 20))\n"
        "    time.sleep(0.02)\n"
        "    return fast(state)" + END,
        "memory",
        r"it used more memory than it may \(200 MB\)",
        "use less: in a container a bot has 256 MB",
    ),
    Broken(
        "stays-on",
        BEGIN + END + "print('what now?')\ntime.sleep(60)",
        "ending",
        "it still ran 2 s after MatchOver in 2 of 2 legs",
        "end when MatchOver has come",
        "what now?",
    ),
)

CARELESS = (
    BEGIN + "import random\n"
    "def bot(state):\n"
    "    if state.rules.players > 2:\n"
    "        os._exit(4)\n"
    "    print('\\x1b[2Jgone', flush=True)\n"
    "    if state.discards:\n"
    "        return state.discard(random.choice(state.discards))\n"
    "    return state.otherwise()" + END + "raise SystemExit(5)"
)
"""No fault where two play, and yet: it throws dice, paints, leaves badly, has two seats in mind."""
