"""Games: targets, bonuses, caps, dealers and places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.cards import parse
from referee.rules.game import Game
from referee.rules.ruleset import resolve
from referee.rules.scoring import Outcome, limit_of, multiplier_of, settle, void


def won(rules, side: int, points: int) -> Outcome:
    """A deal that gives a side so many points."""
    by_side = [0] * len(rules.sides)
    by_side[side] = points
    deadwood = (0,) * rules.players
    return Outcome("knock", "", side, deadwood, tuple(by_side), rules.sides[side][0])


def played(named, *deals):
    """A game fed with (side, points) pairs; None is a void deal."""
    rules = resolve(named)
    game = Game(rules, 0)
    for deal in deals:
        game.record(void(rules, game.dealer, "stock") if deal is None else won(rules, *deal))
    return game


@pytest.mark.parametrize(
    ("upcard", "danish", "german"),
    [("AC", 1, 0), ("2C", 2, 2), ("9D", 9, 9), ("TH", 10, 10), ("QS", 10, 10)],
)
def test_limit_of_the_upcard(upcard, danish, german):
    """The upcard sets the limit, pictures to ten, and the ace as the ruleset reads it."""
    assert limit_of(resolve("danish"), parse(upcard)) == danish
    assert limit_of(resolve("german"), parse(upcard)) == german


def test_limits_that_do_not_follow_the_upcard():
    """A fixed limit and gin only hold whatever the upcard is."""
    assert limit_of(resolve("standard"), parse("2C")) == 10
    assert limit_of(resolve("straight"), parse("TC")) == 0


@pytest.mark.parametrize(("preset", "factor"), [("danish", 1), ("german", 2)])
def test_spades_multiply(preset, factor):
    """A spade upcard multiplies as the ruleset says, another suit never."""
    rules = resolve(preset)
    assert [multiplier_of(rules, parse(card)) for card in ("2S", "KH")] == [factor, 1]


@pytest.mark.parametrize(
    ("knocker", "deadwood", "points", "end"),
    [
        (0, (4, 30), (26, 0), "knock"),
        (0, (8, 8), (0, 25), "undercut"),
        (1, (3, 9), (31, 0), "undercut"),
        (0, (5, 0), (0, 30), "undercut"),
        (1, (12, 0), (0, 37), "gin"),
        (0, (0, 0), (25, 0), "gin"),
    ],
)
def test_settling_a_deal(knocker, deadwood, points, end):
    """A knock scores the difference, an undercut and gin their bonus besides."""
    outcome = settle(resolve("spanish"), 0, 1, knocker, deadwood)
    assert (outcome.points, outcome.end) == (points, end)


@pytest.mark.parametrize(
    ("preset", "knocker", "deadwood", "expected"),
    [
        ("danish", 1, (30, 4), 1),  # the winner deals
        ("danish", 1, (4, 4), 0),  # the undercutter is the winner
        ("spanish", 0, (4, 30), 1),  # to the left
    ],
)
def test_next_dealer(preset, knocker, deadwood, expected):
    """The dealer after a deal that was won is the winner, or the next one, by the ruleset."""
    assert settle(resolve(preset), 0, 1, knocker, deadwood).next_dealer == expected


def test_dealer_after_a_void_deal():
    """After a void deal the same seat deals again, or the next one, by the ruleset."""
    assert void(resolve("danish"), 0, "stock").next_dealer == 0
    assert void(resolve("german"), 0, "stock").next_dealer == 1


def test_target_wins_whatever_the_bonuses_add_up_to():
    """The side at the target wins, even when the other's boxes make a higher total."""
    game = played({"preset": "german", "box_bonus": 100}, *[(1, 20)] * 9, (0, 199), (0, 1))
    assert game.result
    assert game.result.winner == 0
    assert game.result.totals == (200 + 100 + 200, 180 + 900)
    assert game.result.points == (200, 180)
    assert game.result.places == (1, 2)


def test_boxes_are_added_to_the_total_at_the_end():
    """Boxes show in no total before the end, and in both totals then."""
    game = played("german", (0, 30), (1, 60))
    assert (game.scores, game.totals(), game.boxes) == ((30, 60), (30, 60), [1, 1])
    game = played("german", (0, 30), (1, 60), (1, 150))
    assert game.totals() == (55, 210 + 100 + 50)


def test_zero_points_make_a_box():
    """A deal that is won at 0 points counts as a box."""
    assert played("german", (0, 0)).boxes == [1, 0]


def test_shutout_looks_at_points_not_at_boxes():
    """A side with a box but no point is shut out all the same."""
    game = played("german", (1, 0), (0, 200))
    assert game.totals() == ((200 + 100 + 25) * 2, 25)


def test_one_deal_game():
    """Without a target one deal is the game, won even at 0 points; a void deal is a draw."""
    game = played({"preset": "german", "target": None}, (1, 0))
    assert game.result
    assert (game.result.winner, game.result.totals, game.result.places) == (1, (0, 0), (2, 1))
    game = played("spanish_single", None)
    assert game.result
    assert (game.result.winner, game.result.places) == (None, (1, 1))


def test_deal_cap():
    """At the cap more points win, boxes are added, game bonus and shutout are not."""
    rules = {"preset": "german", "deal_cap": 3}
    game = played(rules, (0, 40), None, (0, 1))
    assert game.result
    assert (game.result.reason, game.result.winner) == ("deal_cap", 0)
    assert game.result.totals == (41 + 50, 0)
    game = played(rules, (0, 40), (1, 20), (1, 20))
    assert game.result
    assert (game.result.winner, game.result.places) == (None, (1, 1))
    game = played(rules, None, None, (1, 300))
    assert game.result
    assert (game.result.reason, game.result.winner) == ("played", 1)


def test_places_of_several_players():
    """The winner is first, the others follow by total, and equal totals share a place."""
    game = played("four_handed", (3, 30), (1, 60), (0, 60), (2, 200))
    assert game.result
    assert game.result.places == (2, 2, 1, 4)


def test_columns_are_entered_one_by_one():
    """A side's first win counts in one column, its second in two, its third in all three."""
    game = played("hollywood", (0, 10), (0, 20), (1, 5), (0, 30))
    assert [sheet.points for sheet in game.sheets] == [[60, 5], [50, 0], [30, 0]]
    assert game.scores == (60, 5, 50, 0, 30, 0)
    assert [sheet.boxes for sheet in game.sheets] == [[3, 1], [2, 0], [1, 0]]


def test_a_closed_column_is_passed_over():
    """A side that is shut out of a closed column starts in the next one."""
    game = played("hollywood", (0, 100), (1, 7))
    assert [sheet.closed for sheet in game.sheets] == [0, None, None]
    assert [sheet.points for sheet in game.sheets] == [[100, 0], [0, 7], [0, 0]]


def test_a_finished_game_takes_no_deal():
    """A game that is over cannot be fed any further."""
    game = played("spanish_single", (0, 5))
    with pytest.raises(ValueError, match="over"):
        game.record(won(game.rules, 0, 5))


@given(
    preset=st.sampled_from(("danish", "german", "hollywood", "three_handed", "partnership")),
    deals=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 120)) | st.none(), max_size=20),
    cap=st.integers(1, 20),
)
def test_every_game_ends(preset, deals, cap):
    """A game ends at its cap at the latest, with places that agree with its winner."""
    rules = {"preset": preset, "deal_cap": cap}
    game = Game(resolve(rules), 0)
    for deal in [*deals, *[None] * 20]:
        if game.over:
            break
        outcome = void(game.rules, game.dealer, "stock") if deal is None else won(game.rules, *deal)
        game.record(outcome)
    assert game.result
    assert game.deals <= cap
    firsts = [side for side, place in enumerate(game.result.places) if place == 1]
    assert firsts == [game.result.winner] or (game.result.winner is None and len(firsts) > 1)
