"""ArenaService over a real socket, with a real store behind it."""

import errno
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest

from arena.api.refusals import answered
from arena.api.server import ApiSettings, serve
from arena.local import processes, valkey
from knockbox.v1 import arena_pb2 as pb
from knockbox.v1 import launch_pb2, launch_pb2_grpc
from knockbox.v1.arena_pb2_grpc import ArenaServiceStub
from referee import deck
from referee.rules.ruleset import resolve
from referee.wire.rules import to_proto
from workers.store import Store, open_store
from workers.store.matches import Claim, Limits

MANIFEST = b'[bot]\nname = "%s"\ncommand = ["python3", "bot.py"]\n'


class Api(NamedTuple):
    """A running API: a client, its store and folder, the tournaments that have begun, and the
    process of the store's server."""

    stub: ArenaServiceStub
    store: Store
    data: Path
    began: list[str]
    server: "subprocess.Popen[bytes]"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    """An API with an empty store."""
    with serving(tmp_path) as found:
        yield found


@contextmanager
def serving(tmp_path: Path, launcher: str = "") -> Iterator[Api]:
    """An API with an empty store, and perhaps somebody who makes images."""
    with tempfile.TemporaryDirectory(prefix="kbt", dir="/tmp") as short:
        socket = Path(short) / "s.sock"
        server = valkey.find(os.environ["PATH"])
        valkey.claim(tmp_path / "store", server)
        command = valkey.command(server, tmp_path / "store", socket)
        process = subprocess.Popen(
            processes.leash(command, signal.SIGKILL), stdout=subprocess.DEVNULL
        )
        store = open_store(valkey.url(_answering(socket)), patient=False)
        stop, ready = threading.Event(), threading.Event()
        began: list[str] = []
        settings = ApiSettings(
            listen=f"unix://{short}/a.sock",
            data=tmp_path / "data",
            store="",
            owner="me",
            watch_every=0.01,
            launcher=launcher,
        )
        thread = threading.Thread(
            target=serve, args=(settings, store, began.append, stop, ready.set)
        )
        thread.start()
        assert ready.wait(10)
        with grpc.insecure_channel(settings.listen) as channel:
            yield Api(ArenaServiceStub(channel), store, settings.data, began, process)
        stop.set()
        thread.join()
        store.close()
        process.kill()
        process.wait()


def _answering(socket: Path) -> Path:
    for _ in range(100_000):
        if valkey.lives(socket):
            return socket
    raise AssertionError("the server does not answer")


def bot(name: str, *more: pb.BotFile, program: bytes = b"pass\n") -> pb.AddBotRequest:
    files = [
        pb.BotFile(path="knockbox.toml", content=MANIFEST % name.encode()),
        pb.BotFile(path="bot.py", content=program),
    ]
    return pb.AddBotRequest(name=name, files=[*files, *more])


def create(**fields: object) -> pb.CreateTournamentRequest:
    return pb.CreateTournamentRequest(**{"rules": to_proto(resolve("danish")), **fields})  # pyright: ignore


def refused(call: Callable[[], object]) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.RpcError) as caught:
        call()
    error = caught.value
    assert isinstance(error, grpc.Call)
    return error.code(), error.details() or ""


def test_a_bot_is_kept_as_it_was_sent(api: Api) -> None:
    """A bot's files lie in a snapshot named by its digest; the same again changes nothing."""
    added = api.stub.AddBot(bot("ada"))
    again = api.stub.AddBot(bot("ada"))
    newer = api.stub.AddBot(bot("ada", program=b"print()\n"))
    assert (added.added, again.added, newer.added) == (True, False, True)
    assert (added.bot.version, newer.bot.versions) == (again.bot.version, 2)
    assert added.bot.owner == "me"
    snapshot = api.data / "bots" / added.bot.version.removeprefix("sha256:")
    assert (snapshot / "bot.py").read_bytes() == b"pass\n"
    assert list((api.data / "incoming").iterdir()) == []


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        (pb.AddBotRequest(name="ada"), "INVALID_ARGUMENT", "files: knockbox.toml: is missing"),
        (bot("Ada"), "INVALID_ARGUMENT", "bot.name"),
        (bot("ada", pb.BotFile(path="../x")), "INVALID_ARGUMENT", "files: ../x"),
        (bot("ada", pb.BotFile(path="/etc/x")), "INVALID_ARGUMENT", "files: /etc/x"),
        (
            bot("ada", pb.BotFile(path="big", content=bytes((16 << 20) + 1))),
            "INVALID_ARGUMENT",
            "more than 16 MiB",
        ),
        (
            pb.AddBotRequest(name="eve", files=bot("ada").files),
            "INVALID_ARGUMENT",
            "name: 'eve' is not 'ada', as its files say",
        ),
    ],
)
def test_a_bad_folder_is_refused(
    api: Api, request_: pb.AddBotRequest, code: str, words: str
) -> None:
    """A hostile or mistaken folder is refused with the field, and nothing is written."""
    status, said = refused(lambda: api.stub.AddBot(request_))
    assert (status.name, words in said) == (code, True), said
    assert list((api.data / "bots").iterdir()) == []
    assert not (api.data.parent / "x").exists()


def test_one_version_added_many_times_at_once(api: Api) -> None:
    """Everybody who adds the same at the same moment gets the same answer; there is one version."""
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda _: api.stub.AddBot(bot("ada")), range(16)))
    assert sorted(one.added for one in added) == [False] * 15 + [True]
    assert {(one.bot.version, one.bot.versions) for one in added} == {(added[0].bot.version, 1)}
    assert len(list((api.data / "bots").iterdir())) == 1
    assert list((api.data / "incoming").iterdir()) == []


def test_a_store_that_is_away(api: Api) -> None:
    """Adding, creating and fetching are refused in plain words while the store is away, and nothing
    of a tournament is there afterwards."""
    for name in ("ada", "bob"):
        api.stub.AddBot(bot(name))
    api.server.kill()
    api.server.wait()
    calls: list[Callable[[], object]] = [
        lambda: api.stub.AddBot(bot("eve")),
        lambda: api.stub.CreateTournament(create(name="cup")),
        lambda: api.stub.ListReplays(pb.ListReplaysRequest()),
        lambda: api.stub.PauseTournament(pb.PauseTournamentRequest(tournament_id="cup")),
    ]
    for call in calls:
        status, said = refused(call)
        assert status == grpc.StatusCode.UNAVAILABLE
        assert said.startswith("the store does not answer")
    assert api.began == []


def test_look_alikes_are_taken(api: Api) -> None:
    """A name that could be mistaken for another is taken."""
    api.stub.AddBot(bot("bob-1"))
    status, said = refused(lambda: api.stub.AddBot(bot("b0b_l")))
    assert (status, "looks like 'bob-1'" in said) == (grpc.StatusCode.ALREADY_EXISTS, True)


def test_a_seeded_tournament_begins(api: Api) -> None:
    """A tournament commits to its secret when it is created, and hides it."""
    for name in ("ada", "bob", "eve"):
        api.stub.AddBot(bot(name))
    made = api.stub.CreateTournament(create(seed="s", units=4, name="cup")).tournament
    assert (made.tournament_id, made.matches, made.units, made.seed) == ("cup", 3, 4, "s")
    assert made.commitment == deck.commitment(deck.seed_secret("s"))
    assert made.secret == b""
    assert made.rules == to_proto(resolve("danish"))
    assert [row.bot for row in made.table] == ["ada", "bob", "eve"]
    assert api.began == ["cup"]
    assert [
        one.tournament_id
        for one in api.stub.ListTournaments(pb.ListTournamentsRequest()).tournaments
    ] == ["cup"]


def test_tournaments_without_a_seed_differ(api: Api) -> None:
    """Without a seed each tournament draws its own secret."""
    for name in ("ada", "bob"):
        api.stub.AddBot(bot(name))
    first, second = (api.stub.CreateTournament(create()).tournament for _ in range(2))
    assert first.commitment != second.commitment
    assert not first.HasField("seed")
    assert first.units == 64


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"bots": ["ada"]}, "bots: a tournament of these rules needs 2 bots or more, here are 1"),
        ({"bots": ["ada", "ada"]}, "bots: 'ada' is named twice"),
        ({"bots": ["ada", "zoe"]}, "bots: no bot 'zoe'"),
        ({"bots": ["ada", "../x"]}, "bots: no bot '../x'"),
        ({"units": 1025}, "units: 1,025 are too many, 87 at most with 2 seats"),
        ({"units": 88}, "units: 88 are too many, 87 at most with 2 seats"),
        ({"seed": ""}, "seed: it must have 1 to 64 characters in one line"),
        ({"seed": "\x1b[2J"}, "seed: nobody could see the U+001B in it (a control character)"),
        ({"name": "A*"}, "name: 'A*' is no name"),
        ({"format": 9}, "format: 9 is unknown"),
        ({"rules": None}, "rules: are missing"),
        ({"rules": pb.Tournament().rules}, "rules."),
    ],
)
def test_a_tournament_that_cannot_be(api: Api, fields: dict[str, object], words: str) -> None:
    """What cannot be played is refused with the field, and nothing is queued."""
    for name in ("ada", "bob"):
        api.stub.AddBot(bot(name))
    status, said = refused(lambda: api.stub.CreateTournament(create(**fields)))
    assert (status, words in said) == (grpc.StatusCode.INVALID_ARGUMENT, True), said
    assert api.began == []
    assert not api.stub.ListTournaments(pb.ListTournamentsRequest()).tournaments


@pytest.mark.parametrize("name", ["nobody", "*", "../x", "a\nb", "", "x" * 10_000])
def test_unknown_ids(api: Api, name: str) -> None:
    """Whatever is asked for and is not there is NOT_FOUND, patterns and paths too."""
    calls: list[Callable[[], object]] = [
        lambda: api.stub.GetBot(pb.GetBotRequest(name=name)),
        lambda: api.stub.GetBotLogs(pb.GetBotLogsRequest(name=name)),
        lambda: api.stub.RetireBot(pb.RetireBotRequest(name=name)),
        lambda: api.stub.GetTournament(pb.GetTournamentRequest(tournament_id=name)),
        lambda: list(api.stub.WatchTournament(pb.WatchTournamentRequest(tournament_id=name))),
        lambda: list(api.stub.GetReplay(pb.GetReplayRequest(match_id=name))),
        lambda: list(api.stub.GetCrossTable(pb.GetCrossTableRequest(tournament_id=name))),
    ]
    if name:
        calls.append(lambda: api.stub.ListReplays(pb.ListReplaysRequest(tournament_id=name)))
    assert {refused(call)[0] for call in calls} == {grpc.StatusCode.NOT_FOUND}


def test_nothing_of_a_match_before_it_is_recorded(api: Api) -> None:
    """A match that was sent out and not recorded shows nothing."""
    for name in ("ada", "bob"):
        api.stub.AddBot(bot(name))
    api.stub.CreateTournament(create(name="cup"))
    (match,) = api.store.tournaments.fill("cup", 1)
    (api.data / "replays" / f"{match}.kbr").write_bytes(b"secret")
    status, said = refused(lambda: list(api.stub.GetReplay(pb.GetReplayRequest(match_id=match))))
    assert (status, "not recorded yet" in said) == (grpc.StatusCode.FAILED_PRECONDITION, True)


def test_matches_given_up_are_named(api: Api) -> None:
    """A tournament names the matches that were given up, each with what ended its last attempt."""
    for name in ("ada", "bob"):
        api.stub.AddBot(bot(name))
    api.stub.CreateTournament(create(name="cup"))
    (match,) = api.store.tournaments.fill("cup", 1)
    limits = Limits(attempts=1, alike=1, dead_after_ms=0)
    claim = api.store.matches.claim(match, 60_000, limits)
    assert isinstance(claim, Claim)
    assert api.store.matches.void(match, claim.fence, "referee", limits) == "dead"
    found = api.stub.GetTournament(pb.GetTournamentRequest(tournament_id="cup")).tournament
    assert (found.dead, found.state) == (1, pb.TOURNAMENT_STATE_OVER)
    assert [(one.match_id, one.cause) for one in found.given_up] == [(match, "referee")]
    (last,) = api.stub.WatchTournament(pb.WatchTournamentRequest(tournament_id="cup"))
    assert last.tournament == found


def test_every_version_of_a_bot_is_listed(api: Api) -> None:
    """One bot is told with all its versions, the newest first, and when each was added."""
    for program in (b"pass\n", b"print()\n"):
        api.stub.AddBot(bot("ada", program=program))
    found = api.stub.GetBot(pb.GetBotRequest(name="ada")).bot
    assert (found.versions, found.all_versions[0].version) == (2, found.version)
    assert all(one.added_ms >= found.added_ms - 60_000 for one in found.all_versions)
    assert {one.milli_elo for one in found.all_versions} == {1_500_000}
    assert not found.HasField("last_fault")


def give_up(api: Api, match_id: str) -> None:
    """End a match by a single attempt that comes to nothing."""
    limits = Limits(attempts=1, alike=1, dead_after_ms=0)
    claim = api.store.matches.claim(match_id, 60_000, limits)
    assert isinstance(claim, Claim)
    assert api.store.matches.void(match_id, claim.fence, "referee", limits) == "dead"


def test_logs_are_found_and_made_harmless(api: Api) -> None:
    """A bot's log of one match is told with attempt and leg; nothing in it acts on a terminal."""
    for name in ("ada", "bob", "eve"):
        api.stub.AddBot(bot(name))
    api.stub.CreateTournament(create(name="t1"))
    for match_id in api.store.tournaments.fill("t1", 2):
        give_up(api, match_id)
    texts = {
        "t1.1/1-leg0-ada": b"old",
        "t1.2/3-leg1-ada": b"a\x1b[2J\nb\xff",
        "t1.2/3-leg1-bob": b"c",
    }
    for age, (name, text) in enumerate(texts.items()):
        path = api.data / "logs" / f"{name}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        os.utime(path, (age, age))
    (log,) = api.stub.GetBotLogs(pb.GetBotLogsRequest(name="ada")).logs
    assert (log.match_id, log.attempt, log.leg) == ("t1.2", 3, 1)
    assert log.text == "a\\x1b[2J\nb\\xff"
    tail = pb.GetBotLogsRequest(name="ada", match_id="t1.1", leg=0, tail=1)
    assert [one.text for one in api.stub.GetBotLogs(tail).logs] == ["old"]
    assert not api.stub.GetBotLogs(pb.GetBotLogsRequest(name="ada", leg=7)).logs


def test_nothing_that_was_printed_is_told_before_a_match_has_ended(api: Api) -> None:
    """What a void attempt has printed waits, for the same decks are dealt again; the newest match
    that has ended is shown meanwhile."""
    for name in ("ada", "bob", "eve"):
        api.stub.AddBot(bot(name))
    api.stub.CreateTournament(create(name="t1"))
    first, second = api.store.tournaments.fill("t1", 2)
    for age, match_id in enumerate((first, second)):
        path = api.data / "logs" / match_id / "1-leg0-ada.log"
        path.parent.mkdir(parents=True)
        path.write_text(f"the cards of {match_id}")
        os.utime(path, (age, age))
    newest, named = pb.GetBotLogsRequest(name="ada"), pb.GetBotLogsRequest(name="ada")
    named.match_id = second
    assert not api.stub.GetBotLogs(newest).logs
    give_up(api, first)
    assert isinstance(api.store.matches.claim(second, 60_000, Limits()), Claim)
    assert [one.match_id for one in api.stub.GetBotLogs(newest).logs] == [first]
    why = f"match {second} has not ended: nothing of it is shown before"
    refusal = (grpc.StatusCode.FAILED_PRECONDITION, why)
    assert refused(lambda: api.stub.GetBotLogs(named)) == refusal
    assert api.store.matches.void(second, 1, "referee", Limits()) == "queued"
    assert refused(lambda: api.stub.GetBotLogs(named)) == refusal
    api.stub.CloseTournament(pb.CloseTournamentRequest(tournament_id="t1"))
    assert [one.text for one in api.stub.GetBotLogs(named).logs] == [f"the cards of {second}"]


def test_logs_of_what_is_no_match(api: Api) -> None:
    """What is no id is refused as that: no pattern of it reaches a folder."""
    api.stub.AddBot(bot("ada"))
    for match in ("*", "../t1.1", "t1.1\n", "t1.*", "t1", "t1.0", "x" * 300):
        request = pb.GetBotLogsRequest(name="ada", match_id=match)
        code, details = refused(lambda asked=request: api.stub.GetBotLogs(asked))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert "is no match: like t1.6" in details


def test_watching_tells_what_changes(api: Api) -> None:
    """Who watches gets the state at once, and again when it has changed."""
    for name in ("ada", "bob"):
        api.stub.AddBot(bot(name))
    api.stub.CreateTournament(create(name="cup"))
    states = api.stub.WatchTournament(pb.WatchTournamentRequest(tournament_id="cup"))
    assert next(states).tournament.running == 0
    (match,) = api.store.tournaments.fill("cup", 1)
    api.store.matches.claim(match, 60_000, Limits())
    assert next(states).tournament.running == 1
    states.cancel()


def test_new_bots_are_in_the_ratings(api: Api) -> None:
    """Every bot has a rating, 1500 before its first match."""
    api.stub.AddBot(bot("ada"))
    (rating,) = api.stub.ListRatings(pb.ListRatingsRequest()).ratings
    assert (rating.bot, rating.milli_elo, rating.units) == ("ada", 1_500_000, 0)


def test_status_says_where_it_is(api: Api) -> None:
    """The status names the data folder and the store."""
    status = api.stub.GetStatus(pb.GetStatusRequest())
    assert status.data_dir == str(api.data)
    assert status.store.startswith("valkey ")


def test_what_was_given_up_is_resumed(api: Api) -> None:
    """A tournament that is over with a dead match hides its secret, and plays it when resumed."""
    for name in ("ada", "bob"):
        api.stub.AddBot(bot(name))
    api.stub.CreateTournament(create(name="cup"))
    (match,) = api.store.tournaments.fill("cup", 1)
    limits = Limits(attempts=1, dead_after_ms=0)
    api.store.matches.claim(match, 60_000, limits)
    assert api.store.matches.void(match, 1, "referee", limits) == "dead"
    which = pb.GetTournamentRequest(tournament_id="cup")
    over = api.stub.GetTournament(which).tournament
    assert (over.state, over.secret) == (pb.TOURNAMENT_STATE_OVER, b"")
    resume = pb.ResumeTournamentRequest(tournament_id="cup")
    assert list(api.stub.ResumeTournament(resume).match_ids) == [match]
    assert list(api.stub.ResumeTournament(resume).match_ids) == []
    again = api.stub.GetTournament(which).tournament
    assert (again.state, again.dead) == (pb.TOURNAMENT_STATE_RUNNING, 0)
    assert api.store.queue.take_due() == [match]
    unknown = pb.ResumeTournamentRequest(tournament_id="nobody")
    assert refused(lambda: api.stub.ResumeTournament(unknown))[0] == grpc.StatusCode.NOT_FOUND


def test_a_folder_that_is_gone_is_told_in_plain_words(api: Api) -> None:
    """Where the arena's own files fail, the answer says so; it is no exception of the program."""
    (api.data / "incoming").rmdir()
    status, said = refused(lambda: api.stub.AddBot(bot("ada")))
    assert status == grpc.StatusCode.INTERNAL
    assert said == "the arena cannot use one of its files: No such file or directory"


def test_a_full_disk_is_told_as_that() -> None:
    """A machine with too little of something is told apart from a broken one."""

    class AbortedError(Exception):
        pass

    class Context:
        def abort(self, code: grpc.StatusCode, message: str) -> None:
            raise AbortedError(code, message)

    context: Any = Context()
    with pytest.raises(AbortedError) as caught, answered(context):
        raise OSError(errno.ENOSPC, "No space left on device")
    code, said = caught.value.args
    assert code == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert said == "the arena's machine cannot do it: No space left on device"


class Engine(launch_pb2_grpc.LaunchServiceServicer):
    """A launcher as far as it is asked what engine it has."""

    def GetEngine(self, request: Any, context: Any) -> launch_pb2.GetEngineResponse:  # noqa: N802
        return launch_pb2.GetEngineResponse(version="27")


@pytest.fixture
def engine(short_folder: Path) -> Iterator[str]:
    """Where a launcher answers."""
    address = f"unix://{short_folder}/l.sock"
    server = grpc.server(ThreadPoolExecutor(1))
    launch_pb2_grpc.add_LaunchServiceServicer_to_server(Engine(), server)
    server.add_insecure_port(address)
    server.start()
    yield address
    server.stop(0).wait()


def test_who_dials_in_plays_in_no_container(engine: str, tmp_path: Path) -> None:
    """How the bots of a tournament or a ladder play is said of those that are started here; of the
    others, that they run on their authors' machines."""
    with serving(tmp_path, engine) as api:
        for name in ("ada", "bob"):
            api.store.bots.add(name, version := f"sha256:{ord(name[0]):064x}", "me")
            api.store.images.pin(version, version)
        for name in ("afar", "far"):
            api.store.dial.add(name, f"sha256:{len(name):064x}", "me")
        told = [
            api.stub.CreateTournament(create(bots=bots, units=1)).sandbox
            for bots in (["ada", "bob"], ["ada", "afar"], ["ada", "afar", "far"], ["far", "afar"])
        ]
        told.append(api.stub.StartLadder(pb.StartLadderRequest(name="open", units=1)).sandbox)
    assert told == [
        "in containers (engine 27)",
        "in containers (engine 27); afar on its author's machine",
        "in containers (engine 27); afar, far on their authors' machines",
        "on their authors' machines",
        "in containers (engine 27); afar, far on their authors' machines",
    ]
