"""Traps that other engines of this family fell into, each with the test that keeps it away.

The faults were measured or reported in OpenSpiel, Kaggle's environments, RLCard, PettingZoo,
t_games and others. `TRAPS` names for each the tests that would fail here, as `file::test` below
tests/, and says why where a trap cannot occur at all. A trap that no other test had is tested in
this file.
"""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from rules_models import cards, row

from knockbox.v1 import play_pb2
from referee.board import Board
from referee.deck import Decks, seed_secret
from referee.rules.actions import Decline, Draw, Knock, LayOff
from referee.rules.cards import members, parse
from referee.rules.deal import Dealing, Illegal, Phase, act, start
from referee.rules.game import Game
from referee.rules.ruleset import PRESETS, resolve
from referee.rules.scoring import settle
from referee.wire.play import deal_started, put_turn
from referee.wire.rules import to_proto
from tests.rules.proof_play import some_action

TESTS = Path(__file__).parents[1]
HERE = "rules/test_proofs_traps.py"
SIGHT = "rules/test_proofs_sight.py::test_hidden_cards_leave_no_trace"
MODEL = "rules/test_engine_against_model.py"
ENDS = "rules/test_proofs_ends.py"
OPENSPIEL = "rules/test_against_openspiel.py"


class Trap(NamedTuple):
    """A fault seen elsewhere, and what keeps it away: tests, or why there is nothing to test."""

    what: str
    tests: tuple[str, ...] = ()
    why: str = ""


TRAPS = {
    1: Trap(
        "least of eleven cards taken from one best arrangement and its dearest loose card",
        (
            "rules/test_melds.py::test_counts_are_least_over_discards_not_over_loose_cards",
            f"{MODEL}::test_hands_are_counted_and_arranged_alike",
            f"{OPENSPIEL}::test_a_gin_that_openspiel_refuses",
        ),
    ),
    2: Trap(
        "equal counts score nothing",
        (
            "rules/test_proofs_points.py::test_every_small_count_is_settled_as_written",
            f"{OPENSPIEL}::test_whole_deals_agree_with_openspiel",
        ),
    ),
    3: Trap(
        "the third card in a row at one end of a run cannot be laid off",
        (f"{HERE}::test_three_cards_are_laid_on_one_end",),
    ),
    4: Trap(
        "the knocker sees the defender's hand while it is laid off",
        (SIGHT, "rules/test_proofs_sight.py::test_every_moment_of_a_deal_is_among_them"),
    ),
    5: Trap(
        "a resampled state hands a seat the true hidden cards",
        (SIGHT,),
        "nothing here resamples; what a seat is given holds no hidden card to resample from",
    ),
    6: Trap(
        "odd sizes of hands and packs crash",
        (
            "rules/test_rulesets.py::test_nonsense_is_refused_by_field",
            "rules/test_deal.py::test_cards_that_cannot_be_dealt",
            "rules/test_deal.py::test_hand_sizes",
        ),
    ),
    7: Trap(
        "bots that plan several steps ahead die of the step that is illegal by then",
        (
            "sdk/test_every_preset.py::test_sample_bots_play_every_preset",
            "referee/live/test_endings.py::test_three_strikes_are_put_up_with",
        ),
        "every question is answered by itself, with a knock and its discard as one decision",
    ),
    8: Trap(
        "who lays off is not told the knocker's melds, rest and count",
        ("rules/test_view.py::test_an_opponent_sees_the_knocker_before_answering",),
    ),
    9: Trap(
        "one ruleset is announced and another one played",
        (
            "referee/live/test_match.py::test_welcome_tells_what_was_committed",
            f"{HERE}::test_the_limit_that_is_told_is_the_limit_in_force",
        ),
    ),
    10: Trap(
        "the last cards of the stock are a phase nobody describes, much like a layoff",
        (
            "rules/test_deal.py::test_last_two_cards_are_never_drawn",
            f"{HERE}::test_phases_are_told_apart",
        ),
        "a deal is void at once, so there is no such phase",
    ),
    11: Trap(
        "spectators are not shown the knock limit, which changes with each deal",
        ("referee/test_transcript.py::test_each_deal_names_its_limit",),
    ),
    12: Trap(
        "legal answers are not listed, and an illegal one ends more than its own game",
        (
            "rules/test_deal.py::test_offered_is_what_is_accepted",
            "referee/live/test_endings.py::test_the_fourth_strike_loses_the_leg",
        ),
    ),
    13: Trap("the view of one player contains another one's hand", (SIGHT,)),
    14: Trap("unknown cards are listed in the order of the stock", (SIGHT,)),
    15: Trap(
        "the discard of a knock vanishes",
        (
            f"{ENDS}::test_every_preset_ends_with_all_its_cards",
            f"{ENDS}::test_rich_and_short_deals_end",
        ),
    ),
    16: Trap(
        "a knock may throw back the card just taken",
        ("rules/test_deal.py::test_taken_card_stays_this_turn",),
    ),
    17: Trap(
        "crashes and wrong points at the end of a deal",
        (
            f"{ENDS}::test_games_under_all_fields_end",
            "rules/test_proofs_points.py::test_played_deals_are_scored_as_written",
        ),
    ),
    18: Trap(
        "wrong lists of cards to knock or go gin with",
        (
            f"{MODEL}::test_deals_under_all_fields_go_alike",
            "rules/test_deal.py::test_offered_is_what_is_accepted",
        ),
    ),
    19: Trap(
        "rewards that ignore the opponent",
        (
            "rules/test_proofs_points.py::test_games_add_up_as_written",
            "referee/test_pettingzoo_env.py::test_rewards_of_an_episode_add_up_to_nothing",
        ),
    ),
    20: Trap(
        "scoring is an action that players are asked for",
        (f"{HERE}::test_nobody_is_asked_to_score",),
    ),
    21: Trap(
        "hands without a bound, then a cap that no rule knows",
        (
            f"{ENDS}::test_rich_and_short_deals_end",
            f"{ENDS}::test_traders_are_ended_by_the_caps",
        ),
    ),
    22: Trap("too slow", (), "a matter of `make bench`, which compares ratios in one run"),
    23: Trap(
        "the number of players cannot be asked for",
        (
            f"{HERE}::test_the_number_of_players_is_told",
            "referee/test_pettingzoo_env.py::test_pettingzoos_own_test",
        ),
    ),
    24: Trap(
        "what was configured is lost with a seeded reset",
        (f"{HERE}::test_a_seeded_reset_keeps_the_rules",),
    ),
    25: Trap(
        "a layoff does not see that the meld has grown",
        (
            "rules/test_layoff.py::test_layoffs_chain_on_a_run",
            "rules/test_layoff.py::test_order_of_named_cards_does_not_matter",
            f"{MODEL}::test_layoffs_are_chosen_alike",
        ),
    ),
    26: Trap(
        "a meld that cannot be read crashes the game",
        (
            "rules/test_script.py::test_texts_that_cannot_be_read",
            "rules/test_deal.py::test_declared_melds_must_be_melds_of_the_hand",
            "referee/live/test_messages.py::test_what_does_not_parse_is_refused_in_band",
        ),
    ),
    27: Trap(
        "cards are left over from the deal before",
        (f"{ENDS}::test_nothing_is_left_of_the_deal_before",),
    ),
    28: Trap(
        "cards are declared that are not held, and a run of five counts as two melds",
        (
            "rules/test_deal.py::test_declared_melds_must_be_melds_of_the_hand",
            f"{HERE}::test_a_long_run_is_one_meld",
        ),
    ),
    29: Trap(
        "gin is taken for too high to knock with",
        ("rules/test_melds.py::test_hands_that_another_engine_took_for_no_gin",),
    ),
    30: Trap(
        "a target reached by an undercut gives the bonus to the knocker",
        (f"{HERE}::test_an_undercut_that_reaches_the_target_wins",),
    ),
    31: Trap(
        "high aces make sets of K K A",
        (
            "rules/test_melds.py::test_melds_that_there_are",
            "rules/test_layoff.py::test_high_ace_is_laid_above_the_king",
        ),
    ),
    32: Trap(
        "a box bonus is announced and never added",
        (
            "rules/test_game.py::test_boxes_are_added_to_the_total_at_the_end",
            "rules/test_proofs_points.py::test_games_add_up_as_written",
        ),
    ),
    33: Trap(
        "the shuffle ignores its seed, and the upcard its place",
        (
            "referee/test_deck.py::test_known_answers",
            "referee/test_deck.py::test_everything_that_goes_in_counts",
            "rules/test_proofs_decks.py::test_every_place_is_uniform",
        ),
    ),
    34: Trap(
        "melds are changed by layoffs before they are reported",
        ("rules/test_deal.py::test_layoffs_do_not_change_the_declared_melds",),
    ),
    35: Trap(
        "melds first and layoffs second, where both together leave less",
        (
            "rules/test_layoff.py::test_an_own_meld_is_broken_where_that_leaves_less",
            f"{MODEL}::test_layoffs_are_chosen_alike",
        ),
    ),
    36: Trap(
        "two players trade discards for ever",
        (f"{ENDS}::test_traders_are_ended_by_the_caps",),
    ),
    37: Trap(
        "the dealer after a void deal, and bonuses of a game that were left on",
        (
            "rules/test_game.py::test_dealer_after_a_void_deal",
            "rules/test_rulesets.py::test_presets_hold_the_values_of_the_rules",
            f"{MODEL}::test_whole_games_go_alike",
        ),
    ),
    38: Trap(
        "tables of values keyed by the rules but not by who deals next",
        ("rules/test_proofs_symmetry.py::test_a_turned_table_plays_games_alike",),
        "the only tables are of melds, keyed by the one field that changes them",
    ),
}


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of the tests in a file."""
    tree = ast.parse((TESTS / file).read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in tree.body if isinstance(node, kinds))


@pytest.mark.parametrize("number", range(1, 39))
def test_each_trap_has_its_test(number: int, cases: Counter[str]) -> None:
    """Every trap names tests that there are, or the reason why it cannot occur."""
    trap = TRAPS[number]
    assert trap.tests or trap.why
    for test in trap.tests:
        file, _, name = test.partition("::")
        assert name.startswith("test_") and name in names_in(file), test
    cases["traps of other engines with a test or a reason"] += 1


def test_the_traps_are_complete() -> None:
    """The table goes from 1 to 38 without a gap."""
    assert list(TRAPS) == list(range(1, 39))


# ---------------------------------------------------------------- tests of their own

OTHERS = cards("8H 9H TH JC 4C 4D 9S KC KD 6S")
KNOCK = Dealing(
    (cards("5H 6H 7H 2C 2D 2S QC QD QH AS"), OTHERS),
    parse("TD"),
    (row("KH 7C 8C 9C"),),
    (0, 0),
)


def test_three_cards_are_laid_on_one_end() -> None:
    """An opponent may break an own run and lay 8, 9 and ten on 5-6-7, in any order."""
    deal = start(resolve("danish"), 1, 1, KNOCK)
    for action in (Decline(), Decline(), Draw()):
        act(deal, action)
    act(deal, Knock(parse("KH")))
    run = deal.spreads[0].melds.index(cards("5H 6H 7H"))
    laid = tuple((parse(card), run) for card in ("TH", "8H", "9H"))
    act(deal, LayOff((), laid))
    assert deal.spreads[0].melds[run] == cards("5H 6H 7H 8H 9H TH")
    assert deal.outcome and deal.outcome.deadwood == (1, 10 + 4 + 4 + 9 + 10 + 10 + 6)


def boards(preset: str, units: int = 3):
    """Boards with a first deal each."""
    decks = Decks(seed_secret("traps"), (), PRESETS[preset])
    for unit in range(units):
        board = Board(PRESETS[preset], decks, unit, unit, 0, units)
        board.start_deal()
        yield board


@pytest.mark.parametrize("preset", PRESETS)
def test_the_limit_that_is_told_is_the_limit_in_force(preset: str) -> None:
    """A deal's message tells its knock limit, and it is that limit which a knock must keep."""
    chance = Random(preset)
    for board in boards(preset):
        deal = board.deal
        told = [deal_started(board, seat).knock_limit for seat in range(deal.rules.players)]
        while deal.outcome is None:
            seat = board.ask()
            turn = play_pb2.Turn()
            put_turn(turn, board, seat, True)
            counts = dict(
                zip(members(turn.options.discards), turn.options.discard_deadwood, strict=True)
            )
            within = [card for card, count in counts.items() if count <= told[seat]]
            assert list(members(turn.options.knocks)) == within
            for card in counts.keys() - set(within):
                with pytest.raises(Illegal):
                    board.play(Knock(card), "")
            board.play(some_action(chance, deal, "greedy"), "")


@pytest.mark.parametrize("preset", PRESETS)
def test_phases_are_told_apart(preset: str) -> None:
    """The phase of a question says by itself which kinds of answers it has."""
    chance = Random(preset)
    kinds: dict[int, set[str]] = {}
    for board in boards(preset, 12):
        while board.deal.outcome is None:
            seat = board.ask()
            turn = play_pb2.Turn()
            put_turn(turn, board, seat, True)
            found = {field.name for field, _ in turn.options.ListFields()}
            kinds.setdefault(turn.phase, set()).update(found)
            assert (turn.phase == Phase.LAYOFF) == bool(board.deal.spreads)
            board.play(some_action(chance, board.deal, "greedy"), "")
    layoff = kinds.pop(Phase.LAYOFF, set())
    assert layoff <= {"may_lay_off"}
    discard = kinds.pop(Phase.DISCARD)
    assert discard <= {
        "discards", "discard_deadwood", "knocks", "knock_deadwood", "may_big_gin",
    }  # fmt: skip
    for answers in kinds.values():
        assert not answers & (discard | layoff)


def test_nobody_is_asked_to_score() -> None:
    """A deal is scored by the decision that ends it: nobody is asked for anything then."""
    for board in boards("german", 20):
        deal, chance = board.deal, Random(board.number)
        while deal.outcome is None:
            act(deal, some_action(chance, deal, "greedy"))
        assert (deal.turn, deal.phase) == (-1, Phase.OVER)
    names = {field.name for field in play_pb2.Action.DESCRIPTOR.oneofs_by_name["choice"].fields}
    assert names == {"decline", "take", "draw", "discard", "knock", "big_gin", "lay_off"}


def test_the_number_of_players_is_told() -> None:
    """The rules that a bot is welcomed with say how many play, in every preset."""
    for rules in PRESETS.values():
        assert to_proto(rules).players == rules.players == len(rules.side_of)


def test_a_seeded_reset_keeps_the_rules() -> None:
    """A reset with a seed deals other cards under the rules that were asked for."""
    pytest.importorskip("pettingzoo")
    from referee.pettingzoo_env import raw_env

    asked = {"preset": "three_handed", "gin_bonus": 7, "undercut_bonus": 3}
    environment = raw_env(rules=asked, unit="game")
    for seed in (None, 5, None, 6):
        environment.reset(seed=seed)
        assert environment.rules == resolve(asked)
        assert environment.agents == ["seat_0", "seat_1", "seat_2"]


def test_a_long_run_is_one_meld() -> None:
    """A run of five is one meld, taken whole where nothing is declared and where it is."""
    hand, run, twos = (
        cards("3H 4H 5H 6H 7H 2C 2D 2S 3C AS"),
        cards("3H 4H 5H 6H 7H"),
        cards("2C 2D 2S"),
    )
    for melds in (None, (run, twos)):
        deal = start(resolve("german"), 1, 1, KNOCK._replace(hands=(hand, OTHERS)))
        act(deal, Draw())
        act(deal, Knock(parse("KH"), melds))
        assert set(deal.spreads[0].melds) == {twos, run}
        assert deal.spreads[0].deadwood == 4


def test_an_undercut_that_reaches_the_target_wins() -> None:
    """The undercutter, and not the knocker whose turn it was, wins the game and its bonus."""
    rules = resolve({"preset": "german", "target": 30})
    game = Game(rules, 0)
    game.record(settle(rules, 0, 1, 0, (9, 4)))
    result = game.result
    assert result and (result.winner, result.places) == (1, (2, 1))
    assert result.points == (0, 30)
    assert result.totals == (0, (30 + 25 + 100) * 2)


def test_the_page_names_tests_that_there_are() -> None:
    """Every file in the table of proofs exists, and every file of proofs is in the table."""
    page = (TESTS.parent / "docs" / "architecture.md").read_text()
    chapter = page.partition("## How the rules are proved")[2]
    named = re.findall(r"`(tests/\w+/)?(test_\w+\.py)`", chapter)
    files = {TESTS.parent / (folder or "tests/rules/") / name for folder, name in named}
    assert all(file.is_file() for file in files)
    assert files >= set((TESTS / "rules").glob("test_proofs_*.py"))
