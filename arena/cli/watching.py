"""Follows what goes on in an arena whatever happens to it: the API may start again, all may end.

Nothing is shown here; `standings` and `submit` do.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from arena.cli import options
from arena.cli.client import NO_ANSWER, NOT_RUNNING, arena
from arena.cli.errors import CommandError, Exit, unreachable
from arena.local import state
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub

Answer = TypeVar("Answer")

ENDED = "the arena ended; the tournament goes on after `knockbox up`"

PATIENCE = 30.0
"""Seconds without an answer after which the watching is given up."""
PAUSE = 0.25
"""Seconds between two attempts to come back."""


def states(
    data: Path, tournament_id: str, *, patience: float = PATIENCE, pause: float = PAUSE
) -> Iterator[pb.WatchTournamentResponse]:
    """The tournament now and whenever it has changed, until it is over. Raises as `follow` does."""
    request = pb.WatchTournamentRequest(tournament_id=tournament_id)
    return follow(
        data,
        lambda stub: stub.WatchTournament(request),
        lambda answer: answer.tournament.state == pb.TOURNAMENT_STATE_OVER,
        ENDED,
        patience=patience,
        pause=pause,
    )


def follow(
    data: Path,
    ask: Callable[[ArenaServiceStub], Iterable[Answer]],
    over: Callable[[Answer], bool],
    ended: str,
    *,
    patience: float = PATIENCE,
    pause: float = PAUSE,
) -> Iterator[Answer]:
    """What is answered to `ask`, which is done again when the connection is lost, until an answer
    is the last one: `over`.

    Raises CommandError: as the arena refuses; `ended`, where it has; where it does not answer.
    """
    here = options.remote() is None
    if here and not state.locked(data):
        raise unreachable(NOT_RUNNING.format(data=data))
    lost_since: float | None = None
    said = NO_ANSWER
    while True:
        try:
            for answer in _while_it_serves(data, ask):
                lost_since = None
                yield answer
                if over(answer):
                    return
        except CommandError as error:
            if error.code is not Exit.UNREACHABLE:
                raise
            said = str(error)
        now = time.monotonic()
        lost_since = now if lost_since is None else lost_since
        if here and not state.locked(data):
            raise unreachable(ended)
        if now - lost_since > patience:
            raise unreachable(said)
        time.sleep(pause)


def _while_it_serves(
    data: Path, ask: Callable[[ArenaServiceStub], Iterable[Answer]]
) -> Iterator[Answer]:
    """What one connection tells; nothing where the arena is just beginning or ending."""
    if options.remote() is None and state.read(data) is None:
        return
    with arena(data) as stub:
        yield from ask(stub)
