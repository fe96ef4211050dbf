"""A match as text, JSON and protobuf: there and back, and every mistake with its line."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knockbox.v1 import cards_pb2, play_pb2
from knockbox.v1 import replay_pb2 as pb
from referee.notation import file_of, match_of, write
from referee.notation_read import NotationError, read
from referee.reading import FieldError
from referee.replay import Replay
from referee.replay_from_json import from_json
from referee.replay_json import to_json
from referee.rules import events as ev
from referee.rules.ruleset import PRESETS
from referee.verify import verify
from referee.wire.replay import event_to_proto
from referee.wire.rules import to_proto

CARDS = st.integers(0, 51)
MASKS = st.integers(0, 2**52 - 1)
MELDS = st.lists(MASKS, max_size=3).map(tuple)
WORDS = st.text(max_size=12)
U32 = st.integers(0, 2**32 - 1)
ROWS = st.lists(CARDS, max_size=6)
SMALL = st.lists(U32, max_size=3)
REASONS = st.sampled_from(play_pb2.Reason.values())
ENDS = st.sampled_from(cards_pb2.DealEnd.values())


def happenings(players: int) -> st.SearchStrategy[pb.Event]:
    """Events of any kind with anything in them, whether or not they could happen."""
    seats = st.integers(0, players - 1)
    layoffs = st.lists(st.tuples(CARDS, U32), max_size=3).map(tuple)
    piles = st.lists(ROWS.map(tuple), max_size=3).map(tuple)
    kinds = st.one_of(
        st.builds(ev.Declined, seats),
        st.builds(ev.Took, seats, CARDS),
        st.builds(ev.Drew, seats, CARDS),
        st.builds(ev.Discarded, seats, CARDS),
        st.builds(ev.Knocked, seats, CARDS, MELDS),
        st.builds(ev.DeclaredBigGin, seats, MELDS),
        st.builds(ev.LaidOff, seats, MELDS, layoffs),
        st.builds(ev.Reshuffled, seats, piles),
    )
    return st.builds(event_to_proto, kinds, st.one_of(st.just(""), WORDS))


def records(players: int) -> st.SearchStrategy[pb.GameRecord]:
    """Games with anything in them."""
    results = st.builds(
        pb.DealResult,
        end=ENDS,
        deadwood=st.binary(max_size=4),
        points=SMALL,
        winner=st.none() | U32,
    )
    deals = st.builds(
        pb.DealRecord,
        number=U32,
        dealer=U32,
        hands=st.lists(MASKS, max_size=4),
        upcard=CARDS,
        piles=st.lists(ROWS.map(bytes), max_size=4),
        events=st.lists(happenings(players), max_size=8),
        result=st.none() | results,
    )
    return st.builds(
        pb.GameRecord,
        unit=U32,
        leg=U32,
        first_dealer=U32,
        deals=st.lists(deals, max_size=3),
        result=st.builds(
            pb.GameResult,
            reason=REASONS,
            faulty_seats=SMALL,
            faulty_reasons=st.lists(REASONS, max_size=4),
            winner=st.none() | U32,
            totals=SMALL,
            points=SMALL,
            places=SMALL,
            counts=st.booleans(),
        ),
    )


@st.composite
def matches(draw: Any) -> pb.ReplayMatch:
    """Whole matches: a sound ruleset, and anything that fits into the other fields."""
    rules = draw(st.sampled_from(list(PRESETS.values())))
    changed = replace(
        rules,
        preset=draw(st.sampled_from([rules.preset, "", 'house "rules"\n'])),
        gin_bonus=draw(st.integers(0, 99)),
        big_gin_bonus=draw(st.none() | st.integers(0, 40)),
        may_return_taken_card=draw(st.booleans()),
    )
    header = pb.ReplayHeader(
        format=1,
        match_id=draw(WORDS),
        tournament_id=draw(WORDS),
        rules=to_proto(draw(st.sampled_from([rules, changed]))),
        commitment=draw(st.binary(max_size=32)),
        seeded=draw(st.booleans()),
        sandboxed=draw(st.booleans()),
        commitments=draw(st.lists(st.binary(max_size=32), max_size=3)),
    )
    header.plan.units = draw(U32)
    header.plan.boards = draw(U32)
    header.plan.pairing = draw(st.sampled_from([pb.PAIRING_UNITS, pb.PAIRING_INDEPENDENT]))
    if draw(st.booleans()):
        header.plan.clock.CopyFrom(
            play_pb2.ClockSettings(bank_per_game_ms=draw(U32), untimed=draw(st.booleans()))
        )
    for _ in range(rules.players):
        header.bots.add(name=draw(WORDS), version=draw(WORDS), dial_in=draw(st.booleans()))
    games = draw(
        st.lists(records(rules.players), max_size=3, unique_by=lambda game: (game.leg, game.unit))
    )
    games.sort(key=lambda game: (game.leg, game.unit))
    seal = pb.ReplaySeal(secret=draw(st.binary(max_size=32)))
    seal.nonces.extend(draw(st.lists(st.binary(max_size=8), max_size=4)))
    seal.legs.add(leg=draw(U32), reasons=draw(st.lists(REASONS, max_size=4)))
    side = pb.ReplaySide(fence=draw(st.integers(0, 2**64 - 1)), referee=draw(WORDS))
    side.started_ms = draw(st.integers(-(2**63), 2**63 - 1))
    side.clocks.add(leg=draw(U32), used_ms=5, sdk=draw(WORDS))
    side.slow.add(leg=draw(U32), ms=draw(st.integers(0, 2**64 - 1)), unit=draw(U32), deal=3)
    return pb.ReplayMatch(header=header, games=games, seal=seal, side=side)


@settings(max_examples=60)
@given(matches())
def test_text_and_json_come_back_byte_for_byte(match: pb.ReplayMatch) -> None:
    """Whatever a replay holds, its text and its JSON make the same file of it again."""
    file = file_of(match)
    replay = Replay.open(file.data)
    assert match_of(replay) == match
    text = write(match)
    assert text.isascii()
    assert file_of(read(text)) == file
    assert file_of(read(text.replace("\n", " \r\n\n; a remark\n"))) == file
    said = json.dumps(to_json(replay))
    assert file_of(from_json(json.loads(said))) == file


@pytest.mark.parametrize("preset", ["danish", "hollywood", "three_handed", "partnership"])
def test_a_played_match_stays_proven(preset: str, play: Any) -> None:
    """A match that verifies still does after it went through text, its digest the same."""
    file = play(preset, 1).file()
    again = file_of(read(write(match_of(Replay.open(file.data)))))
    assert again.data == file.data
    assert verify(again.data).ok


@pytest.fixture(scope="module")
def text(german: Any) -> str:
    """A match as text."""
    return write(match_of(Replay.open(german.file().data)))


def test_turns_are_numbered(text: str) -> None:
    """Each turn of a deal is a line with its number, from one on."""
    deal = text.split("\nDeal ")[1]
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", deal, re.M)]
    assert numbers == list(range(1, len(numbers) + 1))


MISTAKES = [
    ("[Units ", '[Units "two"]', "'two' is no number"),
    ("[Units ", '[Unit "2"]', "the tag Units should be here, not Unit"),
    ("[Units ", '[Units "4294967296"]', "range"),
    ("[Units ", "Units 2", "this is not the tag"),
    ("[Rules ", '[Rules "swedish"]', "is missing"),
    ("[Rules ", '[Rules "danish"]\n[Rule "target 0"]', "target"),
    ("[Rules ", '[Rules "danish"]\n[Rule "colour red"]', "no field"),
    ("[Pairing ", '[Pairing "odd"]', "none of units, independent"),
    ("[Commitment ", '[Commitment "xyz"]', "hexadecimal"),
    ("[Seeded ", '[Seeded "true"]', "neither yes nor no"),
    ("[Clock ", '[Clock "cap_ms=1"]', "bank_per_game_ms"),
    ("Game leg", "Game leg 0", "the beginning of a game"),
    ("Deal 1 ", "Deal one", "the beginning of a deal"),
    ("Hand ", "Hand AC AC", "named twice"),
    ("Pile ", "Pile 1C", "'1C' is no card"),
    ("1. ", "1. 0 draw", "is no card"),
    ("1. ", "1. 0 steal 2C", "'steal 2C' is no move"),
    ("1. ", "2. 0 draw 2C, discard 3C", "turn 1 should have its number"),
    ("1. ", "1. 9 draw 2C,, discard 3C", "is no move"),
    ("1. ", "1. 0 draw 2C,", "is no move"),
    ("1. ", '1. 0 draw 2C "open', "is no move"),
    ("1. ", "draw 2C", "this is not a move"),
    ("Result ", "Result won; winner 0; points 1; deadwood 2", "no word"),
    ("Result ", "Result gin; points 1", "this should be: Result"),
    ("Over ", "Over played; counts maybe; winner -; totals -; points -; places -; faulty -", "yes"),
    ("[Leg ", '[Leg "0 bored"]', "no word"),
    ("[Fence ", '[Fence "1"]\n[Fence "2"]', "the tag Started"),
]


@pytest.mark.parametrize(("start", "wrong", "why"), MISTAKES)
def test_mistakes_are_named_with_their_line(text: str, start: str, wrong: str, why: str) -> None:
    """A text that does not follow the grammar is refused, with the line and what is wrong there."""
    lines = text.split("\n")
    at = next(at for at, line in enumerate(lines) if line.startswith(start))
    put = wrong.split("\n")
    changed = [*lines[:at], *put, *lines[at + 1 :]]
    with pytest.raises(NotationError) as refused:
        read("\n".join(changed))
    assert why in refused.value.message
    assert refused.value.line == at + len(put)
    assert str(refused.value).startswith(f"line {at + len(put)}: ")


def test_a_game_may_not_be_there_twice(text: str) -> None:
    """The second of two equal games is refused where it ends."""
    start, end = text.index("Game leg"), text.index("\n\n", text.index("Over "))
    doubled = text[:end] + "\n\n" + text[start:end] + text[end:]
    with pytest.raises(NotationError, match="there already"):
        read(doubled)


@settings(max_examples=150)
@given(data=st.data())
def test_damaged_texts_are_refused_in_good_order(text: str, data: Any) -> None:
    """Whatever is cut, doubled or overwritten: it is read, or refused with a line that there is."""
    at = data.draw(st.integers(0, len(text)))
    put = data.draw(st.text(alphabet='AC2[]"\\;:>|.,- \n0Xé', max_size=6))
    cut = data.draw(st.integers(0, 40))
    damaged = text[:at] + put + text[at + cut :]
    try:
        read(damaged)
    except NotationError as error:
        assert 1 <= error.line <= damaged.count("\n") + 1


@settings(max_examples=150)
@given(data=st.data())
def test_damaged_json_is_refused_in_good_order(german: Any, data: Any) -> None:
    """Whatever value is put in the place of another, JSON is read, or refused naming its place."""
    said = json.loads(json.dumps(to_json(Replay.open(german.file().data))))
    place: Any = said
    for _ in range(data.draw(st.integers(0, 6))):
        keys = list(place) if isinstance(place, dict) else range(len(place))
        inner = [key for key in keys if isinstance(place[key], dict | list) and place[key]]
        if not inner:
            break
        place = place[data.draw(st.sampled_from(inner))]
    key = data.draw(
        st.sampled_from(list(place) if isinstance(place, dict) else [*range(len(place))])
    )
    wrong = st.sampled_from([None, True, -1, 2**70, "", "KC", "\ud800", [], [[]], {}, 1.5, ["AC"]])
    place[key] = data.draw(wrong)
    try:
        from_json(said)
    except FieldError as error:
        assert error.field
