"""ArenaService itself: which call goes to which desk, and nothing of what they do."""

import threading
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from arena.api.bots import BotDesk
from arena.api.door import Caller
from arena.api.estimates import EstimateDesk
from arena.api.ladders import LadderDesk
from arena.api.organiser import OrganiserDesk
from arena.api.refusals import answered
from arena.api.replays import ReplayDesk
from arena.api.sandbox import SandboxDesk
from arena.api.submissions import SubmissionDesk, Terms
from arena.api.submit import SubmitDesk
from arena.api.tables import TableDesk
from arena.api.tokens import TokenDesk
from arena.api.tournaments import TournamentDesk
from arena.api.uploads import UploadDesk
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import submissions_pb2 as sub
from workers.folders import Folders
from workers.store import Store

NAME = "knockbox.v1.ArenaService"

RUNNING_MOST = 100
"""Running matches that are told one by one."""

Request = TypeVar("Request", bound=Message)


class Arena:
    """Answers every call of ArenaService from one store and one data folder.

    `began` is told the id of each new tournament; watching looks every `watch_every` seconds, until
    `stop`; `slots` matches run at once; `launcher` is where images are made, `sandbox` how bots
    play; a ladder's day is `ladder_day_ms`; authors submit on these `terms`, and `handed_in` is
    told the id of each submission.
    """

    def __init__(
        self,
        store: Store,
        data: Path,
        store_name: str,
        began: Callable[[str], None],
        watch_every: float,
        stop: threading.Event,
        slots: int,
        launcher: str,
        sandbox: str,
        ladder_day_ms: int,
        terms: Terms,
        handed_in: Callable[[str], None],
    ) -> None:
        folders = Folders(data)
        self._store = store
        self._data = data
        self._store_name = store_name
        self._bots = BotDesk(store, folders)
        self._folders = folders
        self._launcher = launcher
        self._tables = TableDesk(store)
        sandboxes = SandboxDesk(store, sandbox, launcher)
        told = TournamentDesk(store, self._tables, sandboxes.judge, watch_every, stop, began)
        self._tournaments = told
        self._organiser = OrganiserDesk(store, told.whole, began)
        self._estimates = EstimateDesk(store, folders, told.plan, slots)
        self._ladders = LadderDesk(store, sandboxes.judge_ladder, began, ladder_day_ms)
        self._replays = ReplayDesk(store, folders)
        self._tokens = TokenDesk(store)
        self._uploads = UploadDesk(store, folders, terms)
        self._submissions = SubmissionDesk(
            store, folders, terms, launcher, handed_in, watch_every, stop
        )

    def handler(self, who: Callable[[grpc.ServicerContext], Caller]) -> grpc.GenericRpcHandler:
        """The service, for a server. `who` says who makes a call."""
        bots, tournaments, replays = self._bots, self._tournaments, self._replays
        organiser, estimates = self._organiser, self._estimates
        ladders = self._ladders
        calls = {
            "GetStatus": _one(pb.GetStatusRequest, self._status),
            "AddBot": _owned(pb.AddBotRequest, self._add, who),
            "SubmitBot": _both(pb.SubmitBotRequest, self._submit, who),
            "BeginUpload": _owned(sub.BeginUploadRequest, self._uploads.begin, who),
            "SendUpload": _parts(sub.SendUploadRequest, self._uploads.send, who),
            "CreateSubmission": _owned(sub.CreateSubmissionRequest, self._submissions.create, who),
            "WatchSubmission": _followed(sub.WatchSubmissionRequest, self._submissions.watch, who),
            "GetBot": _owned(pb.GetBotRequest, bots.get, who),
            "GetBotLogs": _owned(pb.GetBotLogsRequest, bots.logs, who),
            "RetireBot": _owned(pb.RetireBotRequest, bots.retire, who),
            "ListBots": _one(pb.ListBotsRequest, bots.all),
            "ListRatings": _one(pb.ListRatingsRequest, self._ratings),
            "CreateTournament": _one(pb.CreateTournamentRequest, tournaments.create),
            "GetTournament": _one(pb.GetTournamentRequest, tournaments.get),
            "GetCrossTable": _many(pb.GetCrossTableRequest, self._tables.cross),
            "ListTournaments": _one(pb.ListTournamentsRequest, tournaments.all),
            "WatchTournament": _many(pb.WatchTournamentRequest, tournaments.watch),
            "EstimateTournament": _one(pb.EstimateTournamentRequest, estimates.estimate),
            "PauseTournament": _one(pb.PauseTournamentRequest, organiser.pause),
            "ResumeTournament": _one(pb.ResumeTournamentRequest, organiser.resume),
            "WithdrawBot": _one(pb.WithdrawBotRequest, organiser.withdraw),
            "CloseTournament": _one(pb.CloseTournamentRequest, organiser.close),
            "StartLadder": _one(pb.StartLadderRequest, ladders.start),
            "StopLadder": _one(pb.StopLadderRequest, ladders.stop),
            "GetLadder": _one(pb.GetLadderRequest, ladders.get),
            "ListLadders": _one(pb.ListLaddersRequest, ladders.all),
            "UnbenchBot": _one(pb.UnbenchBotRequest, ladders.unbench),
            "ListReplays": _one(pb.ListReplaysRequest, replays.all),
            "GetReplay": _many(pb.GetReplayRequest, replays.parts),
            "CreateToken": _one(pb.CreateTokenRequest, self._tokens.create),
            "ListTokens": _one(pb.ListTokensRequest, self._tokens.all),
            "RevokeToken": _one(pb.RevokeTokenRequest, self._tokens.revoke),
        }
        return grpc.method_handlers_generic_handler(NAME, calls)

    def _ratings(self, request: pb.ListRatingsRequest) -> pb.ListRatingsResponse:
        return self._tables.with_ratings(self._bots.ratings(request))

    def _add(self, request: pb.AddBotRequest, caller: Caller) -> pb.AddBotResponse:
        return self._intake(caller).add(request)

    def _submit(
        self, requests: Iterator[pb.SubmitBotRequest], caller: Caller
    ) -> Iterator[pb.SubmitBotResponse]:
        return self._intake(caller).submit(requests)

    def _intake(self, caller: Caller) -> SubmitDesk:
        """Where the bots of one caller come in."""
        return SubmitDesk(self._store, self._folders, self._bots, caller.name, self._launcher)

    def _status(self, _: pb.GetStatusRequest) -> pb.GetStatusResponse:
        counts = self._store.queue.counts()
        return pb.GetStatusResponse(
            version=metadata.version("knockbox"),
            data_dir=str(self._data),
            store=self._store_name or self._store.server(),
            matches_waiting=counts.sent + counts.due,
            matches_running=counts.running,
            matches_recorded=self._store.log.matches(),
            running=self._running(),
            images=bool(self._launcher),
        )

    def _running(self) -> list[pb.RunningMatch]:
        """What is played now, as far as its workers have told."""
        found: list[pb.RunningMatch] = []
        for match_id in self._store.queue.running()[:RUNNING_MOST]:
            progress = self._store.matches.get(match_id).progress
            fields = {field: progress.get(field, 0) for field in ("leg", "games_over", "games")}
            found.append(pb.RunningMatch(match_id=match_id, **fields))
        return found


def _owned(
    request: type[Request],
    answer: Callable[[Request, Caller], Message],
    who: Callable[[grpc.ServicerContext], Caller],
) -> "grpc.RpcMethodHandler[Any, Any]":
    """A call with one answer, which depends on who asks."""

    def call(message: Request, context: grpc.ServicerContext) -> Message:
        with answered(context):
            return answer(message, who(context))
        raise AssertionError  # answered has raised

    return grpc.unary_unary_rpc_method_handler(call, request.FromString, _bytes)


def _one(
    request: type[Request], answer: Callable[[Request], Message]
) -> "grpc.RpcMethodHandler[Any, Any]":
    """A call with one answer."""

    def call(message: Request, context: grpc.ServicerContext) -> Message:
        with answered(context):
            return answer(message)
        raise AssertionError  # answered has raised

    return grpc.unary_unary_rpc_method_handler(call, request.FromString, _bytes)


def _many(
    request: type[Request],
    answers: Callable[[Request, Callable[[], bool]], Iterator[Message]],
) -> "grpc.RpcMethodHandler[Any, Any]":
    """A call with a stream of answers; they are asked whether anybody still listens."""

    def call(message: Request, context: grpc.ServicerContext) -> Iterator[Message]:
        with answered(context):
            yield from answers(message, context.is_active)

    return grpc.unary_stream_rpc_method_handler(call, request.FromString, _bytes)


def _parts(
    request: type[Request],
    answer: Callable[[Iterator[Request], Caller], Message],
    who: Callable[[grpc.ServicerContext], Caller],
) -> "grpc.RpcMethodHandler[Any, Any]":
    """A call with a stream of requests and one answer, which depends on who asks."""

    def call(messages: Iterator[Request], context: grpc.ServicerContext) -> Message:
        with answered(context):
            return answer(messages, who(context))
        raise AssertionError  # answered has raised

    return grpc.stream_unary_rpc_method_handler(call, request.FromString, _bytes)


def _followed(
    request: type[Request],
    answers: Callable[[Request, Caller, Callable[[], bool]], Iterator[Message]],
    who: Callable[[grpc.ServicerContext], Caller],
) -> "grpc.RpcMethodHandler[Any, Any]":
    """A call with a stream of answers as `_many` has it, which depend on who asks."""

    def call(message: Request, context: grpc.ServicerContext) -> Iterator[Message]:
        with answered(context):
            yield from answers(message, who(context), context.is_active)

    return grpc.unary_stream_rpc_method_handler(call, request.FromString, _bytes)


def _both(
    request: type[Request],
    answers: Callable[[Iterator[Request], Caller], Iterator[Message]],
    who: Callable[[grpc.ServicerContext], Caller],
) -> "grpc.RpcMethodHandler[Any, Any]":
    """A call with a stream of requests and one of answers, which depend on who asks."""

    def call(messages: Iterator[Request], context: grpc.ServicerContext) -> Iterator[Message]:
        with answered(context):
            yield from answers(messages, who(context))

    return grpc.stream_stream_rpc_method_handler(call, request.FromString, _bytes)


def _bytes(message: Message) -> bytes:
    return message.SerializeToString()
