"""The same bot in each language: decisions a second at 64 boards, and how soon it decides.

The sample bot `greedy` of each language in its container, hardened as in a match, against a server
that writes ready-made messages of 64 decisions, one after the other, and does not look at what is
answered. Rounds are interleaved; read the multiples, medians over the rounds. The processor time is
the container's. A start runs from the order to start the container to its first answer.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from contextlib import ExitStack, closing
from itertools import cycle
from typing import Any, NamedTuple

import grpc
from docker import DockerClient
from docker.errors import DockerException
from grpc import aio

from arena.cli import templates
from benchmarks import stage
from knockbox.v1 import play_pb2
from referee.board import Board
from referee.deck import Decks, seed_secret
from referee.rules.ruleset import resolve
from referee.wire.play import action_of
from referee.wire.rules import to_proto
from referee.wire.turns import deals_over, deals_started, turn, turns_message
from tests.sdk import programs_kit as kit
from workers.sandbox.images.refusal import ImageError

BOARDS = 64
MESSAGES = 120
WARM_S = 0.7
STEADY_S = 1.0
BASE = "python"


class Run(NamedTuple):
    """One container: seconds to its first answer, decisions and seconds after that, and how much
    of a processor it took."""

    start: float
    decisions: int
    seconds: float
    processor: float


def script() -> tuple[bytes, list[bytes]]:
    """Welcome, and messages of real games for seat 0, each a question for every board."""
    rules = resolve({"preset": "danish", "target": 5000})
    decks = Decks(seed_secret("bench"), (), rules)
    games = [Board(rules, decks, number, number, 0, BOARDS) for number in range(BOARDS)]
    started: list[bytes] = []
    over: list[bytes] = []

    def go_on(game: Board) -> None:
        """Until seat 0 is asked."""
        while game.deal.turn < 0 or game.ask():
            if game.deal.turn < 0:
                over.extend(deals_over(game, [0]))
                game.end_deal()
                game.start_deal()
                started.extend(deals_started(game, [0]))
            else:
                _play(game, turn(game, game.seat, True))

    for game in games:
        game.start_deal()
        started += deals_started(game, [0])
        go_on(game)
    messages: list[bytes] = []
    for _ in range(MESSAGES):
        questions = [turn(game, 0, True) for game in games]
        messages.append(turns_message(300_000, (), started, over, questions))
        started, over = [], []
        for game, question in zip(games, questions, strict=True):
            _play(game, question)
            go_on(game)
    welcome = play_pb2.Welcome(protocol=1, rules=to_proto(rules), games=BOARDS)
    return play_pb2.PlayResponse(welcome=welcome).SerializeToString(), messages


def _play(game: Board, question: bytes) -> None:
    asked, answer = play_pb2.Turn.FromString(question), play_pb2.Action()
    stage.greedy(asked, answer)
    action = action_of(answer)
    assert action is not None
    game.play(action, "")


def measure(rounds: int) -> list[dict[str, Any]] | str:
    """A row a language: `language`, `per_second`, `times` Python's, `processor_us` a decision,
    `start_ms`; or why there is none."""
    try:
        engine = DockerClient.from_env(timeout=120, max_pool_size=16)
    except DockerException as error:
        return f"no container engine answers: {error}"
    with closing(engine), ExitStack() as stack:
        images: dict[str, str] = {}
        try:
            for language, template in templates.languages().items():
                images[language] = stack.enter_context(kit.image_of(engine, template.folder))
        except ImageError as error:
            return str(error)
        runs = asyncio.run(_rounds(engine, images, rounds))
    return [_row(language, found, runs[BASE]) for language, found in runs.items()]


def table(rows: list[dict[str, Any]] | str) -> str:
    """The figures for people."""
    if isinstance(rows, str):
        return f"Languages: not measured, {rows}"
    lines = [f"The bot `greedy` in each language at {BOARDS} boards, in a container; a decision's"]
    lines[0] += " processor time; from a start to the first answer"
    lines += [
        f"  {row['language']:<12}{row['per_second']:>9,}/s {row['times']:6.2f} x Python's"
        f"{row['processor_us']:8.1f} us{row['start_ms']:6} ms"
        for row in rows
    ]
    return "\n".join(lines)


def _row(language: str, runs: list[Run], base: list[Run]) -> dict[str, Any]:
    rates, bases = ([run.decisions / run.seconds for run in of] for of in (runs, base))
    times = [rate / one for rate, one in zip(rates, bases, strict=True)]
    return {
        "language": language,
        "per_second": round(statistics.median(rates)),
        "times": round(statistics.median(times), 2),
        "processor_us": round(
            statistics.median(1e6 * run.processor / run.decisions for run in runs), 1
        ),
        "start_ms": round(1000 * statistics.median(run.start for run in runs)),
    }


async def _rounds(
    engine: DockerClient, images: dict[str, str], rounds: int
) -> dict[str, list[Run]]:
    welcome, messages = script()
    runs: dict[str, list[Run]] = {language: [] for language in images}
    for _ in range(rounds):
        for language, image in images.items():
            runs[language].append(await _run(engine, image, welcome, messages))
    return runs


class _Replay:
    """Plays the messages round and round to one container, and counts."""

    def __init__(self, engine: DockerClient, welcome: bytes, messages: list[bytes]) -> None:
        self.run: Run | None = None
        self._engine = engine
        self._welcome = welcome
        self._messages = messages
        self._container = ""
        self._ordered = 0.0

    def starts(self, container: str, ordered: float) -> None:
        """It runs."""
        self._container, self._ordered = container, ordered

    async def play(self, _requests: object, context: aio.ServicerContext[bytes, bytes]) -> None:
        """One leg: a while to warm up, then what counts."""
        await context.read()
        await context.write(self._welcome)
        await context.read()
        questions = cycle(self._messages)
        await self._ask(context, next(questions))
        first = began = time.monotonic()
        while time.monotonic() < first + WARM_S:
            await self._ask(context, next(questions))
        used = await self._processor()
        began, decisions = time.monotonic(), 0
        while (now := time.monotonic()) < began + STEADY_S:
            await self._ask(context, next(questions))
            decisions += BOARDS
        used = await self._processor() - used
        self.run = Run(first - self._ordered, decisions, now - began, used)
        over = play_pb2.PlayResponse(match_over=play_pb2.MatchOver(reason=play_pb2.REASON_PLAYED))
        await context.write(over.SerializeToString())
        await context.read()

    async def _ask(self, context: aio.ServicerContext[bytes, bytes], question: bytes) -> None:
        await context.write(question)
        if await context.read() is aio.EOF:
            raise RuntimeError("the bot has gone")

    async def _processor(self) -> float:
        """Seconds of a processor that the container has had."""
        told = await asyncio.to_thread(
            self._engine.api.stats, self._container, stream=False, one_shot=True
        )
        return told["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9


async def _run(engine: DockerClient, image: str, welcome: bytes, messages: list[bytes]) -> Run:
    """One container, from its start to its end."""
    with kit.seat_folder() as folder:
        replay = _Replay(engine, welcome, messages)
        server = aio.server()
        handler: Any = grpc.stream_stream_rpc_method_handler(replay.play)
        service = grpc.method_handlers_generic_handler("knockbox.v1.PlayService", {"Play": handler})
        server.add_generic_rpc_handlers((service,))
        server.add_insecure_port(f"unix://{folder}/s.sock")
        await server.start()
        (folder / "s.sock").chmod(0o666)
        ended = await asyncio.to_thread(kit.run, engine, image, folder, replay.starts)
        await server.stop(0)
    if ended.code or replay.run is None:
        raise RuntimeError(f"{image} has ended with {ended.code}: {ended.stderr[-500:]}")
    return replay.run


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.languages", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds to take medians of")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    asked = parser.parse_args()
    found = measure(asked.rounds)
    print(json.dumps({"languages": found}) if asked.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
