"""Verification: right replays pass, and whatever is changed is found and named."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knockbox.v1 import cards_pb2 as pb_cards
from knockbox.v1 import play_pb2, rules_pb2
from knockbox.v1 import replay_pb2 as pb
from referee.deck import fresh_secret, seed_secret
from referee.replay import Replay
from referee.rules.ruleset import PRESETS
from referee.verify import bot_scores, results, verify

CRASH = play_pb2.REASON_CRASH
TIME = play_pb2.REASON_TIME
DOUBLE = play_pb2.REASON_DOUBLE_FAULT

# What one change to a good match is called: a place in the records, what is done there, the error.
Change = tuple[str, Callable[[Any], Any], str]


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_played_matches_pass(preset: str, play: Callable[..., Any]) -> None:
    """A match that was played by the rules passes, under every preset."""
    file = play(preset, 1).file()
    records = PRESETS[preset].players + 3
    assert (True, records, None, file.digest) == verify(file.data)


def test_variants_pass(play: Callable[..., Any]) -> None:
    """Seeded matches, independent decks, low caps and house rules pass."""
    capped = {"preset": "german", "deal_cap": 2, "turn_cap": 9, "may_return_taken_card": True}
    assert verify(play(capped).file().data).ok
    assert verify(play(seeded=True).file().data).ok
    assert verify(play(pairing=pb.PAIRING_INDEPENDENT).file().data).ok
    assert verify(play({"preset": "danish", "hand_size": 7}).file().data).ok


def test_a_path_is_verified(german: Any, tmp_path: Path) -> None:
    """A file on disk is verified by its path; a missing one is an error and no traceback."""
    german.file().write(tmp_path / "a.kbr")
    assert verify(tmp_path / "a.kbr").ok
    assert verify(tmp_path / "b.kbr").error == "the file: No such file or directory"


def test_link_to_the_tournament(german: Any) -> None:
    """The tournament's secret is checked against the match's where it is given."""
    data = german.file().data
    assert verify(data, seed_secret("tests")).ok
    for wrong in (fresh_secret(), b"", b"short"):
        verdict = verify(data, wrong)
        assert verdict.error == "the seal: secret: does not follow from the tournament's"


def test_flipped_bits_are_found(german: Any) -> None:
    """A flipped bit anywhere fails, and what it hit is named."""
    data = german.file().data
    chance = Random(5)
    for _ in range(300):
        damaged = bytearray(data)
        damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        verdict = verify(bytes(damaged))
        assert not verdict.ok
        assert re.match(r"the (header|seal|side record|index|trailer)|game leg", str(verdict.error))


GAME, DEAL = r"game leg 1 unit 0", r"game leg 1 unit 0 deal 1"
CHANGES: list[Change] = [
    ("header", lambda h: h.ClearField("rules"), r"the header: rules\.\w+: "),
    ("header.rules", lambda r: setattr(r, "layoff", 99), r"the header: rules\.layoff: "),
    (
        "header.rules",
        lambda r: setattr(r, "stock_end", rules_pb2.STOCK_END_RESHUFFLE),
        r"the header: rules\.stock_end|game leg 0 unit 0 ",
    ),
    ("header.rules", lambda r: setattr(r, "gin_bonus", 1), r"game leg \d unit \d deal \d+: result"),
    ("header.rules", lambda r: setattr(r, "game_bonus", 1), r"game leg 0 unit 0: result"),
    ("header.bots", lambda bots: bots.pop(), r"the header: bots: 1 of them for 2 seats"),
    ("header.plan", lambda p: setattr(p, "pairing", 0), r"the header: plan.pairing: 0 is no"),
    ("header.plan", lambda p: setattr(p, "units", 0), r"the header: plan.units: there is none"),
    (
        "header.plan",
        lambda p: setattr(p, "units", 3),
        r"game leg 1 unit 0: stands where",
    ),
    (
        "header.plan",
        lambda p: setattr(p, "units", 1),
        r"game leg 0 unit 1: stands where",
    ),
    ("header.plan", lambda p: setattr(p, "units", 2**32 - 1), r"game leg 1 unit 0: stands where"),
    ("header.plan", lambda p: setattr(p, "pairing", pb.PAIRING_INDEPENDENT), r"game leg 0 unit 0"),
    ("header", lambda h: setattr(h, "commitment", b""), r"the seal: secret: is not the one"),
    ("header", lambda h: setattr(h, "seeded", True), r"the seal: nonces: 2 of them, seeded: True"),
    ("seal", lambda s: setattr(s, "secret", bytes(32)), r"the seal: secret: is not the one"),
    ("seal", lambda s: setattr(s, "secret", b"x"), r"the seal: secret: 1 bytes and not 32"),
    ("seal.nonces", lambda n: n.append(b""), r"the seal: nonces: 3 of them"),
    ("seal.nonces", lambda n: n.pop(), r"the seal: nonces: 1 of them"),
    ("seal", lambda s: s.nonces.__setitem__(0, b"x" * 33), r"the seal: nonces: one is longer"),
    ("seal", lambda s: s.nonces.__setitem__(0, b"m"), r"game leg 0 unit 0"),
    ("seal.legs", lambda legs: legs.pop(), r"the seal: legs: are not 0 to 1"),
    ("seal", lambda s: setattr(s.legs[1], "leg", 0), r"the seal: legs: are not 0 to 1"),
    ("seal", lambda s: s.legs[1].reasons.pop(), r"the seal: legs: leg 1 has not a reason"),
    (
        "seal",
        lambda s: s.legs[0].reasons.__setitem__(0, 99),
        r"the seal: legs: leg 0 seat 0: re",
    ),
    (
        "seal",
        lambda s: s.legs[0].reasons.__setitem__(1, CRASH),
        r"the seal: legs: leg 0 seat 1: ",
    ),
    ("game", lambda g: setattr(g, "first_dealer", 1 - g.first_dealer), GAME + ": first_dealer: "),
    ("game.deals", lambda deals: deals.pop(), GAME + ": result.reason: 1 though the game is not"),
    ("game.deals", lambda deals: deals.pop(0), DEAL + ": is number 2 with"),
    ("game.deals", lambda deals: deals.add(), GAME + r" deal \d+: follows the end of the game"),
    ("deal", lambda d: setattr(d, "number", 2), DEAL + ": is number 2 with dealer"),
    ("deal", lambda d: setattr(d, "dealer", 7), DEAL + ": is number 1 with dealer 7"),
    ("deal", lambda d: d.hands.__setitem__(0, d.hands[1]), DEAL + ": cards: are not those"),
    ("deal", lambda d: setattr(d, "upcard", 52), DEAL + ": cards: are not those"),
    ("deal.hands", lambda hands: hands.append(0), DEAL + ": cards: are not those"),
    ("deal", lambda d: d.piles.__setitem__(0, d.piles[0][::-1]), DEAL + ": cards: are not those"),
    ("deal", lambda d: d.piles.__setitem__(1, b"\xff"), DEAL + ": cards: are not those"),
    ("deal.events", lambda events: events.pop(), DEAL + ": is not over, but the record goes on"),
    ("deal.events", lambda events: events.add(), DEAL + r" event \d+: event: none is set"),
    (
        "deal.events",
        lambda events: events.add(declined=pb.Declined()),
        DEAL + r" event \d+: Declined\(seat=0\); not allowed: the deal is over",
    ),
    ("deal.events", lambda events: events.pop(0), DEAL + r" event 1: \w+\("),
    ("deal", lambda d: setattr(d.events[2], "seat", 2), DEAL + r" event 3: seat: there is no seat"),
    (
        "deal",
        lambda d: setattr(d.events[2], "seat", 1 - d.events[2].seat),
        DEAL + r" event 3: \w+\(.*; the rules make it \w+\(seat=",
    ),
    ("deal", lambda d: d.events[1].ClearField("event"), DEAL + " event 2: event: none is set"),
    ("deal", lambda d: d.ClearField("result"), DEAL + ": result: is missing"),
    ("deal", lambda d: d.result.ClearField("winner"), DEAL + ": result: is not the one"),
    ("deal.result", lambda r: setattr(r, "end", 99), DEAL + ": result: is not the one"),
    ("deal.result", lambda r: r.points.__setitem__(0, 3), DEAL + ": result: is not the one"),
    ("deal.result", lambda r: setattr(r, "deadwood", b"xx"), DEAL + ": result: is not the one"),
    ("game", lambda g: g.ClearField("result"), GAME + ": result.reason: the game was played"),
    ("game.result", lambda r: setattr(r, "reason", CRASH), GAME + ": result.reason: the game was"),
    (
        "game.result",
        lambda r: setattr(r, "winner", 1 - r.winner),
        GAME + ": result: is not the one",
    ),
    ("game.result", lambda r: setattr(r, "counts", False), GAME + ": result: is not the one"),
    ("game.result", lambda r: r.totals.append(1), GAME + ": result: is not the one"),
    ("game.result", lambda r: r.points.__setitem__(0, 1000), GAME + ": result: is not the one"),
    ("game.result", lambda r: r.places.pop(), GAME + ": result: is not the one"),
    ("game.result", lambda r: r.faulty_seats.append(9), GAME + ": result.faulty_seats: are no"),
    ("game.result", lambda r: r.faulty_seats.append(0), GAME + ": result: is not the one"),
]


@pytest.mark.parametrize("at", range(len(CHANGES)))
def test_a_change_under_good_checksums_is_named(at: int, german: Any) -> None:
    """Whoever changes a record and makes every checksum anew is found, and the record is named."""
    place, change, error = CHANGES[at]
    match = german.copy()
    root, *path = place.split(".")
    game = match.games[0, 1]
    starts = {"header": match.header, "seal": match.seal, "game": game, "deal": game.deals[0]}
    target = starts[root]
    for name in path:
        target = getattr(target, name)
    change(target)
    verdict = verify(match.file().data)
    assert not verdict.ok
    assert re.match(error, str(verdict.error)), verdict.error


def test_changed_events_are_named(german: Any) -> None:
    """Each kind of event with another card or other melds is found, and the event is named."""
    found = 0
    for kind, change in {
        "took": lambda e: setattr(e.took, "card", (e.took.card + 1) % 52),
        "drew": lambda e: setattr(e.drew, "card", (e.drew.card + 1) % 52),
        "discarded": lambda e: setattr(e.discarded, "card", 52),
        "knocked": lambda e: e.knocked.melds.append(1 << 60),
        "laid_off": lambda e: e.laid_off.layoffs.add(card=3, meld=9),
    }.items():
        for (unit, leg), game in german.games.items():
            for deal in game.deals:
                for place, entry in enumerate(deal.events):
                    if entry.WhichOneof("event") != kind or found > 200:
                        continue
                    match = german.copy()
                    change(match.games[unit, leg].deals[deal.number - 1].events[place])
                    name = f"game leg {leg} unit {unit} deal {deal.number} event {place + 1}: "
                    assert str(verify(match.file().data).error).startswith(name)
                    found += 1
                    break
                else:
                    continue
                break
    assert found >= 5


@given(data=st.data())
@settings(max_examples=150)
def test_hostile_events_are_refused(data: st.DataObject, german: Any) -> None:
    """Any event in any place is a verdict and never an exception."""
    match = german.copy()
    events = match.games[0, 0].deals[0].events
    at = data.draw(st.integers(0, len(events) - 1))
    card = data.draw(st.integers(0, 60))
    masks = st.lists(st.integers(0, 2**54), max_size=4)
    hand = match.games[0, 0].deals[0].hands[0]
    melds = data.draw(masks | st.just([hand]) | st.just([0]) | st.just([hand, hand]))
    seat, kind = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 8))
    layoffs = [pb_cards.Layoff(card=card, meld=2)] * 2
    strange = [
        pb.Event(seat=seat, declined=pb.Declined()),
        pb.Event(seat=seat, took=pb.Took(card=card)),
        pb.Event(seat=seat, drew=pb.Drew(card=card)),
        pb.Event(seat=seat, discarded=pb.Discarded(card=card)),
        pb.Event(seat=seat, knocked=pb.Knocked(card=card, melds=melds)),
        pb.Event(seat=seat, declared_big_gin=pb.DeclaredBigGin(melds=melds)),
        pb.Event(seat=seat, laid_off=pb.LaidOff(melds=melds, layoffs=layoffs)),
        pb.Event(seat=seat, reshuffled=pb.Reshuffled(piles=[bytes([card]), b"\xff"])),
        pb.Event(seat=seat),
    ][kind]
    strange.note = events[at].note
    if strange == events[at]:
        return
    events[at].CopyFrom(strange)
    verdict = verify(match.file().data)
    assert str(verdict.error).startswith("game leg 0 unit 0 deal 1")


@given(st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 255)), min_size=1, max_size=20))
@settings(max_examples=100)
def test_hostile_records_are_refused(german: Any, edits: list[tuple[int, int]]) -> None:
    """A record of any bytes that parse is a verdict and never an exception."""
    match = german.copy()
    body = bytearray(match.games[1, 1].SerializeToString())
    for place, value in edits:
        body[place % len(body)] = value
    record = pb.GameRecord()
    try:
        record.ParseFromString(bytes(body))
    except Exception:  # noqa: BLE001 - what does not parse is a test of its own
        return
    match.games[1, 1] = record
    try:
        file = match.file()
    except ValueError:
        return  # it calls itself a game that is there already
    verdict = verify(file.data)
    assert verdict.ok == (record == german.games[1, 1] or _same_but_for_notes(record, german))


def _same_but_for_notes(record: pb.GameRecord, german: Any) -> bool:
    bare: list[bytes] = []
    for game in (record, german.games[1, 1]):
        copy = pb.GameRecord()
        copy.CopyFrom(game)
        copy.DiscardUnknownFields()
        for deal in copy.deals:
            for entry in deal.events:
                entry.ClearField("note")
        bare.append(copy.SerializeToString(deterministic=True))
    return bare[0] == bare[1]


@pytest.mark.parametrize("events", [0, 1, 7, 10_000])
@pytest.mark.parametrize(("reason", "faulty"), [(CRASH, (1,)), (TIME, (0,)), (DOUBLE, (0, 1))])
def test_broken_games_pass(
    events: int,
    reason: play_pb2.Reason.ValueType,
    faulty: tuple[int, ...],
    play: Callable[..., Any],
    broken: Callable[..., Any],
) -> None:
    """A game that was broken off by a fault passes: before the first deal, in one, or in none."""
    match = play(breaks=(broken(1, 0, events, reason, faulty),))
    if events == 10_000:
        for leg in match.seal.legs:
            leg.reasons[:] = [play_pb2.REASON_PLAYED] * 2
    verdict = verify(match.file().data)
    assert verdict.error is None
    fact = results(Replay.open(match.file().data))[1]
    assert (fact.unit, fact.leg) == (1, 0)
    if events < 10_000:
        assert (reason, faulty) == (fact.reason, fact.faulty)
        assert (reason != DOUBLE) == fact.counts
        assert (None if reason == DOUBLE else 1 - faulty[0]) == fact.winner


def test_changed_faults_are_named(play: Callable[..., Any], broken: Callable[..., Any]) -> None:
    """A fault put on the other seat, on both, or on nobody is found."""
    good = play(breaks=(broken(1, 0, 30, CRASH, (1,)),))
    for faulty, error in {
        (0,): "result: is not",
        (): "result.faulty_seats: 0 sides",
        (0, 1): "result.faulty_seats: 2 sides",
        (1, 0): "result.faulty_seats: are no",
        (1, 1): "result.faulty_seats: are no",
    }.items():
        match = good.copy()
        match.games[1, 0].result.faulty_seats[:] = faulty
        verdict = verify(match.file().data)
        assert str(verdict.error).startswith("game leg 0 unit 1: " + error)
    match = good.copy()
    match.seal.legs[0].reasons[1] = play_pb2.REASON_PLAYED
    assert "leg 0 seat 1: the reason is not" in str(verify(match.file().data).error)
    match = good.copy()
    match.games[1, 0].result.reason = play_pb2.REASON_PLAYED
    error = "game leg 0 unit 1: result.reason: 1 though the game is not over"
    assert error == verify(match.file().data).error


def test_reasons_are_those_of_the_faulty_seats(
    play: Callable[..., Any], broken: Callable[..., Any]
) -> None:
    """A record may say why each faulty seat failed: one fault a seat, the game's own among them."""
    good = play(breaks=(broken(1, 0, 30, CRASH, (1,)),))
    error = "game leg 0 unit 1: result.faulty_reasons: are not those of the faulty seats"
    for reasons, expected in {
        (): None,
        (CRASH,): None,
        (play_pb2.REASON_TIME,): error,
        (CRASH, CRASH): error,
        (play_pb2.REASON_PLAYED,): error,
    }.items():
        match = good.copy()
        match.games[1, 0].result.faulty_reasons[:] = reasons
        assert verify(match.file().data).error == expected


def test_scores_of_bots(play: Callable[..., Any], broken: Callable[..., Any]) -> None:
    """Scores count rated units by bot, whatever seat it had; forfeits stay out of the points."""
    match = play(units=4, breaks=(broken(1, 0, 30, CRASH, (1,)), broken(2, 1, 30, DOUBLE, (0, 1))))
    replay = Replay.open(match.file().data)
    north, south = bot_scores(replay)
    assert (north.name, south.name) == ("north", "south")
    # Bot 1 sat on seat 1 in leg 0 and crashed once; the double fault is nobody's forfeit.
    assert (north.forfeits, south.forfeits) == (0, 1)
    assert (north.units, south.units, north.not_counted, south.not_counted) == (3, 3, 1, 1)
    scores, margin, deals = [0.0, 0.0], 0, 0
    for unit in (0, 1, 3):
        for leg in range(2):
            game = match.games[unit, leg]
            for bot in range(2):
                side = (bot + leg) % 2
                won = game.result.winner == side if game.result.HasField("winner") else 0.5
                scores[bot] += won / 2 / 3
            if unit != 1:
                seat = leg
                margin += game.result.points[seat] - game.result.points[1 - seat]
                deals += len(game.deals)
    assert scores == pytest.approx([north.score, south.score])
    assert sum(scores) == pytest.approx(1)
    assert [int(score * 1e6) for score in scores] == pytest.approx(
        [north.score_millionths, south.score_millionths], abs=1
    )
    assert north.points == pytest.approx(margin / deals)
    assert south.points == pytest.approx(-margin / deals)
    assert north.won == south.lost
    assert north.won + north.lost + north.drawn == 7


def test_drawn_deals_are_half_points(play: Callable[..., Any]) -> None:
    """A void deal that is the game is a draw, and both bots score a half."""
    match = play({"preset": "spanish_single", "turn_cap": 1}, 1)
    for game in match.games.values():
        assert game.deals[0].result.points[:] == [0, 0], "the seed's first turn knocks"
    scores = bot_scores(Replay.open(match.file().data))
    assert [(bot.score, bot.drawn, bot.points) for bot in scores] == [(0.5, 2, 0.0)] * 2


def test_nothing_rated_is_no_error(play: Callable[..., Any], broken: Callable[..., Any]) -> None:
    """A match of which no unit counts has scores of nothing."""
    match = play(units=1, breaks=(broken(0, 0, 3, DOUBLE, (0, 1)),))
    scores = bot_scores(Replay.open(match.file().data))
    assert [(bot.units, bot.score, bot.points) for bot in scores] == [(0, 0.0, 0.0)] * 2
