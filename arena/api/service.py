"""ArenaService itself: which call goes to which desk, and nothing of what they do."""

import threading
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import grpc

from arena.api.bots import BotDesk
from arena.api.calls import Calls
from arena.api.door import Caller
from arena.api.estimates import EstimateDesk
from arena.api.ladders import LadderDesk
from arena.api.organiser import OrganiserDesk
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
ALARMS_MOST = 20
"""Alarms that are told, the newest."""


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
        *,
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

    def handler(self, make: Calls) -> grpc.GenericRpcHandler:
        """The service, for the server whose calls `make` makes."""
        bots, tournaments, replays = self._bots, self._tournaments, self._replays
        organiser, estimates = self._organiser, self._estimates
        ladders = self._ladders
        calls = {
            "GetStatus": make.owned(pb.GetStatusRequest, self._status),
            "AddBot": make.owned(pb.AddBotRequest, self._add),
            "SubmitBot": make.both(pb.SubmitBotRequest, self._submit),
            "BeginUpload": make.owned(sub.BeginUploadRequest, self._uploads.begin),
            "SendUpload": make.parts(sub.SendUploadRequest, self._uploads.send),
            "CreateSubmission": make.owned(sub.CreateSubmissionRequest, self._submissions.create),
            "WatchSubmission": make.followed(sub.WatchSubmissionRequest, self._submissions.watch),
            "GetBot": make.owned(pb.GetBotRequest, bots.get),
            "GetBotLogs": make.owned(pb.GetBotLogsRequest, bots.logs),
            "RetireBot": make.owned(pb.RetireBotRequest, bots.retire),
            "ListBots": make.one(pb.ListBotsRequest, bots.all),
            "ListRatings": make.one(pb.ListRatingsRequest, self._ratings),
            "CreateTournament": make.one(pb.CreateTournamentRequest, tournaments.create),
            "GetTournament": make.one(pb.GetTournamentRequest, tournaments.get),
            "GetCrossTable": make.many(pb.GetCrossTableRequest, self._tables.cross),
            "ListTournaments": make.one(pb.ListTournamentsRequest, tournaments.all),
            "WatchTournament": make.many(pb.WatchTournamentRequest, tournaments.watch),
            "EstimateTournament": make.one(pb.EstimateTournamentRequest, estimates.estimate),
            "PauseTournament": make.one(pb.PauseTournamentRequest, organiser.pause),
            "ResumeTournament": make.one(pb.ResumeTournamentRequest, organiser.resume),
            "WithdrawBot": make.one(pb.WithdrawBotRequest, organiser.withdraw),
            "CloseTournament": make.one(pb.CloseTournamentRequest, organiser.close),
            "VoidMatch": make.one(pb.VoidMatchRequest, organiser.void),
            "StartLadder": make.one(pb.StartLadderRequest, ladders.start),
            "StopLadder": make.one(pb.StopLadderRequest, ladders.stop),
            "GetLadder": make.one(pb.GetLadderRequest, ladders.get),
            "ListLadders": make.one(pb.ListLaddersRequest, ladders.all),
            "UnbenchBot": make.one(pb.UnbenchBotRequest, ladders.unbench),
            "ListReplays": make.one(pb.ListReplaysRequest, replays.all),
            "GetReplay": make.many(pb.GetReplayRequest, replays.parts),
            "CreateToken": make.one(pb.CreateTokenRequest, self._tokens.create),
            "ListTokens": make.one(pb.ListTokensRequest, self._tokens.all),
            "RevokeToken": make.one(pb.RevokeTokenRequest, self._tokens.revoke),
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

    def _status(self, _: pb.GetStatusRequest, caller: Caller) -> pb.GetStatusResponse:
        counts, log = self._store.queue.counts(), self._store.log
        alarms = log.alarms(ALARMS_MOST) if caller.everything else []
        return pb.GetStatusResponse(
            version=metadata.version("knockbox"),
            data_dir=str(self._data),
            store=self._store_name or self._store.server(),
            matches_waiting=counts.sent + counts.due,
            matches_running=counts.running,
            matches_recorded=log.matches(),
            running=self._running(),
            images=bool(self._launcher),
            alarms=[
                pb.Alarm(ms=one.ms, kind=one.kind, match_id=one.match, words=one.words)
                for one in alarms
            ],
            alarms_kept=log.alarms_kept() if caller.everything else 0,
        )

    def _running(self) -> list[pb.RunningMatch]:
        """What is played now, as far as its workers have told."""
        found: list[pb.RunningMatch] = []
        for match_id in self._store.queue.running()[:RUNNING_MOST]:
            progress = self._store.matches.get(match_id).progress
            fields = {field: progress.get(field, 0) for field in ("leg", "games_over", "games")}
            found.append(pb.RunningMatch(match_id=match_id, **fields))
        return found
