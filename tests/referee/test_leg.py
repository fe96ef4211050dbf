"""A leg as a machine: what faults take with them, and what ids and messages give away."""

import pytest

from knockbox.v1 import cards_pb2, play_pb2
from referee.account import Fault
from referee.deck import Decks, seed_secret
from referee.leg import Leg
from referee.rules.ruleset import resolve

TIME, CRASH = play_pb2.REASON_TIME, play_pb2.REASON_CRASH
DOUBLE = play_pb2.REASON_DOUBLE_FAULT


def leg(units: int = 6, boards: int = 6, seed: str = "leg", rules: str = "danish") -> Leg:
    ruleset = resolve(rules)
    it = Leg(ruleset, 0, units)
    it.deal(Decks(seed_secret(seed), (), ruleset), boards)
    it.open()
    return it


def ask(it: Leg) -> list[play_pb2.Turns]:
    """Ask both seats whatever waits for them."""
    messages = [it.compose(seat, 0, want_deadwood=True)[0] for seat in range(2)]
    return [play_pb2.PlayResponse.FromString(message).turns for message in messages]


def reasons(it: Leg) -> list[int]:
    return [record.result.reason for record in it.records()]


def test_a_fault_takes_the_games_that_wait_for_it() -> None:
    """A lapsed message loses the games asked in it, and no other."""
    it = leg()
    owed = [len(turns.turns) for turns in ask(it)]
    it.fail({0: Fault(TIME, whole_leg=False)})
    assert it.games_over == owed[0]
    assert not it.accounts[0].pending
    assert len(it.accounts[1].pending) == owed[1]


def test_a_question_not_yet_asked_is_not_lost() -> None:
    """Games whose question has not been written stay when an older message lapses."""
    it = leg()
    it.fail({0: Fault(TIME, whole_leg=False)})
    assert it.games_over == 0


def test_faults_of_one_step_meet_where_both_take_a_game() -> None:
    """One loses its message, the other the leg: what both take is void, the rest has one loser."""
    it = leg()
    owed = [len(turns.turns) for turns in ask(it)]
    it.fail({0: Fault(TIME, whole_leg=False), 1: Fault(CRASH, whole_leg=True)})
    assert it.over
    assert sorted(reasons(it)) == sorted([DOUBLE] * owed[0] + [CRASH] * owed[1])
    over = it.farewell(0)
    assert (over.won, over.not_counted) == (owed[1], owed[0])


def throws(turns: play_pb2.Turns, note: str) -> play_pb2.Actions:
    """Declines, draws, and throws the lowest card that may go, with a note each time."""
    actions = play_pb2.Actions()
    for turn in turns.turns:
        action = actions.actions.add(decision=turn.decision, note=note)
        if turn.phase == cards_pb2.PHASE_OFFER:
            action.decline.SetInParent()
        elif turn.phase == cards_pb2.PHASE_DRAW:
            action.draw.SetInParent()
        else:
            discards = turn.options.discards
            action.discard.card = (discards & -discards).bit_length() - 1
    return actions


def notes(it: Leg, seat: int) -> list[str]:
    """What a seat's moves have beside them in the record, in order, games one after the other."""
    events = [e for game in it.records() for deal in game.deals for e in deal.events]
    return [event.note for event in events if event.seat == seat]


def test_notes_have_room_for_so_many_bytes_a_leg() -> None:
    """A seat's notes are kept while there is room for them, and left out then; the game is the
    same, and the other seat's notes have their own room."""
    noted, plain = leg(units=1, boards=1), leg(units=1, boards=1)
    assert [account.note_room for account in noted.accounts] == [1 << 20] * 2
    noted.accounts[0].note_room = 450
    note = "é" * 100
    for it, said in ((noted, note), (plain, "")):
        while not it.over:
            for seat, turns in enumerate(ask(it)):
                if turns.turns:
                    assert it.answer(seat, throws(turns, said)).accepted == 1
    assert [one for one in notes(noted, 0) if one] == [note] * 2
    assert set(notes(noted, 1)) == {note}
    for game in (bare := list(noted.records())):
        for event in (event for deal in game.deals for event in deal.events):
            event.ClearField("note")
    assert bare == list(plain.records())


def test_games_never_opened_are_lost_with_the_leg() -> None:
    """A leg is lost whole, also what was still to be dealt."""
    it = leg(units=6, boards=2)
    ask(it)
    it.fail({1: Fault(CRASH, whole_leg=True)})
    records = list(it.records())
    assert [record.result.reason for record in records] == [CRASH] * 6
    assert sorted(len(record.deals) for record in records) == [0, 0, 0, 0, 1, 1]
    assert (it.farewell(0).won, it.farewell(1).lost) == (6, 6)


@pytest.mark.parametrize("rules", ["danish", "german"])
def test_ids_and_sizes_say_nothing_about_cards(rules: str) -> None:
    """Other decks, same history: the same ids, boards and phases."""
    shapes = set()
    for seed in "abc":
        it = leg(seed=seed, rules=rules, units=4, boards=4)
        every = [turn for turns in ask(it) for turn in turns.turns]
        shapes.add(tuple(sorted((turn.board, turn.decision, turn.phase) for turn in every)))
    assert len(shapes) == 1


def test_news_that_may_be_unread_is_told_again() -> None:
    """A deal that ended in a message that nobody answered is told again after a reconnection."""
    it = leg(units=2, boards=2)
    ask(it)
    it.fail({0: Fault(TIME, whole_leg=False)})
    first = ask(it)[1]
    it.reconnected(1)
    again = ask(it)[1]
    assert len(first.deals_over) > 0
    assert again.deals_over == first.deals_over
    assert {deal.board for deal in again.deals_started} == {turn.board for turn in again.turns}
