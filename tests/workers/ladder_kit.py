"""A ladder in a real store whose matches are recorded without being played."""

from typing import Any

from referee.rules.ruleset import resolve, to_json
from workers import ladder
from workers.recorder import Recorder
from workers.schedule import fixture, top_up
from workers.store.ladders import Ladder, Terms

DAY_MS = 86_400_000
NOON = 1_796_040_000_000  # 2026-11-30, 12:00 UTC
CLOCK = {"bank_per_game_ms": 5000, "increment_ms": 50, "cap_ms": 5000, "untimed": False}


def terms(rules: str = "danish", units: int = 1) -> Terms:
    ruleset = resolve(rules)
    return Terms({"preset": ruleset.preset, **to_json(ruleset)}, units, 8, CLOCK)


class Climb:
    """A ladder named "open" and what plays on it."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.store = world.store
        self.recorder = Recorder(world.store, world.folders, world.limits)

    def start(
        self, *bots: str, now_ms: int = NOON, rules: str = "danish", public: bool = False
    ) -> str:
        """Register bots and start; the first day, "" where it waits."""
        for bot in bots:
            self.world.add(bot)
        self.store.ladders.start("open", terms(rules)._replace(rate_same_owner=not public))
        return self.turn(now_ms)

    def turn(self, now_ms: int) -> str:
        """The day that is played at a time."""
        return ladder.turn(self.store, "open", DAY_MS, now_ms)

    def get(self) -> Ladder:
        """As it stands."""
        return self.store.ladders.get("open")

    def fill(self, window: int = 1) -> list[str]:
        """What is sent to the queue."""
        sent: list[str] = []
        top_up(self.store, self.get().day, window, sent.append)
        return sent

    def bots(self, match_id: str) -> list[str]:
        """Who plays a match."""
        return [bot.name for bot in fixture(self.store, match_id).bots]

    def play(self, match_id: str, loser: str = "") -> None:
        """Play and record a match; `loser` forfeits all of it, else they share the games."""
        bots = self.bots(match_id)
        losers = [bots.index(loser)] if loser in bots else [0, 1]
        fence = self.world.seal(match_id, losers)
        assert self.recorder.record(match_id, fence).word == "recorded"

    def go(self, count: int, loser: str = "") -> list[tuple[str, ...]]:
        """Play so many matches one after another, and bench as the reconciler would; who met."""
        met: list[tuple[str, ...]] = []
        for _ in range(count):
            (match_id,) = self.fill()
            self.play(match_id, loser)
            met.append(tuple(self.bots(match_id)))
            ladder.note(self.store, "open", 3)
        return met
