"""What a bot is asked with: names for people, and errors that help."""

import json
import zlib

import pytest

from sample_bots.python.knockbox_sdk.actions import IllegalAction, write
from sample_bots.python.knockbox_sdk.board import Board
from sample_bots.python.knockbox_sdk.cards import CARDS, names, number
from sample_bots.python.knockbox_sdk.state import State
from sample_bots.python.knockbox_sdk.stubs import cards_pb2, play_pb2, rules_pb2
from sample_bots.python.knockbox_sdk.view import Seat

TOOK, DREW, DISCARDED = 2, 3, 4


def mask(text: str) -> int:
    return sum(1 << number(card) for card in text.split())


def events(*told: tuple[int, int, str]) -> bytes:
    return bytes(
        byte
        for kind, seat, card in told
        for byte in (kind * 16 + seat, number(card) if card else 255)
    )


def asked(turn: play_pb2.Turn, *, told: bytes = b"", seat: int = 0, **deal) -> State:
    board = Board(lambda state: state.draw())
    board.begin(
        play_pb2.DealStarted(upcard=number("9H"), knock_limit=9, deal=2, scores=[5, 0], **deal)
    )
    turn.events = told
    board.hear(turn)
    return State(Seat(seat, rules_pb2.Ruleset(players=2), False), board, turn, 1500)


def discard_turn() -> play_pb2.Turn:
    hand = "AC 2C 3C 4D 4H 4S 7S 8S 9S KC QD"
    return play_pb2.Turn(
        decision=7,
        phase=cards_pb2.PHASE_DISCARD,
        hand=mask(hand),
        top=number("9H"),
        stock=20,
        options=play_pb2.Options(
            discards=mask(hand) & ~mask("QD"),
            knocks=mask("KC"),
            knock_deadwood=bytes([10]),
            discard_deadwood=bytes([20, 21, 22, 10, 30, 31, 32, 33, 34, 35]),
        ),
    )


def test_a_hand_reads_like_cards():
    """Cards of a state are rank then suit, and the numbers beside them are the referee's."""
    state = asked(discard_turn())
    assert state.hand == ["AC", "2C", "3C", "KC", "4D", "QD", "4H", "4S", "7S", "8S", "9S"]
    assert state.deadwood_after["KC"] == 10
    assert state.best_discard == state.best_knock == "KC"
    assert (state.knocks, state.deadwood, state.phase) == ({"KC": 10}, 10, "discard")
    assert (state.top, state.stock, state.limit, state.scores) == ("9H", 20, 9, [5, 0])
    assert state.clock_left == 1.5


def test_the_pile_and_known_cards_follow_the_events():
    """Pile and known cards are what the events leave: taken cards are known until discarded."""
    told = events(
        (TOOK, 1, "9H"), (DISCARDED, 1, "KC"), (DREW, 0, ""), (DISCARDED, 0, "2D"),
        (TOOK, 1, "2D"), (DISCARDED, 1, "9H"),
    )  # fmt: skip
    state = asked(play_pb2.Turn(decision=1, phase=cards_pb2.PHASE_DRAW), told=told)
    assert state.pile == ["KC", "9H"]
    assert state.opponent_known == ["2D"]
    assert state.history[:2] == ["seat 1 took 9H", "seat 1 discarded KC"]


def test_a_question_that_comes_again_is_told_once():
    """The same question under the same id adds no events; a deal told again replaces them."""
    board = Board(lambda state: state.draw())
    board.begin(play_pb2.DealStarted(upcard=1))
    turn = play_pb2.Turn(decision=4, events=events((DREW, 1, ""), (DISCARDED, 1, "KC")))
    board.hear(turn)
    board.hear(turn)
    assert board.pile() == [1, number("KC")]
    board.begin(play_pb2.DealStarted(upcard=1, events=events((TOOK, 1, CARDS[1]))))
    turn.events = events((DISCARDED, 1, "KC"))
    board.hear(turn)
    assert board.pile() == [number("KC")]


def test_an_action_reaches_the_wire():
    """A knock with an arrangement and a note is the message the protocol describes."""
    out = play_pb2.Actions()
    melds = [["AC", "2C", "3C"], ["4D", "4H", "4S"], ["7S", "8S", "9S"]]
    write(asked(discard_turn()).knock("KC", melds, note="near"), out)
    action = out.actions[0]
    assert (action.decision, action.note, action.knock.card) == (7, "near", number("KC"))
    assert [names(meld) for meld in action.knock.melds] == melds


def test_every_legal_answer_is_listed():
    """`legal` holds each discard and each knock, made and ready."""
    kinds = [(action.kind, CARDS[action.card]) for action in asked(discard_turn()).legal]
    assert len(kinds) == 11
    assert ("knock", "KC") in kinds


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda state: state.discard("5H"), ["5H", "not in your hand", "one of AC 2C 3C KC"]),
        (lambda state: state.discard("QD"), ["QD", "was taken from the pile in this turn"]),
        (lambda state: state.discard("9H"), ["9H", "top of the discard pile"]),
        (lambda state: state.knock("AC"), ["AC", "is in your hand", "limit is 9", "leave 20"]),
        (lambda state: state.draw(), ["draw is not legal", "phase discard"]),
        (lambda state: state.discard("10H"), ["'10H' is not a card"]),
        (lambda state: state.knock("KC", [["AC", "2H"]]), ["2H is not in your hand"]),
        (lambda state: state.knock("KC", [["KC"]]), ["KC is the card you discard"]),
        (lambda state: state.discard("KC", note="é" * 101), ["200 bytes", "202"]),
        (lambda state: state.lay_off(), ["lay_off is not legal"]),
    ],
)
def test_what_cannot_be_says_why_and_what_can(ask, words):
    """An impossible answer names the card, where it is, and what would be legal."""
    with pytest.raises(ValueError) as caught:
        ask(asked(discard_turn(), told=events((TOOK, 1, "9H"), (DISCARDED, 1, "QD"),
                                              (TOOK, 0, "QD"))) if "QD" in words else
            asked(discard_turn()))  # fmt: skip
    for word in words:
        assert word in str(caught.value)


def test_a_layoff_names_melds_by_their_place_on_the_table():
    """Layoffs name cards and meld numbers; a card or meld that is not there is refused."""
    turn = play_pb2.Turn(decision=3, phase=cards_pb2.PHASE_LAYOFF, hand=mask("4C 5C 9D"))
    turn.options.may_lay_off = True
    turn.spreads.add(seat=1, melds=[mask("AC 2C 3C"), mask("KC KD KH")], deadwood=4)
    state = asked(turn)
    assert state.table[0] == ["AC", "2C", "3C"]
    action = state.lay_off(layoffs={"4C": 0, "5C": 0})
    assert action.layoffs == ((number("4C"), 0), (number("5C"), 0))
    assert action.declared
    assert not state.lay_off().declared
    with pytest.raises(IllegalAction, match="meld 2; on the table are 0: AC 2C 3C; 1: KC KD KH"):
        state.lay_off(layoffs={"4C": 2})


def test_chance_follows_what_is_seen_and_not_ids():
    """The same sight under other ids gives the same chance, another hand another."""
    first, second = discard_turn(), discard_turn()
    second.decision, second.board = 99, 12
    assert asked(first).chance == asked(second).chance
    second.hand ^= mask("KC KD")
    assert asked(first).chance != asked(second).chance


def test_chance_is_the_same_in_every_language():
    """Chance is a plain checksum of plain words, so that every language can reckon it."""
    shown = asked(discard_turn(), told=events((TOOK, 1, "9H"), (DISCARDED, 1, "KC")), boxes=[1, 0])
    hand = mask("AC 2C 3C 4D 4H 4S 7S 8S 9S KC QD")
    assert shown.chance == zlib.crc32(f"0 0 34 3 {hand} 2122410c 5,0 1,0 -".encode())
    turn = play_pb2.Turn(phase=cards_pb2.PHASE_LAYOFF, hand=1)
    turn.spreads.add(seat=1, melds=[7, 56])
    turn.spreads.add(seat=2, melds=[64])
    assert asked(turn, boxes=[0]).chance == zlib.crc32(b"0 0 34 4 1 - 5,0 0 7,56,64")


def test_a_question_is_one_line_of_json():
    """All that a seat sees, in ASCII without spaces, in a fixed order, with nothing left out."""
    assert asked(discard_turn(), told=events((TOOK, 0, "9H")), boxes=[1, 0]).json() == (
        '{"board":0,"deal":2,"seat":0,"dealer":0,"phase":"discard",'
        '"hand":["AC","2C","3C","KC","4D","QD","4H","4S","7S","8S","9S"],"top":"9H","pile":[],'
        '"stock":20,"upcard":"9H","taken":"9H","limit":9,"multiplier":0,"scores":[5,0],'
        '"boxes":[1,0],"may_take":false,"may_draw":false,"may_decline":false,"may_big_gin":false,'
        '"may_lay_off":false,"deadwood":10,"deadwood_if_taken":null,"discards":{"AC":20,"2C":21,'
        '"3C":22,"KC":10,"4D":30,"4H":31,"4S":32,"7S":33,"8S":34,"9S":35},"knocks":{"KC":10},'
        '"best_discard":"KC","best_knock":"KC","known":[["9H"],[]],"spreads":[],"table":[],'
        '"history":["seat 0 took 9H"],"chance":1645760837,"clock_left_ms":1500}'
    )


def test_a_line_says_null_for_what_is_not_known():
    """Deadwood that nobody asked for and a clock that does not run are null, not absent."""
    turn = discard_turn()
    turn.options.ClearField("discard_deadwood")
    timed = asked(turn)
    line = json.loads(State(timed.me._replace(untimed=True), timed._board, turn).json())
    assert set(line["discards"].values()) == {None}
    assert (line["clock_left_ms"], line["deadwood_if_taken"]) == (None, None)


def test_who_plays_with_whom():
    """Opponents are all other seats, or those of the other side, where the partner is named too."""
    state = asked(discard_turn(), seat=3)
    alone = State(Seat(3, rules_pb2.Ruleset(players=4), False), state._board, state.turn)
    assert (alone.opponents, alone.partner, alone.side) == ([0, 1, 2], None, 3)
    rules = rules_pb2.Ruleset(players=4, partnership=True)
    partners = State(Seat(3, rules, False), state._board, state.turn)
    assert (partners.opponents, partners.partner, partners.side) == ([0, 2], 1, 1)


def laying_off(may: bool, *shown: tuple[int, str], **rules: int) -> State:
    """A layoff by seat 0 after these hands were shown, each of one meld."""
    turn = play_pb2.Turn(decision=3, phase=cards_pb2.PHASE_LAYOFF, hand=mask("4C"))
    turn.options.may_lay_off = may
    for seat, meld in shown:
        turn.spreads.add(seat=seat, melds=[mask(meld)])
    state = asked(turn)
    return State(Seat(0, rules_pb2.Ruleset(**rules), False), state.board, turn)


def test_the_table_holds_what_may_be_laid_off_on():
    """Only open melds have numbers: the knocker's, or both opponents' where a partner knocked."""
    knocker, other, third = (1, "AC 2C 3C"), (2, "KC KD KH"), (3, "9C 9D 9H")
    assert laying_off(True, knocker, other, players=3).table == [["AC", "2C", "3C"]]
    assert laying_off(False, knocker, players=4, partnership=True).table == []
    partner = laying_off(True, knocker, third, other, players=4, partnership=True)
    assert partner.table == [["AC", "2C", "3C"], ["9C", "9D", "9H"]]
    assert [hand.seat for hand in partner.spreads] == [1, 3, 2]
