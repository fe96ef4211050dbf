"""Replays for people: text and JSON."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from knockbox.v1 import play_pb2, replay_pb2
from referee import replay_json
from referee.replay import Replay, ReplayError
from referee.rules.cards import mask, name, parse
from referee.rules.ruleset import resolve
from referee.rules.scoring import limit_of
from referee.transcript import deal_text, match_text, printable
from referee.wire.replay import event_from_proto

CRASH = play_pb2.REASON_CRASH


def opened(match: Any) -> Replay:
    """The match as a replay that is open."""
    return Replay.open(match.file().data)


def deals_of(match: Any) -> list[tuple[int, int, replay_pb2.DealRecord]]:
    """(leg, unit, record) of every deal."""
    return [(leg, unit, deal) for (unit, leg), game in match.games.items() for deal in game.deals]


def test_every_turn_has_its_line(german: Any) -> None:
    """A deal is written with one numbered line for each turn, and every card that moved."""
    replay = opened(german)
    for leg, unit, deal in deals_of(german):
        text = deal_text(replay, leg, unit, deal.number)
        kinds = [event.WhichOneof("event") for event in deal.events]
        turns = re.findall(r"^ *(\d+)\. (north|south) (draws|takes) \w\w", text, re.M)
        assert [str(n + 1) for n in range(kinds.count("drew") + kinds.count("took"))] == [
            number for number, _, _ in turns
        ]
        bots = ["north", "south"] if leg == 0 else ["south", "north"]
        drawn = [bots[e.seat] for e in deal.events if e.WhichOneof("event") in ("drew", "took")]
        assert drawn == [name for _, name, _ in turns]
        assert text.count("discards") == kinds.count("discarded")
        assert f"leg {leg} unit {unit} deal {deal.number}" in text
        assert f"{bots[deal.dealer]} deals, upcard " in text


def test_each_deal_names_its_limit(play: Callable[..., Any]) -> None:
    """Whoever reads a deal is told what may knock in it; it changes with the upcard."""
    match = play("german", 3)
    replay = opened(match)
    written: set[str] = set()
    for leg, unit, deal in deals_of(match):
        limit = limit_of(resolve("german"), deal.upcard)
        words = f"knock with {limit} or less" if limit else "only gin ends the deal"
        assert f"upcard {name(deal.upcard)}: {words}" in deal_text(replay, leg, unit, deal.number)
        written.add(words)
    assert len(written) > 5


def test_ends_of_deals_are_told(play: Callable[..., Any]) -> None:
    """Knock, gin, undercut, void and their points stand at the end, with the score of the game."""
    match = play("danish", 6)
    replay = opened(match)
    seen: set[str] = set()
    for leg, unit, deal in deals_of(match):
        text = deal_text(replay, leg, unit, deal.number)
        last = text.splitlines()[-2]
        seen.add(re.sub(r"\w+ scores \d+ by ", "", last))
        if deal.result.HasField("winner"):
            assert f" scores {deal.result.points[deal.result.winner]} by " in last
    assert seen >= {"the knock", "gin", "an undercut"}


def test_void_and_broken_deals_are_told(play: Callable[..., Any], broken: Any) -> None:
    """A void deal says why, and a deal in which the game was broken off says by whom."""
    match = play({"preset": "german", "turn_cap": 2, "deal_cap": 3}, 1)
    text = deal_text(opened(match), 0, 0, 1)
    assert "Void: too many turns" in text
    match = play(units=1, breaks=(broken(0, 0, 3, CRASH, (1,)),))
    text = deal_text(opened(match), 0, 0, 1)
    assert text.endswith("The game was broken off here (crash: south)\n")
    assert "(crash: south)" in match_text(opened(match))


def test_layoffs_are_told(play: Callable[..., Any]) -> None:
    """A card laid off is written with the meld it went to."""
    match = play("spanish", 12)
    replay = opened(match)
    told = 0
    for leg, unit, deal in deals_of(match):
        laid = [layoff for event in deal.events for layoff in event.laid_off.layoffs]
        text = deal_text(replay, leg, unit, deal.number)
        assert bool(laid) == ("lays off" in text)
        for card in laid:
            assert re.search(rf"lays off .*{name(card.card)} on \w\w \w\w", text)
            told += 1
    assert told


def test_what_bots_say_is_escaped(german: Any) -> None:
    """Controls, direction marks and line ends from bots and files never reach the terminal."""
    match = german.copy()
    nasty = "\x1b[31m\x9b2J\u202egpj\r\n\x00\u2028\U000e0041\\"
    match.games[0, 0].deals[0].events[0].note = nasty
    match.header.bots[0].name = nasty
    match.header.match_id = nasty
    match.header.rules.preset = nasty
    replay = opened(match)
    for text in (deal_text(replay, 0, 0, 1), match_text(replay)):
        assert all(char == "\n" or char.isprintable() for char in text)
        assert r"\u{1b}[31m\u{9b}2J\u{202e}gpj\u{d}\u{a}\u{0}\u{2028}\u{e0041}\u{5c}" in text
    assert printable("naïve ♣ 🂡") == "naïve ♣ 🂡"


def test_matches_are_summed_up(german: Any) -> None:
    """A match in short has a line for each game, and one for each bot."""
    text = match_text(opened(german))
    assert "Match m-1, north against south" in text
    assert len(re.findall(r"^leg \d unit +\d +\d+ deals .* wins$", text, re.M)) == 4
    assert re.search(r"^north: score \d\.\d{3} over 2 units, \d won, \d lost", text, re.M)
    assert german.file().digest.hex() in text


@pytest.mark.parametrize(
    ("dial_in", "words"),
    [
        ((False, False), ", sandboxed\n"),
        ((True, False), ", sandboxed but for who dialled in\nDialled in: "),
        ((True, True), ", not sandboxed\nDialled in: "),
    ],
)
def test_who_dialled_in_was_not_sandboxed(
    german: Any, dial_in: tuple[bool, bool], words: str
) -> None:
    """A match whose bots were started in containers is no more closed off than those were."""
    replay = opened(german)
    replay.header.sandboxed = True
    for one, dialled in zip(replay.header.bots, dial_in, strict=True):
        one.dial_in = dialled
    assert words in match_text(replay)


def test_missing_places_are_named(german: Any) -> None:
    """A leg, unit or deal that is not there is an error that names it."""
    replay = opened(german)
    for place in ((0, 0, 0), (0, 0, 1000), (0, 9, 1), (7, 0, 1)):
        leg, unit, deal = place
        for view in (deal_text, replay_json.deal_json):
            with pytest.raises(ReplayError, match=f"leg {leg} unit {unit}.*is not in the file"):
                view(replay, leg, unit, deal)


def test_damaged_deals_are_named(german: Any) -> None:
    """A deal that the rules do not allow is named and not written down."""
    match = german.copy()
    match.games[0, 0].deals[0].events[4].seat ^= 1
    with pytest.raises(ReplayError, match="game leg 0 unit 0 deal 1 event 5: "):
        deal_text(opened(match), 0, 0, 1)
    match = german.copy()
    match.games[0, 0].deals[0].upcard = 60
    for view in (deal_text, replay_json.deal_json):
        with pytest.raises(ReplayError, match="game leg 0 unit 0 deal 1: upcard: 60 is no card"):
            view(opened(match), 0, 0, 1)
    match = german.copy()
    match.games[0, 0].result.winner = 9
    with pytest.raises(ReplayError, match=r"game leg 0 unit 0: result\.winner: is no side"):
        match_text(opened(match))
    match = german.copy()
    match.games[0, 0].result.places.pop()
    with pytest.raises(ReplayError, match="game leg 0 unit 0: result: is not one of 2 sides"):
        match_text(opened(match))


def test_json_is_complete(german: Any) -> None:
    """Every card and event of the records is in the JSON view, cards as "KC"."""
    view = json.loads(json.dumps(replay_json.to_json(opened(german))))
    assert german.file().digest.hex() == view["digest"]
    assert [bot["name"] for bot in view["bots"]] == ["north", "south"]
    assert german.seal.secret.hex() == view["seal"]["secret"]
    assert [leg["reasons"] for leg in view["seal"]["legs"]] == [["played"] * 2] * 2
    assert view["side"]["fence"] == 1
    assert [(u, leg) for u, leg in german.games] == [(g["unit"], g["leg"]) for g in view["games"]]
    for game in view["games"]:
        record = german.games[game["unit"], game["leg"]]
        assert ["south", "north"][:: 1 if game["leg"] else -1] == game["seats"]
        for deal, kept in zip(game["deals"], record.deals, strict=True):
            assert list(kept.hands) == [mask(map(parse, hand)) for hand in deal["hands"]]
            assert kept.upcard == parse(deal["upcard"])
            assert list(kept.piles) == [bytes(map(parse, pile)) for pile in deal["piles"]]
            assert list(kept.result.points) == deal["result"]["points"]
            for said, event in zip(deal["events"], kept.events, strict=True):
                assert event.WhichOneof("event") == said["event"]
                assert (event.seat, event.note) == (said["seat"], said.get("note", ""))
                card = getattr(event_from_proto(event, 2), "card", None)
                assert card == (parse(said["card"]) if "card" in said else None)


def test_json_of_parts(german: Any) -> None:
    """One deal alone is what it is in the whole; the match in short has scores and no cards."""
    replay = opened(german)
    whole = replay_json.to_json(replay)
    deal = replay_json.deal_json(replay, 1, 0, 2)
    assert whole["games"][2]["deals"][1].items() <= deal.items()
    short = replay_json.match_json(replay)
    assert [len(game["deals"]) for game in whole["games"]] == [g["deals"] for g in short["games"]]
    assert "hands" not in json.dumps(short)
    assert [bot["score"] for bot in short["scores"]] == pytest.approx(
        [1 - bot["score"] for bot in reversed(short["scores"])]
    )


def test_json_of_senseless_values_is_refused(german: Any) -> None:
    """What has no words is an error that names the record."""
    match = german.copy()
    match.games[1, 0].deals[0].events[2].ClearField("event")
    with pytest.raises(ReplayError, match="game leg 0 unit 1 deal 1 event 3: event: none is set"):
        replay_json.to_json(opened(match))
    match = german.copy()
    match.games[1, 0].result.reason = 99
    with pytest.raises(ReplayError, match=r"game leg 0 unit 1: result\.reason: 99 is no value"):
        replay_json.to_json(opened(match))
