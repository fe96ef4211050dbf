"""A ladder in a real store: it fills, turns its days, and is begun and ended."""

from typing import Any

import pytest

from referee import deck
from tests.workers.ladder_kit import DAY_MS, NOON, Climb, terms
from workers import ladder, rebuild
from workers.reconcile import Policy, Reconciler
from workers.schedule import fixture
from workers.store import BadName, Broker, LadderRuns, NameTaken, NotFound


@pytest.fixture
def climb(world: Any) -> Climb:
    """No ladder yet."""
    return Climb(world)


def test_a_day_is_a_tournament(climb: Climb) -> None:
    """It has the ladder's rules, a secret of its own, and matches that name their bots."""
    day = climb.start("ab", "cd", "ef")
    assert day == "open-20261130"
    found = climb.store.tournaments.get(day)
    assert (found.plan.ladder, found.plan.units, found.state) == ("open", 1, "running")
    assert found.plan.commitment == deck.commitment(found.plan.secret)
    ids = climb.fill(4)
    assert ids == [f"{day}.{number}" for number in range(1, 5)]
    assert all(len(set(climb.bots(match_id))) == 2 for match_id in ids)
    with pytest.raises(NotFound):
        fixture(climb.store, f"{day}.5")


def test_the_window_is_kept(climb: Climb) -> None:
    """So many matches are on their way and no more, whoever asks and how often."""
    climb.start("ab", "cd", "ef")
    first = climb.fill(4)
    assert climb.fill(4) == []
    climb.play(first[0])
    assert climb.fill(4) == [f"{climb.get().day}.5"]


def test_two_who_fill_at_once_make_no_match_twice(climb: Climb) -> None:
    """What was drawn from an older state is not made."""
    climb.start("ab", "cd")
    before = climb.get()
    climb.fill(2)
    assert climb.store.ladders.pair(before, 0, [], {}) == []
    assert climb.get().made == 2


def test_the_day_turns(climb: Climb) -> None:
    """At midnight a day gets its last match and a new one begins; when that last one is recorded
    the secret is told, and the matches follow from it."""
    monday = climb.start("ab", "cd", "ef")
    ids = climb.fill(3)
    assert climb.turn(NOON + DAY_MS // 2 - 1) == monday
    tuesday = climb.turn(NOON + DAY_MS // 2)
    assert tuesday == "open-20261201"
    first, second = (climb.store.tournaments.get(day) for day in (monday, tuesday))
    assert first.plan.secret != second.plan.secret
    assert (first.plan.total, first.revealed) == (3, b"")
    assert climb.fill(3) == []  # the three of yesterday are still on their way
    for match_id in ids:
        climb.play(match_id)
    over = climb.store.tournaments.get(monday)
    assert (over.over, deck.commitment(over.revealed)) == (True, first.plan.commitment)
    assert len(climb.fill(3)) == 3
    assert not climb.store.tournaments.get(tuesday).revealed
    assert climb.store.ladders.days("open") == [tuesday, monday]
    assert rebuild.check(climb.store).difference == ""


def test_a_day_whose_matches_are_all_over_ends_at_once(climb: Climb) -> None:
    """Nothing is on its way at midnight: the secret is told there and then."""
    day = climb.start("ab", "cd")
    climb.go(2)
    climb.turn(NOON + DAY_MS)
    assert climb.store.tournaments.get(day).over


def test_a_ladder_waits_for_bots(climb: Climb) -> None:
    """Without two bots there is no day; the second one begins it."""
    assert climb.start() == ""
    climb.world.add("ab")
    assert climb.turn(NOON) == ""
    assert ladder.fill(climb.store, "open", 4) == []
    climb.world.add("cd")
    assert climb.turn(NOON) == "open-20261130"
    assert len(climb.fill(4)) == 4


def test_who_cannot_play_as_the_ladder_plays_is_left_out(climb: Climb) -> None:
    """In containers that is a bot without an image, as processes a bot that is nothing else; the
    day's matches say how they are played."""
    versions = {name: climb.world.add(name) for name in ("ab", "cd", "ef", "gh")}
    for name in ("ab", "cd"):
        climb.store.images.pin(versions[name], f"sha256:{name[0] * 64}")
    climb.store.images.pin(versions["gh"], versions["gh"])
    played: dict[bool, set[str]] = {}
    for sandboxed in (True, False):
        name = f"boxes-{sandboxed}".lower()
        climb.store.ladders.start(name, terms("danish")._replace(sandboxed=sandboxed))
        day = ladder.turn(climb.store, name, DAY_MS, NOON)
        assert climb.store.tournaments.get(day).plan.sandboxed == sandboxed
        played[sandboxed] = {*ladder.playing(climb.store, climb.store.ladders.get(name))}
    assert played == {True: {"ab", "cd", "gh"}, False: {"ab", "cd", "ef"}}


def test_no_empty_days(climb: Climb) -> None:
    """While a ladder waits for bots its days pass without tournaments."""
    climb.start("ab", "cd", rules="german")
    day = climb.get().day
    (match_id,) = climb.fill()
    climb.store.ladders.note("open", day, 0, 0, {}, [_bench(climb, "ab", match_id)])
    assert climb.turn(NOON + DAY_MS) == climb.turn(NOON + 3 * DAY_MS) == ""
    assert climb.store.ladders.unbench("open", "ab")
    assert climb.turn(NOON + 4 * DAY_MS) == "open-20261204"


def _bench(climb: Climb, bot: str, match_id: str) -> Any:
    version = climb.store.bots.get(bot).version
    return ladder.bench.Benched(bot, version, NOON, 3, "it forfeits", match_id)


def test_a_newcomer_joins_in_the_middle(climb: Climb) -> None:
    """A bot that is added while the ladder runs plays its next matches."""
    climb.start("ab", "cd", "ef")
    climb.go(4)
    climb.world.add("gh")
    assert any("gh" in bots for bots in climb.go(2))


def test_a_new_version_plays_on_from_its_parents_rating(climb: Climb) -> None:
    """What is on its way is played by the old version and rates it; then the new one plays."""
    climb.start("ab", "cd")
    climb.go(2, loser="cd")
    (running,) = climb.fill()
    old = climb.store.bots.get("cd").version
    new = climb.world.add("cd", "better")
    assert {bot.version for bot in fixture(climb.store, running).bots} >= {old}
    climb.play(running, loser="cd")
    (before,) = climb.store.ratings.of([("cd", old)])
    (match_id,) = climb.fill()
    assert {bot.version for bot in fixture(climb.store, match_id).bots} >= {new}
    climb.play(match_id, loser="ab")
    (after,) = climb.store.ratings.of([("cd", new)])
    assert (after.base, after.units) == (before.elo, 1)
    assert climb.store.ratings.of([("cd", old)]) == [before]


def test_stop_and_start_again(climb: Climb) -> None:
    """A stopped ladder makes no matches and ends its day; started again it goes on under its terms
    in another tournament, and knows who has played how much."""
    day = climb.start("ab", "cd", rules="german")
    climb.go(2)
    (last,) = climb.fill()
    with pytest.raises(LadderRuns):
        climb.store.ladders.start("open", None)
    assert ladder.stop(climb.store, "open")
    assert not ladder.stop(climb.store, "open")
    assert climb.turn(NOON) == ""
    climb.play(last)
    assert climb.store.tournaments.get(day).over
    climb.store.ladders.start("open", None)
    assert climb.turn(NOON) == f"{day}-2"
    assert climb.get().terms.rules["preset"] == "german"
    assert climb.get().made == 3
    assert climb.store.ladders.played("open") == {"ab": 3, "cd": 3}


@pytest.mark.parametrize("public", [False, True])
def test_bots_of_one_owner(climb: Climb, public: bool) -> None:
    """Matches between bots of one owner are rated, on a public ladder they are not."""
    climb.start("ab", "cd", public=public)
    climb.go(1, loser="cd")
    elos = sorted(rating.elo for rating in climb.store.ratings.all())
    assert (elos == [1_500_000, 1_500_000]) == public


def test_names_of_ladders(climb: Climb) -> None:
    """A ladder's name leaves room for the date, and no two look alike."""
    climb.start("ab", "cd")
    for name, error in (("x" * 21, BadName), ("Open", BadName), ("0pen", NameTaken)):
        with pytest.raises(error):
            climb.store.ladders.start(name, terms())
    for name in ("other", "Open"):
        with pytest.raises(NotFound):
            climb.store.ladders.get(name)
    with pytest.raises(NotFound):
        climb.store.ladders.start("other", None)
    assert [one.name for one in climb.store.ladders.all()] == ["open"]


class Sent:
    """A broker's sending side that remembers what is to be played."""

    down = (OSError,)

    def __init__(self) -> None:
        self.played: list[str] = []

    def play(self, match_id: str) -> None:
        """Remember it."""
        self.played.append(match_id)

    def record(self, match_id: str, fence: int) -> None:
        """Nothing is sealed here."""
        raise AssertionError(match_id, fence)


def test_the_reconciler_keeps_ladders_going(climb: Climb, client: Any) -> None:
    """Nobody else does anything: bots come, and matches are sent, as many as the window has."""
    sent = Sent()
    policy = Policy(sweep_s=1, resend_s=60, window=4, limits=climb.world.limits)
    broker = Broker(client, "play")
    reconciler = Reconciler(climb.store, broker, sent, climb.world.folders, policy)
    climb.store.ladders.start("open", terms())
    assert reconciler.round().topped_up == 0
    climb.world.add("ab")
    climb.world.add("cd")
    assert reconciler.round().topped_up == 4
    assert reconciler.round().topped_up == 0
    assert sent.played == [f"{climb.get().day}.{number}" for number in range(1, 5)]
